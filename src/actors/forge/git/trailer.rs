//! The line at the end of a commit's message that says which pull request of the hub it merged.

use crate::domain::ids::PullId;

/// What the line begins with.
const KEY: &str = "Callboard-Pull";

/// What the line of this pull request looks like, as an extended regular expression.
pub(super) fn is_of(id: &PullId) -> String {
    format!("^{KEY}: {id}$")
}

/// A message with the line of this pull request, in the last paragraph where that has nothing but such lines.
pub(super) fn with_trailer(message: &str, id: &PullId) -> String {
    let message = message.trim_end();
    let last = message.rsplit_once("\n\n").map_or("", |(_, last)| last);
    let gap = if !last.is_empty() && last.lines().all(is_trailer) { "\n" } else { "\n\n" };
    format!("{message}{gap}{KEY}: {id}\n")
}

/// Whether a line is one such as `Signed-off-by: Ada`.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, value)| {
        !value.is_empty() && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

#[cfg(test)]
mod tests;
