//! What a webhook said, done by the verbs that other doors call. Done again under its key it changes nothing more.

use std::collections::BTreeSet;

use super::receive::{once, source_principal};
use crate::actors::HubRef;
use crate::actors::agent::{AgentError, PostRequest};
use crate::actors::forge::renamed;
use crate::actors::session::SessionOrder;
use crate::domain::agent::{Notice, NoticeKind};
use crate::domain::hook::{Awaited, HookEvent, ItemComment, NoAnswer, ReplyReason, meaning};
use crate::domain::ids::{AgentId, PrincipalId, QuestionId};
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use crate::domain::session::{Session, SessionCommand, Tie, WorkflowStatus};
use crate::domain::task::{BlockedOn, TaskState};
use crate::domain::text::shorten;
use crate::domain::trace::Trace;
use crate::journal::{Entry, HubRecord, IdempotencyKey};
use crate::settings::TrackerKind;
use crate::tools::key::digest;
use crate::tools::people::{AnswerQuestion, AnswerTask, CommentOnTask, PersonCall, find_task};
use crate::tools::{Caller, Follows, Refusal, Result, authorize, refuse};

/// How much of a comment a notice repeats, in characters, where no task keeps it.
pub(super) const TOLD: usize = 1_000;

/// Why what a stranger writes is no person's word.
pub(super) const NOBODY: &str = "its author is nobody in people.yaml with a principal";

/// The code of what is said to who was not the first.
const TOO_LATE: &str = "ALREADY_RESOLVED";

/// What came of a comment that answers nothing.
const KEPT: &str = "kept as a comment";

/// One delivery on its way to what it is about.
pub(super) struct Effect<'a> {
    pub(super) hub: &'a HubRef,
    pub(super) source: PrincipalId,
    name: String,
    key: String,
}

impl<'a> Effect<'a> {
    /// Of a delivery of this source, under this key. Fails when nothing can have that name.
    pub(super) fn new(hub: &'a HubRef, source: &str, key: String) -> Result<Self> {
        Ok(Self { hub, source: source_principal(source)?, name: source.to_owned(), key })
    }

    /// Does what it said; in a few words, what came of it.
    pub(super) async fn of(&self, heard: &HookEvent) -> Result<String> {
        match heard {
            HookEvent::Comment { comment } => self.comment(comment).await.map(str::to_owned),
            HookEvent::Change { change } => self.change(change).await,
            HookEvent::Renamed { from, to } => self.renamed(from, to).await,
        }
    }

    async fn comment(&self, comment: &ItemComment) -> Result<&'static str> {
        let is_linked = |session: &Session| session.work_item.as_ref() == Some(&comment.item);
        let linked = self.linked(BTreeSet::from([Tie::item(&comment.item)]), is_linked).await?;
        if linked.is_empty() {
            return Ok("nobody is linked to that work item");
        }
        let Some(person) = self.person(&comment.author) else {
            return self.keep_for_all(&linked, comment, NOBODY).await;
        };
        let why = match meaning(comment, &linked, self.hub.clock.now()) {
            Ok((session, awaited)) => match self.answer(&person, session, &awaited, comment).await {
                Ok(()) => return Ok("answered"),
                Err(refusal) if refusal.status() >= 500 => return Err(refusal),
                Err(refusal) => {
                    if let (TOO_LATE, Awaited::Answer(question, _) | Awaited::Late(question, _)) =
                        (refusal.code, awaited)
                    {
                        self.reply(&person, comment, &question, ReplyReason::TooLate).await?;
                    }
                    refusal.message
                }
            },
            Err(why @ NoAnswer::NotAnOption(_)) => match self.names_no_option(&person, &linked, comment, &why).await {
                Err(refusal) if refusal.status() >= 500 => return Err(refusal),
                Err(refusal) => refusal.message,
                Ok(()) => why.to_string(),
            },
            Err(why) => why.to_string(),
        };
        self.keep_for_all(&linked, comment, &why).await
    }

    async fn keep_for_all(&self, linked: &[Session], comment: &ItemComment, why: &str) -> Result<&'static str> {
        for session in linked {
            self.keep(session, comment, why).await?;
        }
        Ok(KEPT)
    }

    /// Who may answer, and named none of the options, hears them.
    async fn names_no_option(
        &self,
        person: &Caller,
        linked: &[Session],
        comment: &ItemComment,
        why: &NoAnswer,
    ) -> Result<()> {
        let NoAnswer::NotAnOption(question) = why else { return Ok(()) };
        let Some(asked) = linked.iter().find_map(|session| session.question(question)) else { return Ok(()) };
        let whose = Whose::Agent { agent: asked.spec.agent_id.clone(), role: None };
        authorize::person(self.hub, &person.principal, Deed::AnswerQuestion, whose).await?;
        self.reply(person, comment, question, ReplyReason::NotAnOption).await
    }

    /// The author hears on the work item why their comment answered nothing: once of each question and reason.
    async fn reply(
        &self,
        person: &Caller,
        comment: &ItemComment,
        question: &QuestionId,
        reason: ReplyReason,
    ) -> Result<()> {
        if self.hub.settings().hub.tracker.kind == TrackerKind::Builtin {
            return Ok(());
        }
        let (item, author) = (comment.item.clone(), comment.author.clone());
        let entry = Entry::of_hub(HubRecord::CommentReplied { item, author, question: question.clone(), reason });
        let key = format!("reply:{}", digest([question.as_str(), " ", person.principal.id.as_str(), reason.as_str()]));
        once(self.hub, &person.request, &self.source, key, entry).await.map(drop)
    }

    /// Who is linked to something in it hears its new name. Where settings name the old one, it is in the inbox.
    async fn renamed(&self, from: &str, to: &str) -> Result<String> {
        let ties = BTreeSet::from([Tie::repository(from)]);
        let linked =
            self.linked(ties, |session| session.work_item.as_ref().is_some_and(|item| item.is_in(from))).await?;
        let source = self.caller(self.source.clone(), to.to_owned(), PrincipalKind::Service);
        for session in &linked {
            let text = format!(
                "The repository {from} of your work item is called {to} now: call link_task with its new name to hear \
                 what is said there."
            );
            self.tell(&source, &session.agent, &format!("renamed:{}", session.id), NoticeKind::Message, text).await?;
        }
        let settings = self.hub.settings();
        let hub = &settings.hub;
        let own = hub.webhooks.inbound.get(&self.name).map(|set| set.repositories.as_slice()).unwrap_or_default();
        let mut listed = own.iter().chain(&hub.tracker.repositories).chain(&hub.forge.repositories);
        if listed.any(|name| name.eq_ignore_ascii_case(from)) {
            return Err(Refusal::without_advice("HOOK_REPOSITORY_NOT_LISTED", renamed(from, to)));
        }
        Ok("no setting names it by its old name".to_owned())
    }

    /// The person of that login, where `people.yaml` knows one at this source, with a principal.
    pub(super) fn person(&self, author: &str) -> Option<Caller> {
        let settings = self.hub.settings();
        let (key, person) = settings.person_at(&self.name, author)?;
        let name = person.display_name.clone().unwrap_or_else(|| key.to_owned());
        let principal = person.principal.clone()?;
        let scopes = self.hub.credentials.of_person(&principal);
        let caller = self.caller(principal, name, PrincipalKind::Person);
        Some(Caller { principal: Principal { scopes, ..caller.principal }, ..caller })
    }

    async fn answer(&self, person: &Caller, session: &Session, awaited: &Awaited, comment: &ItemComment) -> Result<()> {
        let call = self.call(person, "answer");
        call.require(Scope::Operate)?;
        match awaited {
            Awaited::Answer(question, value) | Awaited::Late(question, value) => {
                let answer = AnswerQuestion { value: value.clone(), own_words: false };
                call.run(question.as_str(), &answer).await.map(drop)
            }
            Awaited::WayOn(words) => match self.blocked_task(session).await? {
                Some(task) => call.run(&task, &AnswerTask { answer: words.clone() }).await.map(drop),
                None => self.unblock(person, session, comment, words).await,
            },
        }
    }

    /// The task that the session follows, where it waits for an answer.
    async fn blocked_task(&self, session: &Session) -> Result<Option<String>> {
        let Some(id) = &session.task else { return Ok(None) };
        let task = find_task(self.hub, id.as_str()).await?;
        let waits = matches!(task.state, TaskState::Blocked { on: BlockedOn::Answer { .. }, .. });
        Ok(waits.then(|| id.to_string()))
    }

    /// A session that is blocked without a task goes on: its agent is told first, and nothing is lost in between.
    async fn unblock(&self, person: &Caller, session: &Session, comment: &ItemComment, words: &str) -> Result<()> {
        let whose = Whose::Agent { agent: session.agent.clone(), role: None };
        authorize::person(self.hub, &person.principal, Deed::AnswerTask, whose).await?;
        let who = &person.principal.display_name;
        let text = format!("{who} on {}: {}", comment.item, shorten(words, TOLD));
        self.tell(person, &session.agent, "told", NoticeKind::Comment, text).await?;
        let message = format!("{who} answered on {}", comment.item);
        let command = SessionCommand::Report { status: WorkflowStatus::Working, message, details: None };
        let key = Some(self.keyed(&person.principal.id, "unblock"));
        let order = SessionOrder { key, ..person.session_order(command) };
        let line = self.hub.supervisor.session(&session.id).await.map_err(refuse::fault)?;
        let line = line.ok_or_else(refuse::session)?;
        line.order(order).await.map(drop).map_err(refuse::session_order)
    }

    /// Keeps a comment that answers nothing: on the session's task, where its holder hears of it, or as a notice.
    async fn keep(&self, session: &Session, comment: &ItemComment, why: &str) -> Result<()> {
        let item = &comment.item;
        let (was, says) = if comment.edited { (" was edited", " It now says:") } else { ("", "") };
        let author = &comment.author;
        let head =
            format!("A comment on {item} by `{author}`{was}. It is nobody's order and answers nothing: {why}.{says}");
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

    /// Sessions of which `is` holds, among those that are tied to one of these.
    pub(super) async fn linked(&self, ties: BTreeSet<Tie>, is: impl Fn(&Session) -> bool) -> Result<Vec<Session>> {
        let read = self.hub.journal.read(move |reader| reader.sessions_tied(&ties)).await;
        Ok(read.map_err(|error| refuse::read(&error))?.into_iter().filter(is).collect())
    }

    pub(super) async fn tell(
        &self,
        from: &Caller,
        agent: &AgentId,
        part: &str,
        kind: NoticeKind,
        text: String,
    ) -> Result<()> {
        let notice = Notice::new(self.hub.ids.notice(), kind, text, from.origin(), self.hub.clock.now());
        let Some(line) = self.hub.agent(agent).await.map_err(refuse::fault)? else { return Ok(()) };
        let key = Some(self.keyed(&from.principal.id, part));
        let post = PostRequest { notice, by: from.by(), request: Some(from.request.clone()), key };
        match line.post(post).await {
            Ok(_) | Err(AgentError::Repeated(_)) => Ok(()),
            Err(error) => Err(refuse::agent(agent, error)),
        }
    }

    pub(super) fn call(&self, who: &Caller, part: &str) -> PersonCall {
        PersonCall::new(self.hub.clone(), who.clone(), Some(format!("{}:{part}", self.key)))
    }

    fn keyed(&self, principal: &PrincipalId, part: &str) -> IdempotencyKey {
        let key = format!("{}:{part}", self.key);
        IdempotencyKey { principal: principal.clone(), key, digest: digest(["hooks", part]) }
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
