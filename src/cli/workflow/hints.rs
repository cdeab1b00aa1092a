//! What is allowed in a definition, and most likely not meant: a hub's tool misspelt, arguments that it does not have,
//! arguments that it requires and is not given.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::text::nearest;
use crate::domain::workflow::{Known, Step, missing_in};
use crate::settings::{ConfigFault, Workflow};
use crate::tools::{ToolEntry, find, table};

/// Each, with its place.
pub(super) fn hints(workflow: &Workflow) -> Vec<ConfigFault> {
    let steps = workflow.plan.steps.iter().enumerate();
    steps.flat_map(|(index, step)| of_step(workflow, &index.to_string(), step)).collect()
}

fn of_step(workflow: &Workflow, index: &str, step: &Step) -> Vec<ConfigFault> {
    let Some(tool) = step.tool() else { return Vec::new() };
    match find(tool) {
        Some(entry) => of_arguments(workflow, index, step, entry),
        None => {
            let near = nearest(tool, table().iter().map(|entry| entry.name));
            let near = near.first().map(|near| {
                let place = workflow.place_of(&["steps", index, "tool"]);
                place.fault(format!("the hub has no tool `{tool}`, so its client must: did you mean `{near}`?"))
            });
            near.into_iter().collect()
        }
    }
}

fn of_arguments(workflow: &Workflow, index: &str, step: &Step, entry: &ToolEntry) -> Vec<ConfigFault> {
    let schema = &entry.input_schema;
    let (parameters, outputs) = (Map::new(), BTreeMap::new());
    let known = Known { plan: &workflow.plan, parameters: &parameters, outputs: &outputs };
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
    missing.chain(strange).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::settings::Workflows;

    #[test]
    fn the_shipped_workflows_fit_the_tools_of_the_hub() {
        let workflows = Workflows::load(None).expect("the compiled-in workflows are right");
        assert_eq!(workflows.iter().count(), 3);
        assert_eq!(workflows.iter().flat_map(hints).collect::<Vec<_>>(), []);
    }

    #[test]
    fn what_is_most_likely_not_meant_is_named_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("workflows")).expect("a folder");
        let text = "name: odd\ndescription: be odd\narguments: [{name: work}]\nsteps:\n  \
                    - {name: a, tool: asign_task}\n  - {name: b, tool: linter}\n  \
                    - {name: c, tool: assign_task, arguments: {targetAgentld: {const: any}, prompt: {arg: work}}}\n";
        fs::write(folder.path().join("workflows/odd.yaml"), text).expect("a file");
        let workflows = Workflows::load(Some(folder.path())).expect("a right definition");
        let odd = workflows.find("odd").expect("the workflow");
        let found: Vec<String> = hints(odd).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "workflows/odd.yaml:5:21: the hub has no tool `asign_task`, so its client must: did you mean \
                 `assign_task`?",
                "workflows/odd.yaml:7:45: `assign_task` needs `targetAgentId`, which this step may leave out",
                "workflows/odd.yaml:7:45: `assign_task` needs `prompt`, which this step may leave out",
                "workflows/odd.yaml:7:61: `assign_task` has no argument `targetAgentld`: did you mean \
                 `targetAgentId`?",
            ]
        );
    }
}
