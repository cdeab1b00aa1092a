//! The stand-in without sockets, for tests on stopped time: a request is a call, and a connection of the gateway is a
//! line over which texts go in and out.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};

use axum::extract::{Request, State};
use axum::response::Response;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::sleep;

use super::gateway::receive;
use super::handle::Discord;
use super::model::options::Options;
use super::model::session::{Connection, Push, take};
use super::model::world::World;
use super::rest::door::{self, Reset};
use super::stage::Stage;
use crate::time::Clock;

impl Discord {
    /// One without a listener, on this clock.
    #[must_use]
    pub fn in_memory(options: Options, clock: Clock) -> Self {
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
        Self::behind_no_listener(Stage::new(World::new(clock.now(), options, nowhere), clock))
    }

    /// Answers a request; none where the connection would be reset.
    pub async fn answers(&self, request: Request) -> Option<Response> {
        let answer = door::serve(State(self.stage.clone()), request).await;
        answer.extensions().get::<Reset>().is_none().then_some(answer)
    }

    /// Opens a connection to the gateway; none where it is refused.
    #[must_use]
    pub fn opens_gateway(&self) -> Option<GatewayLine> {
        let (out, pushes) = unbounded_channel();
        let number = self.stage.change(|world| {
            if take(&mut world.gateway.pending.refuse) {
                return None;
            }
            let (number, heartbeat_at) = (world.id(), world.now);
            let (is_zombie, is_closing, frames) = (false, false, VecDeque::new());
            receive::opened(world, number, Connection { out, is_zombie, is_closing, heartbeat_at, frames });
            Some(number)
        })?;
        Some(GatewayLine { stage: self.stage.clone(), number, pushes })
    }
}

/// A connection to the gateway.
#[derive(Debug)]
pub struct GatewayLine {
    stage: Stage,
    number: u64,
    pushes: UnboundedReceiver<Push>,
}

impl GatewayLine {
    /// Sends a text.
    pub fn says(&self, text: &str) {
        self.stage.change(|world| receive::text(world, self.number, text));
    }

    /// The next text.
    ///
    /// # Errors
    /// The code with which it was closed, or none where it was dropped.
    pub async fn hears(&mut self) -> Result<String, Option<u16>> {
        loop {
            match self.pushes.recv().await {
                Some(Push::Text(text)) => return Ok(text),
                Some(Push::Pause(pause)) => sleep(pause).await,
                Some(Push::Close(code, _)) => return Err(Some(code)),
                Some(Push::Drop) | None => return Err(None),
            }
        }
    }
}

impl Drop for GatewayLine {
    fn drop(&mut self) {
        self.stage.change(|world| receive::ended(world, self.number, None));
    }
}
