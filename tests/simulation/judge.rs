//! What must hold whenever everything has come to rest. Judged from the journal's rows and from what the clients know:
//! never by asking the hub whether it did well.

use callboard::domain::ids::AgentId;
use callboard::domain::task::{TargetWho, Task, TaskState};
use callboard::domain::time::Timestamp;
use callboard::journal::Reader as _;

use crate::ledger::Ledger;
use crate::player::agent_id;
use crate::schedule::CAST;
use crate::world::Life;

impl Life {
    pub(crate) fn judge_rest(&self) {
        let now = self.stage.now();
        let open = self.reader.open_tasks().unwrap();
        let mut findings = Vec::new();
        {
            let ledger = self.stage.ledger.borrow();
            self.creates_exist(&ledger, &mut findings);
            if !ledger.faulty {
                offers_arrived(&ledger, &open, &mut findings);
                if ledger.shaken_until < now {
                    self.nobody_waits_in_vain(&ledger, &open, now, &mut findings);
                }
            }
        }
        self.stage.note(|ledger| findings.into_iter().for_each(|finding| ledger.find(finding)));
    }

    fn creates_exist(&self, ledger: &Ledger, findings: &mut Vec<String>) {
        for create in &ledger.creates {
            let Some(id) = &create.task else { continue };
            match self.reader.task(id).unwrap() {
                None => findings.push(format!("I1: {} was acknowledged as {id}, and is not there", create.prompt)),
                Some(task) if task.spec.prompt != create.prompt => {
                    findings.push(format!("I1: {id} is not what {} asked for", create.prompt));
                }
                Some(_) => {}
            }
        }
    }

    /// A2, by the rows and the clients alone: no task is queued while somebody who may take it is parked.
    fn nobody_waits_in_vain(&self, ledger: &Ledger, open: &[Task], now: Timestamp, findings: &mut Vec<String>) {
        for (agent, player) in ledger.players.iter().enumerate().filter(|(_, player)| player.parked.is_some()) {
            let id = agent_id(agent);
            let row = self.reader.agent(&id).unwrap();
            let ready = row.is_some_and(|row| row.registration.is_some() && row.eviction.is_none());
            let mine = |task: &&Task| task.offer().is_some_and(|offer| offer.agent == id);
            if let Some(task) = open.iter().find(mine) {
                findings.push(format!("A2: {id} is parked, and its offer of {} lies there", task.id()));
            }
            let busy = open.iter().any(|task| task.lease().is_some_and(|lease| lease.agent == id));
            if !ready || busy {
                continue;
            }
            if let Some(task) = open.iter().find(|task| self.may_take(ledger, agent, task, now)) {
                let wait = player.parked.unwrap_or_default();
                findings.push(format!("A2: {id} is parked (wait {wait}), and {} is queued", task.id()));
            }
        }
    }

    /// Whether a queued task is for this agent. One that is kept for another for a moment is left out.
    pub(crate) fn may_take(&self, _: &Ledger, agent: usize, task: &Task, now: Timestamp) -> bool {
        let TaskState::Queued { held_for, .. } = &task.state else { return false };
        let kept = held_for.as_ref().is_some_and(|held| held.agent != agent_id(agent) && held.until >= now);
        !kept && fits(agent, task)
    }
}

/// Whether an agent of the cast may ever take a task.
pub(crate) fn fits(agent: usize, task: &Task) -> bool {
    let id: AgentId = agent_id(agent);
    let target = match &task.spec.target.who {
        TargetWho::Agent(wanted) => *wanted == id,
        TargetWho::Role(role) => role.as_str() == CAST[agent].1,
        TargetWho::Any => true,
    };
    target && !task.spec.excluded.contains(&id)
}

/// An offer that reached nobody goes back at once, when the hub can know.
fn offers_arrived(ledger: &Ledger, open: &[Task], findings: &mut Vec<String>) {
    for task in open {
        let Some(offer) = task.offer() else { continue };
        let arrived = ledger.received.contains_key(&(task.id().clone(), offer.epoch));
        if !arrived && offer.offered_at > ledger.shaken_until {
            findings.push(format!(
                "offer {} of {} to {} reached nobody, and lies there",
                offer.epoch,
                task.id(),
                offer.agent
            ));
        }
    }
}
