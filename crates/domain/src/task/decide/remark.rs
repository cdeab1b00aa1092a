//! Somebody remarks on a task. The worker and the asker hear it, except who wrote it.

use super::super::spec::Comment;
use super::prelude::*;
use crate::work_item::WorkItem;

impl Task {
    /// While it is open: on a closed one nobody works who could hear it, and closed stays closed (T2).
    pub(super) fn remark(
        &self,
        now: Timestamp,
        comment: &Comment,
        posted_to: Option<&WorkItem>,
        cause: &Cause,
    ) -> Decided {
        match &self.state {
            open!() => Ok(TaskDecision {
                records: vec![TaskRecord::Remarked { comment: comment.clone(), posted_to: posted_to.cloned() }],
                notices: Notices::new(self, now, cause).remark(&comment.text).done(),
                effects: Vec::new(),
            }),
            closed!() => Err(self.closed()),
        }
    }
}
