//! `/api/v1/patterns`: what people answer to input prompts.

use super::prelude::*;
use crate::tools::people::promote_pattern;
use crate::tools::{self, LearnedPattern, SortBy};

/// Which patterns, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct PatternParams {
    /// Only prompts that have these words.
    q: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<LearnedPattern>>("/api/v1/patterns", "what people answer to input prompts, by name");
    let promote = "/api/v1/patterns/{id}/promote";
    let promote = Route::post::<Value, LearnedPattern>(promote, "lets the whole hub have what one workspace learned");
    Routes::new().add(list.query::<PatternParams>(), read_list).add(promote, promote_one)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<PatternParams>) -> Listed<LearnedPattern> {
    let page = page_request(params.limit, params.cursor)?;
    let mut known = hub.learner.list().await?;
    let words = params.q.unwrap_or_default().to_lowercase();
    known.retain(|kept| kept.pattern.prompt_text.contains(&words));
    let mut patterns = tools::listed(&known, 0, SortBy::Occurrences);
    patterns.sort_by(|one, other| one.pattern_id.cmp(&other.pattern_id));
    Ok(Json(List::page_of(patterns, &page, |pattern| &pattern.pattern_id)))
}

async fn promote_one(call: PersonCall, Segment(id): Segment) -> ApiResult<Json<LearnedPattern>> {
    Ok(Json(promote_pattern(&call, &id).await?))
}
