//! Records into the state. Cannot fail, and asks nothing.

use super::record::ReviewRecord;
use super::state::{Resolution, Review, ReviewComment, ReviewState, Verdict};
use crate::ids::TaskId;
use crate::time::Timestamp;

impl Review {
    /// A review from its first record; none when that is not `Submitted`.
    pub fn from_submitted(task: TaskId, at: Timestamp, record: &ReviewRecord) -> Option<Self> {
        let ReviewRecord::Submitted { round } = record else { return None };
        Some(Self {
            task,
            state: ReviewState::Open,
            rounds: vec![(**round).clone()],
            comments: Vec::new(),
            opened_at: at,
            updated_at: at,
        })
    }

    pub fn apply(&mut self, at: Timestamp, record: &ReviewRecord) {
        self.updated_at = at;
        match record {
            ReviewRecord::Submitted { round } => {
                self.rounds.push((**round).clone());
                self.state = ReviewState::Open;
            }
            ReviewRecord::Commented { comment } => self.comments.push((**comment).clone()),
            ReviewRecord::Resolved { comment, by, response } => {
                let resolution = Resolution { by: by.clone(), response: response.clone(), at };
                let known = self.comments.iter_mut().find(|known| known.comment.id == *comment);
                if let Some(ReviewComment { resolved, .. }) = known {
                    *resolved = Some(resolution);
                }
            }
            ReviewRecord::Approved { verdict } => {
                self.judge(verdict);
                self.state = ReviewState::Approved;
            }
            ReviewRecord::ChangesRequested { verdict, comments } => {
                self.judge(verdict);
                self.comments.extend_from_slice(comments);
                self.state = ReviewState::ChangesRequested;
            }
            ReviewRecord::TakenBack { login } => {
                let verdicts = self.rounds.last_mut().into_iter().flat_map(|round| &mut round.verdicts);
                let theirs = verdicts.filter(|verdict| verdict.is_standing_copy_of(login));
                theirs.for_each(|verdict| verdict.taken_back = Some(at));
            }
            ReviewRecord::Withdrawn { .. } => self.state = ReviewState::Withdrawn,
        }
    }

    fn judge(&mut self, verdict: &Verdict) {
        if let Some(round) = self.rounds.last_mut() {
            round.verdicts.push(verdict.clone());
        }
    }
}
