//! What a reviewer wants is heard before work on it ends: a worker that reports without having heard is told instead.
//!
//! A COMPLETED may be on its way while the task, sent back, is QUEUED for its last holder, and would take it. The offer
//! brings every wish along: whoever names its number, or acknowledges while it is offered, has heard them.

use super::super::spec::{Comment, CommentKind};
use super::prelude::*;

/// What an agent is about to do to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// To go on with it, or to give it up.
    GoesOn,
    /// To hand it in, or to complete it: then nobody looks at the wishes any more.
    HandsIn,
}

impl Task {
    /// Passes who knows what a reviewer wants.
    pub(super) fn hears_wishes(
        &self,
        standing: &TaskClaim<'_>,
        given: Option<LeaseEpoch>,
        means: Means,
    ) -> Result<(), TaskRefusal> {
        let before = self.attempts.last().map(|attempt| attempt.epoch).unwrap_or_default();
        let names = given.is_some_and(|epoch| epoch > before);
        let heard = match standing {
            TaskClaim::Offered(_) => names || means == Means::GoesOn,
            TaskClaim::Adrift(_) => names,
            TaskClaim::Leased(_) | TaskClaim::Awaiting(_) | TaskClaim::Submitted(_) => true,
        };
        if heard || !self.sent_back {
            return Ok(());
        }
        Err(TaskRefusal::ChangesRequested {
            task: self.spec.id.clone(),
            offer: self.offer().map(|offer| offer.epoch),
            wishes: self.wishes(),
        })
    }

    /// What reviewers said since the work was handed in.
    fn wishes(&self) -> Vec<Comment> {
        let since = self.attempts.last().and_then(|attempt| attempt.ended_at).unwrap_or_default();
        let said = self.comments.iter().filter(|it| it.kind == CommentKind::Review && it.at >= since);
        said.cloned().collect()
    }
}
