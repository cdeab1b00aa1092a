//! What was said and done in a run, for people.

use crate::cli::prelude::*;

#[derive(Debug, Default)]
pub(super) struct PrintedRun(Vec<String>);

impl PrintedRun {
    /// Prints what was not printed yet; where an owner goes on beside it, again from what changed.
    pub(super) fn says_more(&mut self, run: &Value) -> Result<(), Problem> {
        let now: Vec<String> = messages(run).collect();
        let same = self.0.iter().zip(&now).take_while(|(old, new)| old == new).count();
        now[same..].iter().try_for_each(|message| say(message))?;
        self.0 = now;
        Ok(())
    }
}

/// Each message with who says it; what was said is indented, so that none of it passes for the hub's own words.
pub(super) fn messages(run: &Value) -> impl Iterator<Item = String> {
    let trace = run.pointer("/details/trace").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    trace.iter().map(|message| {
        let words = for_terminal(str_at(message, "text").unwrap_or_default()).into_owned();
        format!("{:<10} {}", text(message, "role"), words.replace('\n', "\n           "))
    })
}

/// Passes a run that is completed.
pub(super) fn verdict(run: &Value) -> Result<(), Problem> {
    let (id, name, line) = (text(run, "workflowId"), text(run, "name"), text(run, "statusMessage"));
    match str_at(run, "status") {
        Some("completed") => Ok(()),
        Some("working") => Err(Problem::failed(format!("workflow `{name}` is not done: {line}"))
            .because("the rest of it is yours: the calls that are left stand above")
            .next(format!("make them; then callboard workflow show {id}, or callboard workflow cancel {id}"))),
        _ => Err(Problem::failed(format!("workflow `{name}` came to no end: {line}"))),
    }
}

#[cfg(test)]
mod tests;
