//! `get_session_history`: what happened in a session, and where a word was said.

use super::fit;
use super::prelude::*;
use crate::actors::noticeboard::{Event, check_types};
use crate::journal::{HistoryFilter, Kept, Seq};

/// The most that the events of one result take, in bytes as they are written.
const EVENTS: usize = fit::left_beside(20_000);

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GetSessionHistory {
    /// At most so many, 1 to 500; 50 when left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// Only what is older than this event.
    before_seq: Option<u64>,
    /// Only these types, as `session.workflow_status`, or families, as `question`.
    types: Vec<String>,
    /// Only where these words were said.
    query: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What happened, the newest first.
    events: Vec<Event>,
    /// Give this as `before_seq` for what is older; absent when there is no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_seq: Option<u64>,
}

impl Verb for GetSessionHistory {
    const NAME: &'static str = "get_session_history";
    const TITLE: &'static str = "Look back";
    const DESCRIPTION: &'static str = "\
        What happened in your session, the newest first: statuses, questions, answers. query finds words in it.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let session = call.session_view().await?;
        let id = crate::domain::ids::SessionId::parse(&session.session_id).map_err(|_| refuse::session())?;
        let limit = input.limit.unwrap_or(50).clamp(1, 500);
        check_types(&input.types).map_err(|unknown| {
            refuse::bad_argument(Self::NAME, "types", &unknown).detail("nearest", unknown.nearest.clone())
        })?;
        let filter = HistoryFilter {
            limit: limit + 1,
            before: input.before_seq.map(Seq),
            types: input.types,
            query: input.query.filter(|query| !query.trim().is_empty()),
        };
        if filter.query.is_some() {
            call.hub.journal.caught_up().await;
        }
        let read = call.hub.journal.read(move |reader| reader.session_history(&id, &filter)).await;
        let mut kept = read.map_err(|error| refuse::read(&error))?;
        let fitting = limit.min(fitting(&kept));
        let more = kept.len() > fitting;
        kept.truncate(fitting);
        let next_before_seq = if more { kept.last().map(|kept| kept.seq.0) } else { None };
        let events: Vec<Event> = kept.iter().map(Event::of).collect();
        let message = match next_before_seq {
            Some(seq) => format!("{} events; call again with before_seq {seq} for older ones.", events.len()),
            None => format!("{} events.", events.len()),
        };
        Ok(Answer::new(message, Output { events, next_before_seq }))
    }
}

/// How many of these fit into one result; one in any case.
fn fitting(kept: &[Kept]) -> usize {
    let mut taken = 0;
    let costs = kept.iter().map(|kept| serde_json::to_value(Event::of(kept)).map_or(0, |event| fit::cost(&event)));
    let fit = costs.take_while(|cost| {
        taken += cost;
        taken <= EVENTS
    });
    fit.count().max(1)
}
