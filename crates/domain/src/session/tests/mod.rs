//! The session's machine: as tables, as stories, and against a model over random stories.

mod follows;
mod kit;
mod lapses;
mod model;
mod parked;
mod parts;
mod permission;
mod promises;
mod questions;
mod statuses;
mod together;
mod world;
