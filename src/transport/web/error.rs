//! Every no of plain HTTP, in one shape: `{"error": "sentence", "code": "CODE", "details"?: {}, "requestId": "…"}`.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::actors::common::Fault;
use crate::domain::principal::Scope;
use crate::domain::refusal::{Audience, advice, status_of};
use crate::journal::ReadError;
use crate::tools::{Refusal, people};

/// After how many seconds to try again when an actor is busy, or ended just now.
const AGAIN_AFTER: u32 = 1;

/// What a route, or a step of one, comes to.
pub type ApiResult<T> = Result<T, ApiError>;

#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    pub details: Map<String, Value>,
    /// After how many seconds to try again, where that helps.
    pub retry_after: Option<u32>,
    request: Option<String>,
}

/// The body of every error.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// What is wrong, in a sentence.
    pub error: String,
    /// The same for OAuth clients, which show nothing else: how to get a token.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "error_description")]
    pub error_description: Option<String>,
    /// The stable code.
    pub code: String,
    /// More for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The request, as logs and events name it.
    pub request_id: String,
}

impl ApiError {
    /// A code of [`codes`](crate::domain::refusal::codes) also gives the status and, as `details.prompt`, the advice.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let here = advice(code, Audience::Http);
        Self {
            status: StatusCode::from_u16(status_of(code)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            message: message.into(),
            details: here.map(|advice| ("prompt".to_owned(), Value::from(advice))).into_iter().collect(),
            retry_after: None,
            request: None,
        }
    }

    pub fn scope(needs: Scope) -> Self {
        Self::new("INSUFFICIENT_SCOPE", format!("your credential has not the scope `{needs}`"))
            .detail("needs", needs.to_string())
    }

    /// A refusal that leaves it to the door to say what to do next. Fields of a request are fields of a body here.
    fn advised_here(code: &'static str, message: String, details: Map<String, Value>) -> Self {
        let message = if code == "INVALID_ARGUMENTS" { format!("the body: {message}") } else { message };
        let mut error = Self::new(code, message);
        error.details.extend(details);
        error.retry_after = error.status.is_server_error().then_some(AGAIN_AFTER);
        error
    }

    pub fn query(field: &str, what: impl std::fmt::Display) -> Self {
        Self::new("INVALID_ARGUMENTS", format!("the query: `{field}`: {what}")).detail("field", field)
    }

    #[must_use]
    pub fn advise(self, prompt: &str) -> Self {
        self.detail("prompt", prompt)
    }

    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Whether it says of which request it is.
    pub(super) const fn names_its_request(&self) -> bool {
        self.request.is_some()
    }

    /// For answers outside [`super::told()`]: of this request.
    #[must_use]
    pub fn of_request(mut self, id: impl Into<String>) -> Self {
        self.request = Some(id.into());
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorBody {
            error: self.message.clone(),
            error_description: self.error_description().map(ToOwned::to_owned),
            code: self.code.to_owned(),
            details: self.details.clone(),
            request_id: self.request.clone().unwrap_or_default(),
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(challenge) = self.challenge() {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl ApiError {
    /// How to get a token, to whom that is said in OAuth's words.
    fn error_description(&self) -> Option<&'static str> {
        let of_a_credential = self.status == StatusCode::UNAUTHORIZED || self.code == "NO_OAUTH";
        of_a_credential.then(|| advice(self.code, Audience::Http)).flatten()
    }

    /// What a client must have to come through, by RFC 6750.
    fn challenge(&self) -> Option<HeaderValue> {
        let text = match self.code {
            "UNAUTHENTICATED" => {
                let how = self.error_description().unwrap_or_default();
                format!("Bearer realm=\"callboard\", error=\"invalid_token\", error_description=\"{how}\"")
            }
            "INSUFFICIENT_SCOPE" => {
                let needs = self.details.get("needs").and_then(Value::as_str).unwrap_or_default();
                format!("Bearer realm=\"callboard\", error=\"insufficient_scope\", scope=\"{needs}\"")
            }
            _ => return None,
        };
        HeaderValue::from_str(&text).ok()
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        people::fault(fault).into()
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Cursor { .. } => Self::new("CURSOR_INVALID", error.to_string()).detail("field", "cursor"),
            ReadError::Fault(_) => Self::new("UNAVAILABLE", error.to_string()).retry_after(AGAIN_AFTER),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        // An error over plain HTTP has no room for notices. Its delivery is dropped, so the next answer tells them.
        let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let Some(prompt) = refusal.prompt else {
            return Self::advised_here(refusal.code, refusal.message, refusal.details);
        };
        let mut details = refusal.details;
        details.insert("prompt".to_owned(), Value::String(prompt));
        let retry_after = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(AGAIN_AFTER);
        Self { status, code: refusal.code, message: refusal.message, details, retry_after, request: None }
    }
}
