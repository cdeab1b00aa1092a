//! Workflow prompts as a client meets them: asked for, gone on with, completed, in both eras.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{McpFixture, answer, messages, tool};
use crate::actors::HubRef;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};
use crate::domain::workflow::{Action, Parameter, ParameterKind, Plan, Source, Step};
use crate::settings::Workflows;
use crate::tools::Caller;
use crate::tools::tests::fixture::{ToolFixture, agent, operator};

pub(super) const WORKFLOW: &str = "dev.callboard/workflow";

pub(super) fn step(name: &str, called: &str, arguments: &[(&str, Source)], binding: Option<&str>) -> Step {
    let arguments = arguments.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect();
    Step {
        name: name.to_owned(),
        action: Action::Tool { name: called.to_owned(), arguments },
        binding: binding.map(str::to_owned),
        guidance: None,
        retryable: true,
        when: None,
    }
}

/// Assigns the work, and looks at it.
pub(super) fn delegate() -> Plan {
    let parameter = |name: &str| Parameter {
        name: name.to_owned(),
        description: Some("What is to be done.".to_owned()),
        required: true,
        kind: ParameterKind::String,
    };
    let task = Source::Output { binding: "assignment".to_owned(), field: Some("taskId".to_owned()) };
    let look = Step {
        name: "look".to_owned(),
        action: Action::Resource {
            uri: "callboard://tasks/{id}".to_owned(),
            template: [("id".to_owned(), task)].into(),
        },
        binding: None,
        guidance: None,
        retryable: false,
        when: None,
    };
    Plan {
        name: "delegate".to_owned(),
        description: "have it done".to_owned(),
        parameters: vec![parameter("work")],
        instructions: None,
        steps: vec![
            step(
                "assign",
                "assign_task",
                &[("targetAgentId", Source::Constant(json!("any"))), ("prompt", Source::Argument("work".to_owned()))],
                Some("assignment"),
            ),
            look,
        ],
    }
}

/// The same, and then something that only the client has.
fn with_a_client_step() -> Plan {
    let mut plan = delegate();
    "tell".clone_into(&mut plan.name);
    plan.steps.push(step("tell", "shout", &[("text", Source::Argument("work".to_owned()))], None));
    plan.steps.push(step("again", "list_agents", &[], None));
    plan
}

pub(super) async fn house() -> McpFixture {
    let plans = [delegate(), with_a_client_step()];
    McpFixture::over(ToolFixture::with(|settings| settings.workflows = Arc::new(Workflows::of(plans))).await)
}

impl McpFixture {
    pub(super) async fn prompt(&self, caller: &Caller, name: &str, key: Option<&str>) -> Value {
        let mut params = json!({"name": name, "arguments": {"work": "Build the login."}});
        if let Some(key) = key {
            params["_meta"] = json!({"dev.callboard/idempotencyKey": key});
        }
        answer(self.modern(caller, "prompts/get", params).await).await
    }

    async fn goes_on(&self, caller: &Caller, name: &str, arguments: Value, key: &str, id: &str) -> Value {
        let mut params = tool(name, arguments);
        params["_meta"] = match key {
            "io.modelcontextprotocol/related-task" => json!({ key: {"taskId": id} }),
            _ => json!({ key: id }),
        };
        answer(self.modern(caller, "tools/call", params).await).await["result"].clone()
    }

    pub(super) async fn run(&self, id: &str) -> WorkflowRun {
        let id = WorkflowId::parse(id).expect("an id");
        self.desk.hub.workflow(&id).await.expect("a hub").expect("a run")
    }

    pub(super) async fn tasks(&self) -> usize {
        self.desk.call(&operator(), "get_agent_status", json!({"agentId": "a1"})).await;
        let open = self.desk.hub.journal.read(|reader| reader.open_tasks()).await.expect("tasks");
        open.len()
    }
}

pub(super) fn texts(answer: &Value) -> Vec<String> {
    let messages = answer["result"]["messages"].as_array().expect("messages");
    messages
        .iter()
        .map(|said| format!("{}: {}", said["role"], said["content"]["text"].as_str().unwrap_or_default()))
        .collect()
}

pub(super) fn id_of(answer: &Value) -> String {
    answer["result"]["_meta"][WORKFLOW]["taskId"].as_str().unwrap_or_else(|| panic!("no id in {answer}")).to_owned()
}

pub(super) async fn registered(house: &McpFixture, name: &str) -> Caller {
    let caller = agent(name);
    house.desk.call(&caller, "register_agent", json!({"agentId": name, "role": "full-stack-engineer"})).await;
    caller
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_listed_and_runs_what_the_hub_can_run() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let listed = answer(house.modern(&caller, "prompts/list", json!({})).await).await;
    let names: Vec<&str> =
        listed["result"]["prompts"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"delegate") && names.contains(&"role/full-stack-engineer"), "{names:?}");
    let asked = house.prompt(&caller, "delegate", None).await;
    let told = texts(&asked);
    assert_eq!(told[0], "\"user\": I want to have it done.\n\nParameters:\n- work: Build the login.");
    assert!(told.iter().any(|text| text.starts_with("\"assistant\": Calling tool 'assign_task'")), "{told:#?}");
    assert!(
        told.iter().any(|text| text.starts_with("\"user\": Resource content from callboard://tasks/")),
        "{told:#?}"
    );
    let about = &asked["result"]["_meta"][WORKFLOW];
    assert_eq!(about["status"], "completed", "{asked:#}");
    assert_eq!(about["steps"][1], json!({"name": "look", "status": "completed"}));
    assert!(told.iter().all(|text| !text.contains(&id_of(&asked))), "its id is in no text");
    assert_eq!(house.tasks().await, 1);
}

#[tokio::test(start_paused = true)]
async fn the_same_key_is_the_same_run_and_nothing_runs_again() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let (first, second) =
        tokio::join!(house.prompt(&caller, "tell", Some("k-1")), house.prompt(&caller, "tell", Some("k-1")));
    let third = house.prompt(&caller, "tell", Some("k-1")).await;
    assert_eq!(texts(&first), texts(&second));
    assert_eq!(texts(&first), texts(&third));
    assert_eq!((id_of(&first), id_of(&first)), (id_of(&second), id_of(&third)));
    assert_eq!(house.tasks().await, 1);
    let other =
        json!({"name": "tell", "arguments": {"work": "Else."}, "_meta": {"dev.callboard/idempotencyKey": "k-1"}});
    let reused = answer(house.modern(&caller, "prompts/get", other).await).await;
    assert_eq!(reused["error"]["data"]["code"], "IDEMPOTENCY_KEY_REUSED");
    assert_ne!(id_of(&house.prompt(&caller, "tell", Some("k-2")).await), id_of(&first));
    assert_eq!(house.tasks().await, 2);
}

#[tokio::test(start_paused = true)]
async fn bad_arguments_are_refused_all_at_once_and_begin_nothing() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let cases =
        [(json!({"wrok": "x", "b": "y"}), "did you mean `work`?"), (json!({"work": ["x"]}), "`work` must be a text")];
    for (arguments, said) in cases {
        let params = json!({"name": "delegate", "arguments": arguments});
        let refused = answer(house.modern(&caller, "prompts/get", params).await).await;
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["data"]["code"]),
            (&json!(-32602), &json!("INVALID_ARGUMENTS"))
        );
        assert!(refused["error"]["message"].as_str().unwrap().contains(said), "{refused}");
    }
    let unknown = answer(house.modern(&caller, "prompts/get", json!({"name": "deleate"})).await).await;
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["code"]),
        (&json!(-32602), &json!("UNKNOWN_PROMPT"))
    );
    let missing = answer(house.modern(&caller, "prompts/get", json!({"name": "delegate"})).await).await;
    let told = texts(&missing);
    assert!(told.last().unwrap().contains("<prompt arg work>"), "{told:#?}");
    assert_eq!(missing["result"]["_meta"][WORKFLOW]["pauseReason"]["type"], "unresolvable_argument");
    assert_eq!(house.tasks().await, 0);
}

/// Claude Code hands over what stands before the first blank, and opencode a placeholder.
#[rstest::rstest]
#[case::of_a_client_that_cuts("claude-code", "Repair", false)]
#[case::a_placeholder("opencode", "$1", false)]
#[case::whole("claude-code", "Repair it.", true)]
#[case::of_another("visual studio code", "Repair", true)]
#[tokio::test(start_paused = true)]
async fn nothing_is_done_with_what_was_cut(#[case] client: &str, #[case] work: &str, #[case] done: bool) {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let about = json!({"io.modelcontextprotocol/clientInfo": {"name": client, "version": "2"}});
    let params = json!({"name": "delegate", "arguments": {"work": work}, "_meta": about});
    let asked = answer(house.modern(&caller, "prompts/get", params).await).await;
    assert_eq!(house.tasks().await, usize::from(done), "{asked}");
    let told = texts(&asked).concat();
    let wanted = if work == "$1" { r#""prompt":"$1""# } else { "<fill in `work` from what the user typed>" };
    assert_eq!(told.contains(wanted), !done, "{told}");
    let id = id_of(&asked);
    assert_eq!(house.run(&id).await.unsure.len(), usize::from(!done));
}

#[tokio::test(start_paused = true)]
async fn what_looks_cut_is_refused_by_name_and_begins_nothing() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let params = json!({"name": "delegate", "arguments": {"work": "\"Repair"}});
    let refused = answer(house.modern(&caller, "prompts/get", params).await).await;
    assert_eq!(refused["error"]["data"]["code"], "INVALID_ARGUMENTS");
    let said = refused["error"]["message"].as_str().expect("words");
    assert!(said.starts_with("`work` is `\"Repair`, and it looks cut"), "{said}");
    assert_eq!(house.tasks().await, 0);
}

/// Assigns, and waits for what comes of it.
#[rstest::rstest]
#[case::in_a_session(false)]
#[case::without_one(true)]
#[tokio::test(start_paused = true)]
async fn a_long_prompt_shows_each_step_to_who_asked_for_progress(#[case] modern: bool) {
    let mut plan = delegate();
    let task = Source::Output { binding: "assignment".to_owned(), field: Some("taskId".to_owned()) };
    plan.steps[1] = step("wait", "wait_for_task", &[("taskId", task)], None);
    let house =
        McpFixture::over(ToolFixture::with(|settings| settings.workflows = Arc::new(Workflows::of([plan]))).await);
    let (caller, dev) = (house.desk.agent("a1", "orchestrator").await, house.desk.agent("dev-1", "coding").await);
    let params =
        json!({"name": "delegate", "arguments": {"work": "Build the login."}, "_meta": {"progressToken": "p1"}});
    let hub = house.desk.hub.clone();
    #[expect(clippy::disallowed_methods, reason = "an agent of its own")]
    let worked = tokio::spawn(async move { works(&hub, &dev).await });
    let response = if modern {
        house.modern(&caller, "prompts/get", params).await
    } else {
        let session = house.session(&caller).await;
        house.in_session(&caller, &session, "prompts/get", params).await
    };
    let all = messages(response).await;
    worked.await.expect("the agent has worked");
    let (answered, notes) = all.split_last().expect("an answer");
    let told: Vec<&str> = notes.iter().filter_map(|note| note["params"]["message"].as_str()).collect();
    for expected in ["Step 1 of 2: assign.", "Step 2 of 2: wait.", "half-way there"] {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
    assert!(notes.iter().all(|note| note["params"]["progressToken"] == "p1"), "{notes:?}");
    assert_eq!(answered["result"]["_meta"][WORKFLOW]["status"], "completed", "{answered}");
    house.desk.ends().await;
}

/// Takes a task, reports how far it is, and ends it.
async fn works(hub: &HubRef, dev: &Caller) {
    let task = calls(hub, dev, "wait_for_prompt", json!({})).await["taskId"].clone();
    calls(hub, dev, "update_progress", json!({"taskId": task, "message": "half-way there"})).await;
    calls(hub, dev, "send_response", json!({"taskId": task, "status": "COMPLETED", "message": "Done."})).await;
}

async fn calls(hub: &HubRef, dev: &Caller, name: &str, arguments: Value) -> Map<String, Value> {
    let said = crate::tools::call(hub, dev, name, arguments).await.expect("it is taken");
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    said.fields
}

#[tokio::test(start_paused = true)]
async fn calls_that_name_the_run_are_recorded_by_each_of_the_three_keys() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    assert_eq!(house.run(&id).await.status_message(), "2 of 4 steps, waiting for tell");
    for key in ["dev.callboard/taskId", "io.modelcontextprotocol/related-task", "_task_id"] {
        let went = house.goes_on(&caller, "list_agents", json!({}), key, &id).await;
        assert_eq!(went["_meta"][WORKFLOW]["recorded"], true, "{key}: {went}");
        assert_eq!(went["_meta"][WORKFLOW]["step"], "again");
        assert_eq!(went["structuredContent"]["success"], true);
    }
    let beside = house.goes_on(&caller, "get_agent_status", json!({"agentId": "a1"}), "_task_id", &id).await;
    assert_eq!(beside["_meta"][WORKFLOW]["recorded"], true);
    let run = house.run(&id).await;
    assert_eq!(run.extra.keys().collect::<Vec<_>>(), ["get_agent_status"]);
    let read =
        answer(house.modern(&caller, "resources/read", json!({"uri": format!("callboard://workflows/{id}")})).await)
            .await;
    let shown: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(shown["statusMessage"], "3 of 4 steps, waiting for tell");
    assert_eq!(shown["variables"]["_workflow.result.again"]["isError"], false);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_names_nothing_belongs_to_the_only_run_that_waits_for_it() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let call = || async { answer(house.modern(&caller, "tools/call", tool("list_agents", json!({}))).await).await };
    let went = call().await["result"]["_meta"][WORKFLOW].clone();
    assert_eq!((&went["taskId"], &went["matchedBy"]), (&json!(id), &json!("implicit")));
    assert_eq!(house.run(&id).await.steps[3].status.as_str(), "completed");
    assert_eq!(call().await["result"]["_meta"].get(WORKFLOW), None, "no open step is left for it");
    // With two, nobody knows which is meant.
    let (one, two) =
        (id_of(&house.prompt(&caller, "tell", None).await), id_of(&house.prompt(&caller, "tell", None).await));
    assert_eq!(call().await["result"]["_meta"].get(WORKFLOW), None);
    for id in [one, two] {
        assert_eq!(house.run(&id).await.steps[3].status.as_str(), "pending");
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_unknown_foreign_or_over_changes_nothing_of_the_call() {
    let house = house().await;
    let (caller, other) = (registered(&house, "a1").await, registered(&house, "a2").await);
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let key = "dev.callboard/taskId";
    for (who, given) in [(&other, id.as_str()), (&caller, "w_00000000"), (&caller, "nonsense")] {
        let went = house.goes_on(who, "list_agents", json!({}), key, given).await;
        assert_eq!(went["structuredContent"]["success"], true);
        assert_eq!(went["_meta"][WORKFLOW], json!({"taskId": given, "recorded": false, "reason": "unknown"}));
    }
    let foreign =
        answer(house.modern(&other, "resources/read", json!({"uri": format!("callboard://workflows/{id}")})).await)
            .await;
    assert_eq!(foreign["error"]["message"], "there is nothing under this name that you may read");
    let done = house.desk.call(&caller, "workflow_complete", json!({"result": {"all": "well"}})).await;
    assert_eq!(done.text("status"), "completed");
    let run = house.run(&id).await;
    assert_eq!((run.status, run.result), (RunStatus::Completed, Some(json!({"all": "well"}))));
    let late = house.goes_on(&caller, "list_agents", json!({}), key, &id).await;
    assert_eq!(late["_meta"][WORKFLOW]["reason"], "ended");
    let again = house.desk.call(&caller, "workflow_complete", json!({"task": id, "result": 1})).await;
    assert_eq!(again.text("code"), "WORKFLOW_ENDED");
    let foreign = house.desk.call(&other, "workflow_complete", json!({"task": id, "result": 1})).await;
    assert_eq!(foreign.text("code"), "WORKFLOW_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_lose_nothing() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let tools = ["list_agents", "get_agent_status", "list_prs", "get_session", "get_session_history"];
    let calls = tools.map(|name| {
        let arguments = if name == "get_agent_status" { json!({"agentId": "a1"}) } else { json!({}) };
        house.goes_on(&caller, name, arguments, "_task_id", &id)
    });
    for went in futures_util::future::join_all(calls).await {
        assert_eq!(went["_meta"][WORKFLOW]["recorded"], true, "{went}");
    }
    assert_eq!(house.run(&id).await.extra.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_tool_is_recorded_as_one_and_told_as_it_was() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let went = house.goes_on(&caller, "list_agents", json!({"colour": "red"}), "_task_id", &id).await;
    assert_eq!((&went["isError"], &went["structuredContent"]["code"]), (&json!(true), &json!("INVALID_ARGUMENTS")));
    assert_eq!(went["_meta"][WORKFLOW]["step"], "again");
    assert_eq!(house.run(&id).await.steps[3].status.as_str(), "failed");
}

#[tokio::test(start_paused = true)]
async fn a_legacy_client_finds_the_run_under_the_names_that_it_knows() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let session = house.session(&caller).await;
    let params = json!({"name": "tell", "arguments": {"work": "x"}});
    let asked = answer(house.in_session(&caller, &session, "prompts/get", params).await).await;
    let meta = &asked["result"]["_meta"];
    assert_eq!((&meta["task_id"], &meta["task_status"]), (&meta[WORKFLOW]["taskId"], &json!("working")));
    let mut params = tool("list_agents", json!({}));
    params["_meta"] = json!({"_task_id": meta["task_id"]});
    let went = answer(house.in_session(&caller, &session, "tools/call", params).await).await;
    assert_eq!(went["result"]["_meta"][WORKFLOW]["recorded"], true, "{went}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_nobody_goes_on_with_expires() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    tokio::time::sleep(std::time::Duration::from_secs(24 * 60 * 60 + 5)).await;
    assert_eq!(house.run(&id).await.status, RunStatus::Expired);
}
