//! The terminal model: bytes of a program in, a screen and its history out, and whether the program waits.
//!
//! ```text
//!   bytes ─► Strainer (no sequence costs more than its line) ─► vt100 ─► screen ──► Sight ─► prompt
//!                                                                  └─ rows that leave ─► History (bounded)
//! ```
//!
//! One parser serves detection, transcript and view. Nothing that a program prints is ever answered: queries, titles,
//! the clipboard are read past. Memory is bounded by the size of the screen and of the history, whatever comes in.
//!
//! It stands beside the domain and not in it, because a terminal is somebody else's machine (`vt100`), and below the
//! actors, because it holds no decision and waits for nobody.

mod charset;
mod history;
mod hole;
mod line_ends;
mod log_file;
mod model;
mod picture;
mod recent;
mod size;
mod strainer;
#[cfg(test)]
mod tests;
mod watch;

pub use history::History;
pub use line_ends::LineEnds;
pub use log_file::{Growth, LogFile, LogFileRefusal};
pub use model::Terminal;
pub use picture::{Colour, Picture, Run};
pub use recent::{Extract, Piece, Recent};
pub use size::TerminalSize;
pub use watch::{Detected, Watch};
