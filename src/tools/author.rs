//! Who gives an order to a task, an agent by its tools or a person by any door, and what both may say to it.

use super::caller::Caller;
use crate::actors::HubRef;
use crate::actors::task::TaskAct;
use crate::domain::principal::By;
use crate::domain::task::{Authority, Cause, Comment, CommentKind, Origin, TaskCommand};
use crate::domain::text::Sanitized;
use crate::journal::{Blob, IdempotencyKey};

/// Who gives an order to a task, and by which request.
#[derive(Debug, Clone)]
pub(super) struct Author<'a> {
    pub(super) hub: &'a HubRef,
    pub(super) by: By,
    /// How the task's holder and its asker see them.
    pub(super) origin: Origin,
    /// On whose word a task is answered or cancelled.
    pub(super) authority: Authority,
    pub(super) request: String,
}

impl<'a> Author<'a> {
    /// A person, or a program with a person's rights: they may order as the hub's operators do.
    pub(super) fn operator(hub: &'a HubRef, caller: &Caller) -> Self {
        let (by, origin, request) = (caller.by(), caller.origin(), caller.request.clone());
        Self { hub, by, origin, authority: Authority::Operator, request }
    }

    /// Answers a BLOCKED task. The text is within its limit and cleaned; `sanitized` is what was dropped from it.
    pub(super) fn answer(&self, text: String, sanitized: Option<Sanitized>) -> TaskCommand {
        let answer = Comment { sanitized, ..self.comment(CommentKind::Answer, text) };
        TaskCommand::Answer { authority: self.authority.clone(), answer }
    }

    /// Calls a task off. The reason is within its limit and cleaned.
    pub(super) fn cancel(&self, reason: Option<String>) -> TaskCommand {
        TaskCommand::Cancel { authority: self.authority.clone(), reason }
    }

    /// A comment on the whole task, as of now.
    pub(super) fn comment(&self, kind: CommentKind, text: String) -> Comment {
        let (id, at) = (self.hub.ids.comment(), self.hub.clock.now());
        Comment::new(id, kind, self.origin.clone(), text, at)
    }

    /// An order with the ids of all notices that it may cause.
    pub(super) fn act(self, command: TaskCommand, blobs: Vec<Blob>, key: Option<IdempotencyKey>) -> TaskAct {
        let notices = (0..Cause::NOTICES).map(|_| self.hub.ids.notice()).collect();
        let cause = Cause { by: self.by, who: self.origin, notices };
        TaskAct { request: Some(self.request), blobs, key, ..TaskAct::new(command, cause) }
    }
}
