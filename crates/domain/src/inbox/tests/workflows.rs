//! Runs of workflows that wait for a person.

use serde_json::{Map, json};

use super::*;
use crate::ids::{PrincipalId, WorkflowId};
use crate::workflow::run::*;
use crate::workflow::{Action, Plan, Step};

fn run(owner: &str) -> WorkflowRun {
    let step = |name: &str| Step {
        name: name.to_owned(),
        action: Action::Tool { name: "request_input".to_owned(), arguments: BTreeMap::default() },
        binding: None,
        guidance: None,
        retryable: false,
        when: None,
    };
    let plan = Plan {
        name: "release".to_owned(),
        description: "cut a release".to_owned(),
        parameters: Vec::new(),
        instructions: None,
        steps: vec![step("ask"), step("deploy")],
    };
    let owner = PrincipalId::parse(owner).unwrap();
    let record =
        WorkflowRecord::Started { owner, plan: Box::new(plan), parameters: Map::new(), unsure: Default::default() };
    WorkflowRun::from_started(WorkflowId::parse("w_00000001").unwrap(), NOW, &record).unwrap()
}

fn after(owner: &str, records: &[WorkflowRecord]) -> WorkflowRun {
    let mut run = run(owner);
    records.iter().for_each(|record| run.apply(Timestamp(NOW.0 + MINUTE), record));
    run
}

fn waits() -> WorkflowRecord {
    let arguments = Map::from_iter([("question_id".to_owned(), json!("q_00000001"))]);
    WorkflowRecord::StepWaits { step: 0, follow_up: FollowUp { tool: "wait_for_answer".to_owned(), arguments } }
}

fn paused() -> WorkflowRecord {
    WorkflowRecord::Paused { reason: PauseReason::TimeBudget { step: "ask".to_owned() } }
}

#[test]
fn a_persons_run_needs_them_once_the_rest_of_it_is_theirs() {
    let item = of_workflow(&after("person:ada", &[paused()])).unwrap();
    assert_eq!((item.id.as_str(), item.workflow_id.as_deref()), ("workflow:w_00000001", Some("w_00000001")));
    assert_eq!(item.title, "release: 0 of 2 steps, waiting for ask");
    assert_eq!(item.reason, "The time of one request was over before step 'ask' was done.");
    assert_eq!((item.since, item.actions), (Timestamp(NOW.0 + MINUTE), vec![InboxAction::Cancel]));
    assert_eq!((item.deadline, item.then.as_deref()), (Some(item.since + EXPIRES_AFTER), Some("it expires")));
    assert_eq!(item.owner.map(|owner| owner.to_string()).as_deref(), Some("person:ada"));
    let mut went_on = after("person:ada", &[paused()]);
    went_on.pause = None;
    assert_eq!(of_workflow(&went_on).unwrap().reason, "the rest of it is yours to do");
}

#[test]
fn a_run_that_goes_on_by_itself_is_over_or_is_a_programs_needs_nobody() {
    assert_eq!(of_workflow(&run("person:ada")), None, "the hub runs its steps");
    assert_eq!(of_workflow(&after("person:ada", &[paused(), WorkflowRecord::Cancelled])), None);
    assert_eq!(of_workflow(&after("agent:ann", &[paused()])), None);
    assert_eq!(of_workflow(&after("service:ci", &[paused()])), None);
}

#[test]
fn a_question_says_which_run_waits_for_its_answer() {
    let asked = || InboxItem { reason: "`ann` asks".to_owned(), ..item("question:q_00000001") };
    let mut question = asked();
    waited_for_by(&mut question, &after("agent:ann", &[waits()]));
    assert_eq!(question.reason, "`ann` asks; workflow `release` waits for it");
    assert_eq!(question.workflow_id.as_deref(), Some("w_00000001"));
    let others = [item("question:q_00000002"), item("review:q_00000001")];
    for (mut other, run) in others.into_iter().map(|it| (it, after("agent:ann", &[waits()]))) {
        waited_for_by(&mut other, &run);
        assert_eq!(other.workflow_id, None, "{}", other.id);
    }
    let mut question = asked();
    waited_for_by(&mut question, &after("agent:ann", &[]));
    assert_eq!(question, asked(), "the run waits for nothing");
}
