//! The promises about runs on call: P1 to P4.

use super::{Broken, hold};
use crate::task::{AttemptOutcome, BlockedOn, Run, RunState, Task, TaskState, closed};

/// P1: at most one run of a task is not ended, and it is the newest.
pub fn p1_one_run(task: &Task) -> Result<(), Broken> {
    let older = task.runs.iter().rev().skip(1).find(|run| run.is_live());
    let shared =
        task.runs.iter().enumerate().any(|(nth, run)| task.runs.iter().skip(nth + 1).any(|it| it.id == run.id));
    hold(older.is_none() && !shared, "P1 one-run", || {
        format!(
            "task `{}` has {} runs, and one that is not the newest lives or shares its id",
            task.id(),
            task.runs.len()
        )
    })
}

/// P2: a run with a process belongs to who has the task: by its offer, its lease, or the last word under that lease.
pub fn p2_run_has_its_task(task: &Task) -> Result<(), Broken> {
    let Some(run) = task.live_run() else { return Ok(()) };
    let offered = task.offer().is_some_and(|offer| (&offer.agent, offer.epoch) == (&run.agent, run.epoch));
    let leased = task.lease().is_some_and(|lease| (&lease.agent, lease.epoch) == (&run.agent, run.epoch));
    let has = match run.state {
        RunState::Starting => offered,
        RunState::Working => leased || offered || had_last_word(task, run),
        RunState::Waiting { .. } | RunState::Ended { .. } => true,
    };
    hold(has, "P2 run-has-its-task", || {
        format!("run `{}` works on task `{}`, which is {} and not its agent's", run.id, task.id(), task.name())
    })
}

/// P3: a run without a process waits for something: its agent has the task, or gets it back first.
pub fn p3_waiting_is_open(task: &Task) -> Result<(), Broken> {
    let Some(run) = task.live_run().filter(|run| matches!(run.state, RunState::Waiting { .. })) else { return Ok(()) };
    let waits = match &task.state {
        TaskState::InProgress { lease } => lease.agent == run.agent,
        TaskState::Assigned { offer } => offer.agent == run.agent,
        TaskState::Blocked { on: BlockedOn::Answer { agent, .. }, .. } => *agent == run.agent,
        TaskState::InReview { holder, .. } => *holder == run.agent,
        TaskState::Queued { .. } => task.last_holder.as_ref() == Some(&run.agent) && had_last_word(task, run),
        TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. }
        | TaskState::Timeout { .. }
        | closed!() => false,
    };
    hold(waits && !run.has_process(), "P3 waiting-is-open", || {
        format!("run `{}` waits, and task `{}` is {}", run.id, task.id(), task.name())
    })
}

/// P4: no change drops a run, wakes one that ended, or takes back or doubles what a process of it used.
pub fn p4_runs_are_kept(before: &Task, after: &Task) -> Result<(), Broken> {
    let kept = before.runs.len() <= after.runs.len()
        && before.runs.iter().zip(&after.runs).all(|(old, new)| {
            (&old.id, &old.agent, old.started_at) == (&new.id, &new.agent, new.started_at)
                // Another host goes on with it by its next process.
                && (old.process < new.process || (old.process, &old.host) == (new.process, &new.host))
                && new.exits.starts_with(&old.exits)
                && (old.is_live() || old.state == new.state)
        });
    let once = after.runs.iter().all(|run| {
        run.exits.is_sorted_by(|a, b| a.number < b.number) && run.exits.iter().all(|exit| exit.number <= run.process)
    });
    hold(kept && once, "P4 runs-are-kept", || format!("a run of task `{}` lost or doubled something", before.id()))
}

fn had_last_word(task: &Task, run: &Run) -> bool {
    task.attempts.iter().any(|attempt| {
        (&attempt.agent, attempt.epoch) == (&run.agent, run.epoch)
            && !matches!(
                attempt.outcome,
                AttemptOutcome::Running
                    | AttemptOutcome::TimedOut
                    | AttemptOutcome::Released
                    | AttemptOutcome::Cancelled
            )
    })
}
