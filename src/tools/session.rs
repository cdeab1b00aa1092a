//! What the verbs of a session share: which one is meant, an order to it, and the wait for an answer.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::ack_task::acknowledge_beside;
use super::authorize;
use super::caller::Caller;
use super::prelude::*;
use crate::actors::agent::HeldState;
use crate::actors::session::{SessionOrder, SessionReceipt, SessionRef, SessionView};
use crate::domain::ids::QuestionId;
use crate::domain::permission::Deed;
use crate::domain::session::question::{Danger, Question, ResolutionType, ResolutionView};
use crate::domain::session::{Session, WorkflowStatus};

/// How long to let a session that is being built anew come back.
const BREATH: Duration = Duration::from_millis(200);

/// How a session stands after an order.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Standing {
    session_id: String,
    /// What you say you do.
    workflow_status: WorkflowStatus,
    /// The task that your session follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
}

/// Whether a question has its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pending {
    /// It has its answer.
    Resolved,
    /// It has not.
    Pending,
}

/// What a wait for an answer came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Waited {
    /// The question, for `wait_for_answer` and `withdraw_question`.
    question_id: String,
    /// Whether it has its answer.
    state: Pending,
    /// Its deadline, RFC 3339.
    expires_at: String,
    /// Why its default never applies by itself; left out where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    danger: Option<String>,
    /// True when a person has to answer only because of the default that you chose: one that does not act would apply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    held_back: bool,
    /// Its answer: where it came from, what it is, who gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<ResolutionView>,
}

/// Opens the next round of a session whose last one ended; if that fails now, its next question or status does.
pub(super) async fn open_round(hub: &HubRef, caller: &Caller, session: &SessionId) {
    let Ok(Some(line)) = hub.supervisor.session(session).await else { return };
    if let Err(error) = line.order(caller.session_order(SessionCommand::OpenRound)).await {
        tracing::debug!("the next round of session `{session}` is not opened yet: {error}");
    }
}

impl Call {
    /// A line to the session that is meant. Fails with `SESSION_REQUIRED` where none is, else `SESSION_NOT_FOUND`.
    pub(super) async fn session_line(&self) -> Result<SessionRef> {
        let id = self.session.as_ref().ok_or_else(refuse::session_required)?;
        let found = self.hub.supervisor.session(id).await.map_err(refuse::fault)?;
        found.ok_or_else(refuse::session)
    }

    /// The session that is meant, as it stands. Fails as [`Call::session_line`] does.
    pub(super) async fn session_view(&self) -> Result<SessionView> {
        self.session_line().await?.view().await.map_err(refuse::fault)
    }

    /// For whom the caller speaks, and in which session: the calling agent, or the one whose session a person names.
    pub(super) async fn speaker(&self) -> Result<(AgentId, Option<SessionId>)> {
        if let Some(agent) = &self.agent {
            return Ok((agent.id.clone(), agent.session().cloned()));
        }
        let view = self.session_view().await?;
        let agent = AgentId::parse(&view.agent_id).map_err(|_| refuse::session())?;
        Ok((agent, self.session.clone()))
    }

    /// Orders the session; an offer that the agent holds counts as acknowledged. Fails as the session or its task does.
    pub(super) async fn order_session(&self, command: SessionCommand) -> Result<SessionReceipt> {
        if let (Some(session), Some(deed)) = (&self.session, Deed::of_session(&command)) {
            authorize::in_session(&self.hub, &self.caller.principal, session, deed).await?;
        }
        self.take_offer().await?;
        let order = SessionOrder { who: self.origin(), key: self.key.clone(), ..self.caller.session_order(command) };
        self.session_line().await?.order(order).await.map_err(refuse::session_order)
    }

    async fn take_offer(&self) -> Result<()> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let offered = agent.called.held.iter().rev().find(|held| held.state == HeldState::Offered);
        let Some(offered) = offered.map(|held| held.id.clone()) else { return Ok(()) };
        match acknowledge_beside(self, &offered).await {
            // It went to somebody else meanwhile: what is said now is about what is left.
            Err(refusal) if matches!(refusal.code, "LEASE_LOST" | "TASK_NOT_FOUND" | "TASK_CLOSED") => Ok(()),
            done => done,
        }
    }

    /// The question when it has its answer, is overdue, or time is over. Fails with `QUESTION_NOT_FOUND`.
    pub(super) async fn await_answer(&self, id: &QuestionId, until: Instant) -> Result<Question> {
        let mut draining = self.hub.draining.clone();
        loop {
            let line = self.session_line().await?;
            let answered = tokio::select! {
                answered = timeout_at(until, line.await_answer(id.clone())) => answered.ok(),
                _ = draining.wait_for(|down| *down) => None,
            };
            match answered {
                Some(Ok(question)) => return Ok(question),
                // Its actor is being built anew: ask again in a moment.
                Some(Err(crate::actors::session::SessionError::Fault(_))) if Instant::now() < until => {
                    let _ = timeout_at(until, tokio::time::sleep(BREATH)).await;
                }
                Some(Err(error)) => return Err(refuse::session_order(error)),
                None => return self.own_question(id).await,
            }
        }
    }

    async fn own_question(&self, id: &QuestionId) -> Result<Question> {
        let wanted = id.clone();
        let found = self.hub.journal.read(move |reader| reader.question(&wanted)).await;
        let found = found.map_err(|error| refuse::read(&error))?;
        let own = found.filter(|question| Some(&question.spec.session_id) == self.session.as_ref());
        own.ok_or_else(|| refuse::no_such_question(id.as_str()))
    }

    /// The question's id as it was given. Fails with `QUESTION_NOT_FOUND`.
    pub(super) fn question_id(given: &str) -> Result<QuestionId> {
        QuestionId::parse(given.trim()).map_err(|_| refuse::no_such_question(given))
    }
}

pub(super) fn standing(receipt: &SessionReceipt) -> Standing {
    standing_of(&receipt.session)
}

pub(super) fn standing_of(session: &Session) -> Standing {
    Standing {
        session_id: session.id.to_string(),
        workflow_status: session.status(),
        task_id: session.task.as_ref().map(ToString::to_string),
    }
}

impl Call {
    /// What an agent is told of its question; an answer heard before is told as such. Fails when the store cannot say.
    pub(super) async fn tells(&self, question: Question) -> Result<Answer<Waited>> {
        // Whether it was heard the agent writes down; the session hears of it later.
        let now = if question.is_open() { question } else { self.own_question(&question.spec.id).await? };
        let answers = now.resolution().map(|_| now.spec.id.clone());
        let open = now.is_open() && !is_held_back(&now);
        let prompt = (open && self.is_on_call()).then(|| reminder::RESUMED_WITH_THE_ANSWER.to_owned());
        let told = told(&now);
        Ok(Answer { answers, prompt: prompt.or(told.prompt), ..told })
    }
}

/// Whether a person is needed only because of the default that was chosen.
pub(super) fn is_held_back(question: &Question) -> bool {
    question.is_open() && question.spec.danger.as_ref().is_some_and(Danger::lies_in_the_default)
}

pub(super) fn told(question: &Question) -> Answer<Waited> {
    let id = &question.spec.id;
    let resolution = question.resolution();
    let held_back = is_held_back(question);
    let fields = Waited {
        held_back,
        question_id: id.to_string(),
        state: if resolution.is_some() { Pending::Resolved } else { Pending::Pending },
        expires_at: question.spec.expires_at.to_string(),
        danger: question.spec.danger.as_ref().map(ToString::to_string),
        resolution: question.resolution_view(),
    };
    match resolution {
        Some(resolution) if question.was_heard() => {
            let message = format!("You asked this before, and have heard the answer: {resolution}.");
            Answer::new(message, fields).prompt(reminder::heard_before())
        }
        Some(resolution) => match resolution.kind {
            ResolutionType::Human => {
                let message = question.said(resolution);
                Answer::new(message, fields).prompt(reminder::go_on_with_answer())
            }
            ResolutionType::Timeout => {
                Answer::new(reminder::no_response(&resolution.value), fields).prompt(reminder::go_on_with_default())
            }
            ResolutionType::Cancelled => Answer::new(format!("Question {id} was withdrawn."), fields),
            ResolutionType::Superseded => Answer::new(format!("Question {id} needs no answer any more."), fields),
        },
        None if question.is_overdue() => {
            let message = format!("No response received to question {id}; its default is not applied by itself.");
            Answer::new(message, fields).prompt(reminder::overdue(id))
        }
        None => {
            let until = question.spec.expires_at;
            let message = match &question.spec.danger {
                None => format!("Question {id} is open until {until}."),
                Some(why) => format!(
                    "Question {id} is open. Its default is never applied by itself ({why}); after {until} it goes on \
                     waiting for a person."
                ),
            };
            let next = if held_back { reminder::held_back(id) } else { reminder::pending(id) };
            Answer::new(message, fields).prompt(next)
        }
    }
}
