//! Tells the agent that works here what it does not fetch, by typing it: the third rung of the ladder.
//!
//! ```text
//!   a prompt like an input box stands, its host types notices
//!     └─► what is there to type? ─► agent ─► may it be typed here, now? ─► `input_ordered` and `notice_moved` on disk
//!           ▲ later                                                          └─► host ─► what came of it ─► agent
//!           └──────── nothing, not yet, not here ◄──────────────────────────────────────────────┘
//! ```
//!
//! Only the terminal knows when typing could be safe (`domain::terminal::notice`, `domain::agent::typing`).

use std::time::Duration;

use super::message::{Back, HostOrder};
use super::state::State;
use crate::actors::agent::TypingOrder;
use crate::domain::agent::ToType;
use crate::domain::terminal::{NoticeLine, takes_a_notice};
use crate::domain::time::Timestamp;

/// The longest time between two looks for something to type, while typing is safe.
const SELDOM: Duration = Duration::from_secs(5);
const OFTEN: Duration = Duration::from_millis(100);

impl State {
    /// Whether a notice could be typed here now: then its agent is asked for one.
    pub(super) fn look_for_notices(&mut self) {
        let shown = self.prompting.shown().map(|shown| &shown.prompt);
        let could = self.hosting.reader().is_some()
            && shown.is_some_and(|prompt| takes_a_notice(prompt.into(), self.host).is_ok());
        self.tell_at = could.then(|| self.tell_at.unwrap_or_else(|| self.clock.now()));
    }

    /// Asks its agent for what nobody fetches, and has it typed.
    pub(super) async fn tell_agent(&mut self) {
        let now = self.clock.now();
        let again = now + (self.settings.borrow().hub.notices.type_after / 2).clamp(OFTEN, SELDOM);
        let later = self.tell(now).await;
        self.tell_at = Some(later.map_or(again, |at| at.max(now + OFTEN).min(again)));
    }

    async fn tell(&mut self, now: Timestamp) -> Option<Timestamp> {
        let agent = self.hosting.reader()?.clone();
        let (notice, order_id) = match agent.to_type().await {
            Ok(ToType::Now(notice, order_id)) => (notice, order_id),
            Ok(ToType::Later(at)) => return Some(at),
            Ok(ToType::Nothing) | Err(_) => return None,
        };
        // What stands there is judged on the screen, which may lie on disk by now.
        self.wakes().await.ok()?;
        let line = NoticeLine::of(&notice);
        let seen = self.detect();
        let input = match line.order(&notice, order_id, seen.as_ref(), self.host) {
            Ok(input) => input,
            Err(why) => {
                tracing::debug!("notice `{}` is not typed into terminal `{}`: {why}", notice.id, self.spec.id);
                return None;
            }
        };
        let input_writer = self.hosting.input_writer()?.clone();
        let place = input_writer.try_reserve().ok()?;
        let terminal = self.spec.id.clone();
        let order = TypingOrder { terminal, notice: notice.id.clone(), whole: line.whole, input };
        match agent.order_typing(order.clone()).await {
            Ok(true) => {
                let input = order.input.clone();
                let back = Back::Agent { agent, order: Box::new(order) };
                place.send(HostOrder { order: input, by: self.hub.clone(), request: None, back });
            }
            Ok(false) => {}
            Err(error) => tracing::debug!("notice `{}` is not typed: {error}", notice.id),
        }
        Some(now + SELDOM)
    }
}
