//! A request that found its route, and what it is answered with.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::ApiError;
use super::multipart::File;
use crate::discord::model::snowflake::Id;

#[derive(Debug)]
pub(crate) struct Call {
    /// What stands for `:name` in the route.
    pub(crate) params: BTreeMap<&'static str, String>,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) body: Value,
    pub(crate) files: Vec<File>,
}

/// A status, and JSON unless it is 204.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Option<Value>,
}

pub(crate) type Outcome = Result<Reply, ApiError>;

impl Reply {
    pub(crate) const fn ok(body: Value) -> Self {
        Self { status: 200, body: Some(body) }
    }

    pub(crate) const fn created(body: Value) -> Self {
        Self { status: 201, body: Some(body) }
    }

    pub(crate) const fn nothing() -> Self {
        Self { status: 204, body: None }
    }
}

impl Call {
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// A part of the path that has to be an id.
    pub(crate) fn id(&self, name: &str) -> Result<Id, ApiError> {
        let text = self.param(name);
        let not_one = || ApiError::form(name, "NUMBER_TYPE_COERCE", format!("Value \"{text}\" is not snowflake."));
        text.parse().map_err(|_| not_one())
    }
}
