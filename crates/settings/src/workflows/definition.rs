//! A workflow as its file has it. Its schema is what editors complete from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::workflow::{Action, Parameter, ParameterKind, Plan, PlanFault, Source, Step, Test, When};

/// `workflows/*.yaml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Definition {
    /// Its name: 1 to 64 letters, digits, `-` and `_`; unique over all files.
    name: String,
    /// What it does, as it goes on after "I want to"; `{name}` stands for an argument, and `{name?…}` is a phrase that
    /// stands only where it was given, as in all texts of a workflow.
    description: String,
    /// What the caller gives.
    #[serde(default)]
    arguments: Vec<Argument>,
    /// What a model should know before it begins.
    #[serde(default)]
    instructions: Option<String>,
    /// What is to be done, in order; at most 100 steps.
    steps: Vec<DefinedStep>,
}

/// An argument of the prompt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Argument {
    /// Its name, which callers and steps use.
    name: String,
    /// What it means.
    #[serde(default)]
    description: Option<String>,
    /// Whether the steps need it; where it is not given, the tools' arguments that it fills are left out.
    #[serde(default)]
    required: bool,
    /// How its text is read.
    #[serde(default, rename = "type")]
    kind: ParameterKind,
}

/// A step: either a `tool` with `arguments`, or a `resource` with a `template`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DefinedStep {
    /// Its name, unique in the workflow.
    name: String,
    /// The tool that it calls: one of the hub's, or one that only the client has.
    #[serde(default)]
    tool: Option<String>,
    /// The tool's arguments, each with where it comes from.
    #[serde(default)]
    arguments: Option<BTreeMap<String, DefinedSource>>,
    /// The URI of the resource that it reads; `{name}` stands for an entry of `template`.
    #[serde(default)]
    resource: Option<String>,
    /// What is put into the URI, each with where it comes from.
    #[serde(default)]
    template: Option<BTreeMap<String, DefinedSource>>,
    /// The name by which later steps refer to its output.
    #[serde(default)]
    binding: Option<String>,
    /// What a model should know about the step; `{name}` stands for an argument of the workflow.
    #[serde(default)]
    guidance: Option<String>,
    /// Whether a repeat after a failure makes sense.
    #[serde(default)]
    retryable: bool,
    /// When there is anything to do in the step; always where this is left out.
    #[serde(default)]
    when: Option<DefinedWhen>,
}

/// A condition on the output of an earlier step: `is` or `isNot` one of some values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DefinedWhen {
    /// The output of an earlier step, by its binding.
    output: String,
    /// A dotted path into it, such as `state`.
    #[serde(default)]
    field: Option<String>,
    /// The step is done where the value is one of these.
    #[serde(default)]
    is: Option<Vec<Value>>,
    /// The step is done where the value is none of these.
    #[serde(default)]
    is_not: Option<Vec<Value>>,
}

/// Where a value comes from: one of `arg`, `output` and `const`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DefinedSource {
    /// An argument of the workflow.
    #[serde(default)]
    arg: Option<String>,
    /// The output of an earlier step, by its binding.
    #[serde(default)]
    output: Option<String>,
    /// With `output`: a dotted path into it, such as `checks.0.name`.
    #[serde(default)]
    field: Option<String>,
    /// A value; in its texts `{name}` stands for an argument of the workflow, and `{name?…}` for a phrase.
    #[serde(default, rename = "const", deserialize_with = "present")]
    constant: Option<Value>,
}

/// A value that is there, also where it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Definition {
    /// As a plan. Fails with each step and each source that is not exactly one of what it may be.
    pub(super) fn plan(self) -> Result<Plan, Vec<PlanFault>> {
        let mut faults = Vec::new();
        let steps = self.steps.into_iter().enumerate();
        let steps = steps.filter_map(|(index, step)| step.step(&index.to_string(), &mut faults)).collect();
        let parameters = self.arguments.into_iter().map(Argument::parameter).collect();
        let Self { name, description, instructions, .. } = self;
        if faults.is_empty() { Ok(Plan { name, description, parameters, instructions, steps }) } else { Err(faults) }
    }
}

impl Argument {
    fn parameter(self) -> Parameter {
        let Self { name, description, required, kind } = self;
        Parameter { name, description, required, kind }
    }
}

impl DefinedStep {
    fn step(self, index: &str, faults: &mut Vec<PlanFault>) -> Option<Step> {
        let Self { name, tool, arguments, resource, template, binding, guidance, retryable, when } = self;
        let action = match (tool, resource, arguments, template) {
            (Some(tool), None, arguments, None) => {
                let arguments = sources(arguments.unwrap_or_default(), [index, "arguments"], faults);
                Action::Tool { name: tool, arguments }
            }
            (None, Some(uri), None, template) => {
                Action::Resource { uri, template: sources(template.unwrap_or_default(), [index, "template"], faults) }
            }
            (Some(_), Some(_), _, _) => {
                faults.push(fault(&[index], "has a `tool` and a `resource`: make two steps of it"));
                return None;
            }
            (None, None, _, _) => {
                faults.push(fault(&[index], "must have a `tool` or a `resource`"));
                return None;
            }
            (Some(_), None, _, Some(_)) => {
                faults.push(fault(&[index, "template"], "belongs to a `resource`; a tool has `arguments`"));
                return None;
            }
            (None, Some(_), Some(_), _) => {
                faults.push(fault(&[index, "arguments"], "belong to a `tool`; a resource has a `template`"));
                return None;
            }
        };
        let when = match when.map(DefinedWhen::when).transpose() {
            Ok(when) => when,
            Err(message) => {
                faults.push(fault(&[index, "when"], message));
                return None;
            }
        };
        Some(Step { name, action, binding, guidance, retryable, when })
    }
}

impl DefinedWhen {
    fn when(self) -> Result<When, &'static str> {
        let test = match (self.is, self.is_not) {
            (Some(values), None) => Test::Is(values),
            (None, Some(values)) => Test::IsNot(values),
            _ => return Err("must have one of `is: [VALUE]` and `isNot: [VALUE]`"),
        };
        Ok(When { binding: self.output, field: self.field, test })
    }
}

fn sources(
    given: BTreeMap<String, DefinedSource>,
    [index, key]: [&str; 2],
    faults: &mut Vec<PlanFault>,
) -> BTreeMap<String, Source> {
    let mut sources = BTreeMap::new();
    for (name, source) in given {
        match source.source() {
            Ok(source) => drop(sources.insert(name, source)),
            Err(message) => faults.push(fault(&[index, key, &name], message)),
        }
    }
    sources
}

impl DefinedSource {
    fn source(self) -> Result<Source, &'static str> {
        match (self.arg, self.output, self.field, self.constant) {
            (Some(arg), None, None, None) => Ok(Source::Argument(arg)),
            (None, Some(binding), field, None) => Ok(Source::Output { binding, field }),
            (None, None, None, Some(value)) => Ok(Source::Constant(value)),
            (_, None, Some(_), _) => Err("`field` belongs to an `output`"),
            _ => Err("must be one of `{arg: NAME}`, `{output: BINDING}` and `{const: VALUE}`"),
        }
    }
}

fn fault(below_steps: &[&str], message: &str) -> PlanFault {
    let path = ["steps"].iter().chain(below_steps).map(|segment| (*segment).to_owned()).collect();
    PlanFault { path, message: message.to_owned() }
}
