//! The session's turn: decide → journal → apply → perform.

use serde_json::{Value, json};

use super::message::{SessionError, SessionOrder, SessionReceipt};
use super::state::State;
use crate::actors::common::{Attempts, Result};
use crate::domain::ids::{PullId, QuestionId};
use crate::domain::invariants;
use crate::domain::session::question::{Answerer, Question};
use crate::domain::session::{
    Happened, SessionCause, SessionCommand, SessionDecision, SessionOutcome, SessionRefusal, TaskStep, answered,
};
use crate::journal::Idempotency;

impl State {
    /// Carries out an order; decided anew for as long as somebody else moves the session under it.
    pub(super) async fn order(&mut self, order: &SessionOrder) -> Result<SessionReceipt, SessionError> {
        let outcome = self.order_once(order).await;
        if let Err(error) = &outcome {
            let code = match error {
                SessionError::Refused(refusal) => refusal.code(),
                SessionError::Task(_) => "TASK",
                SessionError::KeyReused => "IDEMPOTENCY_KEY_REUSED",
                SessionError::Moved | SessionError::Fault(_) => "UNAVAILABLE",
            };
            self.refusals.note(self.clock.now(), code, error.to_string());
        }
        outcome
    }

    async fn order_once(&mut self, order: &SessionOrder) -> Result<SessionReceipt, SessionError> {
        if let Some(repeated) = self.recall(order).await? {
            return Ok(repeated);
        }
        let (mut attempts, mut is_fresh) = (Attempts::default(), false);
        loop {
            match self.turn(order).await {
                Err(SessionError::Moved) if attempts.again() => self.reload().await?,
                // An answer that a task has written may not have been told here yet.
                Err(SessionError::Refused(SessionRefusal::QuestionOpen { .. })) if !is_fresh => {
                    is_fresh = true;
                    self.reload().await?;
                }
                outcome => return outcome,
            }
        }
    }

    async fn turn(&mut self, order: &SessionOrder) -> Result<SessionReceipt, SessionError> {
        let now = self.clock.now();
        let cause = SessionCause {
            now,
            notice: self.ids.notice(),
            by: self.signed(order),
            timer: Answerer {
                principal: self.hub.principal.clone(),
                display_name: "callboard".to_owned(),
                surface: crate::domain::principal::Surface::Timer,
            },
        };
        let decision = match self.session.decide(&order.command, &cause) {
            Err(SessionRefusal::QuestionNotFound { .. }) => self.decide_of_old(&order.command, &cause).await?,
            decided => decided?,
        };
        let outcome = decision.outcome.clone();
        // A key is kept although nothing changes: a repeat hears what it was answered, whatever moved meanwhile.
        if !decision.records.is_empty() || order.key.is_some() {
            self.write_down(order, decision, now).await?;
            debug_assert_eq!(invariants::s2_one_open_question(&self.session), Ok(()));
        }
        Ok(self.receipt(outcome).await?)
    }

    fn signed(&self, order: &SessionOrder) -> Answerer {
        if order.by.principal == self.itself.principal {
            return self.itself.clone();
        }
        let (by, display_name) = (order.by.clone(), order.who.display_name.clone());
        Answerer { principal: by.principal, display_name, surface: by.surface }
    }

    /// A question that the session remembers no more: it has its answer, and what comes now is late.
    async fn decide_of_old(
        &self,
        command: &SessionCommand,
        cause: &SessionCause,
    ) -> Result<SessionDecision, SessionError> {
        let (id, late) = match command {
            SessionCommand::Answer { question, value, own_words, by } => (question, Some((value, *own_words, by))),
            SessionCommand::Withdraw { question, .. } | SessionCommand::Use { question } => (question, None),
            SessionCommand::Report { .. }
            | SessionCommand::Block { .. }
            | SessionCommand::Link { .. }
            | SessionCommand::OpenRound
            | SessionCommand::Ask { .. }
            | SessionCommand::Pull(_)
            | SessionCommand::Tick => return Err(not_found("").into()),
        };
        let found = self.question(id).await?;
        let Some((question, first)) = found.as_ref().and_then(|known| Some((known, known.resolution()?))) else {
            return Err(not_found(id.as_str()).into());
        };
        let first = Box::new(first.clone());
        let Some((value, own_words, by)) = late else {
            return Err(SessionRefusal::AlreadyResolved { question: id.clone(), resolution: first }.into());
        };
        let record = answered(question, cause.now, value, own_words, by)?;
        Ok(SessionDecision {
            records: vec![Happened::Question(record)],
            task: TaskStep::None,
            of: None,
            notice: None,
            outcome: SessionOutcome::Late(id.clone(), first),
        })
    }

    async fn receipt(&self, outcome: SessionOutcome) -> Result<SessionReceipt> {
        let question = match about(&outcome) {
            Some(id) => self.question(id).await?,
            None => None,
        };
        Ok(SessionReceipt { session: self.session.clone(), outcome, question })
    }

    /// What was answered to this key, if it was used; the answer to a question is what it is by now.
    async fn recall(&self, order: &SessionOrder) -> Result<Option<SessionReceipt>, SessionError> {
        let found = self.journal.recall(self.clock.now(), order.key.as_ref()).await?;
        let Some(first) = found else { return Ok(None) };
        let id = first["questionId"].as_str().and_then(|id| QuestionId::parse(id).ok());
        let question = match &id {
            Some(id) => self.question(id).await?,
            None => None,
        };
        let outcome = match (id, question.as_ref().and_then(Question::resolution)) {
            (Some(id), Some(first_answer)) if first["late"] == true => {
                SessionOutcome::Late(id, Box::new(first_answer.clone()))
            }
            (Some(id), Some(answer)) => SessionOutcome::Resolved(id, Box::new(answer.clone())),
            (Some(id), None) => SessionOutcome::Open(id),
            (None, _) => pull_of(&first).map_or(SessionOutcome::Done, SessionOutcome::Pull),
        };
        Ok(Some(SessionReceipt { session: self.session.clone(), outcome, question }))
    }
}

/// The caller's key, with what a repeat is told.
pub(super) fn key_of(order: &SessionOrder, outcome: &SessionOutcome) -> Option<Idempotency> {
    let key = order.key.clone()?;
    let late = matches!(outcome, SessionOutcome::Late(..));
    let receipt: Value = if let SessionOutcome::Pull(id) = outcome {
        json!({"prId": id})
    } else {
        about(outcome).map_or_else(|| json!({}), |id| json!({"questionId": id, "late": late}))
    };
    Some(key.keeps(receipt))
}

const fn about(outcome: &SessionOutcome) -> Option<&QuestionId> {
    match outcome {
        SessionOutcome::Done | SessionOutcome::Pull(_) => None,
        SessionOutcome::Open(id) | SessionOutcome::Resolved(id, _) | SessionOutcome::Late(id, _) => Some(id),
    }
}

fn pull_of(receipt: &Value) -> Option<PullId> {
    receipt["prId"].as_str().and_then(|id| PullId::parse(id).ok())
}

fn not_found(question: &str) -> SessionRefusal {
    SessionRefusal::QuestionNotFound { question: question.to_owned() }
}
