//! What every verb has: a name, words for a model, types for its arguments and its answer, and a thing to do.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::author::Author;
use super::caller::Caller;
use super::fit::Remainder;
use super::refusal::Result;
use super::rendering::Words;
use crate::actors::HubRef;
use crate::actors::agent::{AgentRef, AnswerGuard, CallId, Called, HeldState};
use crate::actors::task::{TaskAct, TaskRef};
use crate::domain::agent::{Notice, Registration};
use crate::domain::ids::{AgentId, LeaseEpoch, QuestionId, SessionId, TaskId};
use crate::domain::principal::Scope;
use crate::domain::task::{Authority, Origin, OriginKind, TaskCommand};
use crate::domain::text::Sanitized;
use crate::journal::{Blob, IdempotencyKey};
use crate::settings::{Remind, Settings};

/// A verb is what it is called with: its own arguments, besides the common ones.
pub(super) trait Verb: DeserializeOwned + JsonSchema + Send + 'static {
    /// Its name on every door.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does and when to call it, for a language model.
    const DESCRIPTION: &'static str;
    const FOR: For;
    const HINTS: Hints;
    /// Whether it is about the caller's session: then an agent that has none hears that one is missing.
    const IN_SESSION: bool = false;
    /// Whether a call may block for long.
    const BLOCKS: bool = false;
    /// How to get what does not fit into one result; none where what it answers is short by itself.
    const REST: Option<Remainder> = None;
    /// Whether it shows what is reported while it waits; see `Caller::reports`.
    const REPORTS: bool = false;
    /// Whether a repeat under a key is answered as the first time: so it is for whatever changes something. Only a wait
    /// for work takes no key, since its repeat must bring what is there by then.
    const KEYED: bool = !Self::HINTS.read_only;
    /// Arguments of its own that are no part of what is asked: with others it is a repeat all the same.
    const BESIDE: &'static [&'static str] = &[];
    /// Whether its fields are the answer itself; see `Reply::tells`.
    const TELLS: bool = false;
    /// Whether its answer is read by the client and never by the model: then no notice goes with it.
    const TO_CLIENT: bool = false;

    /// Its own fields in an answer.
    type Output: Serialize + JsonSchema + Send + 'static;

    fn run(call: Call, input: Self) -> impl Future<Output = Result<Answer<Self::Output>>> + Send;
}

/// Who may call a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// An agent that takes up its work; nothing is asked of it before.
    Newcomers,
    /// A registered agent, also one that was sent away and is to hear it.
    Waiters,
    /// A registered agent.
    Agents,
    /// A registered agent, and anybody with this scope.
    Anybody(Scope),
    /// Whoever has this scope, and no agent.
    People(Scope),
}

/// What a client may assume of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hints {
    /// It changes nothing.
    pub(super) read_only: bool,
    /// Calling it twice is as good as once.
    pub(super) idempotent: bool,
    /// It may end something that cannot be begun again.
    pub(super) destructive: bool,
}

impl Hints {
    pub(super) const LOOKS: Self = Self { read_only: true, idempotent: true, destructive: false };
    /// It adds something each time.
    pub(super) const ADDS: Self = Self { read_only: false, idempotent: false, destructive: false };
    /// It changes something, and a repeat changes nothing more.
    pub(super) const SETTLES: Self = Self { read_only: false, idempotent: true, destructive: false };
    pub(super) const ENDS: Self = Self { read_only: false, idempotent: true, destructive: true };
}

/// A call on its way into a verb: who, under which settings, with which key.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: CallId,
    pub(super) hub: HubRef,
    pub(super) caller: Box<Caller>,
    pub(super) settings: Arc<Settings>,
    /// The agent that calls, if one does. Boxed, with the caller: a verb that waits keeps its call twice over.
    pub(super) agent: Option<Box<Calling>>,
    pub(super) key: Option<IdempotencyKey>,
    /// The session that is meant: by argument, by header, else the calling agent's own.
    pub(super) session: Option<SessionId>,
    /// What is dropped from the verb's own arguments before they are kept; none when nothing is.
    pub(super) sanitized: Option<Box<Sanitized>>,
}

#[derive(Debug, Clone)]
pub(super) struct Calling {
    pub(super) id: AgentId,
    pub(super) line: AgentRef,
    /// How it stood when the call began.
    pub(super) called: Called,
}

/// What a verb came to.
#[derive(Debug)]
pub(super) struct Answer<O> {
    /// What happened, in a sentence.
    pub(super) message: String,
    /// What to do next.
    pub(super) prompt: Option<String>,
    pub(super) fields: O,
    /// Notices that the verb itself brings; the others are added to every answer.
    pub(super) notices: Vec<Notice>,
    /// Of the end of a wait, with what it carries.
    pub(super) guard: Option<AnswerGuard>,
    /// Whose words `prompt` begins with, where they are not the hub's.
    pub(super) words: Option<Words>,
    /// The question whose answer it tells: no notice tells it again unless this is lost.
    pub(super) answers: Option<QuestionId>,
}

impl<O> Answer<O> {
    /// An answer without a next step.
    pub(super) fn new(message: impl Into<String>, fields: O) -> Self {
        let message = message.into();
        Self { message, prompt: None, fields, notices: Vec::new(), guard: None, words: None, answers: None }
    }

    pub(super) fn prompt(self, prompt: impl Into<String>) -> Self {
        Self { prompt: Some(prompt.into()), ..self }
    }
}

impl Call {
    /// The agent that calls, for verbs that only agents may call.
    pub(super) fn calling(&self) -> Result<&Calling> {
        self.agent.as_deref().ok_or_else(|| super::refuse::not_an_agent(&self.caller))
    }

    /// A line to a task that the calling agent holds, as it stood when the call began.
    pub(super) fn held(&self, task: &TaskId) -> Option<&TaskRef> {
        let held = &self.agent.as_ref()?.called.held;
        held.iter().find(|held| held.id == *task).map(|held| &held.task)
    }

    /// The number under which this task was offered to the calling agent before the call began: it has read the offer.
    pub(super) fn offered(&self, task: &TaskId) -> Option<LeaseEpoch> {
        let held = &self.agent.as_ref()?.called.held;
        held.iter().find(|held| held.id == *task && held.state == HeldState::Offered).map(|held| held.epoch)
    }

    /// How others see the caller: `from`.
    pub(super) fn origin(&self) -> Origin {
        let principal = &self.caller.principal;
        match &self.agent {
            Some(agent) => Origin {
                kind: OriginKind::Agent,
                id: agent.id.to_string(),
                display_name: self.registration().map_or(&principal.display_name, |known| &known.display_name).clone(),
            },
            None => self.caller.origin(),
        }
    }

    /// What the calling agent registered as; none for who is no agent.
    pub(super) fn registration(&self) -> Option<&Registration> {
        self.agent.as_ref()?.called.registration.as_ref()
    }

    /// Whether the calling agent's role is to be reminded of that.
    pub(super) fn is_reminded(&self, of: Remind) -> bool {
        let role = self.registration().and_then(|known| self.settings.roles.find(known.role.as_str()));
        role.is_some_and(|(_, role)| role.remind.contains(&of))
    }

    /// Who orders something of a task.
    pub(super) fn author(&self) -> Author<'_> {
        Author {
            hub: &self.hub,
            by: self.caller.by(),
            origin: self.origin(),
            authority: self.agent.as_ref().map_or(Authority::Operator, |agent| Authority::Agent(agent.id.clone())),
            request: self.caller.request.clone(),
        }
    }

    /// An order under this call's key.
    pub(super) fn act(&self, command: TaskCommand, blobs: Vec<Blob>) -> TaskAct {
        self.author().act(command, blobs, self.key.clone())
    }
}

impl Calling {
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.called.registration.as_ref().map(|known| &known.session)
    }
}
