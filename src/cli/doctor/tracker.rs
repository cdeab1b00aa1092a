//! Whether the tracker takes what agents say. It writes nothing.

use super::finding::Finding;
use super::{forge, loaded};
use crate::actors::forge::ForgeError;
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, secret};
use crate::clock::Clock;
use crate::settings::TrackerKind;
use crate::tracker::Tracker;

/// Looks. Where the tracker is built in there is nothing to look at.
pub(in crate::cli) async fn look(globals: &GlobalArgs) -> Vec<Finding> {
    let wrong = |message: String| {
        let message = message.trim().replace('\n', "; ");
        vec![Finding::wrong("tracker", Exit::Configuration, message).next("callboard config check")]
    };
    let loaded = match loaded(globals) {
        Ok(loaded) => loaded,
        Err(wrong) => return vec![wrong],
    };
    let hub = &loaded.settings.hub;
    if hub.tracker.kind == TrackerKind::Builtin {
        let message = "built in: what agents say stays on their tasks (hub.yaml: tracker.kind)";
        return vec![Finding::skipped("tracker", message)];
    }
    let token = match secret("CALLBOARD_TRACKER_TOKEN") {
        Ok(token) => token,
        Err(problem) => return wrong(problem.words()),
    };
    let tracker = match Tracker::load(hub, token, Clock::system()) {
        Ok(Some(tracker)) => tracker,
        Ok(None) => return Vec::new(),
        Err(faults) => return wrong(faults.to_string()),
    };
    if hub.tracker.kind == TrackerKind::Webhook {
        let message = "a webhook with a good secret; it cannot be asked whether it takes a comment";
        return vec![Finding::good("tracker", message)];
    }
    let all = tracker.check().await;
    all.into_iter().map(|(repository, said)| of(format!("tracker {repository}"), said)).collect()
}

fn of(check: String, said: Result<String, ForgeError>) -> Finding {
    match said {
        Ok(name) => Finding::good(check, format!("the token may comment in {name}, and its issues are on")),
        Err(error) => {
            let (exit, next) = forge::of(&error);
            // In its own words it speaks of the forge's token.
            let refused = error == ForgeError::Unauthorized;
            let message = if refused { "GitHub refuses the token (401)".to_owned() } else { error.to_string() };
            Finding::wrong(check, exit, message).next(next)
        }
    }
}
