//! Of what an approval in the hub is: of one pull request, in the commit in which it was handed in.

use serde_json::{Value, json};

use super::desk::operator;
use super::pulls::{BRANCH, SHOP, Stage, stage};
use crate::tools::people::{ApproveWork, PersonCall};
use callboard_standin::forge::Kind;

impl Stage {
    async fn approves(&self, task: &str) {
        let call = PersonCall::new(self.desk.hub.clone(), operator(), None);
        call.run(task, &ApproveWork { message: None }).await.unwrap();
    }

    async fn hands_in_again(&self, pr: &Value) {
        self.calls("submit_for_review", json!({"pr_id": pr["pr_id"]})).await.done();
    }

    async fn hub_review(&self, pr: &Value) -> Value {
        self.calls("get_pr_status", json!({"pr_id": pr["pr_id"]})).await.done().0["hub_review"].clone()
    }

    async fn missing(&self, pr: &Value) -> Value {
        let no = self.calls("merge_pr", json!({"pr_id": pr["pr_id"]})).await;
        no.is("MERGE_BLOCKED").0["details"]["missing"].clone()
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_of_what_was_handed_in_and_of_nothing_else() {
    let stage = stage(Kind::GitHub).await;
    // Opened before there is a task: that it is handed in for it is what counts.
    let pr = stage.creates().await.done().0["pr"].clone();
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("ack_task", json!({ "taskId": task })).await.done();
    assert_eq!(stage.hub_review(&pr).await, "not_asked");
    stage.calls("submit_for_review", json!({"pr_id": "pr_nowhere"})).await.is("PR_NOT_FOUND");
    stage.hands_in_again(&pr).await;
    let nobody = json!(["nobody approved it yet"]);
    assert_eq!((stage.hub_review(&pr).await, stage.missing(&pr).await), (json!("open"), nobody.clone()));

    stage.approves(&task).await;
    stage.forge.pushes(SHOP, "feature/other");
    let other = json!({"title": "Unseen", "head_branch": "feature/other"});
    let other = stage.calls("create_pr", other).await.done().0["pr"].clone();
    assert_eq!(other["task_id"], json!(task), "it is of the same task");
    assert_eq!((stage.hub_review(&other).await, stage.missing(&other).await), (json!("not_asked"), nobody));

    assert_eq!(stage.hub_review(&pr).await, "approved");
    stage.forge.pushes(SHOP, BRANCH);
    assert_eq!(stage.hub_review(&pr).await, "outdated");
    let moved = "its branch moved on after it was approved: call submit_for_review with its pr_id again";
    assert_eq!(stage.missing(&pr).await, json!([moved]));
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    let merged = stage.calls("merge_pr", json!({"pr_id": pr["pr_id"]})).await;
    assert_eq!(merged.done().0["pr"]["state"], "merged");
    stage.desk.ends().await;
}
