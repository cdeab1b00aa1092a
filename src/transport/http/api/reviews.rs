//! `/api/v1/reviews`: what was handed in, the change itself, what was said of it.

use http::{HeaderValue, header};
use sha2::{Digest as _, Sha256};

use super::prelude::*;
use crate::domain::review::{DiffMap, Review, ReviewState, ReviewView, Round};
use crate::domain::task::KeptText;
use crate::domain::text::{for_shell, shorten, shown};
use crate::journal::{Counted, Page, ReadError, Reader, ReviewFilter};
use crate::tools::whole_text;

/// The most files of a diff that are listed.
const FILES: usize = 1_000;

/// Which reviews, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ReviewParams {
    /// In one of these states, separated by commas: open, `changes_requested`, approved, withdrawn.
    state: Option<String>,
    /// Handed in last by this agent.
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct DiffParams {
    /// Of the round of this number; of the newest that has one when left out.
    round: Option<u32>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<ReviewView>>("/api/v1/reviews", "reviews, the one that was opened last first");
    let one = Route::get::<ReviewView>("/api/v1/reviews/{id}", "a review with the files of its change");
    let diff = Route::get::<String>("/api/v1/reviews/{id}/diff", "the change, as it was handed in");
    let diff = diff.query::<DiffParams>().answers_text("text/plain");
    Routes::new().add(list.query::<ReviewParams>(), read_list).add(one, show).add(diff, show_diff)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<ReviewParams>) -> Listed<ReviewView> {
    let page = page_request(params.limit, params.cursor.clone())?;
    let filter = filter(&params)?;
    let found = hub.journal.read(move |reader| {
        let page = reader.reviews(&filter, &page)?;
        let items = page.items.iter().map(|review| titled(reader, review)).collect::<Result<_, _>>()?;
        let page = Page { items, next_cursor: page.next_cursor };
        Ok(List::counted(page, reader.count(Counted::Reviews(&filter))?))
    });
    Ok(Json(found.await?))
}

fn filter(params: &ReviewParams) -> ApiResult<ReviewFilter> {
    let states = names(params.state.as_deref()).filter(|name| *name != "all");
    let agent = params.agent.as_deref().map(AgentId::parse).transpose();
    Ok(ReviewFilter {
        states: states.map(state).collect::<Result<_, _>>()?,
        agent: agent.map_err(|error| ApiError::query("agent", error))?,
    })
}

fn state(name: &str) -> ApiResult<ReviewState> {
    let unknown = || ApiError::query("state", format_args!("`{}` is no state of a review", name.escape_debug()));
    ReviewState::parse(&name.to_lowercase()).ok_or_else(unknown)
}

fn titled(reader: &dyn Reader, review: &Review) -> Result<ReviewView, ReadError> {
    let task = reader.task(&review.task)?;
    let title = task.map(|task| task.spec.title.clone().unwrap_or_else(|| line_of(&task.spec.prompt)));
    Ok(ReviewView { title, ..review.view() })
}

/// How a task is called that has no title.
fn line_of(prompt: &str) -> String {
    shorten(prompt.trim_start().lines().next().unwrap_or_default(), 120)
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<ReviewView>> {
    let review = find_review(&hub, &id).await?;
    let shown = hub.journal.read(move |reader| {
        let mut view = titled(reader, &review)?;
        let newest = review.round().and_then(|round| round.change.diff.as_ref());
        if let (Some(diff), Some(shown)) = (newest, view.diff.as_mut()) {
            shown.changes = DiffMap::of(&whole_text(reader, diff)?).files;
            shown.changes.truncate(FILES);
        }
        for (round, shown) in review.rounds.iter().zip(&mut view.rounds) {
            shown.message = whole_text(reader, &round.message)?;
        }
        Ok(view)
    });
    Ok(Json(shown.await?))
}

async fn show_diff(
    State(hub): State<HubRef>,
    Segment(id): Segment,
    headers: HeaderMap,
    Params(params): Params<DiffParams>,
) -> ApiResult<Response> {
    let review = find_review(&hub, &id).await?;
    // Of a pull request the change of another round is another one than the reviewer is asked about.
    let newest = review.round().filter(|round| round.change.pull.is_some()).map(|round| round.number);
    let meant = |round: &&Round| params.round.or(newest).is_none_or(|wanted| wanted == round.number);
    let change = review.rounds.iter().rev().filter(meant).map(|round| &round.change).find(|one| one.diff.is_some());
    let from = change.and_then(|change| change.diff_from);
    let diff = change.and_then(|change| change.diff.clone());
    let missing = || {
        ApiError::new("NOT_FOUND", format!("the review of task `{}` has no such diff{}", review.task, look(&review)))
    };
    let diff = diff.ok_or_else(missing)?;
    let tag = tag(&diff);
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let text = hub.journal.read(move |reader| whole_text(reader, &diff)).await?;
        ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
        // Whose it is, for who reads the text alone.
        let whose = serde_json::to_value(from).ok().and_then(|from| HeaderValue::from_str(from.as_str()?).ok());
        whose.into_iter().for_each(|whose| drop(response.headers_mut().insert("callboard-diff-from", whose)));
        // Whoever asks again says which one they have: a diff never changes under its tag.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    Ok(response)
}

/// Where the change of a pull request is to be seen that no diff is kept of.
fn look(review: &Review) -> String {
    let Some(change) = review.round().map(|round| &round.change) else { return String::new() };
    let page = change.pr_url.as_ref().map(|url| format!("open {}", shown(url)));
    let head = change.commit.as_deref().unwrap_or("HEAD");
    let typed = change.base.as_ref().map(|base| {
        let range = format!("{base}...{head}");
        format!("type `git diff {}` in its repository", for_shell(&range))
    });
    let ways: Vec<String> = page.into_iter().chain(typed).collect();
    if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", or ")) }
}

fn tag(diff: &KeptText) -> String {
    match diff {
        KeptText::Stored { digest, .. } => format!("\"{digest}\""),
        KeptText::Inline { text, .. } => {
            let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("\"{digest}\"")
        }
    }
}

async fn find_review(hub: &HubRef, given: &str) -> ApiResult<Review> {
    let none = || {
        let message = format!("task `{}` was not submitted for review, or does not exist", shown(given));
        ApiError::new("REVIEW_NOT_FOUND", message)
    };
    let id = TaskId::parse(given).map_err(|_| none())?;
    hub.journal.read(move |reader| reader.review(&id)).await?.ok_or_else(none)
}
