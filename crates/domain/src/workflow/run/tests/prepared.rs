//! What the hub is to do for a step, and for which reasons it does not.

use serde_json::json;

use super::*;

/// A run of one plan with these steps.
fn run_of(steps: Vec<Step>) -> WorkflowRun {
    let plan = Plan { steps, ..plan() };
    let record = WorkflowRecord::Started {
        owner: owner(),
        plan: Box::new(plan),
        parameters: Default::default(),
        unsure: BTreeSet::new(),
    };
    WorkflowRun::from_started(WorkflowId::parse("w_00000001").expect("an id"), at(0), &record).expect("a beginning")
}

fn reason(prepared: Result<Prepared, PauseReason>) -> &'static str {
    prepared.map_err(|reason| reason.name()).expect_err("it cannot be done")
}

#[test]
fn a_step_that_may_have_run_is_repeated_only_under_what_it_was_begun_with() {
    let mut run = run_of(vec![step("a", "deployer", &[], None, true)]);
    let schema = schema();
    run.apply(at(1), &WorkflowRecord::StepBegan { step: 0, asked: json!({"n": 1}) });
    let again = run.prepare(0, Some(facts(&schema))).expect("it takes a key");
    let arguments = json!({"n": 1}).as_object().cloned().expect("an object");
    assert_eq!(again, Prepared::Call { tool: "deployer".to_owned(), arguments });
    let once = ToolFacts { repeatable: false, ..facts(&schema) };
    assert_eq!(reason(run.prepare(0, Some(once))), "tool_error");
}

#[test]
fn what_the_hub_cannot_do_is_the_clients_with_the_reason() {
    let schema = json!({"type": "object", "required": ["x"]});
    let run = run_of(vec![step("ask", "request_input", &[], None, false), step("act", "deployer", &[], None, false)]);
    assert_eq!(reason(run.prepare(0, Some(facts(&schema)))), "schema_mismatch");
    assert_eq!(reason(run.prepare(1, Some(facts(&schema)))), "client_tool", "it depends on an answer");
    assert_eq!(reason(run.prepare(0, None)), "client_tool", "the hub has no such tool");
    let waits = ToolFacts { client_only: Some("it waits for work"), ..facts(&schema) };
    assert_eq!(reason(run.prepare(0, Some(waits))), "client_tool");
    assert_eq!(reason(run.prepare(9, None)), "time_budget", "there is no such step");
}

#[test]
fn a_resource_is_read_once_its_name_is_whole() {
    let resource = |template: &[(&str, Source)]| Step {
        name: "notes".to_owned(),
        action: Action::Resource {
            uri: "callboard://tasks/{id}/result".to_owned(),
            template: template.iter().map(|(name, source)| ((*name).to_owned(), source.clone())).collect(),
        },
        binding: None,
        guidance: None,
        retryable: false,
        when: None,
    };
    let whole = run_of(vec![resource(&[("id", Source::Constant(json!("t1")))])]);
    let read = Prepared::Read { uri: "callboard://tasks/t1/result".to_owned() };
    assert_eq!(whole.prepare(0, None), Ok(read));
    assert_eq!(reason(run_of(vec![resource(&[])]).prepare(0, None)), "resource_error");
    let output = Source::Output { binding: "deployment".to_owned(), field: None };
    assert_eq!(reason(run_of(vec![resource(&[("id", output)])]).prepare(0, None)), "unresolved_dependency");
}

/// A record of a later version of the plan does no harm to a run that has no such step.
#[test]
fn a_record_of_a_step_that_there_is_not_changes_no_step() {
    let mut run = begun();
    let steps = run.steps.clone();
    let outcome = || Box::new(outcome(json!(1), false, MatchedBy::Plan));
    run.apply(at(1), &WorkflowRecord::StepBegan { step: 9, asked: json!({}) });
    run.apply(at(1), &WorkflowRecord::StepCompleted { step: 9, outcome: outcome() });
    run.apply(at(1), &WorkflowRecord::StepFailed { step: 9, outcome: outcome() });
    assert_eq!(run.steps, steps);
}
