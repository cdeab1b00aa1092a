//! What `workflows` does, tried.

use serde_json::json;

use super::*;
use crate::ids::{PrincipalId, WorkflowId};
use crate::time::Timestamp;
use crate::workflow::run::{Content, MatchedBy, Outcome};
use crate::workflow::{Action, Plan, Step};

fn outcome(value: u32, is_error: bool) -> Box<Outcome> {
    let by = PrincipalId::parse("agent:ann").unwrap();
    let content = Content::of(json!(value));
    Box::new(Outcome { content, is_error, at: Timestamp(1), by, matched_by: MatchedBy::Plan })
}

fn run() -> WorkflowRun {
    let action = Action::Tool { name: "t".to_owned(), arguments: std::collections::BTreeMap::default() };
    let step = Step { name: "a".to_owned(), action, binding: None, guidance: None, retryable: false, when: None };
    let plan = Plan {
        name: "p".to_owned(),
        description: "p".to_owned(),
        parameters: Vec::new(),
        instructions: None,
        steps: vec![step],
    };
    let owner = PrincipalId::parse("agent:ann").unwrap();
    let record = WorkflowRecord::Started {
        owner,
        plan: Box::new(plan),
        parameters: Default::default(),
        unsure: Default::default(),
    };
    WorkflowRun::from_started(WorkflowId::parse("w_00000001").unwrap(), Timestamp(0), &record).unwrap()
}

fn broken(before: &WorkflowRun, record: &WorkflowRecord, after: &WorkflowRun) -> String {
    workflow_moves(before, record, after).map_err(|broken| broken.to_string()).unwrap_err()
}

/// Each promise is one that can be broken, and is named when it is.
#[test]
fn each_promise_is_named_when_it_is_broken() {
    let run = run();
    let began = |step| WorkflowRecord::StepBegan { step, asked: json!(1) };
    let completed = || WorkflowRecord::StepCompleted { step: 0, outcome: outcome(1, false) };
    let over = WorkflowRun { status: RunStatus::Cancelled, ..run.clone() };
    assert!(broken(&over, &WorkflowRecord::Expired, &over).contains("W1"));
    assert!(broken(&run, &began(7), &run).contains("W2"), "there is no such step");
    let handed = WorkflowRun { handed_over: true, ..run.clone() };
    assert!(broken(&handed, &began(0), &handed).contains("W2"), "it is the client's");
    let mut done = run.clone();
    done.steps[0].status = StepStatus::Completed;
    assert!(broken(&done, &began(0), &done).contains("W2"));
    done.steps[0].status = StepStatus::Running;
    done.steps[0].asked = Some(json!(2));
    assert!(broken(&done, &began(0), &done).contains("W2"), "with other arguments");
    assert!(broken(&run, &completed(), &run).contains("W3"), "it was not kept");
    let failed = WorkflowRecord::StepFailed { step: 0, outcome: outcome(1, false) };
    let mut after = run.clone();
    after.steps[0].status = StepStatus::Failed;
    after.steps[0].outcome = Some(*outcome(1, false));
    assert!(broken(&run, &failed, &after).contains("W3"), "what failed is no error");
    let mut had = run.clone();
    had.steps[0].outcome = Some(*outcome(1, false));
    assert!(broken(&had, &began(0), &run).contains("W2"));
    let extra = WorkflowRecord::ExtraRecorded { tool: "u".to_owned(), outcome: outcome(1, false) };
    assert!(broken(&had, &extra, &run).contains("W4"), "a step's result is gone");
    let mut beside = run.clone();
    beside.extra.insert("v".to_owned(), *outcome(1, false));
    assert!(broken(&beside, &extra, &run).contains("W4"), "a result beside the plan is gone");
}
