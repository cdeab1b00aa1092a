//! A plan as values: its parameters, and its steps in order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::template::names_in;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name, which is the prompt's: small letters, digits, `-` and `_`.
    pub name: String,
    /// What it does, as it goes on after "I want to".
    pub description: String,
    /// What the caller gives, in order.
    pub parameters: Vec<Parameter>,
    /// What a model should know before it begins.
    pub instructions: Option<String>,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    pub description: Option<String>,
    pub required: bool,
    pub kind: ParameterKind,
}

/// How the text of a parameter is read: prompts carry texts only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// As it is.
    #[default]
    String,
    /// A finite number.
    Number,
    /// A whole number of 64 bits.
    Integer,
    /// `true` or `false`.
    Boolean,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    pub action: Action,
    /// The name by which later steps refer to its output.
    pub binding: Option<String>,
    /// What a model should know about it; `{name}` stands for a parameter.
    pub guidance: Option<String>,
    /// Whether a repeat after a failure makes sense.
    pub retryable: bool,
    /// When there is anything to do in it; always where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

/// A condition on the output of an earlier step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct When {
    /// The binding of that step.
    pub binding: String,
    /// A dotted path into its output; the whole output without one.
    pub field: Option<String>,
    pub test: Test,
}

/// What a value is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    Is(Vec<Value>),
    IsNot(Vec<Value>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Tool {
        /// Its name: one of the hub's, or one that only the client has.
        name: String,
        arguments: BTreeMap<String, Source>,
    },
    Resource {
        /// Its URI; `{name}` stands for an entry of `template`.
        uri: String,
        /// What is put into the URI, by name.
        template: BTreeMap<String, Source>,
    },
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Argument(String),
    Output {
        binding: String,
        /// A dotted path into it, such as `checks.0.name`; the whole output without one.
        field: Option<String>,
    },
    /// A value that stands in the plan; in its texts `{name}` stands for a parameter.
    Constant(Value),
}

impl Plan {
    /// The step whose output has this binding.
    pub fn bound(&self, binding: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.binding.as_deref() == Some(binding))
    }
}

impl Source {
    pub fn parameters(&self) -> Vec<&str> {
        fn texts(value: &Value) -> Vec<&str> {
            match value {
                Value::String(text) => names_in(text),
                Value::Array(items) => items.iter().flat_map(texts).collect(),
                Value::Object(fields) => fields.values().flat_map(texts).collect(),
                Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
            }
        }
        match self {
            Self::Argument(name) => vec![name],
            Self::Output { .. } => Vec::new(),
            Self::Constant(value) => texts(value),
        }
    }
}

impl Test {
    pub fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Is(values) => values.contains(value),
            Self::IsNot(values) => !values.contains(value),
        }
    }

    pub fn values(&self) -> &[Value] {
        match self {
            Self::Is(values) | Self::IsNot(values) => values,
        }
    }
}

impl Step {
    /// The sources of its values, by the key they stand under.
    pub fn sources(&self) -> impl Iterator<Item = (&String, &Source)> {
        match &self.action {
            Action::Tool { arguments, .. } => arguments.iter(),
            Action::Resource { template, .. } => template.iter(),
        }
    }

    pub fn tool(&self) -> Option<&str> {
        match &self.action {
            Action::Tool { name, .. } => Some(name),
            Action::Resource { .. } => None,
        }
    }
}
