//! What happens in a story.

use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, operator};
use crate::domain::time::Timestamp;
use crate::tools::people::{AnswerQuestion, PersonCall};
use callboard_standin::forge::Fault;

impl Stage {
    /// One thing happens by chance.
    pub(super) async fn goes_on(&mut self) {
        self.count += 1;
        let number = self.count;
        match self.chance.below(16) {
            0..=2 => self.opens(number).await,
            3 | 4 => self.changes(number).await,
            5 => self.merges().await,
            6 | 7 => self.questions(number).await,
            8 => self.answers().await,
            9 | 10 => self.remarks(number).await,
            11 => self.completes(number).await,
            12 => self.forge_fails(),
            13 => self.dies().await,
            14 => {
                self.faults.break_down("the disk broke");
                tokio::time::sleep(Duration::from_secs(self.chance.below(4))).await;
                self.faults.mend();
            }
            _ => {}
        }
        let pause = [0, 1, 30, 400][usize::try_from(self.chance.below(4)).unwrap()];
        tokio::time::sleep(Duration::from_secs(pause)).await;
        self.dies_if_it_must().await;
    }

    async fn opens(&self, number: u64) {
        let (branch, body) = (format!("f{number}"), format!("text {number}."));
        self.github.pushes(&self.repository(), &branch);
        self.says("create_pr", json!({"title": branch, "body": body, "head_branch": branch})).await;
    }

    /// One of the pull requests that were asked for; none where there is none.
    fn some_pull(&self) -> Option<String> {
        let asked = self.asked();
        let count = u64::try_from(asked.pulls.len()).unwrap();
        let place = (count > 0).then(|| usize::try_from(self.chance.below(count)).unwrap())?;
        asked.pulls.into_keys().nth(place)
    }

    async fn changes(&self, number: u64) {
        let Some(id) = self.some_pull() else { return };
        self.says("update_pr", json!({"pr_id": id, "body": format!("text {number}.")})).await;
    }

    async fn merges(&self) {
        let Some(id) = self.some_pull() else { return };
        self.says("merge_pr", json!({ "pr_id": id })).await;
    }

    async fn questions(&self, number: u64) {
        let ask = json!({"question": format!("Question {number}?"), "options": ["old", "new"],
            "default_action": "new", "timeout_minutes": 30, "wait_seconds": 0});
        self.says("request_input", ask).await;
    }

    async fn answers(&self) {
        let Some((id, _)) = self.asked().questions.pop() else { return };
        let call = PersonCall::new(self.backstage.hub.clone(), operator(), None);
        let answer: AnswerQuestion = serde_json::from_value(json!({"value": "old"})).unwrap();
        // It may be over already.
        drop(call.run(id.as_str(), &answer).await);
    }

    async fn remarks(&mut self, number: u64) {
        // A comment stands on a task, too.
        if self.works().await.is_none() {
            return;
        }
        self.says("post_task_comment", json!({"body": format!("Remark {number}.")})).await;
    }

    /// The agent has a task, or is given one.
    async fn works(&mut self) -> Option<String> {
        if let Some(task) = &self.task {
            return Some(task.clone());
        }
        let asked = json!({"targetAgentId": "ann", "prompt": "Build it."});
        let assigned = self.called(&operator(), "assign_task", asked).await;
        let task = assigned["taskId"].as_str()?.to_owned();
        for _ in 0..20 {
            let waited = self.says("wait_for_prompt", json!({})).await;
            if waited["taskId"].as_str() == Some(&task) {
                let taken = self.says("ack_task", json!({ "taskId": task })).await;
                self.task = (taken["success"] == true).then_some(task);
                return self.task.clone();
            }
        }
        None
    }

    async fn completes(&mut self, number: u64) {
        if self.works().await.is_none() {
            return;
        }
        self.says("complete_task", json!({"summary": format!("Summary {number}.")})).await;
        // Whether it was taken or its lease is gone: another one comes.
        self.task = None;
    }

    fn forge_fails(&self) {
        let now = self.backstage.hub.clock.now();
        let until = Timestamp(now.0 + 1_000 * self.chance.below(3_600));
        self.github.fault(match self.chance.below(9) {
            0 => Fault::Down,
            1 => Fault::BadGateway,
            2 => Fault::UsedUp(callboard_standin::time::Timestamp(until.0)),
            3 => Fault::TooMany(Duration::from_secs(self.chance.below(90))),
            4 => Fault::Revoked,
            5 | 6 => Fault::LosesAnswers,
            _ => Fault::None,
        });
    }
}
