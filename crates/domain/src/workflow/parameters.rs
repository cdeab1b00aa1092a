//! The arguments of a prompt, read as their types say. Prompts carry texts only.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::cut::looks_cut;
use super::plan::{ParameterKind, Plan};
use crate::text::{nearest, shorten};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterFault {
    #[error("`{name}` is not an argument of this workflow: {hint}")]
    Unknown {
        name: String,
        /// The nearest right name, or all of them.
        hint: String,
    },
    #[error("`{name}` wants {wanted}, got `{given}`")]
    Value {
        name: String,
        wanted: &'static str,
        /// As it was given, cut to 60 characters.
        given: String,
    },
    /// The text is not all of what the user typed.
    #[error(
        "`{name}` is `{given}`, and it looks cut: {why}. Where a client hands over only what stands before a blank, \
         leave `{name}` out, and say it in a message of your own"
    )]
    Cut { name: String, given: String, why: String },
}

/// Reads what was given; empty counts as absent, and whether it is needed is the steps' affair. Fails with all faults.
pub fn read_parameters(
    plan: &Plan,
    given: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, Vec<ParameterFault>> {
    let (mut read, mut faults) = (Map::new(), Vec::new());
    for (name, text) in given {
        let Some(parameter) = plan.parameters.iter().find(|parameter| parameter.name == *name) else {
            faults.push(ParameterFault::Unknown { name: shorten(name, 60), hint: hint(plan, name) });
            continue;
        };
        if text.is_empty() {
            continue;
        }
        if let Some(why) = looks_cut(text, plan) {
            faults.push(ParameterFault::Cut { name: name.clone(), given: shorten(text, 60), why });
            continue;
        }
        match value(parameter.kind, text) {
            Ok(value) => drop(read.insert(name.clone(), value)),
            Err(wanted) => {
                faults.push(ParameterFault::Value { name: name.clone(), wanted, given: shorten(text, 60) });
            }
        }
    }
    if faults.is_empty() { Ok(read) } else { Err(faults) }
}

fn value(kind: ParameterKind, text: &str) -> Result<Value, &'static str> {
    let trimmed = text.trim();
    match kind {
        ParameterKind::String => Ok(Value::from(text)),
        ParameterKind::Integer => trimmed.parse::<i64>().map(Value::from).map_err(|_| "a whole number"),
        ParameterKind::Number => {
            let number = trimmed.parse::<f64>().ok().and_then(Number::from_f64);
            number.map(Value::Number).ok_or("a number")
        }
        ParameterKind::Boolean => trimmed.parse::<bool>().map(Value::from).map_err(|_| "`true` or `false`"),
    }
}

fn hint(plan: &Plan, name: &str) -> String {
    let names = || plan.parameters.iter().map(|parameter| parameter.name.as_str());
    match nearest(name, names()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if plan.parameters.is_empty() => "it takes none".to_owned(),
        None => format!("it takes {}", names().collect::<Vec<_>>().join(", ")),
    }
}
