//! Whether a client without a hook could be woken, as far as that is tried without a turn in its user's conversation.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;

use super::finding::Finding;
use crate::cli::connect::{Client, Found, Scope};
use crate::cli::exit::Exit;
use crate::cli::place::GlobalArgs;
use crate::cli::proxy;
use crate::domain::agent::WakeWay;

/// What no trial shows.
pub(super) const UNTRIED: &str = "whether it takes that up is not tried: it would be a turn in its conversation";

pub(super) async fn tried(client: Client, found: &Found, scope: Scope, globals: &GlobalArgs) -> Option<Finding> {
    let check = format!("client {} wake", client.name());
    // Both are their proxy's to do.
    let Found::Stdio { .. } = found else { return None };
    match client.woken_by(globals) {
        WakeWay::CodexQueue => Some(by_daemon(&check, proxy::codex_takes_turns().await)),
        WakeWay::InputFile => Some(by_file(&check, client, &client.turns_in(scope)?)),
        WakeWay::Tasks | WakeWay::StopHook | WakeWay::OpencodeServer | WakeWay::None => None,
    }
}

/// What the daemon of Codex made of a turn in a thread that nobody has.
pub(super) fn by_daemon(check: &str, tried: Option<Result<(), String>>) -> Finding {
    match tried {
        Some(Ok(())) => Finding::good(
            check,
            "its daemon was asked for a turn in a thread that nobody has, and knows no such thread",
        ),
        Some(Err(why)) => {
            let message = format!("its daemon was asked for a turn in a thread that nobody has: {why}");
            let next = "update Codex to 0.171 or later, start its terminal anew, then callboard doctor";
            Finding::wrong(check, Exit::Failed, message).code("WAKE_REFUSED").next(next)
        }
        None => {
            Finding::skipped(check, "its daemon does not run: it starts with Codex' terminal, and wakes that alone")
                .next("start codex, then callboard doctor")
        }
    }
}

/// Whether turns can be appended to the file from which the client's terminal takes them.
pub(super) fn by_file(check: &str, client: Client, file: &Path) -> Finding {
    let shown = file.display();
    match OpenOptions::new().append(true).open(file) {
        Ok(_) => Finding::good(check, format!("turns can be appended to `{shown}`; {UNTRIED}")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("`{shown}` is not there: its proxy makes it when its terminal starts");
            Finding::skipped(check, message).next(format!("start {}, then callboard doctor", client.name()))
        }
        Err(error) => {
            let message = format!("turns cannot be appended to `{shown}`: {error}");
            let next = format!("callboard connect {} --agent ID --role ROLE --wake", client.name());
            Finding::wrong(check, Exit::Configuration, message).code("WAKE_REFUSED").next(next)
        }
    }
}
