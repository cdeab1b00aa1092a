//! The names that the files of people's verbs use, for `use super::prelude::*`.

pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::{Value, json};

pub(super) use super::call::{PersonCall, PersonVerb};
pub(super) use super::refused::{argument, fault, read, words};
pub(super) use crate::actors::HubRef;
pub(super) use crate::domain::permission::{Deed, Whose};
pub(super) use crate::domain::principal::{Principal, Scope};
pub(super) use crate::domain::text::shown;
pub(super) use crate::journal::IdempotencyKey;
pub(super) use crate::tools::key::used;
pub(super) use crate::tools::{Refusal, Result, authorize, refuse};
