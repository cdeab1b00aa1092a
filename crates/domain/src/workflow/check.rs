//! Which plans are refused when they are loaded. A plan that passes refers to nothing that does not exist, so that
//! resolving can only fail for want of a value.

use std::collections::BTreeSet;

use serde_json::Value;

use super::plan::{Action, Plan, Source, Step};
use super::template::names_in;
use crate::text::nearest;

/// The most steps that a plan may have: each is a line of a prompt that a model reads.
pub const MOST_STEPS: usize = 100;

/// What is wrong, and where: a path of keys and list indexes into the definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFault {
    /// `["steps", "1", "arguments", "pr"]`.
    pub path: Vec<String>,
    pub message: String,
}

pub fn check(plan: &Plan) -> Vec<PlanFault> {
    let mut faults = Faults { plan, found: Vec::new() };
    faults.name(&["name"], &plan.name);
    if plan.description.trim().is_empty() {
        faults.add(&["description"], "`description` must say what it does, as it goes on after \"I want to\"");
    }
    faults.text(&["description"], &plan.description);
    if let Some(instructions) = &plan.instructions {
        faults.text(&["instructions"], instructions);
    }
    faults.parameters();
    if plan.steps.is_empty() {
        faults.add(&["steps"], "`steps` must hold at least one step");
    }
    if plan.steps.len() > MOST_STEPS {
        let steps = plan.steps.len();
        faults.add(&["steps"], format!("`steps` holds {steps} steps; {MOST_STEPS} are the most: make two workflows"));
        return faults.found;
    }
    let (mut names, mut bindings) = (BTreeSet::new(), BTreeSet::new());
    for (index, step) in plan.steps.iter().enumerate() {
        let index = index.to_string();
        let at = ["steps", index.as_str()];
        faults.name(&[at[0], at[1], "name"], &step.name);
        if !names.insert(step.name.as_str()) {
            faults.add(&[at[0], at[1], "name"], format!("two steps are called `{}`", step.name));
        }
        faults.step(at, step, &bindings);
        if let Some(binding) = &step.binding {
            faults.name(&[at[0], at[1], "binding"], binding);
            if !bindings.insert(binding.as_str()) {
                faults.add(&[at[0], at[1], "binding"], format!("an earlier step has the binding `{binding}` already"));
            }
        }
    }
    faults.found
}

struct Faults<'a> {
    plan: &'a Plan,
    found: Vec<PlanFault>,
}

impl Faults<'_> {
    fn add(&mut self, path: &[&str], message: impl Into<String>) {
        let path = path.iter().map(|segment| (*segment).to_owned()).collect();
        self.found.push(PlanFault { path, message: message.into() });
    }

    fn name(&mut self, path: &[&str], name: &str) {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            let key = path.last().copied().unwrap_or("name");
            self.add(path, format!("`{key}` must be 1 to 64 letters, digits, `-` and `_`"));
        }
    }

    fn parameters(&mut self) {
        let mut seen = BTreeSet::new();
        for (index, parameter) in self.plan.parameters.iter().enumerate() {
            let path = ["arguments", &index.to_string(), "name"];
            self.name(&path, &parameter.name);
            if !seen.insert(parameter.name.as_str()) {
                self.add(&path, format!("two arguments are called `{}`", parameter.name));
            }
            let told = parameter.description.as_deref().unwrap_or_default();
            let names = names_in(told);
            if let Some(name) = self.plan.parameters.iter().find(|one| names.contains(&one.name.as_str())) {
                let message =
                    format!("`{{{}}}` is not filled in here: nothing is given yet where it is read", name.name);
                self.add(&["arguments", path[1], "description"], message);
            }
        }
    }

    fn step(&mut self, [steps, index]: [&str; 2], step: &Step, bindings: &BTreeSet<&str>) {
        let key = match &step.action {
            Action::Tool { name, .. } => {
                if name.trim().is_empty() {
                    self.add(&[steps, index, "tool"], "`tool` must be the name of a tool");
                }
                "arguments"
            }
            Action::Resource { uri, template } => {
                self.template(&[steps, index], uri, template.keys().map(String::as_str).collect());
                "template"
            }
        };
        for (name, source) in step.sources() {
            self.source(&[steps, index, key, name], source, bindings);
        }
        if let Some(when) = &step.when {
            self.binding(&[steps, index, "when"], &when.binding, bindings);
            if when.test.values().is_empty() {
                self.add(&[steps, index, "when"], "the list of values must not be empty");
            }
        }
        if let Some(guidance) = &step.guidance {
            self.text(&[steps, index, "guidance"], guidance);
        }
    }

    /// What the URI names and what fills it are the same.
    fn template(&mut self, [steps, index]: &[&str; 2], uri: &str, filled: BTreeSet<&str>) {
        if !uri.contains("://") {
            self.add(&[steps, index, "resource"], "`resource` must be a URI such as `callboard://tasks/{id}`");
        }
        let named: BTreeSet<&str> = names_in(uri).into_iter().collect();
        for name in named.difference(&filled) {
            self.add(&[steps, index, "resource"], format!("nothing in `template` fills `{{{name}}}`"));
        }
        for name in filled.difference(&named) {
            self.add(&[steps, index, "template", name], format!("`resource` does not name `{{{name}}}`"));
        }
    }

    fn source(&mut self, path: &[&str], source: &Source, bindings: &BTreeSet<&str>) {
        match source {
            Source::Argument(name) => self.argument(path, name),
            Source::Output { binding, .. } => self.binding(path, binding, bindings),
            Source::Constant(value) => self.texts(path, value),
        }
    }

    /// It is one of an earlier step.
    fn binding(&mut self, path: &[&str], binding: &str, bindings: &BTreeSet<&str>) {
        if bindings.contains(binding) {
            return;
        }
        let why = if self.plan.bound(binding).is_some() {
            "is no binding of an earlier step: a step can only use what was done before it".to_owned()
        } else {
            match nearest(binding, bindings.iter().copied()).first() {
                Some(near) => format!("is no binding of any step: did you mean `{near}`?"),
                None => "is no binding of any step".to_owned(),
            }
        };
        self.add(path, format!("`{binding}` {why}"));
    }

    fn argument(&mut self, path: &[&str], name: &str) {
        let names = || self.plan.parameters.iter().map(|parameter| parameter.name.as_str());
        if names().any(|known| known == name) {
            return;
        }
        let hint = match nearest(name, names()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it in `arguments`".to_owned(),
        };
        self.add(path, format!("`{name}` is not an argument of this workflow: {hint}"));
    }

    /// Each `{name}` in a text is a parameter.
    fn text(&mut self, path: &[&str], text: &str) {
        for name in names_in(text) {
            self.argument(path, name);
        }
    }

    fn texts(&mut self, path: &[&str], value: &Value) {
        match value {
            Value::String(text) => self.text(path, text),
            Value::Array(items) => items.iter().for_each(|item| self.texts(path, item)),
            Value::Object(fields) => fields.values().for_each(|field| self.texts(path, field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
