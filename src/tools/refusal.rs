//! What a verb answers when it says no.

use std::sync::Arc;

use serde_json::{Map, Value};
use thiserror::Error;

use super::rendering::Rendering;
use super::reply::put_notices;
use crate::actors::agent::AnswerGuard;
use crate::domain::agent::Notice;
use crate::domain::refusal::{Audience, advice, status_of};

/// What a verb, or a step of one, comes to.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

/// The refusal of a verb: what is wrong, under which stable code, and what to do instead.
#[derive(Debug, Clone, Error)]
#[error("{message}")]
pub struct Refusal {
    /// The stable code, as `TASK_NOT_FOUND`.
    pub code: &'static str,
    pub message: String,
    /// What to do instead: the hub's words, never another's. None where each door says that in words of its own.
    pub prompt: Option<String>,
    /// More for programs, as `{"nearest": [...]}`.
    pub details: Map<String, Value>,
    /// What the agent has not heard yet.
    pub notices: Box<[Notice]>,
    /// Of an answer that carries something: kept by the door until it is known to have been read.
    pub guard: Option<Arc<AnswerGuard>>,
    /// What a client is told of the workflow that the call went on with, beside the answer.
    pub workflow: Option<Box<Value>>,
}

impl Refusal {
    /// A no under a code of [`codes`](crate::domain::refusal::codes), which also gives the status and the advice.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let (message, prompt) = (message.into(), advice(code, Audience::Model).map(str::to_owned));
        Self { code, message, prompt, details: Map::new(), notices: Box::default(), guard: None, workflow: None }
    }

    /// What plain HTTP answers with.
    pub fn status(&self) -> u16 {
        status_of(self.code)
    }

    /// The same without the code's own advice: each door adds its own, in the words of its own ways.
    pub fn without_advice(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, message).unadvised()
    }

    /// Leaves what to do next to the door.
    #[must_use]
    pub(super) fn unadvised(self) -> Self {
        Self { prompt: None, ..self }
    }

    /// With what to do instead, where more is known than the code's own advice.
    #[must_use]
    pub fn advise(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = Some(prompt.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The whole structured result.
    pub fn structured(&self) -> Value {
        let mut object = Map::new();
        object.insert("success".to_owned(), Value::Bool(false));
        object.insert("code".to_owned(), Value::String(self.code.to_owned()));
        object.insert("message".to_owned(), Value::String(self.message.clone()));
        if let Some(prompt) = &self.prompt {
            object.insert("prompt".to_owned(), Value::String(prompt.clone()));
        }
        if !self.details.is_empty() {
            object.insert("details".to_owned(), Value::Object(self.details.clone()));
        }
        put_notices(&mut object, &self.notices);
        Value::Object(object)
    }

    /// The same as one text, for a client that shows only that.
    pub fn text(&self) -> String {
        let rendering = Rendering::of(&format!("Refused: {}", self.code), &self.message);
        rendering.values(&self.details).notices(&self.notices).prompt(self.prompt.as_deref(), None)
    }
}
