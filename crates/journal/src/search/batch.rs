//! The searchable texts of records that were just written, so that the index need not read them again.

use super::text::said;
use crate::entry::{Kept, Seq, Stream};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchText {
    pub(crate) seq: Seq,
    /// Whose it is: a task's id, or a session's stream, which is never the id of a task since that holds no colon.
    pub(crate) whose: String,
    pub(crate) text: String,
}

impl SearchText {
    /// None where nothing is said that is searched for. `text` is what the record says.
    pub(crate) fn of(kept: &Kept, text: String) -> Option<Self> {
        let whose = match &kept.stream {
            Stream::Task(task) => task.to_string(),
            Stream::Session(_) => kept.stream.to_string(),
            Stream::Agent(_) | Stream::Terminal(_) | Stream::Workflow(_) | Stream::Hub => return None,
        };
        (!text.trim().is_empty()).then_some(Self { seq: kept.seq, whose, text })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchBatch {
    /// The last record before them.
    pub(super) after: Seq,
    pub(super) up_to: Seq,
    pub(super) said: Vec<SearchText>,
}

impl SearchBatch {
    /// What these records say, which follow on each other. None for no records, and where one mentions a text that is
    /// kept apart: then they are read when their turn comes.
    pub fn of(records: &[Kept]) -> Option<Self> {
        let (first, last) = (records.first()?, records.last()?);
        let mut heard = Self { after: Seq(first.seq.0.saturating_sub(1)), up_to: last.seq, said: Vec::new() };
        for kept in records {
            let apart = std::cell::Cell::new(false);
            let text = said(&kept.record, |_| {
                apart.set(true);
                None
            });
            if apart.get() {
                return None;
            }
            heard.said.extend(SearchText::of(kept, text));
        }
        Some(heard)
    }
}
