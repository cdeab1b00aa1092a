//! A review as tables, as stories, and as properties; a diff as tables.

mod diffs;
mod kit;
mod promises;
mod rounds;
mod stories;
