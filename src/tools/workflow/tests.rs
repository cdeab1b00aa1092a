//! A run whose request is lost in the middle of a step.

use std::time::Duration;

use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{PlanRequest, Resources, end, find, prompt};
use crate::domain::workflow::run::{PauseReason, StepStatus, WorkflowRun};
use crate::domain::workflow::{Action, Plan, Source, Step};
use crate::tools::caller::Caller;
use crate::tools::refusal::Refusal;
use crate::tools::tests::fixture::{ToolFixture, agent, operator};

struct Nothing;

impl Resources for Nothing {
    async fn read(&self, uri: &str) -> Result<String, String> {
        Err(format!("there is no {uri}"))
    }
}

/// Has something done, and waits for it.
fn plan() -> Plan {
    let step = |name: &str, tool: &str, arguments: &[(&str, Source)]| Step {
        name: name.to_owned(),
        action: Action::Tool {
            name: tool.to_owned(),
            arguments: arguments.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect(),
        },
        binding: Some(name.to_owned()),
        guidance: None,
        retryable: false,
        when: None,
    };
    let constant = |text: &str| Source::Constant(json!(text));
    let task = Source::Output { binding: "assign".to_owned(), field: Some("taskId".to_owned()) };
    Plan {
        name: "have".to_owned(),
        description: "have it done".to_owned(),
        parameters: Vec::new(),
        instructions: None,
        steps: vec![
            step("assign", "assign_task", &[("targetAgentId", constant("any")), ("prompt", constant("Do it."))]),
            step("wait", "wait_for_task", &[("taskId", task)]),
        ],
    }
}

async fn asks(desk: &ToolFixture, caller: &Caller) -> Result<WorkflowRun, Refusal> {
    let plan = plan();
    let asked = PlanRequest { plan: &plan, arguments: Default::default(), key: Some("k".to_owned()) };
    prompt(&desk.hub, caller, asked, &Nothing).await
}

/// A desk at which a request was dropped while its run waited, and the run's id.
async fn dropped() -> (ToolFixture, Caller, String) {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "project-manager").await;
    assert!(timeout(Duration::from_secs(5), asks(&desk, &caller)).await.is_err(), "it waits");
    let runs = desk.hub.journal.read(|reader| reader.workflows(&crate::journal::WorkflowFilter::default(), usize::MAX));
    let id = runs.await.expect("runs").remove(0).id.to_string();
    (desk, caller, id)
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_again_under_the_same_key_goes_on_with_the_step() {
    let (desk, caller, id) = dropped().await;
    sleep(Duration::from_secs(9 * 60)).await;
    assert_eq!(find(&desk.hub, &caller, &id).await.expect("a run").steps[1].status, StepStatus::Running);
    let task = find(&desk.hub, &caller, &id).await.expect("a run").steps[0].outcome.clone().expect("done");
    let task = task.value().expect("a value")["taskId"].clone();
    desk.call(&operator(), "cancel_task", json!({"taskId": task, "reason": "enough"})).await.done();
    let run = asks(&desk, &caller).await.expect("a run");
    assert_eq!((run.id.to_string(), run.status.as_str()), (id, "completed"));
    assert_eq!(desk.hub.journal.read(|reader| reader.open_tasks()).await.expect("tasks").len(), 0, "no second task");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn when_nobody_asks_the_rest_is_the_clients_and_calls_find_it() {
    let (desk, caller, id) = dropped().await;
    assert_eq!(desk.hub.open_steps.only_of(&caller.principal.id), None, "the hub has it");
    sleep(Duration::from_secs(10 * 60 + 1)).await;
    let run = find(&desk.hub, &caller, &id).await.expect("a run");
    let Some(PauseReason::ToolError { interrupted: true, step, .. }) = run.pause else { panic!("{:?}", run.pause) };
    assert_eq!(step, "wait");
    assert_eq!(desk.hub.open_steps.only_of(&caller.principal.id).map(|id| id.to_string()), Some(id.clone()));
    let again = asks(&desk, &caller).await.expect("the same run");
    assert_eq!((again.id.to_string(), again.status.as_str()), (id.clone(), "working"), "nothing runs again");
    assert_eq!(find(&desk.hub, &agent("a2"), &id).await.map_err(|no| no.code).err(), Some("WORKFLOW_NOT_FOUND"));
    assert_eq!(end(&desk.hub, &agent("a2"), &id, None).await.map_err(|no| no.code).err(), Some("WORKFLOW_NOT_FOUND"));
    end(&desk.hub, &caller, &id, None).await.expect("cancelled");
    assert_eq!(end(&desk.hub, &caller, &id, None).await.map_err(|no| no.code).err(), Some("WORKFLOW_ENDED"));
    desk.ends().await;
}
