//! The task's machine: tables for each state and command, and properties over random stories.

mod chains;
mod kit;
mod leases;
mod matrix;
mod notices;
mod promises;
mod stories;
mod wishes;
mod words;
