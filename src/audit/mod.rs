//! The audit: who was let do what, and who was not, in lines that hold each other.
//!
//! ```text
//!  doors ── a no ───────────────► Audit ─► writer's thread ─► audit.jsonl
//!        ── a token's change ───►   ▲        each line: what happened, the hash of the line before, its own hash
//!  journal ── what people did ──────┘        …and the number of the last event that the audit has seen
//! ```
//!
//! - What stands in the journal comes from there, so a crash loses no line of it: the next start goes on behind the
//!   last event that was seen.
//! - What stands in no journal and changes something, a token's change, is on the disk before it is done.
//! - A no is written and not waited for. A power loss may take the last of them, and of a flood of them a number is
//!   kept.
//!
//! The file grows to [`LARGEST`] and is then set aside as `audit-<number of its first line>.jsonl`, into which the next
//! one's chain leads back. The hub removes none of them. A last line that was cut off is taken away at the next start,
//! and a line says how much of it there was.
//!
//! The chain shows what was changed afterwards, taken out of the middle or put in between; `audit.head` shows that
//! lines are gone from the end. Then a line says so at the next start, numbered as if they were there, and `verify`
//! names them until they are back, or the files with the gap are taken elsewhere.
//!
//! Neither has a key: whoever may write both files can write a new chain and its head, and whoever removes the head has
//! an audit without one. So what `callboard audit verify` prints last is to be kept elsewhere.

mod file;
mod head;
mod line;
mod page;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use file::{AuditFault, AuditFile, FILE, LARGEST};
pub use line::{Decision, Digested, JOURNAL_RESTORED, Note};
pub use page::{AuditFilter, AuditItem, AuditPage};
pub use verify::{Broken, Sound, VerifyError, verify};
pub use writer::Audit;
