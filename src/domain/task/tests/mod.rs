//! The task's machine: tables for each state and command, and properties over random stories.

mod kit;
mod leases;
