//! What `hints` does, tried.

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
fn an_argument_that_nothing_uses_and_one_that_leaves_a_hole_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("workflows")).expect("a folder");
    let text = "name: odd\ndescription: be odd\narguments: [{name: work}, {name: region}, {name: place}]\n\
                    steps:\n  - name: a\n    tool: linter\n    \
                    arguments: {text: {const: [\"{work? do {work}} in {region}\"]}}\n";
    fs::write(folder.path().join("workflows/odd.yaml"), text).expect("a file");
    let workflows = Workflows::load(Some(folder.path())).expect("a right definition");
    let odd = workflows.find("odd").expect("the workflow");
    let found: Vec<String> = hints(odd).iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(found[0], "workflows/odd.yaml:3:50: no step uses `place`");
    assert!(found[1].starts_with("workflows/odd.yaml:7:"), "{found:#?}");
    assert!(
        found[1].contains("`region` may be left out") && found[1].contains("`{region? in {region}}`"),
        "{found:#?}"
    );
}

#[test]
fn what_is_most_likely_not_meant_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("workflows")).expect("a folder");
    let text = "name: odd\ndescription: be odd\narguments: [{name: work}]\nsteps:\n  \
                    - {name: a, tool: asign_task}\n  - {name: b, tool: linter}\n  \
                    - {name: c, tool: assign_task, arguments: {targetAgentld: {const: any}, prompt: {arg: work}}}\n  \
                    - {name: d, tool: assign_task, binding: made, \
                    arguments: {targetAgentId: {const: 5}, prompt: {const: x}}}\n  \
                    - {name: e, tool: wait_for_task, arguments: {taskId: {output: made, field: tasc}}}\n";
    fs::write(folder.path().join("workflows/odd.yaml"), text).expect("a file");
    let workflows = Workflows::load(Some(folder.path())).expect("a right definition");
    let odd = workflows.find("odd").expect("the workflow");
    let found: Vec<String> = hints(odd).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "workflows/odd.yaml:5:21: the hub has no tool `asign_task`, so its client must: did you mean \
                 `assign_task`?",
            "workflows/odd.yaml:6:21: the hub has no tool `linter`, so its client must",
            "workflows/odd.yaml:7:45: `assign_task` needs `targetAgentId`, which this step may leave out",
            "workflows/odd.yaml:7:45: `assign_task` needs `prompt`, which this step may leave out",
            "workflows/odd.yaml:7:61: `assign_task` has no argument `targetAgentld`: did you mean \
                 `targetAgentId`?",
            "workflows/odd.yaml:8:76: `targetAgentId` of `assign_task` must be of the type string",
            "workflows/odd.yaml:9:56: what `assign_task` answers has no field `tasc`",
        ]
    );
}
