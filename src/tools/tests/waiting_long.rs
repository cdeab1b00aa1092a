//! Agents that wait for long: what an idle answer asks for next, what is learned of a client that gives up, and the
//! form for hooks.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::fixture::{ToolFixture, VerbReply, agent, operator, over};
use crate::domain::agent::{ClientDoor, DeclaredClient};
use crate::domain::ids::TaskId;
use crate::tools::Caller;

/// The seconds that an answer asks for next.
fn asked_for(said: &VerbReply) -> Option<u64> {
    let prompt = said.0["prompt"].as_str()?;
    let (_, after) = prompt.split_once("\nGive it `timeout` ")?;
    after.strip_suffix(" this time.")?.parse().ok()
}

/// Does what an idle answer says, so many times; the arguments of its calls.
async fn obeys(desk: &ToolFixture, dev: &Caller, times: usize) -> Vec<Value> {
    let mut calls = vec![json!({})];
    while calls.len() < times {
        let last = calls.last().cloned().unwrap_or_default();
        let said = desk.call(dev, "wait_for_prompt", last).await;
        assert_eq!(said.0["status"], "IDLE", "{said:?}");
        calls.push(asked_for(&said).map_or_else(|| json!({}), |seconds| json!({ "timeout": seconds })));
    }
    calls
}

#[rstest]
#[case::of_a_patient_client("gemini-cli-mcp-client", 280, 318)]
#[case::of_one_in_no_row("somebody-new", 45, 83)]
#[case::of_an_impatient_one("google-adk", 4, 42)]
#[tokio::test(start_paused = true)]
async fn no_two_calls_in_a_row_are_equal_of_an_agent_that_does_what_idle_answers_say(
    #[case] client: &str,
    #[case] least: u64,
    #[case] most: u64,
) {
    let desk = ToolFixture::new().await;
    let mut dev = desk.agent("a1", "full-stack-engineer").await;
    dev.client = Some(DeclaredClient::named(client));
    let calls = obeys(&desk, &dev, 40).await;
    assert!(calls.windows(2).all(|pair| pair[0] != pair[1]), "{calls:?}");
    let asked: Vec<u64> = calls[1..].iter().filter_map(|call| call["timeout"].as_u64()).collect();
    assert_eq!((asked.iter().min(), asked.iter().max(), asked.len()), (Some(&least), Some(&most), 39));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_with_tickets_and_a_role_that_is_not_reminded_are_asked_for_no_time() {
    let desk = ToolFixture::new().await;
    let mut dev = desk.agent("a1", "full-stack-engineer").await;
    dev.client = Some(DeclaredClient::new("claude-code", None, ClientDoor::Stdio, true));
    let said = desk.call(&dev, "wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(said.text("prompt"), "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening.");
    let artist = desk.agent("a2", "designer").await;
    let said = desk.call(&artist, "wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(said.0.get("prompt"), None);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_or_a_task_is_asked_for_another_time_too() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "project-manager").await;
    let ask = json!({"question": "Old or new?", "default_action": "old", "wait_seconds": 0});
    let asked = desk.call(&dev, "request_input", ask).await;
    let question = json!({"question_id": asked.0["question_id"], "timeout": 45});
    let said = desk.call(&dev, "wait_for_answer", question).await;
    assert_eq!(asked_for(&said), Some(46), "{said:?}");
    let assigned = desk.call(&dev, "assign_task", json!({"targetAgentId": "role:testing", "prompt": "Test."})).await;
    let said = desk.call(&dev, "wait_for_task", json!({"taskId": assigned.0["taskId"]})).await;
    assert_eq!(asked_for(&said), Some(45), "{said:?}");
    desk.ends().await;
}

/// A client like openai-agents: it gives up after `bears`, says nothing to the hub, and its model calls again.
async fn gives_up(desk: &ToolFixture, dev: &Caller, bears: Duration) -> (u64, VerbReply) {
    let begun = Instant::now();
    let waiting = desk.begins(dev, "wait_for_prompt", json!({}));
    tokio::time::sleep(bears).await;
    if waiting.is_finished() {
        return (begun.elapsed().as_secs(), waiting.await.expect("an answer"));
    }
    let answered = async { (waiting.await.expect("an answer"), begun.elapsed().as_secs()) };
    let next = desk.begins(dev, "wait_for_prompt", json!({"timeout": 0}));
    let (said, took) = answered.await;
    next.await.expect("an answer").done();
    (took, said)
}

#[tokio::test(start_paused = true)]
async fn a_client_of_a_generic_name_that_gives_up_is_given_less_and_less_until_its_answers_arrive() {
    let desk = ToolFixture::new().await;
    let mut dev = over(&desk.agent("a1", "full-stack-engineer").await, "p1");
    dev.client = Some(DeclaredClient::named("mcp"));
    let bears = Duration::from_millis(4_900);
    let mut ended = Vec::new();
    for _ in 0..8 {
        ended.push(gives_up(&desk, &dev, bears).await.1.0["status"].clone());
    }
    let lost = ended.iter().filter(|status| *status == "SUPERSEDED").count();
    assert_eq!((lost, &ended[lost..]), (5, &[json!("IDLE"), json!("IDLE"), json!("IDLE")][..]), "{ended:?}");
    desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Build."})).await.done();
    assert_eq!(gives_up(&desk, &dev, bears).await.1.0["status"], "TASK", "and so do its tasks");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_learned_is_of_one_connection_and_holds_for_no_client_whose_row_is_known() {
    let desk = ToolFixture::new().await;
    let mut dev = over(&desk.agent("a1", "full-stack-engineer").await, "p1");
    for (name, spans) in [("mcp", 23), ("codex", 280)] {
        dev.client = Some(DeclaredClient::named(name));
        for _ in 0..2 {
            gives_up(&desk, &dev, Duration::from_secs(9)).await;
        }
        let begun = Instant::now();
        desk.call(&dev, "wait_for_prompt", json!({})).await.done();
        assert_eq!(begun.elapsed().as_secs(), spans, "{name}");
        dev = over(&dev, "p2");
        let begun = Instant::now();
        desk.call(&dev, "wait_for_prompt", json!({})).await.done();
        assert_eq!(begun.elapsed().as_secs(), if name == "mcp" { 45 } else { 280 }, "{name}, in a new process");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hook_gets_the_task_in_its_own_form_and_the_agents_next_call_acknowledges_it() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "coding").await;
    let hook = json!({"form": "hook", "timeout": 1});
    let idle = desk.call(&dev, "wait_for_prompt", hook.clone()).await;
    assert_eq!((&idle.0["status"], idle.0.get("decision"), idle.0.get("prompt")), (&json!("IDLE"), None, None));
    let work = json!({"targetAgentId": "a1", "prompt": "Build.", "context": {"issue": 7}});
    let assigned = desk.call(&operator(), "assign_task", work).await;
    let (task, looks) = (assigned.text("taskId"), operator());
    let reply = crate::tools::call(&desk.hub, &dev, "wait_for_prompt", hook.clone()).await.expect("a task");
    let text: Value = serde_json::from_str(&reply.text()).expect("a hook's form is JSON and nothing else");
    let reason = text["reason"].as_str().expect("a text").to_owned();
    assert_eq!(text, json!({"decision": "block", "reason": reason}));
    for words in ["\nBuild.\n", "\"issue\":7", "call ack_task with taskId", &task] {
        assert!(reason.contains(words), "{words} in {reason}");
    }
    reply.guard.expect("an offer in it").leaves();
    let stands = desk.call(&looks, "get_task_context", json!({"taskId": task})).await;
    assert_eq!(stands.0["task"]["state"], "ASSIGNED", "what a hook was given is not acknowledged");
    let again = desk.call(&dev, "wait_for_prompt", hook.clone()).await;
    assert_eq!((&again.0["status"], &again.0["decision"]), (&json!("TASK"), &json!("block")), "it is offered again");
    desk.call(&dev, "ack_task", json!({"taskId": task, "leaseEpoch": again.0["leaseEpoch"]})).await.done();
    let other = desk.agent("pm-1", "pm").await;
    desk.call(&other, "send_message", json!({"to": "a1", "text": "mind the gap"})).await.done();
    let reply = crate::tools::call(&desk.hub, &dev, "wait_for_prompt", hook).await.expect("a notice");
    let text: Value = serde_json::from_str(&reply.text()).expect("JSON");
    assert!(text["reason"].as_str().is_some_and(|reason| reason.contains("> mind the gap")), "{text}");
    drop(reply);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_has_nothing_to_tell_answers_an_empty_object() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "full-stack-engineer").await;
    let hook = json!({"form": "hook", "timeout": 1});
    let reply = crate::tools::call(&desk.hub, &dev, "wait_for_prompt", hook.clone()).await.expect("idle");
    assert_eq!(reply.text(), "{}");
    desk.call(&dev, "wait_for_prompt", json!({"form": "card"})).await.is("INVALID_ARGUMENTS");
    desk.call(&dev, "wait_for_prompt", json!({"form": "", "timeout": 0})).await.done();
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_nudge_tells_that_there_is_something_and_hands_nothing_over() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev", "full-stack-engineer").await;
    let nudge = json!({"form": "nudge", "timeout": 30});
    let parked = desk.begins(&dev, "wait_for_prompt", nudge.clone());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let text = "Implement login.";
    let assigned = desk.call(&operator(), "assign_task", json!({"targetAgentId": "dev", "prompt": text})).await;
    let told = parked.await.unwrap();
    assert_eq!((&told.0["status"], &told.0["form"]), (&json!("TASK"), &json!("nudge")), "{told:?}");
    assert!(!told.0.to_string().contains(text) && told.0.get("taskId").is_none(), "{told:?}");
    tokio::time::sleep(Duration::from_secs(61)).await;
    let id = TaskId::parse(assigned.0["taskId"].as_str().unwrap()).unwrap();
    let why = async || desk.hub.dispatcher.why(&id).await.unwrap().unwrap().agents[0].reasons.concat();
    assert!(why().await.contains("was woken at"), "who was woken and does not come is named: {}", why().await);
    let given = desk.call(&dev, "wait_for_prompt", json!({"timeout": 5})).await;
    assert_eq!((&given.0["taskId"], &given.0["attempt"]), (&assigned.0["taskId"], &json!(1)), "{given:?}");
    desk.call(&dev, "ack_task", json!({"taskId": given.0["taskId"]})).await;
    assert!(!why().await.contains("was woken"), "{}", why().await);

    let parked = desk.begins(&dev, "wait_for_prompt", nudge);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let words = json!({"to": "dev", "text": "Use the old table."});
    desk.agent("lead", "project-manager").await;
    desk.call(&agent("lead"), "send_message", words).await;
    let told = parked.await.unwrap();
    assert_eq!((&told.0["status"], told.0.get("notices")), (&json!("NOTICE"), None), "{told:?}");
    let heard = desk.call(&dev, "wait_for_prompt", json!({"timeout": 5})).await;
    assert!(heard.0["notices"].to_string().contains("Use the old table."), "nothing is lost: {heard:?}");
    desk.ends().await;
}
