//! The names that the files of verbs use, for `use super::prelude::*`.

pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};

pub(super) use super::refusal::Refusal;
pub(super) use super::refuse;
pub(super) use super::verb::{Answer, Call, For, Hints, Verb};
pub(super) use crate::domain::principal::Scope;
