//! What a webhook said, done by the verbs that other doors call. Done again under its key it changes nothing more.

use std::collections::BTreeSet;

use super::receive::source_principal;
use crate::actors::HubRef;
use crate::actors::agent::{AgentError, PostRequest};
use crate::actors::session::SessionOrder;
use crate::actors::task::IdempotencyKey;
use crate::domain::agent::{Notice, NoticeKind};
use crate::domain::hook::{Awaited, Heard, ItemComment, NamedIn, meaning};
use crate::domain::ids::{AgentId, PrincipalId, QuestionId};
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use crate::domain::session::{Session, SessionCommand, WorkflowStatus};
use crate::domain::task::{BlockedOn, TaskState};
use crate::domain::text::shorten;
use crate::domain::trace::Trace;
use crate::tools::key::digest;
use crate::tools::people::{AnswerQuestion, AnswerTask, CommentOnTask, PersonCall, find_question, find_task};
use crate::tools::{Caller, Follows, Refusal, blame, permit};

/// How much of a comment a notice repeats, in characters, where no task keeps it.
pub(super) const TOLD: usize = 1_000;

/// Why what a stranger writes is no person's word.
pub(super) const NOBODY: &str = "its author is nobody in people.yaml with a principal";

/// What came of a comment that answers nothing.
const KEPT: &str = "kept as a comment";

/// One delivery on its way to what it is about.
pub(super) struct Effect<'a> {
    pub(super) hub: &'a HubRef,
    pub(super) source: PrincipalId,
    key: String,
}

impl<'a> Effect<'a> {
    /// Of a delivery of this source, under this key.
    ///
    /// # Errors
    /// When nothing can have that name.
    pub(super) fn new(hub: &'a HubRef, source: &str, key: String) -> Result<Self, Refusal> {
        Ok(Self { hub, source: source_principal(source)?, key })
    }

    /// Does what it said; in a few words, what came of it.
    ///
    /// # Errors
    /// When the hub cannot do it now.
    pub(super) async fn of(&self, heard: &Heard) -> Result<String, Refusal> {
        match heard {
            Heard::Comment { comment } => self.comment(comment).await.map(str::to_owned),
            Heard::Change { change } => self.change(change).await,
        }
    }

    async fn comment(&self, comment: &ItemComment) -> Result<&'static str, Refusal> {
        let linked = self.linked(|session| session.work_item.as_ref() == Some(&comment.item)).await?;
        if linked.is_empty() {
            return Ok("nobody is linked to that work item");
        }
        let why = match (self.person(&comment.author, comment.named_in), meaning(comment, &linked)) {
            (None, _) => NOBODY.to_owned(),
            (Some(_), Err(why)) => why.to_string(),
            (Some(person), Ok((session, awaited))) => match self.answer(&person, session, &awaited, comment).await {
                Ok(()) => return Ok("answered"),
                Err(refusal) if refusal.status() >= 500 => return Err(refusal),
                Err(refusal) => refusal.message,
            },
        };
        for session in &linked {
            self.keep(session, comment, &why).await?;
        }
        Ok(KEPT)
    }

    /// The person of that name, where `people.yaml` knows one, with a principal.
    pub(super) fn person(&self, author: &str, named_in: NamedIn) -> Option<Caller> {
        let settings = self.hub.settings();
        let (key, person) = match named_in {
            NamedIn::Forge => settings.people.by_github(author)?,
            NamedIn::Tracker => settings.people.by_tracker(author)?,
        };
        let name = person.display_name.clone().unwrap_or_else(|| key.to_owned());
        let principal = person.principal.clone()?;
        let scopes = self.hub.credentials.of_person(&principal);
        let caller = self.caller(principal, name, PrincipalKind::Person);
        Some(Caller { principal: Principal { scopes, ..caller.principal }, ..caller })
    }

    async fn answer(
        &self,
        person: &Caller,
        session: &Session,
        awaited: &Awaited,
        comment: &ItemComment,
    ) -> Result<(), Refusal> {
        let call = self.call(person, "answer");
        call.require(Scope::Operate)?;
        match awaited {
            Awaited::Answer(question) => {
                let question: &QuestionId = question;
                let found = find_question(self.hub, question.as_str()).await?;
                let answer = AnswerQuestion::in_words(&found.spec, comment.text.clone());
                call.run(question.as_str(), &answer).await.map(drop)
            }
            Awaited::WayOn => match self.blocked_task(session).await? {
                Some(task) => call.run(&task, &AnswerTask { answer: comment.text.clone() }).await.map(drop),
                None => self.unblock(person, session, comment).await,
            },
        }
    }

    /// The task that the session follows, where it waits for an answer.
    async fn blocked_task(&self, session: &Session) -> Result<Option<String>, Refusal> {
        let Some(id) = &session.task else { return Ok(None) };
        let task = find_task(self.hub, id.as_str()).await?;
        let waits = matches!(task.state, TaskState::Blocked { on: BlockedOn::Answer { .. }, .. });
        Ok(waits.then(|| id.to_string()))
    }

    /// A session that is blocked without a task goes on: its agent is told first, and nothing is lost in between.
    async fn unblock(&self, person: &Caller, session: &Session, comment: &ItemComment) -> Result<(), Refusal> {
        let whose = Whose::Agent { agent: session.agent.clone(), role: None };
        permit::person(self.hub, &person.principal, Deed::AnswerTask, whose).await?;
        let who = &person.principal.display_name;
        let text = format!("{who} on {}: {}", comment.item, shorten(&comment.text, TOLD));
        self.tell(person, &session.agent, "told", NoticeKind::Comment, text).await?;
        let message = format!("{who} answered on {}", comment.item);
        let order = SessionOrder {
            command: SessionCommand::Report { status: WorkflowStatus::Working, message, details: None },
            by: person.by(),
            who: person.origin(),
            request: Some(person.request.clone()),
            blobs: Vec::new(),
            key: Some(self.keyed(&person.principal.id, "unblock")),
        };
        let line = self.hub.supervisor.session(&session.id).await.map_err(blame::fault)?;
        let line = line.ok_or_else(blame::session)?;
        line.order(order).await.map(drop).map_err(blame::session_order)
    }

    /// Keeps a comment that answers nothing: on the session's task, where its holder hears of it, or as a notice.
    async fn keep(&self, session: &Session, comment: &ItemComment, why: &str) -> Result<(), Refusal> {
        let item = &comment.item;
        let head =
            format!("A comment on {item} by `{}`. It is nobody's order and answers nothing: {why}.", comment.author);
        let name = format!("{} on {item}", comment.author);
        let stranger = self.caller(self.source.clone(), name, PrincipalKind::Service);
        if let Some(task) = &session.task {
            let remark = CommentOnTask::plain(format!("{head}\n\n{}", comment.text));
            match self.call(&stranger, &format!("keep:{}", session.id)).run(task.as_str(), &remark).await {
                Err(refusal) if matches!(refusal.code, "TASK_CLOSED" | "TASK_NOT_FOUND") => {}
                done => return done.map(drop),
            }
        }
        let text = format!("{head} {}", shorten(&comment.text, TOLD));
        self.tell(&stranger, &session.agent, &format!("told:{}", session.id), NoticeKind::Comment, text).await
    }

    pub(super) async fn linked(&self, is: impl Fn(&Session) -> bool) -> Result<Vec<Session>, Refusal> {
        let all = self.hub.journal.read(|reader| reader.sessions()).await.map_err(|error| blame::read(&error))?;
        Ok(all.into_iter().filter(is).collect())
    }

    pub(super) async fn tell(
        &self,
        from: &Caller,
        agent: &AgentId,
        part: &str,
        kind: NoticeKind,
        text: String,
    ) -> Result<(), Refusal> {
        let notice = Notice {
            id: self.hub.ids.notice(),
            kind,
            text,
            from: from.origin(),
            task_id: None,
            question_id: None,
            at: self.hub.clock.now(),
            typed_at: None,
        };
        let Some(line) = self.hub.agent(agent).await.map_err(blame::fault)? else { return Ok(()) };
        let key = Some(self.keyed(&from.principal.id, part));
        let post = PostRequest { notice, by: from.by(), request: Some(from.request.clone()), key };
        match line.post(post).await {
            Ok(_) | Err(AgentError::Repeated(_)) => Ok(()),
            Err(error) => Err(blame::agent(agent, error)),
        }
    }

    pub(super) fn call(&self, who: &Caller, part: &str) -> PersonCall {
        PersonCall::new(self.hub.clone(), who.clone(), Some(format!("{}:{part}", self.key)))
    }

    fn keyed(&self, principal: &PrincipalId, part: &str) -> IdempotencyKey {
        IdempotencyKey {
            principal: principal.clone(),
            key: format!("{}:{part}", self.key),
            digest: digest(["hooks", part]),
        }
    }

    pub(super) fn caller(&self, id: PrincipalId, display_name: String, kind: PrincipalKind) -> Caller {
        Caller {
            principal: Principal { id, display_name, kind, scopes: BTreeSet::from([Scope::View, Scope::Operate]) },
            surface: Surface::Tracker,
            client: None,
            instance: None,
            session: None,
            request: self.hub.ids.request(),
            trace: Trace::begun(self.hub.ids.trace()),
            peer: None,
            reports: None,
            follows: Follows::default(),
        }
    }
}
