//! The names that the files of routes use, for `use super::prelude::*`.

pub(super) use axum::extract::State;
pub(super) use axum::response::{IntoResponse, Response};
pub(super) use axum::{Extension, Json};
pub(super) use http::{HeaderMap, StatusCode};
pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::{Value, json};

pub(super) use crate::actors::HubRef;
pub(super) use crate::domain::ids::{AgentId, SessionId, TaskId};
pub(super) use crate::domain::principal::Scope;
pub(super) use crate::tools::people::PersonCall;
pub(super) use crate::transport::web::{
    ApiError, ApiResult, JsonBody, List, Params, Route, Routes, Segment, Who, names, page_request,
};

/// What a route that lists comes to.
pub(super) type Listed<T> = ApiResult<Json<List<T>>>;
