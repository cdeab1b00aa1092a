//! Runs: what each order comes to, where results belong, and what a model reads.

mod conditions;
mod golden;
mod orders;
mod prepared;
mod shown;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::invariants;
use crate::workflow::{Action, Parameter, ParameterKind, Source};

fn at(seconds: u64) -> Timestamp {
    Timestamp(1_800_000_000_000 + seconds * 1_000)
}

fn owner() -> PrincipalId {
    PrincipalId::parse("agent:fullstack-1").expect("a principal")
}

fn step(name: &str, tool: &str, arguments: &[(&str, Source)], binding: Option<&str>, retryable: bool) -> Step {
    let arguments = arguments.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect();
    Step {
        name: name.to_owned(),
        action: Action::Tool { name: tool.to_owned(), arguments },
        binding: binding.map(str::to_owned),
        guidance: Some(format!("Mind the {name} of {{service}}.")),
        retryable,
        when: None,
    }
}

/// Validate, deploy, notify: each needs what the one before brought.
fn plan() -> Plan {
    let arg = |name: &str| Source::Argument(name.to_owned());
    let output = |binding: &str, field: Option<&str>| Source::Output {
        binding: binding.to_owned(),
        field: field.map(str::to_owned),
    };
    let parameter = |name: &str, required| Parameter {
        name: name.to_owned(),
        description: None,
        required,
        kind: ParameterKind::String,
    };
    Plan {
        name: "ship".to_owned(),
        description: "ship it".to_owned(),
        parameters: vec![parameter("service", true), parameter("region", true)],
        instructions: None,
        steps: vec![
            step("validate", "validator", &[("service", arg("service"))], Some("validation"), false),
            step(
                "deploy",
                "deployer",
                &[("config", output("validation", Some("config.0"))), ("region", arg("region"))],
                Some("deployment"),
                true,
            ),
            step("notify", "notifier", &[("text", output("deployment", None))], None, false),
        ],
    }
}

fn begun_with(parameters: &[(&str, &str)]) -> WorkflowRun {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let record =
        WorkflowRecord::Started { owner: owner(), plan: Box::new(plan()), parameters, unsure: BTreeSet::new() };
    let id = WorkflowId::parse("w_00000001").expect("an id");
    WorkflowRun::from_started(id, at(0), &record).expect("a beginning")
}

fn begun() -> WorkflowRun {
    begun_with(&[("service", "api"), ("region", "eu")])
}

fn outcome(value: Value, is_error: bool, matched_by: MatchedBy) -> Outcome {
    Outcome { content: Content::of(value), is_error, at: at(1), by: owner(), matched_by }
}

/// Gives an order, and holds each change to the promises.
fn order(run: &mut WorkflowRun, command: &WorkflowCommand) -> Result<Option<Recorded>, WorkflowRefusal> {
    let decision = run.decide(at(1), command)?;
    for record in &decision.records {
        let before = run.clone();
        run.apply(at(1), record);
        assert_eq!(invariants::workflow_moves(&before, record, run), Ok(()), "{record:?}");
    }
    Ok(decision.recorded)
}

fn schema() -> Value {
    json!({"type": "object", "required": []})
}

fn facts(schema: &Value) -> ToolFacts<'_> {
    ToolFacts { schema, repeatable: true, client_only: None }
}

/// Carries out as the driver does; a step comes to what `came` says.
fn carried_out(mut run: WorkflowRun, came: impl Fn(&str) -> Result<Value, &'static str>) -> WorkflowRun {
    let schema = schema();
    while let Next::Step { index, .. } = run.next() {
        let name = run.plan.steps[index].name.clone();
        let command = match run.prepare(index, Some(facts(&schema))) {
            Err(reason) => WorkflowCommand::Pause(reason),
            Ok(prepared) => {
                let asked = match prepared {
                    Prepared::Call { arguments, .. } => json!(arguments),
                    Prepared::Read { uri } => json!(uri),
                };
                order(&mut run, &WorkflowCommand::Begin { step: index, asked }).expect("begun");
                let outcome = match came(&name) {
                    Ok(value) => outcome(value, false, MatchedBy::Plan),
                    Err(why) => outcome(json!({"message": why}), true, MatchedBy::Plan),
                };
                WorkflowCommand::End { step: index, outcome, misfit: false }
            }
        };
        order(&mut run, &command).expect("an order for this moment");
    }
    run
}

fn all_well(step: &str) -> Result<Value, &'static str> {
    Ok(match step {
        "validate" => json!({"config": ["r-1"]}),
        "deploy" => json!({"url": "https://api.example"}),
        "notify" => json!({"sent": true}),
        _ => return Err("there is no such step"),
    })
}

fn told(run: &WorkflowRun) -> String {
    let said = run.messages().into_iter().map(|said| format!("[{:?}] {}", said.speaker, said.text));
    let text = said.collect::<Vec<_>>().join("\n\n");
    assert!(!text.contains("w_00000001"), "the id is in no text");
    text
}

#[test]
fn a_plan_whose_steps_all_run_is_told_and_completed() {
    let run = carried_out(begun(), all_well);
    assert_eq!((run.status, run.status_message().as_str()), (RunStatus::Completed, "3 of 3 steps, completed"));
    assert_eq!(run.result, Some(json!({"completed": true, "stepsCompleted": 3})));
    insta::assert_snapshot!(told(&run));
}

#[rstest]
#[case::first("validate", "a_failure_of_the_first_step_that_no_repeat_helps")]
#[case::second("deploy", "a_failure_of_the_second_step_that_can_be_repeated")]
#[case::last("notify", "a_failure_of_the_last_step")]
fn a_failed_step_is_told_with_what_is_left(#[case] fails: &str, #[case] snapshot: &str) {
    let run = carried_out(begun(), |step| if step == fails { Err("the disk is full.") } else { all_well(step) });
    assert_eq!(run.status, RunStatus::Working);
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("tool_error"));
    insta::assert_snapshot!(snapshot, told(&run));
}

#[test]
fn a_missing_argument_is_handed_over_in_words() {
    let run = carried_out(begun_with(&[("service", "api")]), all_well);
    let needs = "<prompt arg region>".to_owned();
    let (step, argument) = ("deploy".to_owned(), "region".to_owned());
    assert_eq!(run.pause, Some(PauseReason::UnresolvableArgument { step, argument, needs }));
    insta::assert_snapshot!(told(&run));
}

#[test]
fn an_output_without_the_field_is_handed_over_in_words() {
    let run = carried_out(begun(), |_| Ok(json!({"other": 1})));
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("unresolved_dependency"));
    insta::assert_snapshot!(told(&run));
}

type Case = (Option<ToolFacts<'static>>, &'static str);

#[test]
fn a_step_that_the_hub_cannot_do_is_the_clients_with_the_reason() {
    let wants = Box::leak(Box::new(json!({"required": ["service", "token"]})));
    let fits = Box::leak(Box::new(schema()));
    let cases: [Case; 3] = [
        (None, "Step 'validate' is yours to do: this hub has no tool validator."),
        (
            Some(ToolFacts { client_only: Some("only you can"), ..facts(fits) }),
            "Step 'validate' is yours to do: only you can.",
        ),
        (Some(facts(wants)), "Step 'validate' cannot run as the plan says: validator also requires token."),
    ];
    for (facts, sentence) in cases {
        assert_eq!(begun().prepare(0, facts).map_err(|reason| reason.sentence()), Err(sentence.to_owned()));
    }
}

#[test]
fn what_follows_a_question_is_for_who_reads_the_answer() {
    let mut run = begun();
    run.plan.steps[0].action = Action::Tool { name: "request_input".to_owned(), arguments: BTreeMap::new() };
    let schema = schema();
    let asked = WorkflowCommand::Begin { step: 0, asked: json!({}) };
    order(&mut run, &asked).expect("begun");
    let came = outcome(json!({"config": ["no"]}), false, MatchedBy::Plan);
    order(&mut run, &WorkflowCommand::End { step: 0, outcome: came, misfit: false }).expect("ended");
    let reason = run.prepare(1, Some(facts(&schema))).expect_err("a person's answer decides");
    assert_eq!(reason.sentence(), "Step 'deploy' is yours to do: it depends on what was answered in step 'validate'.");
}

#[test]
fn a_step_that_may_have_run_runs_again_only_where_that_does_no_harm() {
    let mut run = begun();
    order(&mut run, &WorkflowCommand::Begin { step: 0, asked: json!({"service": "api"}) }).expect("begun");
    assert_eq!(run.next(), Next::Step { index: 0, again: true });
    let schema = schema();
    let arguments = Map::from_iter([("service".to_owned(), json!("api"))]);
    let again = Prepared::Call { tool: "validator".to_owned(), arguments };
    assert_eq!(run.prepare(0, Some(facts(&schema))), Ok(again));
    let harmful = ToolFacts { repeatable: false, ..facts(&schema) };
    let reason = run.prepare(0, Some(harmful)).expect_err("it may have done its work");
    assert_eq!(reason.name(), "tool_error");
}

#[test]
fn a_step_waits_for_what_another_call_brings() {
    let mut run = begun();
    order(&mut run, &WorkflowCommand::Begin { step: 0, asked: json!({"service": "api"}) }).expect("begun");
    let arguments = Map::from_iter([("question_id".to_owned(), json!("q_1"))]);
    let follow_up = FollowUp { tool: "wait_for_answer".to_owned(), arguments };
    order(&mut run, &WorkflowCommand::Wait { step: 0, follow_up }).expect("waits");
    insta::assert_snapshot!(told(&run));
    let answered = outcome(json!({"config": ["yes"]}), false, MatchedBy::Implicit);
    let tool = "wait_for_answer".to_owned();
    let recorded = order(&mut run, &WorkflowCommand::Record { tool, outcome: answered }).expect("recorded");
    assert_eq!(recorded, Some(Recorded::Step("validate".to_owned())));
    assert_eq!(run.status_message(), "1 of 3 steps, waiting for deploy");
}

fn calls(run: &mut WorkflowRun, tool: &str, value: Value, is_error: bool) -> Option<Recorded> {
    let outcome = outcome(value, is_error, MatchedBy::Id);
    order(run, &WorkflowCommand::Record { tool: tool.to_owned(), outcome }).expect("recorded")
}

#[test]
fn a_result_goes_into_the_open_step_then_over_the_last_one_and_else_beside_the_plan() {
    let mut run = carried_out(begun(), |step| if step == "deploy" { Err("full") } else { all_well(step) });
    let deploy = Some(Recorded::Step("deploy".to_owned()));
    assert_eq!(calls(&mut run, "deployer", json!("no"), true), deploy);
    assert_eq!(run.steps[1].status, StepStatus::Failed);
    assert_eq!(calls(&mut run, "deployer", json!("done"), false), deploy);
    assert_eq!((run.steps[1].status, run.pause.clone()), (StepStatus::Completed, None));
    assert_eq!(calls(&mut run, "deployer", json!("again"), false), deploy, "the last result wins");
    assert_eq!(run.variables()["_workflow.result.deploy"]["text"], json!("again"));
    assert_eq!(calls(&mut run, "list_agents", json!([1]), false), Some(Recorded::Extra));
    assert_eq!(run.variables()["_workflow.extra.list_agents"]["structured"], json!([1]));
    assert_eq!(calls(&mut run, "notifier", json!("sent"), false), Some(Recorded::Step("notify".to_owned())));
    assert_eq!(run.status, RunStatus::Working, "only the client says that it is done now");
    insta::assert_snapshot!(told(&run));
}

#[test]
fn two_steps_of_one_tool_are_filled_in_order() {
    let mut run = begun();
    run.plan.steps[2].action = run.plan.steps[0].action.clone();
    assert_eq!(calls(&mut run, "validator", json!(1), false), Some(Recorded::Step("validate".to_owned())));
    assert_eq!(calls(&mut run, "validator", json!(2), false), Some(Recorded::Step("notify".to_owned())));
    assert_eq!(calls(&mut run, "validator", json!(3), false), Some(Recorded::Step("notify".to_owned())));
}

#[rstest]
#[case::completed(WorkflowCommand::Complete(json!("fine")), RunStatus::Completed)]
#[case::cancelled(WorkflowCommand::Cancel, RunStatus::Cancelled)]
fn what_is_over_stays_so(#[case] command: WorkflowCommand, #[case] status: RunStatus) {
    let mut run = begun();
    order(&mut run, &command).expect("over");
    assert_eq!((run.status, run.next_deadline()), (status, None));
    let late =
        WorkflowCommand::Record { tool: "validator".to_owned(), outcome: outcome(json!(1), false, MatchedBy::Id) };
    for command in [late, WorkflowCommand::Cancel, WorkflowCommand::Complete(json!(2))] {
        assert_eq!(order(&mut run, &command), Err(WorkflowRefusal::Ended { status }));
    }
}

fn due(run: &WorkflowRun, seconds: u64) -> Vec<WorkflowRecord> {
    run.decide(at(seconds), &WorkflowCommand::Tick).expect("never no").records
}

#[test]
fn a_run_expires_a_day_after_its_last_call() {
    let mut run = begun();
    let day = EXPIRES_AFTER.as_secs();
    assert_eq!(due(&run, day), [WorkflowRecord::Expired], "also one that nobody went on with from the beginning");
    calls(&mut run, "validator", json!(1), false);
    assert_eq!(due(&run, day), []);
    assert_eq!(due(&run, day + 1), [WorkflowRecord::Expired]);
}

#[test]
fn what_is_too_long_is_refused_or_cut_and_no_later_step_builds_on_a_part() {
    let long = json!("x".repeat(8 * 1024 * 1024));
    let refused = begun().decide(at(1), &WorkflowCommand::Complete(long.clone()));
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("TEXT_TOO_LONG"));
    let cut = outcome(long, false, MatchedBy::Plan);
    assert!(matches!(&cut.content, Content::Cut { bytes: 8_388_608, head } if head.len() == 4_096));
    assert_eq!(cut.value(), None);
    let run =
        carried_out(begun(), |step| if step == "deploy" { Ok(json!("y".repeat(100_000))) } else { all_well(step) });
    assert_eq!(run.pause.as_ref().map(PauseReason::name), Some("unresolved_dependency"));
    assert!(serde_json::to_string(&run).expect("JSON").len() < 20_000);
}

#[test]
fn a_run_keeps_the_results_of_so_many_other_tools_and_no_more() {
    let mut run = begun();
    for number in 0..MOST_EXTRA {
        calls(&mut run, &format!("tool{number}"), json!(number), false);
    }
    calls(&mut run, "tool0", json!("again"), false);
    let outcome = outcome(json!(1), false, MatchedBy::Id);
    let one_more = WorkflowCommand::Record { tool: "another".to_owned(), outcome };
    assert_eq!(order(&mut run, &one_more), Err(WorkflowRefusal::TooManyExtra));
}

#[test]
fn a_client_that_goes_on_takes_the_rest_over() {
    let mut run = begun();
    order(&mut run, &WorkflowCommand::Begin { step: 0, asked: json!({}) }).expect("begun");
    calls(&mut run, "validator", json!({"config": ["r-2"]}), false);
    assert_eq!(run.next(), Next::Rest, "the hub runs no further step");
    let late = outcome(json!({"config": ["r-1"]}), false, MatchedBy::Plan);
    let end = WorkflowCommand::End { step: 0, outcome: late.clone(), misfit: false };
    order(&mut run, &end).expect("its own step ends all the same");
    assert_eq!(run.steps[0].outcome, Some(late));
    let next = WorkflowCommand::Begin { step: 1, asked: json!({}) };
    assert_eq!(order(&mut run, &next), Err(WorkflowRefusal::NotNext { step: 1 }));
}

fn any_command() -> impl Strategy<Value = WorkflowCommand> {
    let tools = prop_oneof![Just("validator"), Just("deployer"), Just("notifier"), Just("other")];
    let came = (any::<u8>(), any::<bool>());
    prop_oneof![
        (0..4usize).prop_map(|step| WorkflowCommand::Begin { step, asked: json!({"of": step}) }),
        (0..4usize, came).prop_map(|(step, (value, is_error))| WorkflowCommand::End {
            step,
            outcome: outcome(json!(value), is_error, MatchedBy::Plan),
            misfit: value % 2 == 0,
        }),
        (tools, came).prop_map(|(tool, (value, is_error))| WorkflowCommand::Record {
            tool: tool.to_owned(),
            outcome: outcome(json!(value), is_error, MatchedBy::Id)
        }),
        Just(WorkflowCommand::Pause(PauseReason::TimeBudget { step: "deploy".to_owned() })),
        Just(WorkflowCommand::Complete(json!("done"))),
        Just(WorkflowCommand::Cancel),
        Just(WorkflowCommand::Tick),
    ]
}

proptest! {
    /// Whatever comes in whatever order: the promises hold (checked by `order`), a result that was taken is there, and
    /// a replay of the records comes to the same.
    #[test]
    fn any_story_keeps_the_promises(commands in prop::collection::vec(any_command(), 0..40)) {
        let mut run = begun();
        let mut replayed = begun();
        for command in &commands {
            let records = run.decide(at(1), command).map(|decision| decision.records).unwrap_or_default();
            for record in &records {
                let text = serde_json::to_string(record).expect("JSON");
                replayed.apply(at(1), &serde_json::from_str(&text).expect("read back"));
            }
            let taken = order(&mut run, command);
            if let (WorkflowCommand::Record { tool, outcome }, Ok(Some(recorded))) = (command, taken) {
                let kept = match recorded {
                    Recorded::Extra => run.extra.get(tool),
                    Recorded::Step(name) => run.both().find(|(step, _)| step.name == name)
                        .and_then(|(_, state)| state.outcome.as_ref()),
                };
                prop_assert_eq!(kept, Some(outcome));
            }
            let _ = (run.messages(), run.view(), run.handle());
        }
        prop_assert_eq!(run, replayed);
    }
}
