//! Who may call what, and whose things are whose.

use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent, operator, viewer};
use crate::domain::ids::SessionId;

#[tokio::test(start_paused = true)]
async fn the_arguments_cannot_say_that_somebody_else_calls() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let said = desk.call(&dev, "wait_for_prompt", json!({"agent_id": "a2"})).await;
    assert!(said.is("IDENTITY_MISMATCH").text("prompt").contains("agentId \"a1\""));
    desk.call(&dev, "list_agents", json!({"agentId": "a1"})).await.done();
    let other = json!({"agentId": "a2", "role": "designer"});
    desk.call(&dev, "register_agent", other).await.is("IDENTITY_MISMATCH");
    desk.call(&operator(), "list_agents", json!({"agentId": "a1"})).await.is("IDENTITY_MISMATCH");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_ones_own_does_not_exist() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let own = desk.call(&dev, "register_agent", json!({"agentId": "a1", "role": "designer"})).await.text("sessionId");
    desk.call(&dev, "list_agents", json!({"session_id": own})).await.done();
    desk.call(&dev, "list_agents", json!({"sessionId": "s_someoneelse"})).await.is("SESSION_NOT_FOUND");
    desk.call(&dev, "list_agents", json!({"sessionId": "nonsense"})).await.is("SESSION_NOT_FOUND");
    let mut named = dev.clone();
    named.session = Some(SessionId::parse("s_someoneelse").expect("an id"));
    desk.call(&named, "list_agents", json!({})).await.is("SESSION_NOT_FOUND");
    desk.ends().await;
}

#[rstest]
#[case("ack_task", json!({"taskId": "TASK"}))]
#[case("send_response", json!({"taskId": "TASK", "status": "COMPLETED", "message": "Mine."}))]
#[case("update_progress", json!({"taskId": "TASK", "message": "Mine."}))]
#[case("get_task_context", json!({"taskId": "TASK"}))]
#[case("cancel_task", json!({"taskId": "TASK"}))]
#[case("answer_task", json!({"taskId": "TASK", "answer": "Mine."}))]
#[case("wait_for_task", json!({"taskId": "TASK"}))]
#[tokio::test(start_paused = true)]
async fn somebody_elses_task_answers_like_one_that_does_not_exist(#[case] verb: &str, #[case] arguments: Value) {
    let desk = ToolFixture::new().await;
    let (holder, other) = (desk.agent("a1", "designer").await, desk.agent("a2", "designer").await);
    let task = desk.given(&holder, json!({})).await;
    let filled =
        |id: &str| serde_json::from_str::<Value>(&arguments.to_string().replace("TASK", id)).expect("arguments");
    let foreign = desk.call(&other, verb, filled(&task)).await;
    let missing = desk.call(&other, verb, filled("zzzzzzzzzzzzzzzz")).await;
    let no_id = desk.call(&other, verb, filled("not an id!")).await;
    for said in [&foreign, &missing, &no_id] {
        said.is("TASK_NOT_FOUND");
    }
    let same = |text: &str, id: &str| text.replace(id, "TASK");
    assert_eq!(same(&foreign.0.to_string(), &task), same(&missing.0.to_string(), "zzzzzzzzzzzzzzzz"));
    desk.ends().await;
}

#[rstest]
#[case("wait_for_prompt", json!({}))]
#[case("register_agent", json!({"agentId": "a1", "role": "designer"}))]
#[case("send_message", json!({"to": "a1", "text": "Hi."}))]
#[tokio::test(start_paused = true)]
async fn the_verbs_of_an_agent_are_for_agents(#[case] verb: &str, #[case] arguments: Value) {
    let desk = ToolFixture::new().await;
    desk.call(&operator(), verb, arguments).await.is("INSUFFICIENT_SCOPE");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_may_only_look_cannot_hand_out_work() {
    let desk = ToolFixture::new().await;
    desk.agent("a1", "designer").await;
    desk.call(&viewer(), "list_agents", json!({})).await.done();
    let work = json!({"targetAgentId": "a1", "prompt": "Draw."});
    desk.call(&viewer(), "assign_task", work).await.is("INSUFFICIENT_SCOPE");
    desk.ends().await;
}

/// Verbs that are about the caller's session: of these the missing session is what is wrong.
const IN_SESSION: [&str; 19] = [
    "complete_task", "create_pr", "get_pr_status", "get_review_comments", "get_session", "get_session_history",
    "get_task_context", "link_task", "list_prs", "mark_blocked", "merge_pr", "post_task_comment", "request_input",
    "resolve_review_comment", "submit_for_review", "update_pr", "update_status", "wait_for_answer",
    "withdraw_question",
];

#[tokio::test(start_paused = true)]
async fn who_never_registered_is_told_so_whatever_it_calls() {
    let desk = ToolFixture::new().await;
    for tool in crate::tools::table().iter().filter(|tool| tool.name != "register_agent") {
        if tool.name == "forget_pattern" {
            // For people alone: to register would not help.
            desk.call(&agent("a1"), tool.name, json!({"nonsense": 1})).await.is("INSUFFICIENT_SCOPE");
            continue;
        }
        let code = if IN_SESSION.contains(&tool.name) { "SESSION_REQUIRED" } else { "NOT_REGISTERED" };
        let no = desk.call(&agent("a1"), tool.name, json!({"nonsense": 1})).await;
        assert_eq!(no.0["code"], code, "{}", tool.name);
        assert!(no.text("prompt").contains("register_agent"), "{}: {no:?}", tool.name);
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_wrong_name_of_a_tool_or_a_field_gets_the_right_one() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let said = desk.call(&dev, "wait_for_promt", json!({})).await;
    assert_eq!(said.is("UNKNOWN_TOOL").0["details"]["nearest"][0], "wait_for_prompt");
    let said = desk.call(&dev, "send_response", json!({"taskId": "a", "status": "COMPLETED", "mesage": "x"})).await;
    assert!(said.is("INVALID_ARGUMENTS").text("message").contains("did you mean `message`?"));
    assert!(said.text("prompt").contains("taskId (a string, required)"), "{said:?}");
    let said = desk.call(&dev, "send_response", json!({"taskId": "a", "status": "DONE", "message": "x"})).await;
    assert!(said.is("INVALID_ARGUMENTS").text("message").contains("COMPLETED"));
    desk.ends().await;
}
