//! What the records come to as learned patterns: each answer that taught something, what was let go of, and what the
//! whole hub was given.
//!
//! Who may teach what was decided when the answer was written, and is not decided again: those rules may change, and
//! with them how a prompt is abstracted. So a record that names a pattern teaches it here, whatever today's rules say.

use std::collections::BTreeMap;

use super::HubRecord;
use super::entry::Record;
use super::finding::REPLAY;
use crate::domain::ids::PatternId;
use crate::domain::invariants::Broken;
use crate::domain::prompt::book::{KeptPattern, PatternBook, PatternPlace};
use crate::domain::prompt::learn::Answer;
use crate::domain::terminal::{TerminalRecord, TrackedInput};
use crate::domain::time::Timestamp;

/// Patterns in the making.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Learned {
    book: PatternBook,
    /// Answers were pruned before anybody folded them: what a pattern had come to by then is not known.
    begins_amid: bool,
}

impl Learned {
    /// What the pruned records had come to; `None` when a hub pruned them that did not keep it.
    pub(super) fn of_base(patterns: Option<Vec<KeptPattern>>) -> Self {
        let mut learned = Self { begins_amid: patterns.is_none(), ..Self::default() };
        patterns.into_iter().flatten().for_each(|kept| learned.book.put(kept));
        learned
    }

    pub(super) fn take(&mut self, at: Timestamp, record: &Record) -> Result<(), Broken> {
        match record {
            Record::Terminal(TerminalRecord::InputTracked { input, .. }) => self.is_taught(at, input),
            Record::Hub(HubRecord::PatternForgotten { pattern }) => {
                self.book.forget(pattern);
                Ok(())
            }
            Record::Hub(HubRecord::PatternPromoted { pattern, to }) => match self.book.get(pattern).cloned() {
                Some(kept) => {
                    self.book.put(KeptPattern { id: to.clone(), place: PatternPlace::Hub, pattern: kept.pattern });
                    Ok(())
                }
                None => self.unless_amid("a pattern is promoted that nobody taught"),
            },
            Record::Task(_)
            | Record::Review(_)
            | Record::Agent(_)
            | Record::Session(_)
            | Record::Question(_)
            | Record::Pull(_)
            | Record::Terminal(_)
            | Record::Workflow(_)
            | Record::Schedule(_)
            | Record::Hub(_) => Ok(()),
        }
    }

    fn is_taught(&mut self, at: Timestamp, input: &TrackedInput) -> Result<(), Broken> {
        let Some(id) = &input.pattern else { return Ok(()) };
        let answer = Answer {
            prompt_text: &input.prompt_text,
            kind: input.prompt_type,
            dangerous: input.dangerous,
            input_text: &input.input_text,
            success: input.success,
            source: input.source,
            provenance: input.provenance,
            at,
        };
        let place = PatternPlace::of(input.workspace.as_deref());
        match self.book.taught(id, &place, &answer) {
            Ok(kept) => {
                if let Some(surplus) = self.book.surplus(id) {
                    self.book.forget(&surplus);
                }
                self.book.put(kept);
                Ok(())
            }
            Err(_) => self.unless_amid("an answer weakens what nobody gave"),
        }
    }

    fn unless_amid(&self, what: &str) -> Result<(), Broken> {
        if self.begins_amid { Ok(()) } else { Err(Broken { name: REPLAY, what: what.to_owned() }) }
    }

    pub(super) const fn patterns(&self) -> &BTreeMap<PatternId, KeptPattern> {
        self.book.by_name()
    }

    /// Whether the patterns can be told from the records at all.
    pub(super) const fn is_whole(&self) -> bool {
        !self.begins_amid
    }
}
