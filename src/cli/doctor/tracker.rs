//! Whether the tracker takes what agents say: `callboard tracker check`, and the part of `callboard doctor` about it.
//!
//! It only reads.

use std::path::Path;

use super::finding::Finding;
use crate::cli::exit::Exit;
use crate::cli::place::{config_dir, secret, settings};
use crate::clock::Clock;
use crate::settings::TrackerKind;
use crate::tracker::{Fail, Tracker};

/// Looks. Where the tracker is built in there is nothing to look at.
pub(in crate::cli) async fn look(config: Option<&Path>) -> Vec<Finding> {
    let wrong = |message: String| {
        let message = message.trim().replace('\n', "; ");
        vec![Finding::wrong("tracker", Exit::Configuration, message).next("callboard check-config")]
    };
    let loaded = match settings(config_dir(config).as_deref(), Vec::new()) {
        Ok(loaded) => loaded,
        Err(problem) => return wrong(problem.words()),
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

/// What a repository said.
fn of(check: String, said: Result<String, Fail>) -> Finding {
    match said {
        Ok(name) => Finding::good(check, format!("the token reads {name}, and its issues are on")),
        Err(Fail::Later { error, .. }) if error.contains("answered 401") => Finding::wrong(check, Exit::Refused, error)
            .next("make a new token that may read and write issues, and put it into the token's file"),
        Err(Fail::Later { error, .. }) => Finding::wrong(check, Exit::Unreachable, error),
        Err(Fail::Never(reason)) => Finding::wrong(check, Exit::Refused, reason)
            .next("give the token the right to read and write issues of it, or mend tracker.repositories"),
    }
}
