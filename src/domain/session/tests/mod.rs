//! The session's machine: as tables, as stories, and against a model over random stories.

mod kit;
mod model;
mod parked;
mod questions;
mod statuses;
