//! What must hold whenever everything has come to rest. Judged from the journal's rows and from what the clients know:
//! never by asking the hub whether it did well.

use std::sync::Arc;
use std::time::Duration;

use callboard::domain::ids::{AgentId, TaskId};
use callboard::domain::task::{BlockedOn, Dependency, TargetWho, Task, TaskState, TaskStateName};
use callboard::domain::time::Timestamp;
use callboard::journal::Reader as _;

use crate::hub_setup::{agent_id, role};
use crate::ledger::Ledger;
use crate::life::Life;
use crate::script::{CAST, HubSetup};

/// A deadline may be this late: a journal that fails for a moment is asked again after a second.
const LATE: Duration = Duration::from_secs(2);

/// At every so manieth rest the hub is asked how each task stands, and must say what is on disk.
const COMPARED: usize = 4;

impl Life {
    pub(crate) async fn judge_rest(&mut self) {
        let now = self.stage.now();
        let open = self.reader.open_rows();
        let mut findings = Vec::new();
        self.chronicle.borrow_mut().reads_on(&self.reader, &mut findings);
        let calm = {
            let ledger = self.stage.ledger.borrow();
            self.creates_exist(&ledger, &mut findings);
            one_wait_each(&ledger, &mut findings);
            if !ledger.faulty {
                offers_arrived(&ledger, &open, &mut findings);
            }
            let calm = ledger.is_calm(now);
            if calm {
                self.nobody_waits_in_vain(&ledger, &open, now, &mut findings);
                self.dependents_know(&open, &mut findings);
                self.watches_end(&ledger, &mut findings);
                waits_end(&ledger, now, &mut findings);
                deadlines_are_kept(&open, now, &mut findings);
            }
            calm
        };
        self.stage.note(|ledger| findings.into_iter().for_each(|finding| ledger.find(finding)));
        self.rests += 1;
        if calm && self.rests.is_multiple_of(COMPARED) {
            self.life_is_what_is_kept(&open).await;
        }
    }

    fn creates_exist(&self, ledger: &Ledger, findings: &mut Vec<String>) {
        for create in &ledger.creates {
            let Some(id) = &create.task else { continue };
            match self.reader.row(id) {
                None => findings.push(format!("I1: {} was acknowledged as {id}, and is not there", create.prompt)),
                Some(task) if task.spec.prompt != create.prompt => {
                    findings.push(format!("I1: {id} is not what {} asked for", create.prompt));
                }
                Some(_) => {}
            }
        }
    }

    /// A2, by the rows and the clients alone: no task is queued while somebody who may take it is parked.
    fn nobody_waits_in_vain(&self, ledger: &Ledger, open: &[Arc<Task>], now: Timestamp, findings: &mut Vec<String>) {
        for (agent, player) in ledger.players.iter().enumerate() {
            let Some((wait, _)) = player.parked else { continue };
            let id = agent_id(agent);
            let row = self.reader.agent(&id).unwrap();
            let ready = row.is_some_and(|row| row.registration.is_some() && row.eviction.is_none());
            let mine = |task: &&Arc<Task>| task.offer().is_some_and(|offer| offer.agent == id);
            if let Some(task) = open.iter().find(mine) {
                findings.push(format!("A2: {id} is parked, and its offer of {} lies there", task.id()));
            }
            let held = open.iter().filter(|task| task.lease().is_some_and(|lease| lease.agent == id)).count();
            if !ready || held >= self.stage.house.at_once(agent) {
                continue;
            }
            if let Some(task) = open.iter().find(|task| self.may_take(agent, task, now)) {
                findings.push(format!("A2: {id} is parked (wait {wait}), and {} is queued", task.id()));
            }
        }
    }

    /// Whether a queued task is for this agent. One that is kept for another for a moment is left out.
    fn may_take(&self, agent: usize, task: &Task, now: Timestamp) -> bool {
        let TaskState::Queued { held_for, .. } = &task.state else { return false };
        let kept = held_for.as_ref().is_some_and(|held| held.agent != agent_id(agent) && held.until >= now);
        !kept && fits(self.stage.house, agent, task)
    }

    /// Whoever waits for other tasks knows how those stand.
    fn dependents_know(&self, open: &[Arc<Task>], findings: &mut Vec<String>) {
        for task in open {
            let TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. } =
                task.state
            else {
                continue;
            };
            for (id, known) in &task.dependencies {
                let Some(other) = self.reader.row(id) else { continue };
                let right = match (known, other.name()) {
                    (Dependency::Met { .. }, _) => true,
                    (Dependency::Pending, state) => !state.is_closed(),
                    (Dependency::Failed { .. }, state) => state != TaskStateName::Completed,
                };
                if !right {
                    findings.push(format!("T5: {} waits for {id}, which is {}", task.id(), other.name()));
                }
            }
        }
    }

    /// Whoever waits for a task to end is told that it did.
    fn watches_end(&self, ledger: &Ledger, findings: &mut Vec<String>) {
        for id in ledger.watches.values() {
            let Some(task) = self.reader.row(id) else { continue };
            if task.ends_watch() {
                findings.push(format!("A2: somebody waits for {id} to end, and it is {}", task.name()));
            }
        }
    }

    /// J1 while it lives: each actor shows what is on disk.
    async fn life_is_what_is_kept(&self, open: &[Arc<Task>]) {
        for kept in open {
            if self.shows_another(kept.id()).await.is_none() {
                continue;
            }
            // A deadline may have come with this very moment, and its write be under way.
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let Some(finding) = self.shows_another(kept.id()).await {
                self.stage.note(|ledger| ledger.find(finding));
            }
        }
        self.stage.count("live compared");
    }

    /// What is wrong where a task's actor does not show what is on disk.
    async fn shows_another(&self, id: &TaskId) -> Option<String> {
        let shown = self.stage.hub.task(id).await;
        let now = self.reader.row(id);
        if shown.as_ref().is_ok_and(|shown| shown.as_ref() == now.as_deref()) {
            return None;
        }
        let kept = now.as_ref().map(|task| &task.state);
        Some(match shown {
            Ok(Some(shown)) => format!("J1: {id} is {kept:?} on disk, and {:?} alive", shown.state),
            Ok(None) => format!("J1: {id} is on disk, and nowhere alive"),
            Err(fault) => format!("J1: {id} does not answer: {fault}"),
        })
    }
}

/// Whether an agent of the cast may ever take a task.
pub(crate) fn fits(house: HubSetup, agent: usize, task: &Task) -> bool {
    let id: AgentId = agent_id(agent);
    let target = match &task.spec.target.who {
        TargetWho::Agent(wanted) => *wanted == id,
        TargetWho::Role(role) => role.as_str() == CAST[agent].1,
        // Whom the asker may not delegate to is passed over.
        TargetWho::Any => task.spec.rights.allows(Some(&id), Some(&role(CAST[agent].1))),
    };
    target && task.spec.target.capabilities.is_subset(&house.capabilities(agent)) && !task.spec.excluded.contains(&id)
}

/// A1: a newer wait ends the older.
fn one_wait_each(ledger: &Ledger, findings: &mut Vec<String>) {
    for (agent, player) in ledger.players.iter().enumerate() {
        let open = player.open.difference(&player.ghosts).count();
        if open > 1 {
            findings.push(format!("A1: {} has {open} open waits", CAST[agent].0));
        }
    }
}

/// No wait outlives the time it was asked for.
fn waits_end(ledger: &Ledger, now: Timestamp, findings: &mut Vec<String>) {
    for (agent, player) in ledger.players.iter().enumerate() {
        if player.parked.is_some_and(|(_, until)| until + LATE < now) {
            findings.push(format!("a wait of {} goes on after its time", CAST[agent].0));
        }
    }
}

/// No deadline is lost, whatever the clock did.
fn deadlines_are_kept(open: &[Arc<Task>], now: Timestamp, findings: &mut Vec<String>) {
    for task in open {
        if let Some(due) = task.next_deadline().filter(|due| due.at + LATE < now) {
            findings.push(format!("T3: {} was due at {} ({}), and nothing came of it", task.id(), due.at, due.reason));
        }
    }
}

/// An offer that reached nobody goes back at once, when the hub can know.
fn offers_arrived(ledger: &Ledger, open: &[Arc<Task>], findings: &mut Vec<String>) {
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
