//! A person answers an agent's question.

use super::prelude::*;
use crate::actors::session::{SessionError, SessionOrder};
use crate::domain::ids::QuestionId;
use crate::domain::session::question::{Answerer, Question, QuestionView, Resolution};
use crate::domain::session::{SessionCommand, SessionOutcome, SessionRefusal};

/// Answers a question.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuestion {
    /// One of the options, whatever its case; any text where there are none, free text is allowed, or
    /// `ownWords` is set.
    pub value: String,
    /// Answer in own words though the question asks for one of its options: the agent is told that it is none of them.
    #[serde(default, rename = "ownWords", skip_serializing_if = "std::ops::Not::not")]
    pub own_words: bool,
}

impl PersonVerb for AnswerQuestion {
    const NAME: &'static str = "answer";
    type Reply = QuestionView;

    async fn act(&self, call: &PersonCall, id: &str) -> Result<QuestionView> {
        let question = find_question(&call.hub, id).await?;
        let who = call.who();
        // Never an agent, whatever scopes its token has.
        if let Some(itself) = who.agent() {
            let said = format!("`{itself}` is an agent: only people answer questions");
            return Err(Refusal::new("NOT_A_HUMAN", said));
        }
        let (display_name, surface) = (who.display_name.clone(), call.caller.surface);
        let by = Answerer { principal: who.id.clone(), display_name, surface };
        let command = SessionCommand::Answer {
            question: question.spec.id.clone(),
            value: words("value", &self.value)?,
            own_words: self.own_words,
            by,
        };
        let whose = Whose::Agent { agent: question.spec.agent_id.clone(), role: None };
        authorize::person(&call.hub, who, Deed::AnswerQuestion, whose).await?;
        let key = call.keyed(&[Self::NAME, id, &self.value, if self.own_words { "own words" } else { "" }]);
        let order = SessionOrder { key, ..call.caller.session_order(command) };
        let session = call.hub.supervisor.session(&question.spec.session_id).await.map_err(fault)?;
        let session = session.ok_or_else(|| refuse::no_such_question(id))?;
        let receipt = session.order(order).await.map_err(|error| refused(&question, error))?;
        match (receipt.question, receipt.outcome) {
            (_, SessionOutcome::Late(_, first)) => Err(too_late(&question, &first)),
            (Some(question), _) => Ok(question.view()),
            (None, _) => Err(refuse::no_such_question(id)),
        }
    }
}

/// A question, with its answer if it has one. Fails with `QUESTION_NOT_FOUND`, or when the journal cannot be read.
pub async fn find_question(hub: &HubRef, given: &str) -> Result<Question> {
    let id = QuestionId::parse(given).map_err(|_| refuse::no_such_question(given))?;
    let found = hub.journal.read(move |reader| reader.question(&id)).await.map_err(|error| read(&error))?;
    found.ok_or_else(|| refuse::no_such_question(given))
}

fn refused(question: &Question, error: SessionError) -> Refusal {
    match error {
        SessionError::Refused(SessionRefusal::QuestionNotFound { .. }) => {
            refuse::no_such_question(question.spec.id.as_str())
        }
        SessionError::Refused(SessionRefusal::AlreadyResolved { resolution, .. }) => too_late(question, &resolution),
        error @ (SessionError::Refused(_)
        | SessionError::Task(_)
        | SessionError::KeyReused
        | SessionError::Moved
        | SessionError::Fault(_)) => refuse::session_order(error),
    }
}

/// Somebody was faster: who, with what answer, when.
fn too_late(question: &Question, first: &Resolution) -> Refusal {
    let resolution = serde_json::to_value(question.view_of(first)).unwrap_or_default();
    Refusal::new("ALREADY_RESOLVED", format!("too late: {first}")).detail("resolution", resolution)
}
