//! A verb at work, and what it came to, whatever its types.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::fit;
use super::prelude::*;
use super::rendering::Words;
use crate::actors::agent::AnswerGuard;
use crate::domain::ids::QuestionId;

/// What a verb came to, whatever its types.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) message: String,
    pub(super) prompt: Option<String>,
    pub(super) fields: Map<String, Value>,
    pub(super) notices: Vec<Notice>,
    pub(super) guard: Option<AnswerGuard>,
    pub(super) words: Option<Words>,
    pub(super) answers: Option<QuestionId>,
}

impl Ran {
    /// Leaves out what does not fit beside the notices, and says so.
    pub(super) fn fit(&mut self, rest: Option<Remainder>, notices: &[Notice]) {
        let Some(rest) = rest else { return };
        let told = serde_json::to_value(notices).map_or(0, |told| fit::cost(&told));
        let words = fit::cost_of(&self.message) + self.prompt.as_deref().map_or(0, fit::cost_of);
        let cuts = fit::fit(&mut self.fields, fit::left_beside(told + words), rest);
        if !cuts.is_empty() {
            let task = self.fields.get("taskId").and_then(Value::as_str);
            self.message.push_str(&fit::in_words(&cuts, rest, task));
        }
    }
}

/// A verb at work.
pub(super) type Running = BoxFuture<'static, Result<Ran>>;

/// Runs a verb on arguments that fit its schema.
pub(super) fn run<V: Verb>(call: Call, input: Value) -> Result<Running> {
    let input: V = serde_json::from_value(input).map_err(|error| refuse::unreadable(V::NAME, &error.to_string()))?;
    Ok(V::run(call, input).map(|answer| answer.map(ran)).boxed())
}

fn ran<O: Serialize>(answer: Answer<O>) -> Ran {
    let Answer { message, prompt, fields, notices, guard, words, answers } = answer;
    let fields = match serde_json::to_value(fields) {
        Ok(Value::Object(fields)) => fields,
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => Map::new(),
    };
    Ran { message, prompt, fields, notices, guard, words, answers }
}
