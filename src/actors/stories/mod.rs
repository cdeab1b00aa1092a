//! Stories of the actors on stopped time: the whole hub behind its doors, over the journal in memory.

mod asking;
mod clocks;
mod delivery;
mod departures;
mod end_and_restart;
mod followers;
mod habits;
mod hub;
mod inbox;
mod limits;
mod newest_rows;
mod parked;
mod questions;
mod races;
mod resting;
mod schedules;
mod terminals;
mod tickets;
mod told_by_typing;
mod typing;
mod wakeups;
