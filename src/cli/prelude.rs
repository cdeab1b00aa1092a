//! The names that the files of commands use, for `use super::prelude::*`.

pub(super) use clap::{Args, Subcommand};
pub(super) use serde_json::{Value, json};

pub(super) use super::client::HubClient;
pub(super) use super::exit::Exit;
pub(super) use super::id::{to_change, to_look};
pub(super) use super::output::cell::{ago, at, plain, str_at, text, until};
pub(super) use super::output::{OutputArgs, PageArgs, nothing, say, say_json};
pub(super) use super::place::GlobalArgs;
pub(super) use super::problem::Problem;
pub(super) use crate::clock::Clock;
pub(super) use crate::domain::ids::AgentId;
pub(super) use crate::domain::text::for_terminal;
pub(super) use crate::domain::time::Timestamp;
pub(super) use crate::tools::people::NamedKind;
