//! Reviews over plain HTTP: the list, the change, comments, verdicts, and every no.

use serde_json::{Value, json};

use super::desk;
use crate::domain::principal::Scope;
use crate::settings::Settings;
use crate::transport::web::tests::{Answered, RouteFixture, agent, person, service};

const DIFF: &str = "\
diff --git a/src/login.rs b/src/login.rs
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,2 +1,3 @@
 one
+two
 three
";

/// A task of `fullstack-1` that waits for its reviewer.
async fn handed_in(desk: &RouteFixture) -> String {
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Add a login.").await;
    desk.waits("fullstack-1").await;
    submits(desk, json!({"task_id": id, "diff": DIFF})).await;
    id
}

async fn submits(desk: &RouteFixture, arguments: Value) {
    let done = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/submit_for_review", arguments).await;
    assert_eq!(done.status, 200, "{}", done.text);
}

fn texts(answered: &Answered) -> Vec<String> {
    let comments = answered.body["comments"].as_array().unwrap();
    comments.iter().map(|comment| comment["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_review_is_listed_shown_with_its_files_and_its_change_is_read_whole() {
    let desk = desk().await;
    assert_eq!(desk.get("/api/v1/reviews").await.body, json!({"items": [], "total": 0}));
    let id = handed_in(&desk).await;
    let list = desk.get("/api/v1/reviews?state=open&agent=fullstack-1").await;
    assert_eq!((&list.body["items"][0]["taskId"], &list.body["total"]), (&json!(id), &json!(1)), "{}", list.text);
    assert_eq!(desk.get("/api/v1/reviews?state=approved,withdrawn").await.body, json!({"items": [], "total": 0}));
    let one = desk.get(&format!("/api/v1/reviews/{id}")).await;
    let changes = json!([{"path": "src/login.rs", "added": 1, "removed": 0, "binary": false}]);
    assert_eq!(one.body["diff"]["changes"], changes, "{}", one.text);
    assert_eq!((&one.body["state"], &one.body["round"]), (&json!("open"), &json!(1)));
    let diff = desk.get(&format!("/api/v1/reviews/{id}/diff")).await;
    assert_eq!(
        (diff.text.as_str(), diff.headers["content-type"].to_str().unwrap()),
        (DIFF, "text/plain; charset=utf-8")
    );
    let tag = diff.headers["etag"].to_str().unwrap().to_owned();
    let request = http::Request::get(format!("/api/v1/reviews/{id}/diff")).header("if-none-match", &tag);
    let again = desk.ask(&person(Scope::View), request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!((again.status().as_u16(), again.headers()["etag"].to_str().unwrap()), (304, tag.as_str()));
    desk.get(&format!("/api/v1/reviews/{id}/diff?round=2")).await.is_no(404, "NOT_FOUND");
    let events = desk.get(&format!("/api/v1/tasks/{id}")).await.body["history"].clone();
    let kinds: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[kinds.len() - 2..], ["task.submitted", "review.submitted"], "{kinds:?}");
}

#[tokio::test(start_paused = true)]
async fn a_diff_of_a_pull_request_says_whose_it_is_and_where_to_look_when_there_is_none() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Add a login.").await;
    desk.waits("fullstack-1").await;
    let url = "https://git.example/acme/shop/pull/7";
    submits(&desk, json!({"task_id": id, "pr_url": url})).await;
    let path = format!("/api/v1/reviews/{id}/diff");
    let none = desk.get(&path).await;
    assert!(none.status == 404 && none.text.contains(&format!("open {url}")), "{}", none.text);
    submits(&desk, json!({"task_id": id, "pr_url": url, "diff": DIFF})).await;
    let diff = desk.get(&path).await;
    assert_eq!((diff.text.as_str(), diff.headers["callboard-diff-from"].to_str().unwrap()), (DIFF, "agent"));
    assert_eq!(desk.get(&format!("/api/v1/reviews/{id}")).await.body["diffFrom"], "agent");
}

#[tokio::test(start_paused = true)]
async fn comments_stand_where_the_diff_shows_something_and_a_verdict_sends_all_of_them() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let at = |verb: &str| format!("/api/v1/reviews/{id}/{verb}");
    let remark = json!({"text": "why two?", "file": "src/login.rs", "line": 2});
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let first = desk.send(&person(Scope::Operate), &at("comments"), &headers, remark.to_string()).await;
    let comment = first.body["commentId"].as_str().unwrap().to_owned();
    let again = desk.send(&person(Scope::Operate), &at("comments"), &headers, remark.to_string()).await;
    assert_eq!(again.body["commentId"], json!(comment), "a repeat is answered as the first time: {}", again.text);
    let other = json!({"text": "something else"}).to_string();
    desk.send(&person(Scope::Operate), &at("comments"), &headers, other).await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
    let reply = json!({"text": "and why here?", "replyTo": comment});
    assert_eq!(desk.post(&at("comments"), reply).await.status, 200);
    assert_eq!(texts(&desk.get(&format!("/api/v1/reviews/{id}")).await), ["why two?", "and why here?"]);
    let beside = json!({"text": "x", "file": "src/login.rs", "line": 9});
    let kept = desk.post(&at("comments"), beside.clone()).await;
    let why = "the diff does not show line 9 of `src/login.rs`: it shows 1-3";
    assert_eq!(kept.body["besideDiff"], json!([{"comment": 0, "why": why}]), "{}", kept.text);
    let back = desk.post(&at("request-changes"), json!({"comments": [{"text": "rename it"}]})).await;
    assert_eq!((&back.body["state"], &back.body["besideDiff"]), (&json!("QUEUED"), &Value::Null), "{}", back.text);
    let resolved = desk.post(&at("resolve"), json!({"commentId": comment, "response": "never mind"})).await;
    assert_eq!(resolved.body["changed"], true, "{}", resolved.text);
    let shown = desk.get(&format!("/api/v1/reviews/{id}")).await;
    assert_eq!(shown.body["unresolved"], 2, "{}", shown.text);
    assert_eq!(shown.body["rounds"][0]["verdicts"][0]["by"]["displayName"], "Ada");
}

#[tokio::test(start_paused = true)]
async fn a_verdict_counts_wherever_its_comments_stand_and_says_which_stand_beside_the_diff() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let wishes = json!({"comments": [
        {"text": "fine here", "file": "src/login.rs", "line": 2},
        {"text": "this one too", "file": "src/login.rs", "line": 90},
        {"text": "and there", "file": "src/logn.rs", "line": 1},
    ]});
    let path = format!("/api/v1/reviews/{id}/request-changes");
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    for _ in 0..2 {
        let back = desk.send(&person(Scope::Operate), &path, &headers, wishes.to_string()).await;
        assert_eq!(back.body["state"], "QUEUED", "{}", back.text);
        let beside = back.body["besideDiff"].as_array().unwrap();
        let which: Vec<u64> = beside.iter().map(|it| it["comment"].as_u64().unwrap()).collect();
        assert_eq!(which, [1, 2], "{}", back.text);
        assert!(beside[1]["why"].as_str().unwrap().contains("did you mean `src/login.rs`?"), "{}", back.text);
    }
    let told = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/wait_for_prompt", json!({"timeout": 1})).await;
    let heard = told.body["comments"].as_array().unwrap_or_else(|| panic!("{}", told.text));
    let places: Vec<(&str, &Value)> = heard.iter().map(|it| (it["text"].as_str().unwrap(), &it["line"])).collect();
    let (two, ninety, one) = (json!(2), json!(90), json!(1));
    let expected = [("fine here", &two), ("this one too", &ninety), ("and there", &one)];
    assert!(expected.iter().all(|place| places.contains(place)) && places.len() == 3, "{}", told.text);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_no_file_can_have_is_refused_and_no_verdict_falls() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    for place in [json!({"file": "src/login.rs", "line": 0}), json!({"line": 7})] {
        let mut wish = place.clone();
        wish["text"] = json!("x");
        for (path, body) in [
            (format!("/api/v1/reviews/{id}/comments"), wish.clone()),
            (format!("/api/v1/tasks/{id}/comments"), wish.clone()),
            (format!("/api/v1/reviews/{id}/request-changes"), json!({"comments": [{"text": "fine"}, wish]})),
        ] {
            let no = desk.post(&path, body).await;
            no.is_no(400, "INVALID_ARGUMENTS");
            assert_eq!(no.body["details"]["field"], "line", "{}", no.text);
        }
    }
    let review = desk.get(&format!("/api/v1/reviews/{id}")).await.body;
    assert_eq!((&review["state"], &review["comments"]), (&json!("open"), &json!([])));
}

/// Who agreed, and then saw something after all, does not want what they said before.
#[tokio::test(start_paused = true)]
async fn an_agreement_that_was_taken_back_is_no_wish() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let at = |verb: &str| format!("/api/v1/reviews/{id}/{verb}");
    let comments = json!({"comments": [{"text": "a program's word"}]});
    for (verdict, body) in [("approve", json!({})), ("request-changes", comments)] {
        desk.post_as(&service("bot"), &at(verdict), body).await.is_no(403, "NOT_A_HUMAN");
    }
    desk.post(&at("approve"), json!({"message": "good"})).await;
    desk.post(&at("request-changes"), json!({"comments": [{"text": "rename it"}]})).await;
    let me = agent("fullstack-1");
    let done = json!({"task_id": id, "summary": "done"});
    let no = desk.post_as(&me, "/api/v1/tools/complete_task", done).await;
    no.is_no(409, "CHANGES_REQUESTED");
    let said = no.body["error"].as_str().unwrap();
    assert!(said.contains("rename it") && !said.contains("approved") && !said.contains("good"), "{said}");
    assert_eq!(no.body["details"]["comments"].as_array().map(Vec::len), Some(1), "{}", no.text);
    let waits = async || desk.post_as(&me, "/api/v1/tools/wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(waits().await.body["status"], "NOTICE", "that it was approved is what happened first");
    let offered = waits().await;
    let told = offered.body["comments"].as_array().unwrap_or_else(|| panic!("{}", offered.text));
    let told: Vec<&str> = told.iter().map(|comment| comment["text"].as_str().unwrap()).collect();
    assert_eq!(told, ["rename it"]);
}

/// Whom its holder leaves an approved task to has to know that it is approved.
#[tokio::test(start_paused = true)]
async fn an_agreement_that_stands_is_told_to_whoever_has_the_task_next() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    desk.registers("fullstack-2", "full-stack-engineer").await;
    desk.post(&format!("/api/v1/reviews/{id}/approve"), json!({"message": "good"})).await;
    desk.post(&format!("/api/v1/tasks/{id}/reassign"), json!({"targetAgentId": "fullstack-2"})).await;
    let offered = desk.post_as(&agent("fullstack-2"), "/api/v1/tools/wait_for_prompt", json!({"timeout": 1})).await;
    let told = &offered.body["comments"][0];
    assert_eq!(told["kind"], "approval", "{}", offered.text);
    assert_eq!(told["text"], "approved: merge and call complete_task (good)", "{}", offered.text);
}

#[tokio::test(start_paused = true)]
async fn no_worker_ends_a_task_that_was_sent_back_before_it_heard_what_is_to_change() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let wish = json!({"comments": [{"text": "rename it", "file": "src/login.rs", "line": 2}]});
    desk.post(&format!("/api/v1/reviews/{id}/request-changes"), wish).await;
    let me = agent("fullstack-1");
    let says =
        async |tool: &str, arguments: Value| desk.post_as(&me, &format!("/api/v1/tools/{tool}"), arguments).await;
    let other = DIFF.replace("+two", "+deux");
    for (tool, arguments) in [
        ("send_response", json!({"taskId": id, "status": "COMPLETED", "message": "done"})),
        ("complete_task", json!({"task_id": id, "summary": "done"})),
        ("submit_for_review", json!({"task_id": id, "diff": other})),
        ("update_status", json!({"status": "completed", "message": "done"})),
        ("ack_task", json!({"taskId": id})),
    ] {
        let no = says(tool, arguments).await;
        no.is_no(409, "CHANGES_REQUESTED");
        assert!(no.body["error"].as_str().unwrap().contains("`src/login.rs`, line 2: rename it"), "{}", no.text);
    }
    let offered = says("wait_for_prompt", json!({"timeout": 1})).await;
    assert_eq!(offered.body["comments"][0]["text"], "rename it", "{}", offered.text);
    let done = says("complete_task", json!({"task_id": id, "summary": "renamed"})).await;
    assert_eq!(done.body["state"], "COMPLETED", "who was handed it has heard it: {}", done.text);
}

#[tokio::test(start_paused = true)]
async fn an_approval_waits_for_the_merge_unless_the_role_says_otherwise() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let approved = desk.post(&format!("/api/v1/reviews/{id}/approve"), json!({"message": "good"})).await;
    assert_eq!(approved.body, json!({"taskId": id, "state": "IN_REVIEW", "changed": true}));
    let task = desk.get(&format!("/api/v1/tasks/{id}")).await.body;
    assert_eq!(task["waitsFor"], "it is approved: `fullstack-1` must merge and complete it");
    let again = desk.post(&format!("/api/v1/tasks/{id}/approve"), json!({})).await;
    assert_eq!(again.body["changed"], false, "by whichever name: {}", again.text);
    let mut settings = Settings::defaults();
    for role in settings.roles.roles.values_mut() {
        role.on_approve = crate::settings::OnApprove::Complete;
    }
    desk.backstage.reload(settings);
    let done = desk.post(&format!("/api/v1/tasks/{id}/approve"), json!({})).await;
    assert_eq!(done.body["state"], "COMPLETED", "{}", done.text);
    desk.post(&format!("/api/v1/reviews/{id}/approve"), json!({})).await.is_no(409, "TASK_CLOSED");
    desk.post(&format!("/api/v1/reviews/{id}/comments"), json!({"text": "late"})).await.is_no(409, "TASK_CLOSED");
}

#[tokio::test(start_paused = true)]
async fn people_yaml_says_whose_work_a_person_may_judge() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    let reload = |rights: &str| {
        let people = format!("people:\n  ada: {{principal: \"person:ada\", canApprove: {rights}}}\n");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("people.yaml"), people).unwrap();
        let request = crate::settings::LoadRequest {
            config_dir: Some(folder.path().to_owned()),
            ..crate::settings::LoadRequest::default()
        };
        desk.backstage.reload(crate::settings::load(&request).unwrap().settings);
    };
    reload("[designer]");
    let at = |verb: &str| format!("/api/v1/reviews/{id}/{verb}");
    for (verb, body) in [
        ("approve", json!({})),
        ("request-changes", json!({"comments": [{"text": "x"}]})),
        ("comments", json!({"text": "x"})),
        ("resolve", json!({"commentId": "c_00000001"})),
    ] {
        let no = desk.post(&at(verb), body).await;
        no.is_no(403, "NOT_PERMITTED");
        let sentence = no.body["error"].as_str().unwrap();
        assert!(sentence.starts_with("Ada may not "), "{sentence}");
        assert!(sentence.ends_with(" of `fullstack-1`: see `canApprove` in config/people.yaml"), "{sentence}");
    }
    reload("[coding]");
    assert_eq!(desk.post(&at("approve"), json!({})).await.status, 200, "an alias of the role is the role");
}

#[tokio::test(start_paused = true)]
async fn every_no_of_a_review_has_its_code() {
    let desk = desk().await;
    let id = handed_in(&desk).await;
    desk.get("/api/v1/reviews?state=sleeping").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/reviews?colour=red").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/reviews?limit=501").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/reviews?cursor=x").await.is_no(400, "CURSOR_INVALID");
    desk.get("/api/v1/reviews/nosuchtask1").await.is_no(404, "REVIEW_NOT_FOUND");
    desk.get("/api/v1/reviews/x/diff").await.is_no(404, "REVIEW_NOT_FOUND");
    let at = |verb: &str| format!("/api/v1/reviews/{id}/{verb}");
    let no =
        async |verb: &str, body: Value, status: u16, code: &str| desk.post(&at(verb), body).await.is_no(status, code);
    no("comments", json!({}), 400, "INVALID_ARGUMENTS").await;
    no("comments", json!({"text": " "}), 400, "INVALID_ARGUMENTS").await;
    no("comments", json!({"text": "x", "side": "left"}), 400, "INVALID_ARGUMENTS").await;
    no("comments", json!({"text": "x", "replyTo": "?"}), 400, "INVALID_ARGUMENTS").await;
    no("comments", json!({"text": "x", "replyTo": "c_nosuch01"}), 404, "COMMENT_NOT_FOUND").await;
    no("comments", json!({"text": "x".repeat(65_537)}), 413, "TEXT_TOO_LONG").await;
    no("request-changes", json!({"comments": []}), 400, "COMMENT_MISSING").await;
    let many: Vec<Value> = (0..101).map(|_| json!({"text": "x"})).collect();
    no("request-changes", json!({"comments": many}), 400, "INVALID_ARGUMENTS").await;
    no("resolve", json!({}), 400, "INVALID_ARGUMENTS").await;
    no("resolve", json!({"commentId": "c_nosuch01"}), 404, "COMMENT_NOT_FOUND").await;
    let viewer = person(Scope::View);
    for verb in ["approve", "request-changes", "comments", "resolve"] {
        desk.post_as(&viewer, &at(verb), json!({})).await.is_no(403, "INSUFFICIENT_SCOPE");
        desk.post_as(&agent("fullstack-1"), &at(verb), json!({})).await.is_no(403, "INSUFFICIENT_SCOPE");
    }
    desk.get_as(&agent("fullstack-1"), "/api/v1/reviews").await.is_no(403, "INSUFFICIENT_SCOPE");
}
