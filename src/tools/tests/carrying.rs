//! The hub carries a plan out: what is on disk when, and what a client does meanwhile.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent, operator};
use crate::domain::agent::AgentRecord;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{MatchedBy, StepStatus, WorkflowRun};
use crate::domain::workflow::{Action, Plan, Source, Step};
use crate::journal::{Kept, Record, Seq, Stream};
use crate::tools::workflow::{PlanRequest, Resources, begin, goes_on};
use crate::tools::{Caller, Follows};

/// No step reads a resource here.
struct Nothing;

impl Resources for Nothing {
    async fn read(&self, uri: &str) -> Result<String, String> {
        Err(format!("{uri} is not there"))
    }
}

/// Every resource says the same.
struct FixedResources;

impl Resources for FixedResources {
    async fn read(&self, _: &str) -> Result<String, String> {
        Ok("That is all.".to_owned())
    }
}

fn step(tool: &str, arguments: Value) -> Step {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let source = |value: Value| match value.get("output") {
        Some(binding) => Source::Output {
            binding: binding.as_str().expect("a binding").to_owned(),
            field: Some("taskId".to_owned()),
        },
        None => Source::Constant(value),
    };
    let arguments: BTreeMap<String, Source> = arguments.into_iter().map(|(key, value)| (key, source(value))).collect();
    Step {
        name: tool.to_owned(),
        action: Action::Tool { name: tool.to_owned(), arguments },
        binding: Some(tool.to_owned()),
        guidance: None,
        retryable: false,
        when: None,
    }
}

fn plan(steps: Vec<Step>) -> Plan {
    let mut steps = steps;
    for (number, step) in steps.iter_mut().enumerate() {
        step.name = format!("step-{number}");
    }
    Plan { name: "plan".to_owned(), description: "do it".to_owned(), parameters: Vec::new(), instructions: None, steps }
}

impl ToolFixture {
    async fn begun(&self, caller: &Caller, steps: Vec<Step>) -> WorkflowId {
        let plan = plan(steps);
        let asked = PlanRequest { plan: &plan, arguments: BTreeMap::new(), key: None };
        begin(&self.hub, caller, asked).await.expect("a run")
    }

    async fn carried_out(&self, caller: &Caller, id: &WorkflowId) -> WorkflowRun {
        goes_on(&self.hub, caller, id, &Nothing).await.expect("a run")
    }

    async fn records(&self) -> Vec<Kept> {
        self.hub.journal.read(|reader| reader.records(Seq(0), usize::MAX)).await.expect("records")
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_only_looks_is_written_down_in_two_appends() {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "full-stack-engineer").await;
    let id = desk.begun(&caller, (0..10).map(|_| step("list_agents", json!({}))).collect()).await;
    let run = desk.carried_out(&caller, &id).await;
    assert_eq!(run.status_message(), "10 of 10 steps, completed");
    let records = desk.records().await;
    let own: Vec<&Kept> = records.iter().filter(|kept| kept.stream == Stream::Workflow(id.clone())).collect();
    assert_eq!(own.len(), 1 + 10 * 2 + 1, "each step is told of all the same");
    assert_eq!(own.iter().filter(|kept| kept.cause.is_none()).count(), 2, "the beginning, and all the rest");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_step_that_changes_something_is_on_disk_before_it_does_and_the_one_before_with_it() {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "full-stack-engineer").await;
    let assign = || step("assign_task", json!({"targetAgentId": "any", "prompt": "Build it."}));
    let id = desk.begun(&caller, vec![assign(), assign()]).await;
    desk.carried_out(&caller, &id).await;
    let told = desk.records().await.into_iter().filter_map(|kept| {
        let meant = matches!(kept.record, Record::Workflow(_)) || kept.record.kind().name == "task.created";
        let begins = if kept.cause.is_none() { "| " } else { "" };
        meant.then(|| format!("{begins}{}", kept.record.kind().name.rsplit('.').next().unwrap_or_default()))
    });
    assert_eq!(
        told.collect::<Vec<_>>().join(" "),
        "| started | step_began | created | step_completed step_began | created | step_completed completed"
    );
    desk.ends().await;
}

/// The client takes the run over while the hub waits for a task: what that came to is kept, and nothing more runs.
#[tokio::test(start_paused = true)]
async fn what_a_client_calls_meanwhile_is_kept_and_so_is_what_the_hub_ran() {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "project-manager").await;
    let worker = desk.agent("w1", "full-stack-engineer").await;
    let steps = vec![
        step("assign_task", json!({"targetAgentId": "w1", "prompt": "Build it."})),
        step("wait_for_task", json!({"taskId": {"output": "assign_task"}})),
        step("send_message", json!({"to": "w1", "text": "well done"})),
    ];
    let id = desk.begun(&caller, steps).await;
    let (hub, by, run) = (desk.hub.clone(), caller.clone(), id.clone());
    #[expect(clippy::disallowed_methods, reason = "a request of its own")]
    let carried = tokio::spawn(async move { goes_on(&hub, &by, &run, &Nothing).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let named = Caller { follows: Follows::Named(id.to_string()), ..agent("a1") };
    let beside = desk.call(&named, "list_agents", json!({})).await;
    assert_eq!(beside.0["success"], true, "no call is refused because of a plan");
    let task = desk.call(&worker, "wait_for_prompt", json!({})).await.text("taskId");
    let report = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
    desk.call(&worker, "send_response", report).await.done();
    let run = carried.await.expect("an answer").expect("a run");
    assert!(run.handed_over && run.extra.contains_key("list_agents"), "{run:?}");
    let status: Vec<StepStatus> = run.steps.iter().map(|step| step.status).collect();
    assert_eq!(status, [StepStatus::Completed, StepStatus::Completed, StepStatus::Pending], "{run:?}");
    assert_eq!(run.steps[1].outcome.as_ref().map(|outcome| outcome.matched_by), Some(MatchedBy::Plan));
    let told = desk.records().await.into_iter().any(
        |kept| matches!(kept.record, Record::Agent(AgentRecord::NoticePosted { notice }) if notice.text == "well done"),
    );
    assert!(!told, "the rest is the client's");
    desk.ends().await;
}

/// The shipped plan asks a person only where the work came to nothing.
#[rstest::rstest]
#[case::done("COMPLETED", "4 of 4 steps, completed", 0)]
#[case::failed("FAILED", "3 of 4 steps, waiting for ask", 1)]
#[tokio::test(start_paused = true)]
async fn what_was_delegated_is_asked_about_only_where_it_failed(
    #[case] ends: &'static str,
    #[case] stands: &str,
    #[case] questions: usize,
) {
    let desk = ToolFixture::new().await;
    let (caller, worker) = (desk.agent("a1", "project-manager").await, desk.agent("w1", "full-stack-engineer").await);
    let settings = desk.hub.settings();
    let plan = &settings.workflows.find("delegate-and-review").expect("it ships").plan;
    let given = [("role", "full-stack-engineer"), ("work", "Build the log-in page.")];
    let arguments = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let id = begin(&desk.hub, &caller, PlanRequest { plan, arguments, key: None }).await.expect("a run");
    let (hub, by, run) = (desk.hub.clone(), caller.clone(), id.clone());
    #[expect(clippy::disallowed_methods, reason = "a request of its own")]
    let carried = tokio::spawn(async move { goes_on(&hub, &by, &run, &FixedResources).await });
    let task = desk.call(&worker, "wait_for_prompt", json!({})).await.text("taskId");
    let report = json!({"taskId": task, "status": ends, "message": "That is all."});
    desk.call(&worker, "send_response", report).await.done();
    let run = carried.await.expect("an answer").expect("a run");
    assert_eq!(run.status_message(), stands, "{run:?}");
    let asked = desk.records().await.iter().filter(|kept| kept.record.kind().name == "question.asked").count();
    assert_eq!(asked, questions);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn only_its_owner_has_a_plan_carried_out() {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "full-stack-engineer").await;
    let id = desk.begun(&caller, vec![step("list_agents", json!({}))]).await;
    for other in [agent("a2"), operator()] {
        let refused = goes_on(&desk.hub, &other, &id, &Nothing).await.expect_err("it is another's");
        assert_eq!(refused.code, "WORKFLOW_NOT_FOUND");
    }
    assert_eq!(desk.carried_out(&caller, &id).await.status_message(), "1 of 1 steps, completed");
    desk.ends().await;
}

/// `completed` ends a round, and a workflow opens the next one: its steps ask and report as at the very beginning.
#[tokio::test(start_paused = true)]
async fn a_plan_that_begins_by_asking_is_carried_out_also_after_a_completed_task() {
    let desk = ToolFixture::new().await;
    let caller = desk.agent("a1", "full-stack-engineer").await;
    desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Build it."})).await.done();
    let task = desk.call(&caller, "wait_for_prompt", json!({})).await.text("taskId");
    let report = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
    desk.call(&caller, "send_response", report).await.done();
    let status = async || desk.call(&caller, "get_session", json!({})).await.0["session"]["workflowStatus"].clone();
    assert_eq!(status().await, "completed");
    desk.agent("a1", "full-stack-engineer").await;
    assert_eq!(status().await, "started", "who registers anew begins anew");
    desk.call(&caller, "update_status", json!({"status": "working", "message": "Looking around."})).await.done();
    desk.call(&caller, "update_status", json!({"status": "completed", "message": "Seen it."})).await.done();
    let question = json!({"question": "How urgent is this?", "options": ["low", "high"], "default_action": "low",
        "timeout_minutes": 1});
    let id = desk.begun(&caller, vec![step("request_input", question)]).await;
    assert_eq!(status().await, "started", "a workflow begins anew");
    let run = desk.carried_out(&caller, &id).await;
    assert_eq!(run.status_message(), "0 of 1 steps, waiting for step-0", "a person is asked");
    assert_eq!(status().await, "awaiting_input");
    desk.ends().await;
}
