//! Fault injection for the simulation (`crate::broken`): a function changes nothing unless its defect is switched on.

use super::message::TaskAct;
use super::state::State;
use crate::broken::{self, Break};
use crate::domain::agent::NoticeKind;
use crate::domain::task::{Task, TaskCommand, TaskDecision, TaskRecord};

impl State {
    /// `Break::TakesAnyReport`: treats every report as one of the agent that holds the lease.
    pub(super) fn defaced(&self, act: TaskAct) -> TaskAct {
        let holder = self.task.as_deref().and_then(Task::holder).cloned();
        match (act.command, holder) {
            (TaskCommand::Report { report, .. }, Some(agent)) if broken::by(Break::TakesAnyReport) => {
                TaskAct { command: TaskCommand::Report { agent, epoch: None, report }, ..act }
            }
            (command, _) => TaskAct { command, ..act },
        }
    }

    /// `Break::HidesCancels` drops a cancellation's notices; `Break::IgnoresProgress` does not extend the lease.
    pub(super) fn mutilated(&self, mut decision: TaskDecision) -> TaskDecision {
        if broken::by(Break::HidesCancels) {
            decision.notices.retain(|(_, notice)| notice.kind != NoticeKind::Cancel);
        }
        if let Some(lease) = self.task.as_deref().and_then(Task::lease).filter(|_| broken::by(Break::IgnoresProgress)) {
            for record in &mut decision.records {
                if let TaskRecord::Progressed { expires_at, .. } = record {
                    *expires_at = lease.expires_at;
                }
            }
        }
        decision
    }

    /// `Break::ForgetsAttempts`: loses earlier attempts when the task is queued again.
    pub(super) fn forgetting(records: &[TaskRecord], mut next: Task) -> Task {
        let again = records.iter().any(|record| matches!(record, TaskRecord::Requeued { .. }));
        if again && broken::by(Break::ForgetsAttempts) {
            next.attempts.clear();
            next.counted_from = 0;
        }
        next
    }
}
