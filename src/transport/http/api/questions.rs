//! `/api/v1/questions`: what agents ask people, and the answers.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::desk::{Desk, words};
use crate::actors::HubRef;
use crate::actors::session::{SessionError, SessionOrder};
use crate::domain::ids::{AgentId, QuestionId, SessionId, TaskId};
use crate::domain::permission::{Deed, Whose};
use crate::domain::session::question::{Answerer, Question, QuestionView, Resolution, ResolutionView};
use crate::domain::session::{SessionCommand, SessionOutcome, SessionRefusal};
use crate::journal::QuestionFilter;
use crate::tools::{Refusal, blame, permit};
use crate::transport::web::{ApiError, JsonBody, List, Params, Route, Routes, Segment, page_request};

/// Which questions, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct QuestionParams {
    /// `open` when left out; `resolved`, or `all`.
    #[serde(default)]
    state: Which,
    /// Asked by this agent.
    #[serde(default)]
    agent: Option<String>,
    /// Asked in this session.
    #[serde(default)]
    session: Option<String>,
    /// Asked for the sake of this task.
    #[serde(default)]
    task: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

/// With or without an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Which {
    #[default]
    Open,
    Resolved,
    All,
}

/// An answer.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// One of the options, whatever its case; any text where there are none, free text is allowed, or `ownWords` is
    /// set.
    value: String,
    /// Answer in own words though the question asks for one of its options: the agent is told that it is none of them.
    #[serde(default, rename = "ownWords", skip_serializing_if = "std::ops::Not::not")]
    own_words: bool,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let list = Route::get::<List<QuestionView>>("/api/v1/questions", "questions, the newest first");
    let one = Route::get::<QuestionView>("/api/v1/questions/{id}", "a question with its answer and the late ones");
    let answer = Route::post::<Reply, QuestionView>(
        "/api/v1/questions/{id}/answer",
        "answers it; 409 ALREADY_RESOLVED when somebody was faster, with `resolution` in `details`",
    );
    Routes::new().add(list.query::<QuestionParams>(), read_list).add(one, show).add(answer, reply)
}

/// Every open question, for the snapshot.
pub(super) fn open(reader: &dyn crate::journal::Reader) -> Result<Vec<QuestionView>, crate::journal::ReadError> {
    let filter = QuestionFilter { open: Some(true), ..QuestionFilter::default() };
    let mut page = crate::journal::PageRequest { limit: crate::journal::PageRequest::MOST, cursor: None };
    let mut views = Vec::new();
    loop {
        let found = reader.questions(&filter, &page)?;
        views.extend(found.items.iter().map(Question::view));
        match found.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return Ok(views),
        }
    }
}

async fn read_list(
    State(hub): State<HubRef>,
    Params(params): Params<QuestionParams>,
) -> Result<Json<List<QuestionView>>, ApiError> {
    let page = page_request(params.limit, params.cursor)?;
    let query = |field: &'static str| {
        move |error| ApiError::new("INVALID_ARGUMENTS", format!("the query: `{field}`: {error}")).detail("field", field)
    };
    let filter = QuestionFilter {
        open: match params.state {
            Which::Open => Some(true),
            Which::Resolved => Some(false),
            Which::All => None,
        },
        session: params.session.as_deref().map(SessionId::parse).transpose().map_err(query("session"))?,
        agent: params.agent.as_deref().map(AgentId::parse).transpose().map_err(query("agent"))?,
        task: params.task.as_deref().map(TaskId::parse).transpose().map_err(query("task"))?,
    };
    let found = hub.journal.read(move |reader| reader.questions(&filter, &page)).await?;
    let items = found.items.iter().map(Question::view).collect();
    Ok(Json(List { items, next_cursor: found.next_cursor }))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> Result<Json<QuestionView>, ApiError> {
    Ok(Json(find(&hub, &id).await?.view()))
}

async fn reply(
    desk: Desk,
    Segment(id): Segment,
    JsonBody(body): JsonBody<Reply>,
) -> Result<Json<QuestionView>, ApiError> {
    desk.answer_question(&id, &body.value, body.own_words).await.map(Json)
}

impl Desk {
    /// A person answers.
    pub(super) async fn answer_question(
        &self,
        id: &str,
        value: &str,
        own_words: bool,
    ) -> Result<QuestionView, ApiError> {
        let question = find(&self.hub, id).await?;
        // Never an agent, whatever scopes its token has.
        if let Some(itself) = self.who.principal.agent() {
            let said = format!("`{itself}` is an agent: only people answer questions");
            return Err(Refusal::new("NOT_A_HUMAN", said).into());
        }
        let said = words("value", value)?;
        let principal = &self.who.principal;
        let order = SessionOrder {
            command: SessionCommand::Answer {
                question: question.spec.id.clone(),
                value: said,
                own_words,
                by: Answerer {
                    principal: principal.id.clone(),
                    display_name: principal.display_name.clone(),
                    surface: self.who.request.surface,
                },
            },
            by: self.who.by(),
            who: self.who.origin(),
            request: Some(self.who.request.id.clone()),
            blobs: Vec::new(),
            key: self.key(&["answer", id, value, if own_words { "own words" } else { "" }])?,
        };
        if let Some(deed) = Deed::of_session(&order.command) {
            let whose = Whose::Agent { agent: question.spec.agent_id.clone(), role: None };
            permit::person(&self.hub, principal, deed, whose).await?;
        }
        let line = self.hub.supervisor.session(&question.spec.session_id).await?.ok_or_else(|| no_such(id))?;
        let receipt = line.order(order).await.map_err(|error| refused(id, error))?;
        match (receipt.question, receipt.outcome) {
            (_, SessionOutcome::Late(_, first)) => Err(too_late(&first)),
            (Some(question), _) => Ok(question.view()),
            (None, _) => Err(no_such(id)),
        }
    }
}

async fn find(hub: &HubRef, given: &str) -> Result<Question, ApiError> {
    let id = QuestionId::parse(given).map_err(|_| no_such(given))?;
    let found = hub.journal.read(move |reader| reader.question(&id)).await?;
    found.ok_or_else(|| no_such(given))
}

fn no_such(given: &str) -> ApiError {
    let shown: String = given.chars().filter(|c| !c.is_control()).take(64).collect();
    Refusal::new("QUESTION_NOT_FOUND", format!("question `{shown}` does not exist, or is not yours")).into()
}

fn refused(id: &str, error: SessionError) -> ApiError {
    match error {
        SessionError::Refused(SessionRefusal::QuestionNotFound { .. }) => no_such(id),
        SessionError::Refused(SessionRefusal::AlreadyResolved { resolution, .. }) => too_late(&resolution),
        error @ (SessionError::Refused(_)
        | SessionError::Task(_)
        | SessionError::KeyReused
        | SessionError::Fault(_)) => blame::session_order(error).into(),
    }
}

/// Who won, with what, when.
fn too_late(first: &Resolution) -> ApiError {
    let resolution = serde_json::to_value(ResolutionView::from(first)).unwrap_or(Value::Null);
    Refusal::new("ALREADY_RESOLVED", format!("too late: {first}")).detail("resolution", resolution).into()
}
