//! The power fails: what the journal acknowledged is there when it comes back.
//!
//! Killing the hub proves nothing about `fsync`: what a process wrote stays with the kernel. So here the real store
//! runs on a disk of our own, as a file system of SQLite, that knows what was synced and what was only written. One
//! history is lived once and every operation on the disk is noted down; then, after each of them, the power fails: what
//! was synced stays, and of the rest any part may be gone or torn. From what is left the journal is opened by the same
//! code as in life, and has to hold all that was acknowledged up to that instant, whole appends and nothing else.
//!
//! What the disk does: it loses writes that were not synced, all of them or some in any order, and tears them at
//! sectors of 512 bytes or in the middle of one. Each point is tried with one such loss, chosen by the seed, and not
//! with all. What it does not do: lie about a sync, rot what was synced, or forget that a file was made or removed
//! (SQLite syncs the folder for that, and these syncs are not seen here).
//!
//! - `disk` notes down and loses. `file_system` shows it to SQLite. `history` is what is lived. `story` judges. `full`
//!   is about a disk that has no room.

mod disk;
mod file_system;
mod full;
pub(crate) mod history;
mod story;
