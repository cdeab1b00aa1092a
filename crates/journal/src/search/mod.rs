//! Full-text search over what was said of tasks and in sessions: titles, texts, results, remarks, questions, answers.
//!
//! The index is a second file, `callboard-search.db`, beside the journal. It is filled behind the journal, by its own
//! cursor, because filling it within the acknowledging transaction would make every write several times dearer. So it
//! lags by some hundred milliseconds. What was just written it hears from the writer ([`SearchBatch`]), and reads only
//! what it did not hear. What was said last lies in a small index of its own, too, since the beginning of a word costs
//! as much as there are texts that have it. What the journal lets go of, the index lets go of. Since everything in it
//! comes from the journal, a file that is missing or damaged is made anew.

mod batch;
mod index;
mod text;

#[cfg(test)]
mod tests;

pub use batch::SearchBatch;
#[cfg(feature = "postgres")]
pub(super) use batch::SearchText;
pub(super) use index::{
    HAS_RECENT_WORD, HAS_WORD, HAS_WORD_LATELY, RECORD_HAS_WORD, attach, detach, forget, oldest_of, recent_from,
};
pub use index::{SearchError, SearchIndex};
#[cfg(any(test, feature = "samples", feature = "postgres"))]
pub(super) use text::said;
pub(super) use text::{SILENT, expression, words};
