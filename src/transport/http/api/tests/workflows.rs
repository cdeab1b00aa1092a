//! Runs of workflows over the API: begun, carried out, listed, shown, cancelled; by whom, and by nobody else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;
use crate::domain::workflow::{Action, Parameter, ParameterKind, Plan, Source, Step};
use crate::settings::{LoadRequest, Settings, Workflows, load};
use crate::transport::web::tests::{Answered, RouteFixture, agent, person};

fn step(name: &str, tool: &str, arguments: &[(&str, Source)]) -> Step {
    let arguments = arguments.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect();
    let action = Action::Tool { name: tool.to_owned(), arguments };
    Step {
        name: name.to_owned(),
        action,
        binding: None,
        guidance: Some(format!("Mind {name}.")),
        retryable: true,
        when: None,
    }
}

/// Assigns work, looks who is there, and leaves the rest to its owner.
fn plan(name: &str, whole: bool) -> Plan {
    let any = Source::Constant(json!("any"));
    let mut steps = vec![
        step("assign", "assign_task", &[("targetAgentId", any), ("prompt", Source::Argument("work".to_owned()))]),
        step("look", "list_agents", &[]),
    ];
    steps.extend((!whole).then(|| step("tell", "shout", &[])));
    let work = Parameter { name: "work".to_owned(), description: None, required: true, kind: ParameterKind::String };
    Plan {
        name: name.to_owned(),
        description: "have it done".to_owned(),
        parameters: vec![work],
        instructions: None,
        steps,
    }
}

async fn set() -> RouteFixture {
    let desk = desk().await;
    let workflows = Arc::new(Workflows::of([plan("whole", true), plan("tell", false)]));
    desk.backstage.reload(Settings { workflows, ..Settings::defaults() });
    desk
}

#[tokio::test(start_paused = true)]
async fn a_person_s_run_has_the_session_that_its_steps_need_or_is_refused_before_anything_runs() {
    let desk = desk().await;
    let question = [("question", Source::Constant(json!("Which?")))];
    let steps = vec![step("look", "list_agents", &[]), step("ask", "request_input", &question)];
    let asks = Plan { parameters: Vec::new(), steps, ..plan("asks", true) };
    desk.backstage.reload(Settings { workflows: Arc::new(Workflows::of([asks])), ..Settings::defaults() });
    let body = json!({"name": "asks"});
    let refused = desk.post("/api/v1/workflows", body.clone()).await;
    assert!(refused.text.contains("its step `ask` calls `request_input`"), "{}", refused.text);
    refused.is_no(400, "SESSION_REQUIRED");
    assert_eq!(desk.get("/api/v1/workflows").await.body["items"], json!([]));
    assert_eq!(desk.get("/api/v1/inbox").await.body["items"], json!([]));
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let session = desk.get("/api/v1/sessions").await.body["items"][0]["sessionId"].clone();
    let headers = [("content-type", "application/json"), ("callboard-session-id", session.as_str().unwrap())];
    let begun = desk.send(&person(Scope::Admin), "/api/v1/workflows", &headers, body.to_string()).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
}

#[tokio::test(start_paused = true)]
async fn a_person_s_run_that_lacks_an_argument_is_refused_before_anything_begins() {
    let desk = set().await;
    for arguments in [json!({}), json!({"work": ""})] {
        let refused = desk.post("/api/v1/workflows", json!({"name": "tell", "arguments": arguments})).await;
        assert!(refused.text.contains("nothing of `tell` ran: it needs the arguments `work`"), "{}", refused.text);
        refused.is_no(400, "INVALID_ARGUMENTS");
    }
    assert_eq!(desk.get("/api/v1/workflows").await.body["items"], json!([]));
    assert_eq!(desk.get("/api/v1/inbox").await.body["items"], json!([]));
}

async fn begins(desk: &RouteFixture, name: &str) -> String {
    let begun = desk.post("/api/v1/workflows", json!({"name": name, "arguments": {"work": "Build it."}})).await;
    assert_eq!((begun.status.as_u16(), &begun.body["status"]), (201, &json!("working")), "{}", begun.text);
    begun.body["workflowId"].as_str().unwrap().to_owned()
}

async fn goes_on(desk: &RouteFixture, id: &str) -> Answered {
    desk.post(&format!("/api/v1/workflows/{id}/continue"), json!({})).await
}

fn ids(listed: &Answered) -> Vec<&str> {
    let items = listed.body["items"].as_array().unwrap_or_else(|| panic!("{}", listed.text));
    items.iter().map(|item| item["workflowId"].as_str().unwrap()).collect()
}

fn texts(run: &Answered) -> Vec<String> {
    let trace = run.body["details"]["trace"].as_array().unwrap_or_else(|| panic!("{}", run.text));
    trace.iter().map(|said| format!("{}: {}", said["role"].as_str().unwrap(), said["text"].as_str().unwrap())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_is_begun_carried_out_and_shown_with_what_was_said() {
    let desk = set().await;
    let id = begins(&desk, "whole").await;
    let begun = desk.get(&format!("/api/v1/workflows/{id}")).await;
    let opening = texts(&begun);
    assert_eq!(opening.len(), 2, "nothing ran, and nobody is told to make the calls: {opening:?}");
    assert_eq!(begun.body["details"]["parameters"], json!({"work": "Build it."}));
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    let began = Timestamp::parse(begun.body["startedAt"].as_str().unwrap()).unwrap();
    assert_eq!(begun.body["expiresAt"], json!(began + day), "also before anybody carries it out");
    let done = goes_on(&desk, &id).await;
    assert_eq!((&done.body["status"], &done.body["steps"][0]["matchedBy"]), (&json!("completed"), &json!("plan")));
    let said = texts(&done);
    assert_eq!(said[..2], opening[..], "what was said stays as it is");
    let calls = said.iter().filter(|text| text.starts_with("assistant: Calling tool")).count();
    assert_eq!((calls, said.iter().filter(|text| text.contains("Mind ")).count()), (2, 2), "{said:#?}");
    assert_eq!(done.body["details"]["result"], json!({"completed": true, "stepsCompleted": 2}));
    assert_eq!((done.body.get("expiresAt"), done.body.get("pauseReason")), (None, None));
    assert_eq!(goes_on(&desk, &id).await.body, done.body, "nothing runs again");
    assert_eq!(ids_of_tasks(&desk).await, 1);
}

async fn ids_of_tasks(desk: &RouteFixture) -> usize {
    desk.get("/api/v1/tasks").await.body["items"].as_array().unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn what_the_hub_cannot_do_is_its_owners_and_needs_them() {
    let desk = set().await;
    let id = begins(&desk, "tell").await;
    assert_eq!(desk.get("/api/v1/inbox?kind=workflow").await.body["total"], 0, "the hub has not stopped");
    let left = goes_on(&desk, &id).await;
    assert_eq!((&left.body["status"], &left.body["handedOver"]), (&json!("working"), &json!(true)));
    assert_eq!(left.body["pauseReason"]["type"], "client_tool");
    assert_eq!(left.body["statusMessage"], "2 of 3 steps, waiting for tell");
    assert!(texts(&left).last().unwrap().contains("3. Call shout"), "{:#?}", texts(&left));
    let inbox = desk.get("/api/v1/inbox?kind=workflow").await;
    let item = &inbox.body["items"][0];
    assert_eq!((&item["kind"], &item["workflowId"]), (&json!("workflow"), &json!(id)), "{}", inbox.text);
    assert_eq!(item["deadline"], left.body["expiresAt"]);
    let act = |action: &str| json!({"actions": [{"item": format!("workflow:{id}"), "action": action}]});
    let refused = desk.post("/api/v1/inbox/actions", act("retry")).await;
    assert_eq!(refused.body["results"][0]["code"], "INVALID_ARGUMENTS");
    let cancelled = desk.post("/api/v1/inbox/actions", act("cancel")).await;
    assert_eq!(cancelled.body["results"][0]["state"], "cancelled", "{}", cancelled.text);
    assert_eq!(desk.get("/api/v1/inbox?kind=workflow").await.body["total"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_its_owner_adds_is_no_step_of_a_run_and_a_tool_that_they_call_is() {
    let desk = desk().await;
    let mut late = plan("late", false);
    late.steps.rotate_right(1);
    desk.backstage.reload(Settings { workflows: Arc::new(Workflows::of([late])), ..Settings::defaults() });
    let id = begins(&desk, "late").await;
    assert_eq!(goes_on(&desk, &id).await.body["statusMessage"], "0 of 3 steps, waiting for tell");
    let added = json!({"targetAgentId": "any", "prompt": "water the plants"});
    assert_eq!(desk.post("/api/v1/tasks", added.clone()).await.status, 201);
    let assign = async || desk.get(&format!("/api/v1/workflows/{id}")).await.body["steps"][1].clone();
    assert_eq!((&assign().await["status"], assign().await.get("matchedBy")), (&json!("pending"), None));
    let called = desk.post("/api/v1/tools/assign_task", added).await;
    assert_eq!(called.status, 200, "{}", called.text);
    assert_eq!((&assign().await["status"], &assign().await["matchedBy"]), (&json!("completed"), &json!("implicit")));
}

#[tokio::test(start_paused = true)]
async fn runs_are_listed_filtered_and_read_page_by_page() {
    let desk = set().await;
    let (first, second) = (begins(&desk, "whole").await, begins(&desk, "tell").await);
    goes_on(&desk, &first).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let third = begins(&desk, "tell").await;
    let all = desk.get("/api/v1/workflows").await;
    assert_eq!((ids(&all)[0], ids(&all).len()), (third.as_str(), 3));
    assert_eq!(all.body["items"][0].get("details"), None, "a list shows no arguments and no results");
    assert_eq!(ids(&desk.get("/api/v1/workflows?state=completed").await), [&first]);
    assert_eq!(ids(&desk.get("/api/v1/workflows?name=tell&state=working,cancelled").await), [&third, &second]);
    assert_eq!(ids(&desk.get("/api/v1/workflows?owner=agent:nobody").await), [""; 0]);
    let page = desk.get("/api/v1/workflows?limit=2").await;
    let cursor = page.body["nextCursor"].as_str().unwrap();
    assert_eq!(page.body["total"], 3, "also of a part");
    let rest = desk.get(&format!("/api/v1/workflows?limit=2&cursor={cursor}")).await;
    assert_eq!((ids(&page).len(), ids(&rest).len(), rest.body.get("nextCursor")), (2, 1, None));
    desk.get("/api/v1/workflows?cursor=x").await.is_no(400, "CURSOR_INVALID");
    for query in ["state=done", "owner=%20", "limit=0"] {
        desk.get(&format!("/api/v1/workflows?{query}")).await.is_no(400, "INVALID_ARGUMENTS");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_its_owners_and_people_may_look_at_it() {
    let desk = set().await;
    desk.registers("a1", "full-stack-engineer").await;
    desk.registers("a2", "full-stack-engineer").await;
    let asked = json!({"name": "tell", "arguments": {"work": "x"}});
    let begun = desk.post_as(&agent("a1"), "/api/v1/workflows", asked.clone()).await;
    let id = begun.body["workflowId"].as_str().unwrap_or_else(|| panic!("{}", begun.text));
    let (path, on) = (format!("/api/v1/workflows/{id}"), format!("/api/v1/workflows/{id}/continue"));
    assert_eq!(desk.get_as(&agent("a1"), &path).await.body["owner"], "agent:a1");
    assert_eq!(desk.get_as(&person(Scope::View), &path).await.status, 200);
    desk.get_as(&agent("a2"), &path).await.is_no(404, "WORKFLOW_NOT_FOUND");
    // Nobody carries out another's plan, with whichever rights.
    for who in [agent("a2"), person(Scope::Admin)] {
        desk.post_as(&who, &on, json!({})).await.is_no(404, "WORKFLOW_NOT_FOUND");
    }
    desk.post_as(&person(Scope::View), "/api/v1/workflows", asked).await.is_no(403, "INSUFFICIENT_SCOPE");
    desk.get_as(&agent("a1"), "/api/v1/workflows").await.is_no(403, "INSUFFICIENT_SCOPE");
    let went = desk.post_as(&agent("a1"), &on, json!({})).await;
    assert_eq!(went.body["statusMessage"], "2 of 3 steps, waiting for tell", "{}", went.text);
    assert_eq!(desk.get("/api/v1/inbox").await.body["total"], 0, "an agent's run is the agent's to go on with");
    // Called off by a person, in their name.
    let cancelled = desk.post(&format!("{path}/cancel"), json!({})).await;
    assert_eq!(cancelled.body["status"], "cancelled", "{}", cancelled.text);
    let records = desk.hub.journal.read(|reader| reader.records(crate::journal::Seq(0), 99)).await.unwrap();
    let last = records.iter().rev().find(|kept| kept.record.kind().name == "workflow.cancelled").unwrap();
    assert_eq!(last.by.principal.as_str(), "person:ada");
    desk.post(&format!("{path}/cancel"), json!({})).await.is_no(409, "WORKFLOW_ENDED");
    desk.post_as(&agent("a1"), &format!("{path}/cancel"), json!({})).await.is_no(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_begin_is_refused_with_every_reason() {
    let desk = set().await;
    let tries = async |body: Value| desk.post("/api/v1/workflows", body).await;
    let unknown = tries(json!({"name": "tel"})).await;
    unknown.is_no(404, "WORKFLOW_UNKNOWN");
    assert!(unknown.body["error"].as_str().unwrap().ends_with("did you mean `tell`?"), "{}", unknown.text);
    let wrong = tries(json!({"name": "tell", "arguments": {"wrok": "x", "b": "y"}})).await;
    wrong.is_no(400, "INVALID_ARGUMENTS");
    assert!(wrong.body["error"].as_str().unwrap().contains("did you mean `work`?"), "{}", wrong.text);
    tries(json!({"name": "tell", "arguments": {"work": 7}})).await.is_no(400, "INVALID_ARGUMENTS");
    for path in ["/api/v1/workflows/w_00000000", "/api/v1/workflows/whatever"] {
        desk.get(path).await.is_no(404, "WORKFLOW_NOT_FOUND");
    }
    assert_eq!(ids(&desk.get("/api/v1/workflows").await), [""; 0], "and nothing began");
    let keyed = async |work: &str| {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
        let body = json!({"name": "tell", "arguments": {"work": work}}).to_string();
        desk.send(&person(Scope::Operate), "/api/v1/workflows", &headers, body).await
    };
    let (first, again) = (keyed("x").await, keyed("x").await);
    assert_eq!(first.body["workflowId"], again.body["workflowId"], "{}", again.text);
    keyed("y").await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_under_a_key_is_done_once_and_answered_twice() {
    let desk = set().await;
    let id = begins(&desk, "tell").await;
    let path = format!("/api/v1/workflows/{id}/cancel");
    let keyed = async || {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
        desk.send(&person(Scope::Operate), &path, &headers, "{}").await
    };
    let (first, second) = tokio::join!(keyed(), keyed());
    for answer in [first, second, keyed().await] {
        assert_eq!((answer.status.as_u16(), &answer.body["status"]), (200, &json!("cancelled")), "{}", answer.text);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_says_in_the_inbox_that_a_workflow_waits_for_its_answer() {
    let desk = desk().await;
    let question = Source::Constant(json!("Which one?"));
    let default = Source::Constant(json!("the old one"));
    let mut ask = plan("ask", true);
    ask.parameters.clear();
    ask.steps = vec![step("ask", "request_input", &[("question", question), ("default_action", default)])];
    desk.backstage.reload(Settings { workflows: Arc::new(Workflows::of([ask])), ..Settings::defaults() });
    desk.registers("a1", "full-stack-engineer").await;
    let begun = desk.post_as(&agent("a1"), "/api/v1/workflows", json!({"name": "ask"})).await;
    let id = begun.body["workflowId"].as_str().unwrap_or_else(|| panic!("{}", begun.text));
    let left = desk.post_as(&agent("a1"), &format!("/api/v1/workflows/{id}/continue"), json!({})).await;
    assert_eq!(left.body["pauseReason"]["type"], "time_budget", "{}", left.text);
    let inbox = desk.get("/api/v1/inbox").await;
    let item = &inbox.body["items"][0];
    assert_eq!((&item["kind"], &item["workflowId"]), (&json!("question"), &json!(id)), "{}", inbox.text);
    assert!(item["reason"].as_str().unwrap().ends_with("; workflow `ask` waits for it"), "{}", inbox.text);
    assert_eq!(inbox.body["total"], 1, "the question alone is what needs somebody");
}

#[tokio::test(start_paused = true)]
async fn who_is_narrowed_to_others_ends_no_run_of_an_agent() {
    let desk = set().await;
    desk.registers("a1", "full-stack-engineer").await;
    let asked = json!({"name": "tell", "arguments": {"work": "x"}});
    let begun = desk.post_as(&agent("a1"), "/api/v1/workflows", asked).await;
    let path = format!("/api/v1/workflows/{}/cancel", begun.body["workflowId"].as_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let says = |right: &str| {
        let people = format!("people:\n  ada: {{principal: \"person:ada\", canOperate: [{right}]}}\n");
        std::fs::write(folder.path().join("people.yaml"), people).unwrap();
        let request = LoadRequest { config_dir: Some(folder.path().to_owned()), ..LoadRequest::default() };
        desk.backstage.reload(load(&request).unwrap().settings);
    };
    says("designer");
    desk.post(&path, json!({})).await.is_no(403, "NOT_PERMITTED");
    says("full-stack-engineer");
    assert_eq!(desk.post(&path, json!({})).await.body["status"], "cancelled");
}
