//! What it means that the default of a question applies by itself.
//!
//! ```text
//!   default ─► says no, skip, keep, wait …? ─────────────────────────► Rests: applies
//!          └─► acts ─► is every word of the question and of it known,
//!                      and the act one that does no harm? ─ yes ─────► Harmless: applies
//!                                                         └ no ──────► Acts: waits for a person
//! ```
//!
//! The burden lies on harmlessness: a default that acts is held back unless the question is known to be harmless, as a
//! list of all harm never ends. The two word lists beside this file say what is known; doubt costs a person an answer.
//!
//! *A choice among equals* (`Which database should I use?`, Postgres or SQLite) does nothing to the world by being
//! settled: the agent goes on either way, and what it does next it asks for itself. So its default is known to be
//! harmless where the question asks for nothing but a choice, in so many words (`which`, `what`, `A or B`), with a verb
//! of choosing (`use`, `call`, `prefer`) or none, and no option is a word of danger. `Which server should I restart?`
//! is no such choice: its verb acts, whichever is taken.
//!
//! *The question may be turned round.* To `Keep the old file?` yes rests and no acts.
//!
//! Languages without blanks between words have lists of what rests alone: their acting defaults wait for a person.
//!
//! *Values* (colours, numbers, sizes, levels, formats, names of files and of things in code) do nothing by being
//! named: a
//! question about a known thing whose options are all values is a choice. Tests and docs are written wherever they are.
//!
//! How well that holds is counted on four sets of questions by somebody who had not read the rules
//! (`tests/fixtures/danger/defaults*.tsv`; their heads have the figures of the first time). Of the harmless ones in the
//! first set one in seven names something that is dangerous elsewhere.

mod harmless;
mod lists;
mod not_acting;
mod reading;
#[cfg(test)]
mod tests;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: things stay as they are.
    Rests,
    /// It acts, and is known to do no harm.
    Harmless,
    /// It acts, and is not known to be harmless.
    Acts,
}

/// What the default of this question does when nobody answers.
pub fn effect(question: &str, options: &[String], default: &str) -> Effect {
    if super::find(default).is_none() && not_acting::rests(question, default) {
        Effect::Rests
    } else if harmless::is_known(question, options, default) {
        Effect::Harmless
    } else {
        Effect::Acts
    }
}
