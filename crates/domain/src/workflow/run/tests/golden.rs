//! Whole conversations, for each reason at which the hub stops: read by eye, and kept as snapshots.

use super::*;

type ToolLookup = Option<ToolFacts<'static>>;

#[expect(clippy::unnecessary_wraps, reason = "it is asked as a tool that may not be there")]
fn known() -> ToolLookup {
    Some(facts(Box::leak(Box::new(schema()))))
}

/// Carries out as the driver does. `of` says what the hub knows of a tool, and `came` what a step comes to: an answer,
/// or an error with whether its arguments did not fit.
fn goes(
    mut run: WorkflowRun,
    of: impl Fn(&str) -> ToolLookup,
    came: impl Fn(&str) -> Result<Value, (&'static str, bool)>,
) -> WorkflowRun {
    while let Next::Step { index, .. } = run.next() {
        let step = run.plan.steps[index].clone();
        let command = match run.prepare(index, step.tool().and_then(&of)) {
            Err(reason) => WorkflowCommand::Pause(reason),
            Ok(prepared) => {
                let asked = match prepared {
                    Prepared::Call { arguments, .. } => json!(arguments),
                    Prepared::Read { uri } => json!(uri),
                };
                order(&mut run, &WorkflowCommand::Begin { step: index, asked }).expect("begun");
                let (value, is_error, misfit) = match came(&step.name) {
                    Ok(value) => (value, false, false),
                    Err((why, misfit)) if step.tool().is_some() => (json!({"message": why}), true, misfit),
                    Err((why, misfit)) => (json!(why), true, misfit),
                };
                let outcome = outcome(value, is_error, MatchedBy::Plan);
                WorkflowCommand::End { step: index, outcome, misfit }
            }
        };
        order(&mut run, &command).expect("an order for this moment");
    }
    run
}

#[expect(clippy::unnecessary_wraps, reason = "it is asked as a step that may fail")]
fn well(step: &str) -> Result<Value, (&'static str, bool)> {
    Ok(if step == "notes" { json!("It was deployed at noon.") } else { all_well(step).unwrap_or_default() })
}

/// The same run, of a plan that was changed.
fn begun_as(change: impl FnOnce(&mut Plan)) -> WorkflowRun {
    let mut run = begun();
    change(&mut run.plan);
    run.steps = vec![StepState::PENDING; run.plan.steps.len()];
    run
}

/// Reads what deploying wrote, after it.
fn with_a_resource(plan: &mut Plan) {
    let url = Source::Output { binding: "deployment".to_owned(), field: Some("url".to_owned()) };
    let notes = Step {
        name: "notes".to_owned(),
        action: Action::Resource { uri: "notes://{of}/latest".to_owned(), template: [("of".to_owned(), url)].into() },
        binding: Some("notes".to_owned()),
        guidance: None,
        retryable: false,
        when: None,
    };
    plan.steps.insert(2, notes);
    let text = Source::Output { binding: "notes".to_owned(), field: None };
    plan.steps[3] = step("notify", "notifier", &[("text", text)], None, false);
    plan.instructions = Some("You release {service}. Be brief.".to_owned());
}

#[rstest]
#[case::first("validate", true, "a_failure_of_the_first_step_that_can_be_repeated")]
#[case::second("deploy", false, "a_failure_of_the_second_step_that_no_repeat_helps")]
#[case::last("notify", true, "a_failure_of_the_last_step_that_can_be_repeated")]
fn a_failed_step_is_told_by_whether_a_repeat_helps(#[case] fails: &str, #[case] again: bool, #[case] snapshot: &str) {
    let run = begun_as(|plan| plan.steps.iter_mut().for_each(|step| step.retryable = again));
    let run = goes(run, |_| known(), |step| if step == fails { Err(("the disk is full", false)) } else { well(step) });
    insta::assert_snapshot!(snapshot, told(&run));
}

#[test]
fn a_tool_that_only_the_client_has_is_its_to_call_and_so_is_what_depends_on_it() {
    let run = goes(begun(), |tool| known().filter(|_| tool != "deployer"), well);
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("client_tool"));
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_tool_that_requires_more_is_told_with_what() {
    let wants = ToolFacts { schema: Box::leak(Box::new(json!({"required": ["region", "token"]}))), ..known().unwrap() };
    let run = goes(begun(), |tool| if tool == "deployer" { Some(wants) } else { known() }, well);
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("schema_mismatch"));
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_tool_that_does_not_take_its_arguments_is_told_with_why() {
    let why = "deployer: `region` must be one of eu-1, us-1";
    let run = goes(begun(), |_| known(), |step| if step == "deploy" { Err((why, true)) } else { well(step) });
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("schema_mismatch"));
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_resource_is_told_with_its_content() {
    let run = goes(begun_as(with_a_resource), |_| known(), well);
    assert_eq!(run.status, RunStatus::Completed);
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_resource_that_cannot_be_read_is_told_with_why() {
    let gone = "there is nothing under this name that you may read";
    let came = |step: &str| if step == "notes" { Err((gone, false)) } else { well(step) };
    let run = goes(begun_as(with_a_resource), |_| known(), came);
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("resource_error"));
    insta::assert_snapshot!(told(&run));
}

#[test]
fn a_plan_that_needs_longer_than_one_request_is_handed_over_where_it_came_to() {
    let mut run = begun();
    order(&mut run, &WorkflowCommand::Begin { step: 0, asked: json!({"service": "api"}) }).expect("begun");
    let came = outcome(all_well("validate").expect("a step"), false, MatchedBy::Plan);
    order(&mut run, &WorkflowCommand::End { step: 0, outcome: came, misfit: false }).expect("ended");
    order(&mut run, &WorkflowCommand::Pause(PauseReason::TimeBudget { step: "deploy".to_owned() })).expect("paused");
    insta::assert_snapshot!(told(&run));
}

/// A run whose hub was stopped in the middle of this step.
fn interrupted(at_step: &str) -> WorkflowRun {
    let mut run = begun();
    for index in 0.. {
        let schema = schema();
        let Ok(Prepared::Call { arguments, .. }) = run.prepare(index, Some(facts(&schema))) else { panic!("a call") };
        order(&mut run, &WorkflowCommand::Begin { step: index, asked: json!(arguments) }).expect("begun");
        let name = run.plan.steps[index].name.clone();
        if name == at_step {
            break;
        }
        let outcome = outcome(all_well(&name).expect("a step"), false, MatchedBy::Plan);
        order(&mut run, &WorkflowCommand::End { step: index, outcome, misfit: false }).expect("ended");
    }
    run
}

fn ticked(run: &mut WorkflowRun, seconds: u64) -> Vec<WorkflowRecord> {
    let records = due(run, seconds);
    for record in &records {
        let before = run.clone();
        run.apply(at(seconds), record);
        assert_eq!(invariants::workflow_moves(&before, record, run), Ok(()), "{record:?}");
    }
    records
}

#[test]
fn a_step_at_which_the_hub_was_stopped_is_the_clients_once_nobody_goes_on_with_it() {
    let mut run = interrupted("deploy");
    let left = LEFT_AFTER.as_secs() + 1;
    assert_eq!(run.next_deadline().map(|deadline| deadline.at), Some(at(left)));
    assert_eq!(ticked(&mut run, left - 1), [], "whoever asks under the same key goes on with it");
    assert_eq!(run.next(), Next::Step { index: 1, again: true });
    assert_eq!(ticked(&mut run, left).len(), 1);
    assert_eq!((run.next(), run.pause.as_ref().map(PauseReason::name)), (Next::Rest, Some("tool_error")));
    assert_eq!(ticked(&mut run, left + 1), [], "once");
    insta::assert_snapshot!(told(&run));
    assert_eq!(calls(&mut run, "deployer", json!("done"), false), Some(Recorded::Step("deploy".to_owned())));
    assert_eq!(run.status_message(), "2 of 3 steps, waiting for notify");
}

#[test]
fn a_run_that_was_stopped_between_two_steps_is_the_clients_too() {
    let mut run = interrupted("deploy");
    run.steps[1] = StepState::PENDING;
    ticked(&mut run, LEFT_AFTER.as_secs() + 1);
    assert_eq!(run.pause, Some(PauseReason::TimeBudget { step: "deploy".to_owned() }));
    let mut reads = begun_as(with_a_resource);
    reads.steps.iter_mut().take(2).for_each(|state| state.status = StepStatus::Completed);
    reads.steps[2].status = StepStatus::Running;
    ticked(&mut reads, LEFT_AFTER.as_secs());
    assert_eq!(reads.pause, Some(PauseReason::TimeBudget { step: "notes".to_owned() }), "a look does nothing");
    let mut done = begun();
    done.steps.iter_mut().for_each(|state| state.status = StepStatus::Completed);
    ticked(&mut done, LEFT_AFTER.as_secs());
    assert_eq!(done.status, RunStatus::Completed);
}

#[test]
fn a_step_ends_together_with_what_follows_from_it() {
    let mut run = interrupted("notify");
    let end = |is_error| {
        let outcome = outcome(json!({"message": "no"}), is_error, MatchedBy::Plan);
        WorkflowCommand::End { step: 2, outcome, misfit: false }
    };
    let records = |run: &WorkflowRun, command| run.decide(at(1), &command).expect("an end").records;
    let failed = records(&run, end(true));
    assert!(matches!(failed[..], [WorkflowRecord::StepFailed { .. }, WorkflowRecord::Paused { .. }]), "{failed:?}");
    let done = records(&run, end(false));
    assert!(matches!(done[..], [WorkflowRecord::StepCompleted { .. }, WorkflowRecord::Completed { .. }]), "{done:?}");
    run.handed_over = true;
    assert_eq!((records(&run, end(true)).len(), records(&run, end(false)).len()), (1, 1), "the client says when");
    let follow_up = FollowUp { tool: "wait_for_answer".to_owned(), arguments: Map::new() };
    let early = WorkflowCommand::Wait { step: 0, follow_up };
    assert_eq!(run.decide(at(1), &early), Err(WorkflowRefusal::NotNext { step: 0 }), "it does not run");
}
