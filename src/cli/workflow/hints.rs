//! What is allowed in a definition and most likely not meant: unknown tools, arguments and result fields, missing
//! arguments, constants outside the schema, unused arguments, or optional ones in the middle of a text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::domain::text::nearest;
use crate::domain::workflow::{Parameter, Plan, PlanValues, Source, Step, missing_in, names_in, unguarded_in};
use crate::settings::{ConfigFault, Workflow};
use crate::tools::{ToolEntry, find, table};

/// Each, with its place.
pub(super) fn hints(workflow: &Workflow) -> Vec<ConfigFault> {
    let steps = workflow.plan.steps.iter().enumerate();
    let of_steps = steps.flat_map(|(index, step)| of_step(workflow, &index.to_string(), step));
    unused(workflow).into_iter().chain(unguarded(workflow)).chain(of_steps).collect()
}

/// A text of a plan, with where it stands.
type Placed<'a> = (Vec<String>, &'a str);

/// Every text of a plan in which an argument may stand.
fn texts(plan: &Plan) -> Vec<Placed<'_>> {
    fn of_value<'a>(path: &[String], value: &'a Value, texts: &mut Vec<Placed<'a>>) {
        match value {
            Value::String(text) => texts.push((path.to_vec(), text)),
            Value::Array(items) => items.iter().for_each(|item| of_value(path, item, texts)),
            Value::Object(fields) => fields.values().for_each(|field| of_value(path, field, texts)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut texts = vec![(vec!["description".to_owned()], plan.description.as_str())];
    texts.extend(plan.instructions.iter().map(|text| (vec!["instructions".to_owned()], text.as_str())));
    for (index, step) in plan.steps.iter().enumerate() {
        let path = |key: &str| ["steps", &index.to_string(), key].map(str::to_owned).to_vec();
        texts.extend(step.guidance.iter().map(|text| (path("guidance"), text.as_str())));
        for (name, source) in step.sources() {
            if let Source::Constant(value) = source {
                of_value(&[path("arguments"), vec![name.clone()]].concat(), value, &mut texts);
            }
        }
    }
    texts
}

/// Arguments that are asked for, and that nothing uses.
fn unused(workflow: &Workflow) -> Vec<ConfigFault> {
    let plan = &workflow.plan;
    let sources = plan.steps.iter().flat_map(Step::sources).flat_map(|(_, source)| source.parameters());
    let used: BTreeSet<&str> = sources.chain(texts(plan).into_iter().flat_map(|(_, text)| names_in(text))).collect();
    let parameters = plan.parameters.iter().enumerate().filter(|(_, one)| !used.contains(one.name.as_str()));
    let fault = |(index, one): (usize, &Parameter)| {
        let place = workflow.place_of(&["arguments", &index.to_string(), "name"]);
        place.fault(format!("no step uses `{}`", one.name))
    };
    parameters.map(fault).collect()
}

/// Texts whose words would go on to nothing where an argument is left out.
fn unguarded(workflow: &Workflow) -> Vec<ConfigFault> {
    let plan = &workflow.plan;
    let optional = |name: &str| plan.parameters.iter().any(|one| one.name == name && !one.required);
    let fault = |(path, text): Placed<'_>| {
        let name = unguarded_in(text).into_iter().find(|name| optional(name))?;
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        Some(workflow.place_of(&path).fault(format!(
            "`{name}` may be left out, and `<prompt arg {name}>` stands here then: put the words that need it into \
             `{{{name}?…}}`, as ` in {{{name}}}` into `{{{name}? in {{{name}}}}}`"
        )))
    };
    texts(plan).into_iter().filter_map(fault).collect()
}

fn of_step(workflow: &Workflow, index: &str, step: &Step) -> Vec<ConfigFault> {
    let Some(tool) = step.tool() else { return Vec::new() };
    match find(tool) {
        Some(entry) => of_arguments(workflow, index, step, entry),
        None => {
            let near = nearest(tool, table().iter().map(|entry| entry.name));
            let hint = near.first().map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            let place = workflow.place_of(&["steps", index, "tool"]);
            vec![place.fault(format!("the hub has no tool `{tool}`, so its client must{hint}"))]
        }
    }
}

fn of_arguments(workflow: &Workflow, index: &str, step: &Step, entry: &ToolEntry) -> Vec<ConfigFault> {
    let schema = &entry.input_schema;
    let (parameters, outputs, unsure) = (Map::new(), BTreeMap::new(), BTreeSet::new());
    let known = PlanValues { plan: &workflow.plan, parameters: &parameters, outputs: &outputs, unsure: &unsure };
    let missing = missing_in(schema, step, known).into_iter().map(|key| {
        let place = workflow.place_of(&["steps", index, "arguments"]);
        place.fault(format!("`{}` needs `{key}`, which this step may leave out", entry.name))
    });
    let fields = schema.get("properties").and_then(Value::as_object);
    let strange = step.sources().map(|(key, _)| key).filter(|key| fields.is_some_and(|has| !has.contains_key(*key)));
    let strange = strange.map(|key| {
        let place = workflow.place_of(&["steps", index, "arguments", key]);
        let names = fields.into_iter().flat_map(Map::keys).map(String::as_str);
        let hint = nearest(key, names).first().map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        place.fault(format!("`{}` has no argument `{key}`{hint}", entry.name))
    });
    let unfit = step.sources().filter_map(|(key, source)| {
        let place = workflow.place_of(&["steps", index, "arguments", key]);
        match source {
            Source::Constant(value) => {
                let wanted = unlike(fields?.get(key)?, value)?;
                Some(place.fault(format!("`{key}` of `{}` must be {wanted}", entry.name)))
            }
            Source::Output { binding, field: Some(path) } => {
                let tool = workflow.plan.bound(binding)?.tool()?;
                let known = find(tool)?.output_schema.get("properties")?.as_object()?;
                let field = path.split('.').next()?;
                let near = nearest(field, known.keys().map(String::as_str));
                let hint = near.first().map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
                let fault = || place.fault(format!("what `{tool}` answers has no field `{field}`{hint}"));
                (!known.contains_key(field)).then(fault)
            }
            Source::Argument(_) | Source::Output { field: None, .. } => None,
        }
    });
    missing.chain(strange).chain(unfit).collect()
}

/// By the schema's `enum` and `type`. A text with a parameter in it may become anything.
fn unlike(schema: &Value, value: &Value) -> Option<String> {
    if value.as_str().is_some_and(|text| text.contains('{')) {
        return None;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        return (!allowed.contains(value)).then(|| format!("one of {}", words.join(", ")));
    }
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = types.contains(&is) || (is == "integer" && types.contains(&"number"));
    (!fits).then(|| format!("of the type {}", types.join(" or ")))
}

#[cfg(test)]
mod tests;
