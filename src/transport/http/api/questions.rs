//! `/api/v1/questions`: what agents ask people, and the answers.

use super::prelude::*;
use crate::domain::session::question::{Question, QuestionView};
use crate::journal::{Counted, QuestionFilter};
use crate::tools::people::{AnswerQuestion, find_question};

/// Which questions, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct QuestionParams {
    /// `open` when left out; `resolved`, or `all`.
    state: Which,
    /// Asked by this agent.
    agent: Option<String>,
    /// Asked in this session.
    session: Option<String>,
    /// Asked for the sake of this task.
    task: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
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

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<QuestionView>>("/api/v1/questions", "questions, the newest first");
    let one = Route::get::<QuestionView>("/api/v1/questions/{id}", "a question with its answer and the late ones");
    Routes::new().add(list.query::<QuestionParams>(), read_list).add(one, show).verb::<AnswerQuestion>(
        "/api/v1/questions/{id}/answer",
        "answers it; 409 ALREADY_RESOLVED when somebody was faster, with `resolution` in `details`",
    )
}

pub(super) fn open(reader: &dyn crate::journal::Reader) -> Result<Vec<QuestionView>, crate::journal::ReadError> {
    let filter = QuestionFilter { open: Some(true), ..QuestionFilter::default() };
    let open = crate::journal::Page::all(|page| reader.questions(&filter, page))?;
    Ok(open.iter().map(Question::view).collect())
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<QuestionParams>) -> Listed<QuestionView> {
    let page = page_request(params.limit, params.cursor)?;
    let query = |field: &'static str| move |error| ApiError::query(field, error);
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
    let found = hub.journal.read(move |reader| {
        Ok(List::counted(reader.questions(&filter, &page)?, reader.count(Counted::Questions(&filter))?))
    });
    Ok(Json(found.await?.map(|question| question.view())))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<QuestionView>> {
    Ok(Json(find_question(&hub, &id).await?.view()))
}
