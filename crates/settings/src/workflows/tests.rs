//! Definitions that are refused, each with its place; what lies over what; and the schema that editors read.

use std::path::PathBuf;

use rstest::rstest;
use tempfile::TempDir;

use super::*;
use crate::schema;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join(FOLDER)).expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(FOLDER).join(name), text).expect("a file");
    }
    folder
}

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let folder = folder(files);
    match Workflows::load(Some(folder.path())) {
        Ok(_) => panic!("{files:?} was accepted"),
        Err(faults) => faults.list().iter().map(ToString::to_string).collect(),
    }
}

#[rstest]
#[case::no_name("description: d\nsteps: []\n", "workflows/w.yaml:1:1: `name` is missing")]
#[case::no_list("name: w\ndescription: d\nsteps: go\n", "workflows/w.yaml:3:8: `steps` wants a list")]
#[case::no_steps("name: w\ndescription: d\nsteps: []\n", "workflows/w.yaml:3:8: `steps` must hold at least one")]
#[case::a_key(
    "name: w\ndescription: d\nsteps: [{name: a, tol: b}]\n",
    "unknown key `steps.0.tol`: did you mean `tool`?"
)]
#[case::a_key_twice("name: w\ndescription: d\nname: v\nsteps: [{name: a, tool: b}]\n", "3:1: `name` stands here twice")]
#[case::a_type(
    "name: w\ndescription: d\narguments: [{name: x, type: int}]\nsteps: [{name: a, tool: b}]\n",
    "workflows/w.yaml:3:29: `arguments.0.type` wants `string` or `number` or `integer` or `boolean`, got `int`"
)]
#[case::neither("name: w\ndescription: d\nsteps:\n  - name: a\n", "4:5: `steps.0`: must have a `tool` or a `resource`")]
#[case::both(
    "name: w\ndescription: d\nsteps:\n  - {name: a, tool: b, resource: \"c://d\"}\n",
    "4:5: `steps.0`: has a `tool` and a `resource`"
)]
#[case::two_sources(
    "name: w\ndescription: d\nsteps:\n  - {name: a, tool: b, arguments: {x: {const: 1, arg: y}}}\n",
    "4:39: `steps.0.arguments.x`: must be one of `{arg: NAME}`"
)]
#[case::a_field_alone(
    "name: w\ndescription: d\nsteps:\n  - {name: a, tool: b, arguments: {x: {field: y}}}\n",
    "4:39: `steps.0.arguments.x`: `field` belongs to an `output`"
)]
#[case::a_circle(
    "name: w\ndescription: d\nsteps:\n  - {name: a, tool: t, binding: x, arguments: {k: {output: y}}}\n  \
     - {name: b, tool: t, binding: y, arguments: {k: {output: x}}}\n",
    "4:51: `steps.0.arguments.k`: `y` is no binding of an earlier step"
)]
#[case::a_condition_of_nothing(
    "name: w\ndescription: d\nsteps:\n  - {name: a, tool: b, binding: x}\n  - {name: c, tool: d, when: {output: x}}\n",
    "`steps.1.when`: must have one of `is: [VALUE]` and `isNot: [VALUE]`"
)]
#[case::a_secret("name: w\ndescription: d\npassword: hunter2\nsteps: [{name: a, tool: b}]\n", "holds a secret")]
fn a_faulty_definition_is_refused_with_its_place(#[case] text: &str, #[case] expected: &str) {
    let faults = faults(&[("w.yaml", text)]);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].contains(expected), "{faults:#?}");
}

#[test]
fn the_faults_of_all_definitions_are_told_at_once() {
    let faults = faults(&[
        ("a.yaml", "name: a\ndescription: d\nsteps: [\n"),
        ("b.yaml", "name: release\ndescription: d\nsteps: [{name: a, tool: t}]\n"),
        ("c.yml", "name: c c\ndescription: d\nsteps: [{name: a, tool: t, guidance: \"{x}\"}]\n"),
    ]);
    assert_eq!(faults.len(), 4, "{faults:#?}");
    assert!(faults[0].starts_with("workflows/a.yaml:"), "{faults:#?}");
    let twice = "workflows/b.yaml:1:7: `workflows/release.yaml` has a workflow called `release` already";
    assert_eq!(faults[1], twice);
    assert!(faults[2].starts_with("workflows/c.yml:1:7: `name` must be 1 to 64 letters"), "{faults:#?}");
    assert!(faults[3].starts_with("workflows/c.yml:3:38: `steps.0.guidance`: `x` is not an argument"), "{faults:#?}");
}

#[test]
fn a_file_of_the_same_name_goes_before_the_shipped_one_and_a_null_is_a_constant() {
    let text = "name: release\ndescription: d\nsteps: [{name: a, tool: t, arguments: {x: {const: null}}}]\n";
    let folder = folder(&[("release.yaml", text), ("README.md", "not read")]);
    let workflows = Workflows::load(Some(folder.path())).expect("a right definition");
    let names: Vec<&str> = workflows.iter().map(|workflow| workflow.plan.name.as_str()).collect();
    assert_eq!(names, ["delegate-and-review", "release", "triage"]);
    let release = workflows.find("release").expect("the workflow");
    assert_eq!(release.place.to_string(), "workflows/release.yaml:1:7");
    assert_eq!(release.plan.steps.len(), 1);
    assert_eq!(release.plan.steps[0].sources().count(), 1);
}

#[test]
fn the_schema_that_editors_read_is_the_one_of_the_reader() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../config/workflows/workflow.schema.json");
    let kept = fs::read_to_string(&path).expect("the schema is checked in");
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(Some(kept), schema("workflow.yaml"), "`callboard config schema workflow.yaml` prints it anew");
}
