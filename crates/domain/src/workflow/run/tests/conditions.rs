//! Steps that are needed only where an earlier one came to something, and arguments that are the client's to fill in.

use super::*;
use crate::workflow::{Test, When};

/// Deploys, looks, and asks somebody unless the deployment came to `fine`.
fn asks_on_failure() -> Plan {
    let mut plan = plan();
    plan.steps.remove(0);
    plan.steps[0] = step("deploy", "deployer", &[], Some("deployment"), true);
    plan.steps[1] = step("look", "notifier", &[], None, false);
    let when = When {
        binding: "deployment".to_owned(),
        field: Some("state".to_owned()),
        test: Test::IsNot(vec![json!("fine")]),
    };
    plan.steps.push(Step { when: Some(when), ..step("ask", "asker", &[], None, false) });
    plan
}

fn begun_as(plan: Plan) -> WorkflowRun {
    let mut run = begun();
    run.steps = vec![StepState::PENDING; plan.steps.len()];
    run.plan = plan;
    run
}

fn deployed(state: &str) -> WorkflowRun {
    let state = state.to_owned();
    carried_out(begun_as(asks_on_failure()), move |_| Ok(json!({ "state": state })))
}

#[test]
fn a_step_that_is_not_needed_is_left_out_and_the_run_is_done_without_it() {
    let run = deployed("fine");
    assert_eq!((run.status, run.steps[2].status), (RunStatus::Completed, StepStatus::Pending));
    assert_eq!(run.result, Some(json!({"completed": true, "stepsCompleted": 2})));
    assert_eq!(run.status_message(), "3 of 3 steps, completed");
    assert_eq!(run.handle()["steps"][2]["status"], "skipped");
    let told = told(&run);
    assert!(told.contains("3. ask - call asker, where field 'state' from deploy is not fine"), "{told}");
    assert!(told.ends_with("Step 'ask' is not needed."), "{told}");
}

#[test]
fn a_step_that_is_needed_is_carried_out() {
    let run = deployed("broken");
    assert_eq!((run.status, run.steps[2].status), (RunStatus::Completed, StepStatus::Completed));
    assert_eq!(run.result, Some(json!({"completed": true, "stepsCompleted": 3})));
}

/// What came last is what counts, also where a client brought it.
#[test]
fn what_a_client_brings_later_makes_a_step_needed_again() {
    let mut run = carried_out(begun_as(asks_on_failure()), |step| match step {
        "deploy" => Ok(json!({"state": "fine"})),
        _ => Err("no"),
    });
    assert_eq!(run.open_tools().collect::<Vec<_>>(), ["notifier"]);
    calls(&mut run, "deployer", json!({"state": "broken"}), false);
    assert_eq!(run.open_tools().collect::<Vec<_>>(), ["notifier", "asker"]);
}

#[test]
fn a_condition_that_cannot_be_judged_leaves_its_step_to_the_client() {
    let run = carried_out(begun_as(asks_on_failure()), |_| Ok(json!({"other": 1})));
    let Some(PauseReason::UnresolvedDependency { step, needs, producer, .. }) = &run.pause else {
        panic!("{:?}", run.pause)
    };
    assert_eq!((step.as_str(), needs.as_str(), producer.as_str()), ("ask", "<field 'state' from deploy>", "deploy"));
    assert!(
        told(&run).contains("3. Where field 'state' from deploy is not fine, call asker with {}"),
        "{}",
        told(&run)
    );
}

/// A trace is read while it grows: what was said of a later step stands behind all that is said of earlier ones.
#[test]
fn a_trace_with_a_condition_only_grows() {
    let mut run = begun_as(asks_on_failure());
    let mut before = run.trace();
    for index in 0..2 {
        order(&mut run, &WorkflowCommand::Begin { step: index, asked: json!({}) }).expect("begun");
        let outcome = outcome(json!({"state": "fine"}), false, MatchedBy::Plan);
        order(&mut run, &WorkflowCommand::End { step: index, outcome, misfit: false }).expect("ended");
        let now = run.trace();
        assert!(now.len() > before.len() && now.starts_with(&before), "{now:#?}");
        before = now;
    }
}

#[test]
fn no_step_is_carried_out_with_what_the_client_may_have_cut() {
    let mut run = begun();
    run.unsure = ["region".to_owned()].into();
    let run = carried_out(run, all_well);
    assert_eq!(run.steps[0].status, StepStatus::Completed, "it uses what is whole");
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("unresolvable_argument"));
    let told = told(&run);
    assert!(told.contains("- region: eu (perhaps not all of it)"), "{told}");
    assert!(told.contains("needs all of `region`, and this client may have handed over a part of it."), "{told}");
    assert!(told.contains(r#""region":"<fill in `region` from what the user typed>""#), "{told}");
}

#[test]
fn a_placeholder_of_the_client_stays_where_it_puts_in_what_was_typed() {
    let mut run = begun_with(&[("service", "$1"), ("region", "$2")]);
    run.unsure = crate::workflow::unsure(&run.parameters, false);
    let run = carried_out(run, all_well);
    assert_eq!(run.steps[0].status, StepStatus::Pending, "nothing ran");
    assert!(told(&run).contains(r#"1. Call validator with {"service":"$1"}"#), "{}", told(&run));
}
