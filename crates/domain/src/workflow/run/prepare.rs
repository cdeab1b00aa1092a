//! What the hub is to do for a step, or why it cannot.

use serde_json::{Map, Value};

use super::{PauseReason, StepStatus, WorkflowRun};
use crate::workflow::plan::{Action, Source, Step};
use crate::workflow::resolve::{PlanValues, Resolved, judged, missing_in, plain, resolve};
use crate::workflow::template::{fill, names_in};

/// The tool by which a person is asked: what comes next depends on the answer.
const ASKS: &str = "request_input";

/// What must be known of a tool before the hub runs it.
#[derive(Debug, Clone, Copy)]
pub struct ToolFacts<'a> {
    pub schema: &'a Value,
    /// Whether a second call with the same arguments, and the same key where it takes one, does nothing twice.
    pub repeatable: bool,
    /// Why only the client can call it, in a sentence without its full stop; none where the hub can.
    pub client_only: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Prepared {
    Call { tool: String, arguments: Map<String, Value> },
    Read { uri: String },
}

impl WorkflowRun {
    /// What the hub does for step `index`; `facts` are of its tool, none if there is no such. The error: why it cannot.
    pub fn prepare(&self, index: usize, facts: Option<ToolFacts<'_>>) -> Result<Prepared, PauseReason> {
        let Some((step, state)) = self.both().nth(index) else {
            return Err(PauseReason::TimeBudget { step: format!("{}", index + 1) });
        };
        let outputs = self.outputs();
        let known = self.known(&outputs);
        if let Some(when) = &step.when
            && outputs.get(&when.binding).and_then(|output| judged(when, output)).is_none()
        {
            let (binding, field) = (when.binding.clone(), when.field.clone());
            return Err(unresolved(step, "when", &Source::Output { binding, field }, known));
        }
        match &step.action {
            Action::Resource { uri, .. } => read(step, uri, known),
            Action::Tool { name, .. } => {
                let facts = self.callable(index, step, name, facts)?;
                if let (StepStatus::Running, Some(Value::Object(arguments))) = (state.status, &state.asked) {
                    if !facts.repeatable {
                        return Err(Self::interrupted(step, name));
                    }
                    return Ok(Prepared::Call { tool: name.clone(), arguments: arguments.clone() });
                }
                let arguments = arguments(step, known)?;
                let missing = missing_in(facts.schema, step, known);
                if missing.is_empty() {
                    return Ok(Prepared::Call { tool: name.clone(), arguments });
                }
                Err(PauseReason::SchemaMismatch { step: step.name.clone(), tool: name.clone(), missing, error: None })
            }
        }
    }

    fn callable<'a>(
        &self,
        index: usize,
        step: &Step,
        tool: &str,
        facts: Option<ToolFacts<'a>>,
    ) -> Result<ToolFacts<'a>, PauseReason> {
        let why = match (facts, index.checked_sub(1).and_then(|before| self.plan.steps.get(before))) {
            (None, _) => format!("this hub has no tool {tool}"),
            (Some(ToolFacts { client_only: Some(why), .. }), _) => why.to_owned(),
            (Some(_), Some(before)) if before.tool() == Some(ASKS) => {
                format!("it depends on what was answered in step '{}'", before.name)
            }
            (Some(facts), _) => return Ok(facts),
        };
        Err(PauseReason::ClientTool { step: step.name.clone(), tool: tool.to_owned(), why })
    }
}

fn arguments(step: &Step, known: PlanValues<'_>) -> Result<Map<String, Value>, PauseReason> {
    let mut arguments = Map::new();
    for (name, source) in step.sources() {
        match resolve(source, known) {
            Resolved::Value(value) => drop(arguments.insert(name.clone(), value)),
            Resolved::LeftOut => {}
            Resolved::Placeholder(_) => return Err(unresolved(step, name, source, known)),
        }
    }
    Ok(arguments)
}

fn unresolved(step: &Step, argument: &str, source: &Source, known: PlanValues<'_>) -> PauseReason {
    let needs = match resolve(source, known) {
        Resolved::Value(words) | Resolved::Placeholder(words) => plain(&words),
        Resolved::LeftOut => String::new(),
    };
    let (step, argument) = (step.name.clone(), argument.to_owned());
    let unsure: Vec<String> = source
        .parameters()
        .into_iter()
        .filter(|name| known.unsure.contains(*name))
        .map(|it| format!("`{it}`"))
        .collect();
    let needs = match unsure[..] {
        [] => needs,
        _ => format!("all of {}, and this client may have handed over a part of it", unsure.join(" and ")),
    };
    match source {
        Source::Output { binding, .. } => {
            let producer = known.plan.bound(binding).map_or_else(|| binding.clone(), |step| step.name.clone());
            PauseReason::UnresolvedDependency { step, argument, needs, producer }
        }
        Source::Argument(_) | Source::Constant(_) => PauseReason::UnresolvableArgument { step, argument, needs },
    }
}

fn read(step: &Step, uri: &str, known: PlanValues<'_>) -> Result<Prepared, PauseReason> {
    let values = arguments(step, known)?;
    // A name that the template does not fill stands for nothing, as the check of plans says.
    let filled = fill(uri, &|_| true, &mut |name| values.get(name).map(plain).unwrap_or_default());
    if let Some(open) = names_in(uri).into_iter().find(|name| !values.contains_key(*name)) {
        let error = format!("nothing was given for `{open}`");
        return Err(PauseReason::ResourceError { step: step.name.clone(), uri: uri.to_owned(), error });
    }
    Ok(Prepared::Read { uri: filled })
}
