//! The actors: each holds one decision-maker, and speaks in messages.

pub mod journal;
pub mod noticeboard;
