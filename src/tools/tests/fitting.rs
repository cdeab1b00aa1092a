//! Results that a client can hand to its model: below 80 kB as they are written, with a way to get the rest.

use serde_json::{Value, json};

use super::fixture::{ToolFixture, operator};
use crate::tools::Caller;
use crate::tools::call;

/// The most that a result may have, in bytes.
const MOST: usize = 80_000;

/// What is written of a result: its structure, and the same as text.
async fn written(desk: &ToolFixture, caller: &Caller, name: &str, arguments: Value) -> (Value, usize) {
    let reply = call(&desk.hub, caller, name, arguments).await.expect("an answer");
    reply.guard.iter().for_each(|guard| guard.leaves());
    let bytes = reply.structured().to_string().len() + json!(reply.text()).to_string().len();
    (reply.structured(), bytes)
}

/// Texts that take the more the more often they are written.
fn texts() -> [String; 3] {
    ["word ".repeat(12_800), "\"a\"\n".repeat(16_000), "ü\\ ".repeat(16_000)]
}

#[tokio::test(start_paused = true)]
async fn an_offer_fits_and_its_text_can_be_read_to_the_end() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    for prompt in texts() {
        let work = json!({"targetAgentId": "dev-1", "prompt": prompt, "spec": prompt, "worktree": true,
            "context": {"notes": prompt[..30_000]}});
        let task = desk.call(&operator(), "assign_task", work).await.text("taskId");
        let (offer, bytes) = written(&desk, &dev, "wait_for_prompt", json!({})).await;
        assert_eq!(offer["taskId"], json!(task), "{offer}");
        assert!(bytes < MOST, "{bytes}");
        let shown = offer["prompt"].as_str().expect("a text");
        assert!(shown.contains("bytes are shown here]") && shown.contains("git worktree add"), "{}", shown.len());
        let message = offer["message"].as_str().expect("words");
        let how = format!("get_task_context with taskId {task}, field /prompt and offset ");
        let (_, offset) = message.split_once(&how).unwrap_or_else(|| panic!("{message}"));
        let offset: usize = offset.split('.').next().expect("a number").parse().expect("a number");
        assert!(shown.starts_with(&prompt[..offset]), "what is shown is the beginning");
        assert_eq!(desk.reads_from(&dev, &task, "/prompt", offset).await, prompt[offset..]);
        assert_eq!(desk.reads(&dev, &task, "/spec").await, prompt);
        assert_eq!(desk.reads(&dev, &task, "/context/notes").await, prompt[..30_000]);
        let ended = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
        desk.call(&dev, "send_response", ended).await.done();
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_task_came_to_fits_and_can_be_read_to_the_end() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let task = desk.given(&dev, json!({"prompt": texts()[1]})).await;
    for number in 0..60 {
        let message = format!("{number} {}", "\"reported\"\n".repeat(300));
        desk.call(&dev, "update_progress", json!({"taskId": task, "message": message})).await.done();
    }
    let (context, bytes) = written(&desk, &dev, "get_task_context", json!({"taskId": task})).await;
    assert!(bytes < MOST, "{bytes}");
    let message = context["message"].as_str().expect("words");
    assert!(message.contains("Shown in part: ") && message.contains(&format!("taskId {task}")), "{message}");
    let history = context["task"]["history"].as_array().expect("a history");
    assert!(history.last().is_some_and(|item| item.to_string().contains("59 ")), "the newest is there");
    let first = desk.reads(&dev, &task, "/task/history/3/data/message").await;
    assert!(first.starts_with("0 \"reported\"") && first.len() > 3_000, "{}", first.len());

    let result = "\"so\" it is\n".repeat(100_000);
    let ended = json!({"taskId": task, "status": "COMPLETED", "message": result, "artifacts": [texts()[0]]});
    desk.call(&dev, "send_response", ended).await.done();
    for verb in ["wait_for_task", "get_task_context"] {
        let (_, bytes) = written(&desk, &operator(), verb, json!({"taskId": task})).await;
        assert!(bytes < MOST, "{verb}: {bytes}");
    }
    assert_eq!(desk.reads(&operator(), &task, "/result").await, result);
    let misnamed = json!({"taskId": task, "field": "/nothing"});
    desk.call(&dev, "get_task_context", misnamed).await.is("INVALID_ARGUMENTS");
    let beyond = json!({"taskId": task, "field": "/result", "offset": 99_999_999});
    desk.call(&dev, "get_task_context", beyond).await.is("INVALID_ARGUMENTS");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_lies_in_terminals_is_found_a_page_at_a_time() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let lines: Vec<String> = (0..150).map(|n| format!("error {n} {}", "\"\\".repeat(400))).collect();
    for some in lines.chunks(20) {
        desk.call(&dev, "append_output", json!({"text": format!("{}\n", some.join("\n"))})).await.done();
    }
    let search = |skip: usize| json!({"query": "error", "max_results": 100, "context_lines": 10, "skip": skip});
    let mut seen = Vec::new();
    while seen.len() < lines.len() {
        let (found, bytes) = written(&desk, &dev, "search_session_history", search(seen.len())).await;
        assert!(bytes < MOST, "{bytes}");
        let matches = found["matches"].as_array().expect("matches");
        assert!(!matches.is_empty(), "after {} of {}", seen.len(), lines.len());
        if seen.is_empty() {
            assert!(found["message"].as_str().is_some_and(|words| words.contains("skip")), "{}", found["message"]);
        }
        seen.extend(matches.iter().filter_map(|found| found["line_number"].as_u64()));
    }
    assert!(seen.is_sorted() && seen.len() == 150, "{seen:?}");
    let one = json!({"query": "error", "max_results": 1, "context_lines": 0, "skip": 149});
    let (found, _) = written(&desk, &dev, "search_session_history", one).await;
    let line = found["matches"][0]["matched_text"].as_str().expect("a line");
    assert!(lines[149].starts_with(line) && !line.contains("shown here"), "{line}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_happened_in_a_session_is_told_a_page_at_a_time() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    for number in 0..60 {
        let message = format!("{number} {}", "\"\n".repeat(1_500));
        desk.call(&dev, "update_status", json!({"status": "working", "message": message})).await.done();
    }
    let mut asked = json!({"limit": 500, "types": ["session.workflow_status"]});
    let mut told = 0;
    loop {
        let (page, bytes) = written(&desk, &dev, "get_session_history", asked.clone()).await;
        assert!(bytes < MOST, "{bytes}");
        told += page["events"].as_array().expect("events").len();
        let Some(next) = page["next_before_seq"].as_u64() else { break };
        assert!(page["message"].as_str().is_some_and(|words| words.contains(&format!("before_seq {next}"))));
        asked["before_seq"] = json!(next);
    }
    assert!(told >= 60, "{told}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn messages_come_as_many_as_fit_and_the_rest_with_the_next_calls() {
    let desk = ToolFixture::new().await;
    let (boss, dev) = (desk.agent("boss-1", "orchestrator").await, desk.agent("dev-1", "designer").await);
    for number in 0..12 {
        let text = format!("{number} {}", "hear ".repeat(1_600));
        desk.call(&boss, "send_message", json!({"to": "dev-1", "text": text})).await.done();
    }
    let long = json!({"to": "dev-1", "text": "x".repeat(16 * 1024 + 1)});
    desk.call(&boss, "send_message", long).await.is("TEXT_TOO_LONG");
    let mut heard = Vec::new();
    while heard.len() < 12 {
        let (told, bytes) = written(&desk, &dev, "wait_for_prompt", json!({"timeout": 1})).await;
        assert!(bytes < MOST, "{bytes}");
        assert_eq!(told["status"], "NOTICE", "after {heard:?}");
        let notices = told["notices"].as_array().expect("notices").iter();
        heard.extend(notices.filter_map(|notice| notice["text"].as_str()?.split(' ').next().map(str::to_owned)));
    }
    assert_eq!(heard, (0..12).map(|number| number.to_string()).collect::<Vec<_>>());
    desk.ends().await;
}
