//! `wait_for_prompt`: each way that a wait may end.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::fixture::{ToolFixture, agent, operator};
use crate::actors::agent::AgentError;
use crate::domain::agent::{DeclaredClient, Eviction, EvictionAction};

#[rstest]
#[case("project-manager", true)]
#[case("coding", true)]
#[case("testing", true)]
#[case("orc", true)]
#[case("designer", false)]
#[case("ops-engineer", false)]
#[case("npm-helper", false)]
#[tokio::test(start_paused = true)]
async fn an_idle_wait_says_the_quoted_words_and_reminds_only_the_roles_that_are_to_be(
    #[case] role: &str,
    #[case] reminded: bool,
) {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", role).await;
    let begun = Instant::now();
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(begun.elapsed().as_secs(), 45);
    assert_eq!(said.0["status"], "IDLE");
    assert_eq!(said.0["message"], "No tasks available. Waiting.");
    let prompt =
        "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening.\nGive it `timeout` 45 this time.";
    assert_eq!(said.0.get("prompt"), reminded.then(|| json!(prompt)).as_ref());
    desk.ends().await;
}

#[rstest]
#[case(json!({"timeout": 5}), None, 5)]
#[case(json!({"timeout": 2.5}), None, 2)]
#[case(json!({"timeout": "5"}), None, 5)]
#[case(json!({"timeout": ""}), None, 45)]
#[case(json!({"timeout": 31_536_000}), None, 45)]
#[case(json!({"timeout": null}), None, 45)]
#[case(json!({"timeout": 100_000}), Some("claude-code"), 280)]
#[case(json!({"timeout": 60}), Some("Claude-Code"), 60)]
#[case(json!({}), Some("claude-code"), 280)]
#[case(json!({"timeout": null}), Some("codex-mcp-client"), 280)]
#[case(json!({}), Some("somebody-new"), 45)]
#[tokio::test(start_paused = true)]
async fn a_wait_is_as_long_as_asked_and_no_longer_than_the_client_tolerates(
    #[case] arguments: Value,
    #[case] client: Option<&str>,
    #[case] seconds: u64,
) {
    let desk = ToolFixture::new().await;
    let mut dev = desk.agent("a1", "designer").await;
    dev.client = client.map(DeclaredClient::named);
    let begun = Instant::now();
    desk.call(&dev, "wait_for_prompt", arguments).await.done();
    assert_eq!(begun.elapsed().as_secs(), seconds);
    desk.ends().await;
}

#[rstest]
#[case("wait_for_prompt", "timeout", json!({}))]
#[case("wait_for_task", "timeout", json!({"taskId": "TASK"}))]
#[case("wait_for_answer", "timeout", json!({"question_id": "QUESTION"}))]
#[case("request_input", "wait_seconds", json!({"question": "Red or blue?", "default_action": "red"}))]
#[tokio::test(start_paused = true)]
async fn a_short_span_is_kept_and_one_that_is_none_is_refused(
    #[case] verb: &str,
    #[case] field: &str,
    #[case] arguments: Value,
) {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "project-manager").await;
    let assigned = desk.call(&dev, "assign_task", json!({"targetAgentId": "role:testing", "prompt": "Test."})).await;
    let ask = json!({"question": "Old or new?", "default_action": "old", "wait_seconds": 0});
    let asked = if verb == "request_input" { None } else { Some(desk.call(&dev, "request_input", ask).await) };
    let mut call = arguments;
    if verb == "wait_for_task" {
        call["taskId"] = assigned.0["taskId"].clone();
    }
    if let Some(asked) = asked.filter(|_| verb == "wait_for_answer") {
        call["question_id"] = asked.0["question_id"].clone();
    }
    for wrong in [json!(-0.001), json!(-7), json!(31_536_000.5), json!(1e300)] {
        call[field] = wrong.clone();
        let no = desk.call(&dev, verb, call.clone()).await;
        assert_eq!(no.is("INVALID_ARGUMENTS").0["details"]["field"], field, "{verb} {wrong}");
    }
    for (span, millis) in [(0.2, 200), (0.06, 60), (1.5, 1_500)] {
        call[field] = json!(span);
        let begun = Instant::now();
        desk.call(&dev, verb, call.clone()).await.done();
        assert_eq!(begun.elapsed().as_millis(), millis, "{verb} {span}");
    }
    call[field] = json!(0);
    let begun = Instant::now();
    desk.call(&dev, verb, call).await.done();
    assert!(begun.elapsed() <= Duration::from_millis(50), "{verb}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_waits_no_time_at_all_still_gets_what_lies_there() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Draw."})).await.done();
    assert_eq!(desk.call(&dev, "wait_for_prompt", json!({"timeout": 0})).await.0["status"], "TASK");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_the_wrong_type_is_refused_by_name() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let said = desk.call(&dev, "wait_for_prompt", json!({"timeout": "soon"})).await;
    assert!(said.is("INVALID_ARGUMENTS").text("message").contains("`timeout` must be a number, not a string"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_never_registered_is_told_to() {
    let desk = ToolFixture::new().await;
    let said = desk.call(&agent("a1"), "wait_for_prompt", json!({})).await;
    assert!(said.is("NOT_REGISTERED").text("prompt").contains("register_agent with agentId \"a1\""));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_comes_with_all_that_the_agent_must_know() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "full-stack-engineer").await;
    let waiting = desk.begins(&dev, "wait_for_prompt", json!({}));
    tokio::time::sleep(Duration::from_secs(3)).await;
    let assigned = desk
        .call(
            &operator(),
            "assign_task",
            json!({
                "targetAgentId": "a1", "prompt": "Implement login.", "priority": "high", "context": {"issue": 7},
                "ttlSeconds": 600, "title": "Login", "spec": "RFC", "workspace": {"repo": "acme/shop"},
            }),
        )
        .await;
    let said = waiting.await.expect("an answer");
    assert_eq!(said.0["status"], "TASK");
    assert_eq!(said.0["taskId"], assigned.0["taskId"]);
    assert_eq!(said.0["prompt"], "Implement login.");
    assert_eq!(said.0["from"], json!({"kind": "api", "id": "operator", "displayName": "operator"}));
    assert_eq!(said.0["via"], json!([]));
    assert_eq!(said.0["priority"], "high");
    assert_eq!(said.0["context"], json!({"issue": 7}));
    assert_eq!(said.0["attempt"], 1);
    assert_eq!(said.0["leaseEpoch"], 1);
    assert_eq!(said.0["ttlSeconds"], 600);
    assert_eq!(said.0["ackBy"], "2027-01-15T08:05:03.000Z");
    assert_eq!(said.0["expiresAt"], "2027-01-15T08:10:03.000Z");
    assert_eq!(said.0["dependencyResults"], json!([]));
    assert_eq!(said.0["workspace"], json!({"repo": "acme/shop"}));
    assert!(said.text("sessionId").starts_with("s_"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_with_a_worktree_says_how_to_set_it_up() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "full-stack-engineer").await;
    desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Do it.", "worktree": true})).await;
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    let (task, prompt) = (said.text("taskId"), said.text("prompt"));
    assert!(prompt.starts_with("Do it."));
    assert!(prompt.contains(&format!("git worktree add .worktrees/feature-{task} -b feature-{task}")), "{prompt}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_holds_as_much_as_it_may_gets_a_reminder_instead_of_work() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "full-stack-engineer").await;
    let task = desk.given(&dev, json!({})).await;
    desk.call(&dev, "ack_task", json!({"taskId": task})).await.done();
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["status"], "NOTICE");
    assert_eq!(said.notices()[0]["kind"], "reminder");
    assert_eq!(said.notices()[0]["taskId"], json!(task));
    assert!(said.text("prompt").contains(&task));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_newer_wait_takes_the_place_of_the_older() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let old = desk.begins(&dev, "wait_for_prompt", json!({}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let new = desk.begins(&dev, "wait_for_prompt", json!({}));
    let said = old.await.expect("an answer");
    assert_eq!(said.done().0["status"], "SUPERSEDED");
    assert_eq!(new.await.expect("an answer").0["status"], "IDLE");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_is_evicted_hears_it_in_its_wait_and_can_do_nothing_else() -> Result<(), AgentError> {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let line = desk.hub.agent(dev.principal.agent().expect("an agent")).await?.expect("known");
    let eviction = Eviction { action: EvictionAction::Shutdown, reason: "night".to_owned(), for_good: false };
    line.evict(eviction, operator().by()).await?;
    let refused = desk.call(&dev, "list_agents", json!({})).await;
    refused.is("EVICTED");
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(said.done().0["status"], "EVICTED");
    assert_eq!(said.0["action"], "SHUTDOWN");
    assert_eq!(said.0["reason"], "night");
    assert!(said.text("prompt").contains("End this run"));
    desk.call(&dev, "register_agent", json!({"agentId": "a1", "role": "designer"})).await.done();
    desk.call(&dev, "list_agents", json!({})).await.done();
    desk.ends().await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_hung_up_gets_nothing_and_the_next_one_gets_the_task() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let gone = desk.begins(&dev, "wait_for_prompt", json!({}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    gone.abort();
    let _ = gone.await;
    let assigned = desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Draw."})).await;
    assert_eq!(assigned.0["queued"], true);
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["taskId"], assigned.0["taskId"]);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_could_not_be_written_out_gives_its_offer_back() {
    let desk = ToolFixture::new().await;
    let (dev, other) = (desk.agent("a1", "designer").await, desk.agent("a2", "designer").await);
    let work = json!({"targetAgentId": "role:designer", "prompt": "Draw."});
    desk.call(&operator(), "assign_task", work).await.done();
    let reply = crate::tools::call(&desk.hub, &dev, "wait_for_prompt", json!({})).await.expect("a task");
    reply.guard.expect("an offer in it").lost();
    let said = desk.call(&other, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["leaseEpoch"], 2, "{said:?}");
    desk.ends().await;
}
