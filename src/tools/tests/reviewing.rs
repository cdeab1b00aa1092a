//! An agent hands its work in, reads what was said of it, and settles it.

use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent_of, operator};
use crate::actors::task::TaskAct;
use crate::domain::ids::{CommentId, TaskId};
use crate::domain::review::Side;
use crate::domain::task::{Cause, Comment, CommentKind, Origin, OriginKind, TaskCommand};
use crate::tools::Caller;

const DIFF: &str = "\
diff --git a/src/login.rs b/src/login.rs
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,2 +1,3 @@
 one
+two
 three
";

/// Ada, a person, orders.
async fn ada(desk: &ToolFixture, task: &str, command: TaskCommand) {
    let who = Origin { kind: OriginKind::Cli, id: "operator".to_owned(), display_name: "Ada".to_owned() };
    let notices = (0..Cause::NOTICES).map(|_| desk.hub.ids.notice()).collect();
    let cause = Cause { by: operator().by(), who, notices };
    let act =
        TaskAct { command, cause, request: None, blobs: Vec::new(), key: None, note: None, part: None, judged: None };
    desk.hub.order(&TaskId::parse(task).unwrap(), act).await.unwrap().unwrap();
}

fn comment(desk: &ToolFixture, text: &str, line: u32) -> Comment {
    Comment {
        id: desk.hub.ids.comment(),
        kind: CommentKind::Review,
        from: Origin { kind: OriginKind::Cli, id: "operator".to_owned(), display_name: "Ada".to_owned() },
        text: text.to_owned(),
        file: Some("src/login.rs".to_owned()),
        line: Some(line),
        reply_to: None,
        sanitized: None,
        at: desk.hub.clock.now(),
    }
}

async fn submits(desk: &ToolFixture, ann: &Caller, more: Value) -> super::fixture::VerbReply {
    desk.call(ann, "submit_for_review", more).await
}

#[tokio::test(start_paused = true)]
async fn what_is_handed_in_as_a_link_is_one_of_the_web() {
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&ann, json!({})).await;
    let wrong = ["javascript:alert(1)", "data:text/html,x", "/pull/7", "forge.example/7", "https://a@forge.example/7"];
    for url in wrong {
        let no = submits(&desk, &ann, json!({ "pr_url": url })).await;
        assert_eq!(no.is("LINK_INVALID").0["details"]["field"], "pr_url", "{url}");
        assert!(no.text("prompt").contains("https://"), "{no:?}");
        let artifacts = json!([{"kind": "pr", "url": url}]);
        let report = json!({"taskId": task, "status": "PROGRESS", "message": "x", "artifacts": artifacts});
        let no = desk.call(&ann, "send_response", report).await;
        assert_eq!(no.is("LINK_INVALID").0["details"]["field"], "artifacts.url", "{url}");
    }
    let context = desk.call(&ann, "get_task_context", json!({ "taskId": task })).await;
    assert_eq!(context.0["task"]["state"], "IN_PROGRESS", "nothing was handed in: {context:?}");
    submits(&desk, &ann, json!({"pr_url": " https://forge.example/acme/shop/pull/7 "})).await.done();
    let listed = desk.call(&ann, "list_prs", json!({})).await;
    assert!(listed.0.to_string().contains("\"https://forge.example/acme/shop/pull/7\""), "{listed:?}");
}

#[tokio::test(start_paused = true)]
async fn work_is_handed_in_sent_back_with_every_comment_settled_and_approved() {
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&ann, json!({})).await;
    let said = submits(&desk, &ann, json!({"diff": DIFF, "notesForReviewer": "mind the tests"})).await;
    assert_eq!((said.text("task_id"), said.text("state")), (task.clone(), "IN_REVIEW".to_owned()));
    let size = json!({"bytes": DIFF.len(), "files": 1, "added": 1, "removed": 0, "hidden": 0});
    assert_eq!(said.0["diff"], size);
    assert!(said.text("prompt").contains("Call wait_for_prompt"), "{said:?}");
    let session = desk.call(&ann, "get_session", json!({})).await;
    assert_eq!(session.0["session"]["workflowStatus"], "awaiting_review", "both moved in one append: {session:?}");
    // One is said before the verdict, one with it; both come with the task.
    let first = comment(&desk, "why two?", 2);
    ada(&desk, &task, TaskCommand::Discuss { comment: first, side: Side::New }).await;
    let heard = desk.call(&ann, "wait_for_prompt", json!({})).await;
    assert_eq!(heard.0["status"], "NOTICE", "{heard:?}");
    assert!(heard.notices()[0]["text"].as_str().unwrap().contains("`src/login.rs`, line 2: why two?"), "{heard:?}");
    let second = comment(&desk, "rename it", 3);
    ada(&desk, &task, TaskCommand::RequestChanges { comments: vec![second], round: None }).await;
    let back = desk.call(&ann, "wait_for_prompt", json!({})).await;
    assert_eq!((back.text("status"), back.text("taskId")), ("TASK".to_owned(), task.clone()));
    let told: Vec<&Value> = back.0["comments"].as_array().unwrap().iter().collect();
    assert!(back.text("message").contains("read the 2 comments in `comments` first"), "{back:?}");
    let texts: Vec<&str> = told.iter().map(|comment| comment["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["why two?", "rename it"]);
    // Settled, with and without words; what is settled is shown only when asked for.
    let open = desk.call(&ann, "get_review_comments", json!({})).await;
    assert_eq!((open.0["comments"].as_array().unwrap().len(), open.text("state")), (2, "changes_requested".to_owned()));
    for (comment, response) in told.iter().zip([json!("it must"), Value::Null]) {
        let arguments = json!({"comment_id": comment["id"], "response": response});
        let settled = desk.call(&ann, "resolve_review_comment", arguments.clone()).await;
        assert_eq!(settled.0["recorded"], true, "{settled:?}");
        let again = desk.call(&ann, "resolve_review_comment", arguments).await;
        assert_eq!(again.0["recorded"], false, "{again:?}");
    }
    let open = desk.call(&ann, "get_review_comments", json!({"taskId": task})).await;
    assert_eq!(open.0["comments"], json!([]));
    let all = desk.call(&ann, "get_review_comments", json!({"unresolved_only": false})).await;
    assert_eq!(all.0["comments"][0]["response"], "it must");
    // Again, and agreed.
    let again = submits(&desk, &ann, json!({"pr_url": "https://git.example/pr/7", "pr_id": "7"})).await;
    assert_eq!(again.text("state"), "IN_REVIEW", "{again:?}");
    let early = desk.call(&ann, "complete_task", json!({"summary": "merged"})).await;
    early.is("TASK_WRONG_STATE");
    let comment = desk.hub.ids.comment();
    let approve = TaskCommand::Approve { message: None, comment, completes: false, grounds: None, round: None };
    ada(&desk, &task, approve).await;
    let heard = desk.call(&ann, "wait_for_prompt", json!({})).await;
    assert_eq!(heard.notices()[0]["text"], "approved: merge and call complete_task");
    let prs = desk.call(&ann, "list_prs", json!({})).await;
    assert_eq!((prs.0["prs"][0]["pr_id"].as_str(), prs.0["prs"][0]["status"].as_str()), (Some("7"), Some("approved")));
    assert_eq!(desk.call(&ann, "list_prs", json!({"status": "open"})).await.0["prs"], json!([]));
    let done = desk.call(&ann, "complete_task", json!({"summary": "merged"})).await;
    assert_eq!(done.text("state"), "COMPLETED", "{done:?}");
    let session = desk.call(&ann, "get_session", json!({})).await;
    assert_eq!(session.0["session"]["workflowStatus"], "completed", "{session:?}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_handed_in_says_why() {
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    submits(&desk, &ann, json!({"diff": DIFF})).await.is("NO_TASK");
    let task = desk.given(&ann, json!({})).await;
    submits(&desk, &ann, json!({})).await.is("NOTHING_TO_REVIEW");
    submits(&desk, &ann, json!({"diff": " \n"})).await.is("NOTHING_TO_REVIEW");
    submits(&desk, &ann, json!({"diff": "I changed the login."})).await.is("DIFF_INVALID");
    submits(&desk, &ann, json!({"pr_id": "x".repeat(5_000)})).await.is("TEXT_TOO_LONG");
    submits(&desk, &ann, json!({"diff": DIFF, "task_id": "nosuchtask1"})).await.is("TASK_NOT_FOUND");
    submits(&desk, &ann, json!({"diff": DIFF, "lease_epoch": 99})).await.is("LEASE_LOST");
    submits(&desk, &ann, json!({"diff": DIFF, "colour": "red"})).await.is("INVALID_ARGUMENTS");
    submits(&desk, &operator(), json!({"diff": DIFF})).await.is("SESSION_REQUIRED");
    let bob = desk.agent("fullstack-2", "full-stack-engineer").await;
    submits(&desk, &bob, json!({"diff": DIFF, "task_id": task})).await.is("TASK_NOT_FOUND");
    desk.call(&ann, "get_review_comments", json!({})).await.is("REVIEW_NOT_FOUND");
    submits(&desk, &ann, json!({"diff": DIFF})).await.done();
    desk.call(&bob, "get_review_comments", json!({"task_id": task})).await.is("TASK_NOT_FOUND");
    let made = comment(&desk, "why?", 2);
    let id = made.id.to_string();
    ada(&desk, &task, TaskCommand::Discuss { comment: made, side: Side::New }).await;
    desk.call(&bob, "resolve_review_comment", json!({"comment_id": id})).await.is("COMMENT_NOT_FOUND");
    desk.call(&ann, "resolve_review_comment", json!({"comment_id": "c_nosuch01"})).await.is("COMMENT_NOT_FOUND");
    desk.call(&ann, "resolve_review_comment", json!({"comment_id": "what?"})).await.is("COMMENT_NOT_FOUND");
    let unknown = CommentId::parse("c_00000000").unwrap();
    assert_ne!(unknown.as_str(), id);
    assert_eq!(agent_of(&bob), "fullstack-2");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_hides_in_a_diff_is_what_its_reviewer_sees() {
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&ann, json!({})).await;
    let hostile = DIFF.replace("+two", "+two \u{202e}\u{2066}// admin\u{1b}[2J\u{0}");
    let said = submits(&desk, &ann, json!({"diff": hostile})).await;
    assert_eq!(said.0["diff"]["hidden"], 4, "{said:?}");
    let id = TaskId::parse(&task).unwrap();
    let kept = desk.hub.journal.read(move |reader| {
        let review = reader.review(&id)?.expect("a review");
        let diff = review.round().and_then(|round| round.change.diff.clone()).expect("a diff");
        let crate::domain::task::KeptText::Stored { blob, .. } = diff else { panic!("it is kept apart") };
        Ok(reader.blob(&blob)?.expect("it is there"))
    });
    let kept = kept.await.unwrap();
    assert!(kept.contains("+two \\u{202e}\\u{2066}// admin\\u{1b}[2J\\u{0}"), "{kept}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_diff_may_have_eight_mebibytes_and_not_a_byte_more() {
    const MOST: usize = 8 * 1024 * 1024;
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&ann, json!({})).await;
    let head = "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+";
    let whole = format!("{head}{}", "x".repeat(MOST - head.len()));
    let refused = submits(&desk, &ann, json!({"diff": format!("{whole}x")})).await;
    assert!(refused.text("message").contains("`diff` has 8388609 bytes; 8388608 is the most"), "{refused:?}");
    refused.is("TEXT_TOO_LONG");
    // Small as it comes, and large once it is readable.
    let hides = format!("{head}{}", "\u{0}".repeat(MOST / 4));
    submits(&desk, &ann, json!({"diff": hides})).await.is("TEXT_TOO_LONG");
    let taken = submits(&desk, &ann, json!({"diff": whole})).await;
    assert_eq!(taken.0["diff"]["bytes"], MOST, "{:?}", taken.0["code"]);
    let known = desk.hub.task(&TaskId::parse(&task).unwrap()).await.unwrap().unwrap();
    assert!(serde_json::to_string(&known).unwrap().len() < 10_000, "the row stays small");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_status_alone_hands_work_in_and_takes_it_back() {
    let desk = ToolFixture::new().await;
    let ann = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&ann, json!({})).await;
    let status = async |status: &str| {
        desk.call(&ann, "update_status", json!({"status": status, "message": "the login"})).await.done();
        desk.hub.task(&TaskId::parse(&task).unwrap()).await.unwrap().unwrap().name().to_string()
    };
    desk.call(&ann, "ack_task", json!({"taskId": task})).await.done();
    assert_eq!(status("working").await, "IN_PROGRESS");
    assert_eq!(status("awaiting_review").await, "IN_REVIEW");
    let open = desk.call(&ann, "get_review_comments", json!({})).await;
    assert_eq!(open.text("state"), "open", "{open:?}");
    assert_eq!(status("working").await, "IN_PROGRESS");
    let back = desk.call(&ann, "get_review_comments", json!({})).await;
    assert_eq!(back.text("state"), "withdrawn", "{back:?}");
    desk.ends().await;
}
