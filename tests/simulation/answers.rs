//! What a door does with an answer to an agent: holds it, writes it out, loses it.

use std::time::Duration;

use callboard::actors::agent::{AgentError, AnswerGuard, CallId, WaitEnd};

use crate::ledger::Ledger;
use crate::script::CAST;
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
        let mut guard = AnswerGuard::new(line, self.hub.next_call());
        let notices = guard.collect(None).await;
        if let Some((seconds, lost)) = held {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            self.note(|ledger| ledger.coverage.count(if lost { "answer lost" } else { "answer late" }));
            if lost {
                return;
            }
        }
        guard.leaves();
        self.note(|ledger| ledger.hears(agent, guard, began, &notices));
    }

    /// The door could not write out the last answer.
    pub(crate) fn not_written(self, agent: usize) {
        let answer = self.note(|ledger| {
            let now = ledger.tick;
            let player = &mut ledger.players[agent];
            player.unwritten = now;
            let answer = player.last_answer.take();
            for notice in answer.iter().flat_map(|(_, notices)| notices) {
                player.shown.remove(notice);
            }
            answer
        });
        if let Some((guard, _)) = answer.flatten() {
            guard.lost();
        }
    }
}

impl Ledger {
    /// How a wait ended, for the trace and the coverage.
    pub(crate) fn saw_a_wait_end(&mut self, agent: usize, id: CallId, end: &Result<WaitEnd, AgentError>) {
        let name = CAST[agent].0;
        let words = match end {
            Ok(end) => format!("{end:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        };
        let about = match end {
            Ok(WaitEnd::Task(offered)) => format!("{} epoch {}", offered.spec.id, offered.epoch),
            Ok(WaitEnd::Notices(notices)) => notices.len().to_string(),
            _ => String::new(),
        };
        self.trace.push(format!("    {name} wait {} ends: {words} {about}", id.0));
        if end.is_ok() {
            self.coverage.count(format!("wait {words}"));
        }
    }
}
