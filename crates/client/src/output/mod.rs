//! How a command prints: a table for people, a wider one, or JSON for programs. Everything goes to standard output; a
//! reader that went away ends the command without a word.

pub mod cell;
pub mod paint;
mod print;
pub mod table;

pub use print::{Format, Listed, OutputArgs, PageArgs, nothing, say, say_json};
