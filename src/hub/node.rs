//! This process as one of several hubs on one database: `domain::node` decides, and here it is performed.
//!
//! A hub that loses the team ends, and so does its process: whoever supervises it starts it again, and it stands by.
//! What it still writes is refused by the fence of the journal. A hub that cannot reach the database for
//! [`STOP_AFTER`] ends likewise, rather than answer from what may be old.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{HubError, Owned};
use crate::actors::Held;
use crate::clock::since_boot;
use crate::domain::node::{Elapsed, NodeCommand, NodeEffect, NodeView, STOP_AFTER};
use crate::journal::TEAM;
pub use crate::journal::postgres::Holder;
use crate::journal::postgres::{DatabasePlace, LiveNode, OpenError};
use crate::settings::HubSettings;

/// How often a node looks at the others.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a node is to the team, as its process is told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Standby,
    Owning(Holder),
    Lost(String),
}

/// A node, which counts and looks until it is told to leave.
#[derive(Debug)]
pub struct NodeProcess {
    phase: watch::Receiver<Phase>,
    held: Held,
    leaving: CancellationToken,
    driven: JoinHandle<()>,
}

impl NodeProcess {
    /// Joins, where the settings name a node. Fails as opening the journal does.
    pub async fn begin(hub: &HubSettings, password: Option<&SecretString>) -> Result<Option<Self>, HubError> {
        let (Some(name), Some(url)) = (&hub.node.name, &hub.store) else { return Ok(None) };
        super::make_folder(&hub.data_dir)?;
        let failed = |error: OpenError| HubError::Database(error.to_string());
        let password = password.map(|password| password.expose_secret());
        let place = DatabasePlace::parse(url, password, TEAM, &hub.data_dir).map_err(failed)?;
        let public_url = hub.node.public_url.clone();
        let node = LiveNode::open(place, name, public_url, env!("CARGO_PKG_VERSION")).await.map_err(failed)?;
        let (phase, phase_seen) = watch::channel(Phase::Standby);
        let (nodes, nodes_seen) = watch::channel(Vec::new());
        let (until, until_seen) = watch::channel(Duration::ZERO);
        let leaving = CancellationToken::new();
        let driver = Driver { node, phase, nodes, until, unseen: false };
        #[expect(clippy::disallowed_methods, reason = "it outlives the hub; the process holds its handle")]
        let driven = tokio::spawn(driver.drive(leaving.clone()));
        let held = Held { until: until_seen, nodes: nodes_seen };
        Ok(Some(Self { phase: phase_seen, held, leaving, driven }))
    }

    /// Every node, as far as they were seen.
    pub fn nodes(&self) -> watch::Receiver<Vec<NodeView>> {
        self.held.nodes.clone()
    }

    /// Waits until this node has the team. A hub that is built for it goes on to listen at `listener`.
    pub async fn owns(&self, listener: Option<Arc<TcpListener>>) -> Owned {
        let mut phase = self.phase.clone();
        loop {
            if let Phase::Owning(holder) = *phase.borrow_and_update() {
                return Owned { holder, held: self.held.clone(), listener };
            }
            if phase.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Waits until an owner must not answer any more, and says why.
    pub async fn lost(&self) -> String {
        let (mut phase, mut until) = (self.phase.clone(), self.held.until.clone());
        loop {
            if let Phase::Lost(why) = &*phase.borrow_and_update() {
                return why.clone();
            }
            let left = until.borrow_and_update().saturating_sub(since_boot());
            if left.is_zero() {
                return unanswered();
            }
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                Ok(()) = until.changed() => {}
                Ok(()) = phase.changed() => {}
            }
        }
    }

    /// Gives the team away, once nothing is written any more, and leaves.
    pub async fn leave(self) {
        self.leaving.cancel();
        if self.driven.await.is_err() {
            tracing::warn!("the node did not leave as it should: others take the journal in some seconds");
        }
    }
}

struct Driver {
    node: LiveNode,
    phase: watch::Sender<Phase>,
    nodes: watch::Sender<Vec<NodeView>>,
    until: watch::Sender<Duration>,
    /// Whether the last look failed.
    unseen: bool,
}

impl Driver {
    async fn drive(mut self, leaving: CancellationToken) {
        while !leaving.is_cancelled() && !matches!(*self.phase.borrow(), Phase::Lost(_)) {
            let effects = self.node.hears(&now, NodeCommand::Tick).await;
            self.tells(&effects);
            // What it just took is seen at once, and the first beat follows at once: before it nothing is taken.
            let took = self.looks().await;
            if !took && (self.node.node().counted.is_some() || self.unseen) {
                let _ = tokio::time::timeout(LOOK_EVERY, leaving.cancelled()).await;
            }
        }
        // An owner drains first: its hub has ended by now.
        for command in [NodeCommand::Stop, NodeCommand::Drained, NodeCommand::Stop] {
            self.node.hears(&now, command).await;
        }
    }

    /// Whether it took the team by that.
    async fn looks(&mut self) -> bool {
        let looked = self.node.looks(&now).await;
        let unseen = std::mem::replace(&mut self.unseen, looked.is_err());
        match looked {
            Ok((effects, nodes)) => {
                self.nodes.send_replace(nodes);
                self.tells(&effects);
                effects.iter().any(|effect| matches!(effect, NodeEffect::Begin { .. }))
            }
            Err(error) => {
                if !unseen {
                    tracing::warn!("the other hubs cannot be seen: {error}");
                }
                false
            }
        }
    }

    /// Tells the process what is about its hub. One that froze ends, and one that drains calls `leave` once it has.
    fn tells(&self, effects: &[NodeEffect]) {
        if let Some(counted) = self.node.node().counted {
            self.until.send_replace(Duration::from_millis(counted.0) + STOP_AFTER);
        }
        for effect in effects {
            match effect {
                NodeEffect::Begin { .. } => {
                    self.phase.send_replace(Phase::Owning(self.node.holder()));
                }
                NodeEffect::Freeze => self.loses(unanswered()),
                NodeEffect::End => self.loses("another hub has taken the journal".to_owned()),
                NodeEffect::Join
                | NodeEffect::Beat { .. }
                | NodeEffect::Take { .. }
                | NodeEffect::Resolve { .. }
                | NodeEffect::GoOn { .. }
                | NodeEffect::Drain
                | NodeEffect::Release { .. }
                | NodeEffect::Leave => {}
            }
        }
    }

    fn loses(&self, why: String) {
        self.phase.send_if_modified(|phase| {
            let first = matches!(phase, Phase::Owning(_));
            if first {
                *phase = Phase::Lost(why);
            }
            first
        });
    }
}

fn now() -> Elapsed {
    Elapsed(u64::try_from(since_boot().as_millis()).unwrap_or(u64::MAX))
}

fn unanswered() -> String {
    format!("the database has not answered this node for {} s", STOP_AFTER.as_secs())
}
