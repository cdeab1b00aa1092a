//! The task's machine: tables for each state and command, and properties over random stories.

mod awaits;
mod chains;
mod keeps;
mod kit;
mod leases;
mod matrix;
mod notices;
mod promises;
mod runs;
mod stories;
mod usage;
mod whose;
mod wishes;
mod words;
