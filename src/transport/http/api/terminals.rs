//! `/api/v1/sessions/{id}/output` and `…/transcript`: what a session's program printed.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use super::prelude::*;
use crate::actors::terminal::{Output, Transcript};
use crate::domain::ids::TerminalId;
use crate::terminal::TerminalSize;
use crate::tools;
use crate::tools::people::{Printed, print_output};

/// How much of the output is given at once, in bytes.
const AT_ONCE: usize = 256 * 1024;
/// The longest wait for more.
const LONGEST: Duration = Duration::from_secs(60);

/// For which terminal something was printed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct PrintParams {
    /// How many rows the terminal has; as before when left out, 24 at first.
    rows: Option<u16>,
    /// How many columns; as before when left out, 80 at first.
    cols: Option<u16>,
    /// Whether this begins a clean screen.
    reset: bool,
}

/// From where on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ReadParams {
    /// The `filePosition` of what was read before; from the oldest that is kept when left out.
    since: Option<u64>,
    /// How many seconds to wait for more when there is none, at most 60.
    wait: Option<u64>,
}

/// What was printed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Read {
    session_id: String,
    /// What was printed, without what only a terminal understands.
    new_content: String,
    /// Where to read on.
    file_position: u64,
    /// Whether there is more.
    has_more: bool,
    /// How many bytes between `since` and this are kept no longer.
    missed_bytes: u64,
}

pub(super) fn routes() -> Routes {
    let output = "/api/v1/sessions/{id}/output";
    // An agent prints into its own, which the verb's rules look after.
    let print = Route::post::<(), Printed>(output, "what a program printed, as raw bytes").takes_bytes();
    let print = print.query::<PrintParams>().needs(Scope::Agent);
    let read = Route::get::<Read>(output, "what was printed since, without taking anything away");
    let transcript = Route::get::<Transcript>("/api/v1/sessions/{id}/transcript", "the last lines, and the screen");
    Routes::new().add(print, print_into).add(read.query::<ReadParams>(), read_on).add(transcript, show)
}

async fn print_into(
    call: PersonCall,
    Segment(id): Segment,
    Params(params): Params<PrintParams>,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<Printed>> {
    if headers.contains_key(http::header::CONTENT_ENCODING) {
        let message = "a compressed body is not read: send it as it is";
        return Err(ApiError::new("UNSUPPORTED_MEDIA_TYPE", message));
    }
    let sizes = [("rows", params.rows, TerminalSize::MOST_ROWS), ("cols", params.cols, TerminalSize::MOST_COLS)];
    for (name, given, most) in sizes {
        if given.is_some_and(|given| !(TerminalSize::FEWEST..=most).contains(&given)) {
            let message = format!("`{name}` is {} to {most}: say so many, or leave it out", TerminalSize::FEWEST);
            return Err(ApiError::new("INVALID_ARGUMENTS", message));
        }
    }
    let usual = TerminalSize::default();
    let size = match (params.rows, params.cols) {
        (None, None) => None,
        (rows, cols) => Some(TerminalSize::new(rows.unwrap_or(usual.rows()), cols.unwrap_or(usual.cols()))),
    };
    let output = Output { bytes: body.to_vec(), size, reset: params.reset, host: None };
    Ok(Json(print_output(&call, &id, output).await?))
}

async fn read_on(
    State(hub): State<HubRef>,
    who: Who,
    Segment(id): Segment,
    Params(params): Params<ReadParams>,
) -> ApiResult<Json<Read>> {
    let Some(terminal) = tools::terminal(&hub, &who.principal, &id).await? else {
        let (session_id, file_position) = (id, params.since.unwrap_or_default());
        let nothing = Read { session_id, new_content: String::new(), file_position, has_more: false, missed_bytes: 0 };
        return Ok(Json(nothing));
    };
    let wait = Duration::from_secs(params.wait.unwrap_or_default()).min(LONGEST);
    if !wait.is_zero() {
        let mut draining = hub.draining.clone();
        tokio::select! {
            // Nothing came: then nothing is what it reads.
            grown = timeout(wait, terminal.grown(params.since.unwrap_or_default())) => drop(grown),
            _ = draining.wait_for(|down| *down) => {}
        }
    }
    let read = terminal.read(params.since, AT_ONCE).await?;
    let (session_id, file_position, has_more) = (id, read.position, read.more);
    Ok(Json(Read { session_id, new_content: read.text, file_position, has_more, missed_bytes: read.missed }))
}

async fn show(State(hub): State<HubRef>, who: Who, Segment(id): Segment) -> ApiResult<Json<Transcript>> {
    // One that has ended is still kept.
    let ended = match tools::terminal(&hub, &who.principal, &id).await {
        Ok(Some(terminal)) => return Ok(Json(terminal.transcript().await?)),
        Ok(None) => ApiError::new("SESSION_NOT_FOUND", format!("Session {id} has printed nothing yet")),
        Err(refusal) => ApiError::from(refusal),
    };
    let Ok(terminal) = TerminalId::parse(&id) else { return Err(ended) };
    match hub.shelf.read(&terminal).await? {
        Some((kept, lines)) => Ok(Json(Transcript::of_kept(&kept, &lines))),
        None => Err(ended),
    }
}
