//! `tasks/*` for runs of workflows, in both eras, and the form for what a workflow needs.

use serde_json::{Value, json};

use super::workflows::{WORKFLOW, house, id_of, registered, texts};
use super::{McpFixture, answer, tool};
use crate::domain::workflow::run::RunStatus;
use crate::tools::Caller;

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const COMPLETE: &str = "dev.callboard/complete";

impl McpFixture {
    /// A request of a client that declares tasks.
    async fn able(&self, caller: &Caller, method: &str, mut params: Value) -> Value {
        let meta = params.as_object_mut().expect("an object").entry("_meta").or_insert_with(|| json!({}));
        meta[CAPABILITIES] = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        answer(self.modern(caller, method, params).await).await
    }

    async fn in_elder(&self, caller: &Caller, session: &str, method: &str, params: Value) -> Value {
        answer(self.in_session(caller, session, method, params).await).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_a_task_to_who_declares_tasks() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let shown = house.able(&caller, "tasks/get", json!({"taskId": id})).await["result"].clone();
    assert_eq!((&shown["taskId"], &shown["status"]), (&json!(id), &json!("working")));
    assert_eq!(shown["statusMessage"], "2 of 4 steps, waiting for tell");
    assert_eq!((&shown["ttlMs"], &shown["resultType"]), (&json!(86_400_000), &json!("complete")), "{shown:#}");
    let about = &shown["_meta"][WORKFLOW];
    assert_eq!(about["variables"]["_workflow.progress"]["goal"], "tell: have it done");
    assert_eq!(about["variables"]["_workflow.pause_reason"]["type"], "client_tool");
    let early = house.able(&caller, "tasks/result", json!({"taskId": id})).await["error"].clone();
    assert_eq!((&early["code"], &early["data"]["code"]), (&json!(1409), &json!("WORKFLOW_WORKING")));
    assert!(early["message"].as_str().unwrap().contains("2 of 4 steps, waiting for tell"), "{early}");
    house.desk.call(&caller, "workflow_complete", json!({"result": {"all": "well"}})).await.done();
    let shown = house.able(&caller, "tasks/get", json!({"taskId": id})).await["result"].clone();
    assert_eq!((&shown["status"], &shown["result"]["isError"]), (&json!("completed"), &json!(false)));
    assert_eq!(shown["result"]["structuredContent"], json!({"all": "well"}));
    assert_eq!(shown["_meta"][WORKFLOW].get("result"), None, "it is told once");
    let late = house.able(&caller, "tasks/result", json!({"taskId": id})).await["result"].clone();
    assert_eq!(late["structuredContent"], json!({"all": "well"}));
    assert_eq!(late["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], json!(id));
}

#[tokio::test(start_paused = true)]
async fn who_does_not_declare_tasks_has_none_and_tickets_have_no_result_to_fetch() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
        let refused = answer(house.modern(&caller, method, json!({"taskId": id})).await).await;
        assert_eq!(refused["error"]["code"], -32021, "{method}: {refused}");
    }
    let ticket = house.able(&caller, "tasks/result", json!({"taskId": "h_00000000"})).await;
    assert_eq!(ticket["error"]["code"], -32601);
    let ours = house.able(&caller, "dev.callboard/tasks/get", json!({"taskId": id})).await;
    assert_eq!(ours["error"]["code"], -32601, "the name of our own is the elder eras' alone");
}

#[tokio::test(start_paused = true)]
async fn with_a_result_it_is_completed_wherever_that_stands_and_without_it_is_cancelled() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let session = house.session(&caller).await;
    let done = json!({"sum": 3});
    let cases = [
        (json!({"result": done}), Some(done.clone())),
        (json!({"_meta": {COMPLETE: {"result": done}}}), Some(done.clone())),
        (json!({"_meta": {COMPLETE: done}}), Some(done.clone())),
        (json!({"result": false}), Some(json!(false))),
        (json!({"result": null}), None),
        (json!({}), None),
    ];
    for (mut params, result) in cases.into_iter().flat_map(|case| [case.clone(), case]) {
        let id = id_of(&house.prompt(&caller, "tell", None).await);
        params["taskId"] = json!(id);
        let modern = params.clone();
        let status = if result.is_some() { "completed" } else { "cancelled" };
        if house.tasks().await % 2 == 0 {
            let said = house.able(&caller, "tasks/cancel", modern).await;
            assert!(said["error"].is_null() && said["result"]["taskId"].is_null(), "{params}: {said}");
        } else {
            let said = house.in_elder(&caller, &session, "tasks/cancel", params.clone()).await;
            assert_eq!((&said["result"]["taskId"], &said["result"]["status"]), (&json!(id), &json!(status)), "{said}");
        }
        let run = house.run(&id).await;
        assert_eq!((run.status.as_str(), run.result), (status, result), "{params}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_unknown_foreign_or_over_is_refused_and_the_first_two_alike() {
    let house = house().await;
    let (caller, other) = (registered(&house, "a1").await, registered(&house, "a2").await);
    let session = house.session(&other).await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    for method in ["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"] {
        let mut said = Vec::new();
        for name in [id.as_str(), "w_00000000", "w_nonsense!"] {
            let params = json!({"taskId": name, "inputResponses": {}, "result": 1});
            said.push(house.able(&other, method, params.clone()).await);
            if method != "tasks/update" {
                said.push(house.in_elder(&other, &session, method, params).await);
            }
        }
        for no in &said {
            assert_eq!(no["error"]["code"], -32602, "{method}: {no}");
            assert_eq!(no["error"], said[0]["error"], "{method}");
        }
    }
    assert!(house.run(&id).await.is_working());
    assert!(house.able(&caller, "tasks/cancel", json!({"taskId": id})).await["error"].is_null());
    for params in [json!({"taskId": id}), json!({"taskId": id, "result": 1})] {
        let again = house.able(&caller, "tasks/cancel", params).await["error"].clone();
        assert_eq!((&again["code"], &again["data"]["code"]), (&json!(-32602), &json!("WORKFLOW_ENDED")), "{again}");
    }
    let none = house.able(&caller, "tasks/result", json!({"taskId": id})).await["error"].clone();
    assert_eq!((&none["code"], &none["data"]["code"]), (&json!(1409), &json!("WORKFLOW_ENDED")), "{none}");
    let long = json!({"taskId": id_of(&house.prompt(&caller, "tell", None).await), "result": "x".repeat(300_000)});
    let refused = house.able(&caller, "tasks/cancel", long).await["error"].clone();
    assert_eq!((&refused["code"], &refused["data"]["code"]), (&json!(-32602), &json!("TEXT_TOO_LONG")), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn an_expired_run_is_a_failed_task_that_says_why() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    tokio::time::sleep(std::time::Duration::from_secs(24 * 60 * 60 + 5)).await;
    assert_eq!(house.run(&id).await.status, RunStatus::Expired);
    let shown = house.able(&caller, "tasks/get", json!({"taskId": id})).await["result"].clone();
    assert_eq!((&shown["status"], &shown["error"]["data"]["code"]), (&json!("failed"), &json!("WORKFLOW_EXPIRED")));
    assert_eq!(shown["_meta"][WORKFLOW]["status"], "expired");
    let mut params = tool("list_agents", json!({}));
    params["_meta"] = json!({"dev.callboard/taskId": id});
    let late = answer(house.modern(&caller, "tools/call", params).await).await;
    assert_eq!(late["result"]["structuredContent"]["success"], true);
    assert_eq!(late["result"]["_meta"][WORKFLOW]["reason"], "ended");
}

#[tokio::test(start_paused = true)]
async fn an_elder_client_reads_a_run_as_the_task_that_it_knows() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let session = house.session(&caller).await;
    let id = id_of(&house.prompt(&caller, "tell", None).await);
    let shown = house.in_elder(&caller, &session, "tasks/get", json!({"taskId": id})).await["result"].clone();
    assert_eq!((&shown["status"], &shown["ttl"]), (&json!("working"), &json!(86_400_000)), "{shown:#}");
    assert_eq!(shown["statusMessage"], "2 of 4 steps, waiting for tell");
    assert_eq!(shown["_meta"]["_workflow.pause_reason"]["type"], "client_tool");
    assert_eq!(shown["_meta"][WORKFLOW].get("variables"), None, "they are told once");
    let early = house.in_elder(&caller, &session, "tasks/result", json!({"taskId": id})).await["error"].clone();
    assert_eq!(early["data"]["code"], "WORKFLOW_WORKING");
    let cancelled = json!({"taskId": id, "result": "fine"});
    house.in_elder(&caller, &session, "tasks/cancel", cancelled).await;
    let late = house.in_elder(&caller, &session, "tasks/result", json!({"taskId": id})).await["result"].clone();
    assert_eq!(late["content"][0]["text"], "fine");
    assert_eq!(late["structuredContent"], json!({"result": "fine"}));
    assert_eq!(late.get("resultType"), None, "{late}");
}

const FORMS: [(&str, bool); 4] = [
    ("{\"elicitation\": {}}", true),
    ("{\"elicitation\": {\"form\": {}, \"url\": {}}}", true),
    ("{\"elicitation\": {\"url\": {}}}", false),
    ("{}", false),
];

#[tokio::test(start_paused = true)]
async fn who_shows_forms_is_asked_for_what_is_missing_and_nothing_began_before() {
    let house = house().await;
    let caller = registered(&house, "a1").await;
    let get = |params: Value, capabilities: &str| {
        let mut params = params;
        params["name"] = json!("tell");
        params["_meta"] = json!({CAPABILITIES: serde_json::from_str::<Value>(capabilities).expect("JSON")});
        house.modern(&caller, "prompts/get", params)
    };
    for (capabilities, asked) in FORMS {
        let said = answer(get(json!({"arguments": {"work": ""}}), capabilities).await).await["result"].clone();
        let form = &said["inputRequests"]["arguments"];
        assert_eq!(said["resultType"] == "input_required", asked, "{capabilities}: {said}");
        assert_eq!(form["method"] == "elicitation/create", asked);
        if asked {
            assert_eq!(form["params"]["message"], "The workflow `tell` needs work before it begins.");
            let schema = &form["params"]["requestedSchema"];
            assert_eq!(schema["required"], json!(["work"]));
            assert_eq!(schema["properties"]["work"]["description"], "What is to be done.");
        }
    }
    assert_eq!(house.tasks().await, 0);
    let able = FORMS[0].0;
    let answered = |answer: Value| json!({"arguments": {"work": ""}, "inputResponses": {"arguments": answer}});
    let filled = answered(json!({"action": "accept", "content": {"work": "Build it."}}));
    let said = answer(get(filled, able).await).await;
    assert_eq!(texts(&said)[0], "\"user\": I want to have it done.\n\nParameters:\n- work: Build it.");
    assert_eq!(house.tasks().await, 1);
    for refused in [json!({"action": "decline"}), json!({"action": "cancel"}), json!({"action": "accept"})] {
        let said = answer(get(answered(refused), able).await).await;
        assert_eq!(said["result"]["_meta"][WORKFLOW]["pauseReason"]["type"], "unresolvable_argument");
    }
    let broken = answer(get(answered(json!("yes")), able).await).await["error"].clone();
    assert_eq!((&broken["code"], &broken["data"]["code"]), (&json!(-32602), &json!("INVALID_ARGUMENTS")));
    let odd = answered(json!({"action": "accept", "content": {"work": ["x"]}}));
    assert_eq!(answer(get(odd, able).await).await["error"]["data"]["code"], "INVALID_ARGUMENTS");
    let session = house.session(&caller).await;
    let elder = house.in_elder(&caller, &session, "prompts/get", json!({"name": "tell"})).await;
    assert!(texts(&elder).last().is_some_and(|text| text.contains("<prompt arg work>")), "{elder}");
}
