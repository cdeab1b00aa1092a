//! A plan in words for a language model: what is wanted, the plan, and the calls that are left to make.

use serde_json::{Map, Value};

use super::plan::{Action, Plan, Step, Test, When};
use super::resolve::{PlanValues, Resolved, plain, resolve, substitute};
use super::template::fill;

/// What a user wants, and the plan for it: the two messages that a conversation begins with.
pub fn opening(known: PlanValues<'_>) -> (String, String) {
    let PlanValues { plan, parameters, unsure, .. } = known;
    let wanted = substitute(&plan.description, known);
    let mut wanted = format!("I want to {}.", wanted.trim().trim_end_matches('.'));
    if !parameters.is_empty() {
        wanted.push_str("\n\nParameters:");
        for (name, value) in parameters {
            let unsure = if unsure.contains(name) { " (perhaps not all of it)" } else { "" };
            wanted.push_str(&format!("\n- {name}: {}{unsure}", plain(value)));
        }
    }
    let mut planned = "Here's my plan:".to_owned();
    for (index, step) in plan.steps.iter().enumerate() {
        let when = step.when.as_ref().map(|when| format!(", where {}", condition(when, plan))).unwrap_or_default();
        planned.push_str(&format!("\n{}. {} - {}{when}", index + 1, step.name, does(step)));
    }
    (wanted, planned)
}

/// The calls of the steps from `first` on (from 0): number in the plan, arguments as far as known, and guidance.
pub fn calls_left(known: PlanValues<'_>, first: usize) -> String {
    let left = known.plan.steps.iter().enumerate().skip(first);
    let line = |(index, step)| with_guidance(call(index + 1, step, known, &[]), step, known);
    left.map(line).collect::<Vec<_>>().join("\n")
}

/// One call that is left to make, without its guidance; `missing` are arguments that the plan does not give.
pub(super) fn call(number: usize, step: &Step, known: PlanValues<'_>, missing: &[String]) -> String {
    let mut bare = bare_call(step, known, missing);
    if let Some(when) = &step.when {
        bare = format!("where {}, {bare}", condition(when, known.plan));
    }
    bare[..1].make_ascii_uppercase();
    format!("{number}. {bare}")
}

fn condition(when: &When, plan: &Plan) -> String {
    let step = plan.bound(&when.binding).map_or(when.binding.as_str(), |step| step.name.as_str());
    let what = match &when.field {
        Some(field) => format!("field '{field}' from {step}"),
        None => format!("the output from {step}"),
    };
    let values: Vec<String> = when.test.values().iter().map(plain).collect();
    let values = values.join(" or ");
    match &when.test {
        Test::Is(_) => format!("{what} is {values}"),
        Test::IsNot(_) => format!("{what} is not {values}"),
    }
}

/// The same in the middle of a sentence.
pub(super) fn bare_call(step: &Step, known: PlanValues<'_>, missing: &[String]) -> String {
    match &step.action {
        Action::Tool { name, arguments } => {
            let mut given: Map<String, Value> = arguments
                .iter()
                .filter_map(|(key, source)| Some((key.clone(), shown(resolve(source, known))?)))
                .collect();
            given.extend(missing.iter().map(|key| (key.clone(), Value::from(format!("<value of {key}>")))));
            format!("call {name} with {}", Value::Object(given))
        }
        Action::Resource { uri, template } => {
            let value = |name: &str| shown(resolve(template.get(name)?, known));
            let mut shown = |name: &str| value(name).map(|value| plain(&value)).unwrap_or_default();
            let uri = fill(uri, &|_| true, &mut shown);
            format!("read the resource {uri}")
        }
    }
}

pub(super) fn with_guidance(mut line: String, step: &Step, known: PlanValues<'_>) -> String {
    if let Some(guidance) = &step.guidance {
        line.push_str(&format!("\n   Note: {}", substitute(guidance, known).trim().replace('\n', "\n   ")));
    }
    line
}

fn shown(resolved: Resolved) -> Option<Value> {
    match resolved {
        Resolved::Value(value) | Resolved::Placeholder(value) => Some(value),
        Resolved::LeftOut => None,
    }
}

fn does(step: &Step) -> String {
    match &step.action {
        Action::Tool { name, .. } => format!("call {name}"),
        Action::Resource { .. } => "read a resource".to_owned(),
    }
}
