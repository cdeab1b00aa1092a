//! Records into the state. Cannot fail, and asks nothing: what a record says has happened, whoever wrote it.

use super::question::{Question, QuestionRecord};
use super::record::{Bond, SessionRecord, Standpoint};
use super::state::Session;
use super::status::WorkflowStatus;
use crate::pull::{PullRecord, PullRequest};
use crate::time::Timestamp;

/// How many resolved questions a session remembers for who asks again.
const REMEMBERED: usize = 8;
/// How many leaves for the present task it remembers beside them.
const LEAVES_REMEMBERED: usize = 100;
/// How many pull requests that are over it remembers.
const PULLS_REMEMBERED: usize = 50;

impl Session {
    pub fn apply(&mut self, at: Timestamp, record: &SessionRecord) {
        self.version = self.version.saturating_add(1);
        match record {
            SessionRecord::Opened { .. } => self.opened_at = at,
            SessionRecord::TakenUp => self.taken_up_at = at,
            SessionRecord::Linked { work_item } => self.work_item = Some(work_item.clone()),
            SessionRecord::WorkflowStatus { status, message, details, blockers, bond, .. } => {
                if !self.bind(bond) {
                    return;
                }
                let since = if self.status() == *status { self.standpoint.since } else { at };
                self.standpoint = Standpoint {
                    status: *status,
                    since,
                    message: message.clone(),
                    details: details.clone(),
                    blockers: blockers.clone(),
                };
            }
        }
    }

    /// A record of a question into the state; cannot fail. One that the session remembers no more changes nothing here.
    pub fn hear(&mut self, at: Timestamp, record: &QuestionRecord) {
        self.version = self.version.saturating_add(1);
        if let QuestionRecord::Asked { spec } = record {
            self.questions.push(Question::asked((**spec).clone()));
            // Only the resolved are forgotten, the oldest first; leave for this task after all others.
            let task = self.task.clone();
            let leaves = self.questions.iter().filter(|known| known.is_leave_for(task.as_ref())).count();
            let resolved = self.questions.iter().filter(|known| !known.is_open()).count();
            let mut surplus = resolved.saturating_sub(REMEMBERED + leaves.min(LEAVES_REMEMBERED));
            self.questions.retain(|known| {
                let kept = leaves <= LEAVES_REMEMBERED && known.is_leave_for(task.as_ref());
                let forgotten = surplus > 0 && !known.is_open() && !kept;
                surplus -= usize::from(forgotten);
                !forgotten
            });
        } else if let Some(question) = self.questions.iter_mut().find(|it| it.spec.id == *record.id()) {
            question.apply(at, record);
        }
    }

    /// A record of a pull request into the state; cannot fail. One that the session remembers no more changes nothing.
    pub fn hear_of_pull(&mut self, at: Timestamp, record: &PullRecord) {
        self.version = self.version.saturating_add(1);
        if let PullRecord::Requested { id, task, spec } = record {
            self.pulls.push(PullRequest::requested(id.clone(), task.clone(), spec, at));
        } else if let Some(pull) = self.pulls.iter_mut().find(|pull| pull.id == *record.id()) {
            pull.apply(at, record);
        }
        let over = self.pulls.iter().filter(|pull| !pull.is_live()).count();
        let mut surplus = over.saturating_sub(PULLS_REMEMBERED);
        self.pulls.retain(|pull| {
            let forgotten = surplus > 0 && !pull.is_live();
            surplus -= usize::from(forgotten);
            !forgotten
        });
    }

    /// What the bond makes of the task; false when the record is about a task that the session does not follow.
    fn bind(&mut self, bond: &Bond) -> bool {
        match bond {
            Bond::Own => true,
            Bond::Takes { task } => {
                if self.task.as_ref() != Some(task) || self.status() == WorkflowStatus::Completed {
                    self.round = self.round.saturating_add(1);
                }
                self.task = Some(task.clone());
                true
            }
            Bond::Follows { task } => self.task.as_ref() == Some(task),
            Bond::Leaves { task } => {
                let followed = self.task.as_ref() == Some(task);
                if followed {
                    self.task = None;
                }
                followed
            }
        }
    }
}
