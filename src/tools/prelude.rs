//! The names that the files of verbs use, for `use super::prelude::*`.

pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::{Map, Value, json};

pub(super) use super::fit::Remainder;
pub(super) use super::refusal::{Refusal, Result};
pub(super) use super::refuse;
pub(super) use super::texts::{LINE_LIMIT, TEXT_LIMIT, maybe, words};
pub(super) use super::verb::{Answer, Call, For, Hints, Verb};
pub(super) use crate::actors::HubRef;
pub(super) use crate::domain::agent::Notice;
pub(super) use crate::domain::ids::{AgentId, SessionId, TaskId};
pub(super) use crate::domain::principal::Scope;
pub(super) use crate::domain::reminder;
pub(super) use crate::domain::session::SessionCommand;
pub(super) use crate::domain::task::{Origin, TaskCommand};
