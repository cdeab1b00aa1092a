//! What a task does wrong when it is broken on purpose; otherwise everything passes through here as it is.

use super::message::TaskAct;
use super::state::State;
use crate::broken::{self, Break};
use crate::domain::agent::NoticeKind;
use crate::domain::task::{Task, TaskCommand, TaskDecision, TaskRecord};

impl State {
    /// An order, and whose word it is taken for.
    pub(super) fn defaced(&self, act: TaskAct) -> TaskAct {
        let holder = self.task.as_deref().and_then(Task::holder).cloned();
        match (act.command, holder) {
            (TaskCommand::Report { report, .. }, Some(agent)) if broken::by(Break::TakesAnyReport) => {
                TaskAct { command: TaskCommand::Report { agent, epoch: None, report }, ..act }
            }
            (command, _) => TaskAct { command, ..act },
        }
    }

    /// A decision, and what is left of it.
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

    /// What comes of the records, and what is forgotten of it.
    pub(super) fn forgetting(records: &[TaskRecord], mut next: Task) -> Task {
        let again = records.iter().any(|record| matches!(record, TaskRecord::Requeued { .. }));
        if again && broken::by(Break::ForgetsAttempts) {
            next.attempts.clear();
            next.counted_from = 0;
        }
        next
    }
}
