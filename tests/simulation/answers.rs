//! What a door does with an answer to an agent: holds it, writes it out, loses it.

use std::time::Duration;

use callboard::actors::agent::{AgentRef, CallId, Carried};

use crate::stage::Stage;

impl Stage {
    /// A call whose answer may lie in the door's hands for so many seconds, and may be lost there.
    pub(crate) async fn collect(self, agent: usize, held: Option<(u64, bool)>) {
        let Some(line) = self.agent_line(agent).await else { return };
        if self.begin_call(agent, &line).await.is_none() {
            return;
        }
        let Some(began) = self.note(|ledger| ledger.tick()) else { return };
        // As the doors hold it: a call that is dropped on its way takes back what it carries.
        let call = self.hub.next_call();
        let way = OnItsWay { line: &line, call, arrived: false };
        let notices = line.collect(call, None).await.notices;
        if let Some((seconds, lost)) = held {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            self.note(|ledger| ledger.coverage.count(if lost { "answer lost" } else { "answer late" }));
            if lost {
                return;
            }
        }
        line.left(call);
        way.arrived();
        self.note(|ledger| ledger.hears(agent, call, began, &notices));
    }

    /// The door could not write out the last answer.
    pub(crate) async fn not_written(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let answer = self.note(|ledger| {
            let now = ledger.tick;
            let player = &mut ledger.players[agent];
            player.unwritten = now;
            let answer = player.last_answer.take();
            for notice in answer.iter().flat_map(|(_, carried)| &carried.notices) {
                player.shown.remove(notice);
            }
            answer
        });
        if let Some((call, carried)) = answer.flatten() {
            line.undelivered(call, carried);
        }
    }
}

struct OnItsWay<'a> {
    line: &'a AgentRef,
    call: CallId,
    arrived: bool,
}

impl OnItsWay<'_> {
    fn arrived(mut self) {
        self.arrived = true;
    }
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        if !self.arrived {
            self.line.undelivered(self.call, Carried::default());
        }
    }
}
