//! What happens in a story.

use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, operator};
use crate::domain::hook::{Change, HookEvent, SaidReview, Touched};
use crate::domain::pull::{PullRecord, Verdict};
use crate::domain::time::Timestamp;
use crate::journal::{Reader as _, Record, Seq};
use crate::tools::hooks::receive_hook;
use crate::tools::people::{AnswerQuestion, ApproveWork, PersonCall};
use crate::webhooks::Received;
use callboard_standin::forge::Fault;

impl Stage {
    /// One thing happens by chance.
    pub(super) async fn goes_on(&mut self) {
        self.count += 1;
        let number = self.count;
        match self.chance.below(24) {
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
            16..=18 => self.reviewed().await,
            19 => self.dismissed().await,
            20 => self.pushed().await,
            21 => self.led_elsewhere(),
            22 => self.hands_in().await,
            23 => self.approves().await,
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

    /// One of the pull requests that stand there: its id and its number.
    fn some_number(&self) -> Option<(String, u64)> {
        let created = self.reader.records(Seq(0), 100_000).unwrap().into_iter().filter_map(|kept| {
            let Record::Pull(PullRecord::Created { id, number, .. }) = kept.record else { return None };
            Some((id.to_string(), number?))
        });
        let mut all: Vec<_> = created.collect();
        let count = u64::try_from(all.len()).unwrap();
        (count > 0).then(|| all.swap_remove(usize::try_from(self.chance.below(count)).unwrap()))
    }

    /// Somebody reviews one on the forge, who may or may not; the hub may hear of it.
    async fn reviewed(&self) {
        let Some((_, number)) = self.some_number() else { return };
        let place = |many: u64| usize::try_from(self.chance.below(many)).unwrap();
        let who = ["ada", "ada", "ada", "eve", "ci[bot]"][place(5)];
        let verdict = [Verdict::Approved, Verdict::Approved, Verdict::ChangesRequested][place(3)];
        let state = if verdict == Verdict::Approved { "APPROVED" } else { "CHANGES_REQUESTED" };
        self.github.reviews(&self.repository(), number, who, state);
        self.tells(number, who, verdict).await;
    }

    async fn dismissed(&self) {
        let Some((_, number)) = self.some_number() else { return };
        self.github.dismisses(&self.repository(), number, "ada");
        self.tells(number, "ada", Verdict::Dismissed).await;
    }

    async fn pushed(&self) {
        let Some((_, number)) = self.some_number() else { return };
        let Some(head) = self.github.head_of(&self.repository(), number) else { return };
        self.github.pushes(&self.repository(), &head);
        self.tells(number, "ada", Verdict::Commented).await;
    }

    fn led_elsewhere(&self) {
        let Some((_, number)) = self.some_number() else { return };
        let base = if self.chance.one_in(2) { "main" } else { "release" };
        self.github.leads_into(&self.repository(), number, base);
    }

    /// The forge tells what was said, once in two; sometimes what it told is older than what stands there.
    async fn tells(&self, number: u64, who: &str, verdict: Verdict) {
        if self.chance.one_in(2) {
            return;
        }
        let now = self.backstage.hub.clock.now();
        let review = SaidReview {
            verdict,
            author: who.to_owned(),
            by_program: who.ends_with("[bot]"),
            text: String::new(),
            url: None,
            at: Some(Timestamp(now.0 - 1_000 * self.chance.below(3))),
            commit: self.github.ends_of(&self.repository(), number).map(|(commit, ..)| commit),
        };
        let change = Change {
            repository: self.repository(),
            text: "it was reviewed".to_owned(),
            touched: Touched { numbers: vec![number], ..Touched::default() },
            review: Some(review),
            ..Change::default()
        };
        let id = self.backstage.hub.ids.request();
        let received = Received {
            source: "github".to_owned(),
            id: id.clone(),
            id_is_signed: false,
            told: None,
            heard: Some(HookEvent::Change { change: Box::new(change) }),
        };
        // The disk may be broken.
        drop(receive_hook(&self.backstage.hub, "request-1", received, &id).await);
    }

    async fn hands_in(&mut self) {
        let Some(id) = self.some_pull() else { return };
        if self.works().await.is_none() {
            return;
        }
        self.says("submit_for_review", json!({ "pr_id": id })).await;
        if self.chance.one_in(2) {
            self.approves().await;
        }
    }

    async fn approves(&self) {
        let Some(task) = &self.task else { return };
        let call = PersonCall::new(self.backstage.hub.clone(), operator(), None);
        drop(call.run(task, &ApproveWork::default()).await);
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
            2 => Fault::UsedUp(until),
            3 => Fault::TooMany(Duration::from_secs(self.chance.below(90))),
            4 => Fault::Revoked,
            5 | 6 => Fault::LosesAnswers,
            _ => Fault::None,
        });
    }
}
