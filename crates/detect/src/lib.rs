//! Whether a terminal program waits for its user, for what, and what harm an answer may do.
//!
//! `terminal` draws what a program prints, `prompt` finds the prompt on that screen, `danger` says of words whether
//! they destroy something, `lexicon` looks words up. The hub and the hosts of terminals decide what follows from it.

mod ablation;
pub mod danger;
pub mod lexicon;
mod lists;
pub mod prompt;
pub mod terminal;
