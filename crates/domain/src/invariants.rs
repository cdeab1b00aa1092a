//! The named promises, as far as the pure heart can judge them. The same functions serve the tests, the simulation, the
//! `debug_assert!` after a turn, and whoever reads the journal from outside.
//!
//! A promise about a state takes the state; one about a change takes what was before, the record, and what came after.

mod questions;
mod runs;
mod workflows;

use thiserror::Error;

use super::agent::{Agent, AgentRecord};
use super::ids::{AgentId, TaskId};
use super::pull::PullRecord;
use super::review::{Review, Verdict};
use super::routing::Roster;
use super::task::{
    Attempt, AttemptOutcome, BlockedOn, RightsSet, Task, TaskRecord, TaskState, TaskStateName, WaitsFor,
};
use super::time::Timestamp;

pub use questions::{
    q1_one_winner, q2_no_dangerous_default, q3_answer_delivered, q4_late_is_kept, q5_signed_by_who_did_it,
    q6_open_is_needed, question_moves, s1_task_and_session_agree, s2_one_open_question,
};

pub use runs::{p1_one_run, p2_run_has_its_task, p3_waiting_is_open, p4_runs_are_kept};

pub use workflows::{
    w1_ended_stays_ended, w2_step_begins_once, w3_last_result_wins, w4_results_are_kept, w5_every_run_ends,
    workflow_moves,
};

/// A promise that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} is broken: {what}")]
pub struct Broken {
    pub name: &'static str,
    /// What is so that must not be.
    pub what: String,
}

/// Every promise about a task as it stands: T1, T3, T5, P1 to P3.
pub fn task_stands(task: &Task) -> Result<(), Broken> {
    t1_one_holder(task)?;
    t3_every_wait_ends(task)?;
    t5_dependents_wait(task)?;
    p1_one_run(task)?;
    p2_run_has_its_task(task)?;
    p3_waiting_is_open(task)
}

/// Every promise about one change of a task, and about what came of it: T1 to T5, A3, P1 to P4.
pub fn task_moves(before: &Task, record: &TaskRecord, after: &Task) -> Result<(), Broken> {
    t1_numbers_grow(before, record)?;
    t2_closed_stays_closed(before, record, after)?;
    t4_attempts_are_kept(before, after)?;
    a3_own_work_only(before, record)?;
    p4_runs_are_kept(before, after)?;
    task_stands(after)
}

/// T1: at most one lease lives, it is the newest attempt, and no two share a number.
pub fn t1_one_holder(task: &Task) -> Result<(), Broken> {
    const NAME: &str = "T1 one-holder";
    let running: Vec<&Attempt> = task.attempts.iter().filter(|it| it.outcome == AttemptOutcome::Running).collect();
    let leased = task.lease().map(|lease| (&lease.agent, lease.epoch));
    let works = running.first().map(|attempt| (&attempt.agent, attempt.epoch));
    hold(running.len() <= 1 && leased == works, NAME, || {
        format!("task `{}` has {} running attempts beside lease {leased:?}", task.id(), running.len())
    })?;
    hold(task.attempts.iter().rev().skip(1).all(|it| it.ended_at.is_some()), NAME, || {
        format!("an attempt of task `{}` runs on below a newer one", task.id())
    })?;
    hold(task.attempts.is_sorted_by(|a, b| a.epoch < b.epoch), NAME, || {
        format!("two leases of task `{}` share a number", task.id())
    })?;
    let newest = task.offer().map(|offer| offer.epoch).or_else(|| task.lease().map(|lease| lease.epoch));
    hold(newest.is_none_or(|epoch| epoch == task.epoch), NAME, || {
        format!("task `{}` is held under {newest:?} while its newest number is {}", task.id(), task.epoch)
    })
}

/// T1: a new offer, and a lease that follows none, has a number that was never given before.
pub fn t1_numbers_grow(before: &Task, record: &TaskRecord) -> Result<(), Broken> {
    let (TaskRecord::Offered { epoch, .. } | TaskRecord::Acknowledged { epoch, .. }) = record else { return Ok(()) };
    let takes_up =
        matches!(record, TaskRecord::Acknowledged { .. }) && before.offer().is_some_and(|offer| offer.epoch == *epoch);
    hold(*epoch > before.epoch || takes_up, "T1 one-holder", || {
        format!("task `{}` gives number {epoch} again, after {}", before.id(), before.epoch)
    })
}

/// T2: what is COMPLETED or CANCELLED stays as it is; a dead letter and what FAILED only go back into the queue. Of a
/// process that ends later, what it was is added, and nothing else changes by that.
pub fn t2_closed_stays_closed(before: &Task, record: &TaskRecord, after: &Task) -> Result<(), Broken> {
    let allowed = match before.name() {
        TaskStateName::Completed | TaskStateName::Cancelled => false,
        TaskStateName::Failed => matches!(record, TaskRecord::Requeued { count_anew: false, .. }),
        TaskStateName::DeadLetter => matches!(record, TaskRecord::Requeued { count_anew: true, .. }),
        TaskStateName::Queued
        | TaskStateName::Assigned
        | TaskStateName::InProgress
        | TaskStateName::Blocked
        | TaskStateName::InReview
        | TaskStateName::Timeout => true,
    };
    let is_account = matches!(
        record,
        TaskRecord::RunEnded { .. }
            | TaskRecord::RunLimited { .. }
            | TaskRecord::RunBudget { .. }
            | TaskRecord::RunConversation { .. }
    );
    let allowed = allowed || (is_account && before.state == after.state && before.attempts == after.attempts);
    hold(allowed, "T2 closed-stays-closed", || {
        format!("task `{}` went from {} to {}", before.id(), before.name(), after.name())
    })
}

/// T3: an open task ends by itself at some moment, or names who must act; a closed one waits for nothing.
pub fn t3_every_wait_ends(task: &Task) -> Result<(), Broken> {
    let named = task.waits_for().is_some_and(|who| match who {
        WaitsFor::Tasks { tasks } => !tasks.is_empty(),
        WaitsFor::Taker { .. }
        | WaitsFor::Repair { .. }
        | WaitsFor::Answer { .. }
        | WaitsFor::Reviewer
        | WaitsFor::Completion { .. }
        | WaitsFor::Operator => true,
    });
    let moves_on = task.next_deadline().is_some() || named;
    hold(task.is_open() == moves_on, "T3 every-wait-ends", || {
        format!("task `{}` is {} and nothing says how that ends", task.id(), task.name())
    })
}

/// T4: no change drops an attempt, anything that an attempt left, or a comment.
pub fn t4_attempts_are_kept(before: &Task, after: &Task) -> Result<(), Broken> {
    const NAME: &str = "T4 attempts-are-kept";
    hold(after.attempts.len() >= before.attempts.len(), NAME, || format!("task `{}` lost an attempt", before.id()))?;
    for (old, new) in before.attempts.iter().zip(&after.attempts) {
        let kept = if old.ended_at.is_some() { old == new } else { grew(old, new) };
        hold(kept, NAME, || format!("attempt {} of task `{}` lost something", old.number, before.id()))?;
    }
    hold(after.comments.starts_with(&before.comments), NAME, || format!("task `{}` lost a comment", before.id()))
}

/// T5: while a dependency is not COMPLETED, the task is BLOCKED on it, or was called off.
pub fn t5_dependents_wait(task: &Task) -> Result<(), Broken> {
    let unmet = task.unmet();
    let waits = match &task.state {
        TaskState::Blocked { on: BlockedOn::Dependencies, .. } => !unmet.is_empty(),
        TaskState::Blocked { on: BlockedOn::DependencyFailed { task: failed }, .. } => unmet.contains(failed),
        TaskState::Cancelled { .. } => true,
        TaskState::Blocked { on: BlockedOn::Answer { .. }, .. }
        | TaskState::Queued { .. }
        | TaskState::Assigned { .. }
        | TaskState::InProgress { .. }
        | TaskState::InReview { .. }
        | TaskState::Timeout { .. }
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::DeadLetter { .. } => unmet.is_empty(),
    };
    hold(waits, "T5 dependents-wait", || {
        format!("task `{}` is {} while it depends on {unmet:?}", task.id(), task.name())
    })
}

/// A1: an agent has at most one parked wait.
pub fn a1_one_waiter(agent: &AgentId, parked: usize) -> Result<(), Broken> {
    hold(parked <= 1, "A1 one-waiter", || format!("agent `{agent}` has {parked} parked waits"))
}

/// A2: no pair of a queued task and a parked agent that fits is left over. `pair` is what a search for one finds.
pub fn a2_woken(pair: Option<(&TaskId, &AgentId)>) -> Result<(), Broken> {
    pair.map_or(Ok(()), |(task, agent)| {
        hold(false, "A2 woken", || format!("task `{task}` is queued while agent `{agent}` waits and could take it"))
    })
}

/// A3: a response changes only what its agent holds, or had last while nobody holds it.
pub fn a3_own_work_only(before: &Task, record: &TaskRecord) -> Result<(), Broken> {
    let (TaskRecord::Acknowledged { agent, .. }
    | TaskRecord::Progressed { agent, .. }
    | TaskRecord::LeaseExtended { agent, .. }
    | TaskRecord::Completed { agent, .. }
    | TaskRecord::Failed { agent, .. }
    | TaskRecord::Blocked { agent, .. }
    | TaskRecord::Submitted { agent, .. }) = record
    else {
        return Ok(());
    };
    let whose = before.holder().or(before.last_holder.as_ref());
    hold(whose == Some(agent), "A3 own-work-only", || {
        format!("agent `{agent}` changed task `{}`, which is {whose:?}'s", before.id())
    })
}

/// N1: a notice is there from its record until it was heard, and not after.
pub fn n1_notice_once(before: &Agent, record: &AgentRecord, after: &Agent) -> Result<(), Broken> {
    let mut due = before.notices.clone();
    match record {
        AgentRecord::NoticePosted { notice } => {
            due.insert(notice.id.clone(), notice.clone());
        }
        AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => {
            due.retain(|id, _| !ids.contains(id));
        }
        AgentRecord::Registered { .. }
        | AgentRecord::NoticeMoved { .. }
        | AgentRecord::Evicted { .. }
        | AgentRecord::EvictionHeard => {}
    }
    hold(after.notices == due, "N1 notice-once", || {
        format!("agent `{}` would hear {:?} and not {:?}", after.id, after.notices.keys(), due.keys())
    })
}

/// D1: what is granted at the end of a chain goes beyond none of its links.
pub fn d1_rights_shrink(chain: &[&RightsSet], granted: &RightsSet, roster: &Roster) -> Result<(), Broken> {
    let beyond = chain.iter().find(|link| !granted.within(link, roster));
    beyond.map_or(Ok(()), |link| {
        hold(false, "D1 rights-shrink", || format!("{granted} was granted where a link allows {link}"))
    })
}

/// R1: no change drops a round, a verdict or a comment, or takes back that a thread was settled.
pub fn r1_words_are_kept(before: &Review, after: &Review) -> Result<(), Broken> {
    let rounds = before.rounds.len() <= after.rounds.len()
        && before.rounds.iter().zip(&after.rounds).all(|(old, new)| {
            (old.number, &old.agent, &old.change) == (new.number, &new.agent, &new.change)
                && old.verdicts.len() <= new.verdicts.len()
                && old.verdicts.iter().zip(&new.verdicts).all(|(old, new)| is_kept(old, new))
        });
    let comments = before.comments.len() <= after.comments.len()
        && before
            .comments
            .iter()
            .zip(&after.comments)
            .all(|(old, new)| old.comment == new.comment && (old.resolved.is_none() || new.resolved.is_some()));
    hold(rounds && comments, "R1 words-are-kept", || format!("the review of task `{}` lost something", before.task))
}

/// A verdict stays as it was given; that it was taken back on the forge is added, and stays, too.
fn is_kept(old: &Verdict, new: &Verdict) -> bool {
    let back = old.taken_back.is_none() || old.taken_back == new.taken_back;
    back && *old == Verdict { taken_back: old.taken_back, ..new.clone() }
}

/// F1: nothing is merged without a living approval of exactly that head and base, where its role asks for one.
///
/// What is merged by which approval is written down before it is sent.
pub fn f1_approved_is_merged(record: &PullRecord) -> Result<(), Broken> {
    let PullRecord::MergeSent { id, sent } = record else { return Ok(()) };
    let is_its_own = sent.approval.as_ref().is_none_or(|approval| approval.pull == *id);
    hold(sent.is_approved() && is_its_own, "F1 approved-is-merged", || {
        format!("`{id}` was merged at `{}` into `{}` by {:?}", sent.head, sent.base, sent.approval)
    })
}

/// J1: what the records make of nothing is what lives.
pub fn j1_replay_equals_life(records: &[(Timestamp, TaskRecord)], live: &Task) -> Result<(), Broken> {
    let mut records = records.iter();
    let mut replayed = records.next().and_then(|(at, record)| Task::from_created(*at, record));
    for (at, record) in records {
        if let Some(task) = replayed.as_mut() {
            task.apply(*at, record);
        }
    }
    hold(replayed.as_ref() == Some(live), "J1 replay-equals-life", || {
        format!("task `{}` would be another after a restart", live.id())
    })
}

fn grew(old: &Attempt, new: &Attempt) -> bool {
    (old.number, &old.agent, old.epoch, old.started_at) == (new.number, &new.agent, new.epoch, new.started_at)
        && (old.diff.is_none() || new.diff.is_some())
        && (old.evidence.is_none() || new.evidence.is_some())
        && new.artifacts.starts_with(&old.artifacts)
}

fn hold(holds: bool, name: &'static str, what: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken { name, what: what() }) }
}
