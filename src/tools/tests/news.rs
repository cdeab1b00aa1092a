//! News of a pull request by webhook, on stopped time: who hears them, what is looked at, and what moves a review.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::VerbReply;
use super::pulls::{BRANCH, SHOP, Stage, stage, stage_with};
use crate::actors::outbox::Destination as _;
use crate::domain::hook::{Change, HookEvent, ItemComment, PullSaid, SaidReview, Touched};
use crate::domain::ids::{PrincipalId, QuestionId, TaskId};
use crate::domain::outbox::{DeliveryStateName, SendOutcome};
use crate::domain::principal::Scope;
use crate::domain::pull::{PullState, Verdict};
use crate::domain::review::{Review, ReviewState};
use crate::domain::task::RightsSet;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::journal::{DeliveryFilter, PageRequest};
use crate::settings::{Person, Settings};
use crate::tools::hooks::{HookReceipt, receive_hook};
use crate::webhooks::{DeliverySubject, Received};
use callboard_standin::forge::{Fault, Kind};

/// Something about pull request 1.
fn news(text: &str) -> Change {
    let touched = Touched { numbers: vec![1], ..Touched::default() };
    Change { repository: "Acme/Shop".to_owned(), text: text.to_owned(), touched, ..Change::default() }
}

fn of_branch(text: &str) -> Change {
    let touched = Touched { branch: Some(BRANCH.to_owned()), ..Touched::default() };
    Change { touched, ..news(text) }
}

fn reviewed(author: &str, verdict: Verdict, text: &str) -> Change {
    let (author, text) = (author.to_owned(), text.to_owned());
    let review = SaidReview { verdict, author, by_program: false, text, url: None, at: None, commit: None };
    Change { review: Some(review), ..news("it was reviewed") }
}

/// Ada may judge everybody's work, Bob that of others alone.
fn people(settings: &mut Settings) {
    let person = |login: &str, id: &str| Person {
        display_name: Some(login.to_owned()),
        github: Some(login.to_owned()),
        principal: PrincipalId::parse(id).ok(),
        ..Person::default()
    };
    let others = RightsSet::Only(["test-engineer".to_owned()].into());
    let bob = Person { can_approve: Some(others), ..person("Bob", "person:bob") };
    let ada = Person { can_approve: Some(RightsSet::All), ..person("Ada", "person:ada") };
    let all = [("ada".to_owned(), ada), ("bob".to_owned(), bob)];
    settings.people.people.extend(all);
}

impl Stage {
    /// It comes by webhook, and what it means is done.
    async fn hears(&self, mut change: Change) {
        // A review is of the newest commit, and of this moment, unless it says otherwise.
        if let Some(review) = &mut change.review {
            review.commit = review.commit.take().or_else(|| Some(self.forge.ends_of(SHOP, 1)?.0));
            review.at = review.at.or(Some(self.desk.hub.clock.now()));
        }
        let heard = HookEvent::Change { change: Box::new(change) };
        assert_eq!(self.receives("github", None, heard).await, HookReceipt::Kept);
        self.settled().await;
    }

    async fn receives(&self, source: &str, told: Option<DeliverySubject>, heard: HookEvent) -> HookReceipt {
        let id = self.desk.hub.ids.request();
        let received =
            Received { source: source.to_owned(), id: id.clone(), id_is_signed: false, told, heard: Some(heard) };
        receive_hook(&self.desk.hub, "request-1", received, &id).await.unwrap()
    }

    /// Nothing that came is left to be done.
    async fn settled(&self) {
        loop {
            let counts = self.desk.hub.journal.read(|reader| reader.delivery_counts()).await.unwrap();
            let of = |state| counts.get(&("hooks.in".to_owned(), state)).copied().unwrap_or_default();
            assert_eq!(of(DeliveryStateName::DeadLetter), 0, "nothing that came is given up");
            if of(DeliveryStateName::Pending) == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// What the agent has to hear, once.
    async fn told(&self) -> Vec<String> {
        let notices = self.calls("get_session", json!({})).await.notices();
        notices.iter().map(|notice| notice["text"].as_str().unwrap().to_owned()).collect()
    }

    /// The one notice that the agent has to hear.
    async fn told_once(&self) -> String {
        let mut told = self.told().await;
        assert_eq!(told.len(), 1, "{told:?}");
        told.remove(0)
    }

    /// The pull request as its session shows it.
    async fn pull(&self) -> Value {
        self.calls("get_session", json!({})).await.0["session"]["pullRequests"][0].clone()
    }

    /// A task of the agent's with a pull request, handed in; the task, and the pull request.
    async fn hands_in(&self) -> (TaskId, Value) {
        let task = self.desk.given(&self.ann, json!({})).await;
        self.calls("ack_task", json!({ "taskId": task })).await.done();
        let pr = self.creates().await.done().0["pr"].clone();
        self.calls("submit_for_review", json!({"pr_id": pr["pr_id"]})).await.done();
        (TaskId::parse(&task).unwrap(), pr)
    }

    async fn review(&self, task: &TaskId) -> Review {
        let task = task.clone();
        self.desk.hub.journal.read(move |reader| reader.review(&task)).await.unwrap().unwrap()
    }

    async fn merges(&self) -> VerbReply {
        self.forge.checks(SHOP, 1, "build", Some("success"));
        self.calls("merge_pr", json!({"pr_id": "1"})).await
    }
}

#[tokio::test(start_paused = true)]
async fn who_opened_it_hears_news_once_with_how_it_stands_now() {
    let stage = stage(Kind::GitHub).await;
    stage.calls("link_task", json!({"work_item": "acme/shop#1"})).await.done();
    stage.creates().await.done();
    stage.forge.checks(SHOP, 1, "build", Some("failure"));
    stage.hears(of_branch("the check `build` ended")).await;
    let text = stage.told_once().await;
    assert!(text.starts_with("News of your pull request pr_") && text.contains(": the check `build` ended."), "{text}");
    assert!(text.ends_with(" It is open now; check `build` ended with failure."), "{text}");
    // It is linked to the same as a work item: one notice all the same.
    stage.forge.merges(SHOP, 1);
    stage.hears(Change { items: WorkItem::numbered(SHOP, 1).into_iter().collect(), ..news("it was merged") }).await;
    let text = stage.told_once().await;
    assert!(text.ends_with(": it was merged. It is merged now."), "{text}");
    assert_eq!(stage.pull().await["state"], "merged");
    // The branch is used again, and what is said of it is about another.
    stage.hears(of_branch("a push")).await;
    let text = stage.told_once().await;
    assert!(text.starts_with("News of your work item: a push"), "{text}");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn others_and_who_is_done_hear_nothing_and_what_the_hub_did_itself_is_no_news() {
    let stage = stage(Kind::GitHub).await;
    let elsewhere = json!({"role": "full-stack-engineer", "workspace": {"repo": SHOP, "branch": "other"}});
    let bob = stage.desk.agent_with("bob", elsewhere).await;
    stage.desk.call(&bob, "link_task", json!({"work_item": "acme/shop#40"})).await.done();
    stage.creates().await.done();
    for change in [news("it was opened"), news("it was changed"), news("it is ready for review")] {
        stage.hears(Change { echoes: true, ..change }).await;
    }
    assert_eq!(stage.told().await, [""; 0], "it is as the agent asked for it");
    stage.hears(of_branch("a push")).await;
    assert_eq!(stage.told().await.len(), 1);
    assert_eq!(stage.desk.call(&bob, "get_session", json!({})).await.notices(), [Value::Null; 0]);
    let elsewhere = Change { repository: "acme/web".to_owned(), ..news("it was closed") };
    stage.hears(elsewhere).await;
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("complete_task", json!({"summary": "done", "task_id": task})).await.done();
    stage.forge.closes(SHOP, 1);
    stage.hears(news("it was closed")).await;
    assert_eq!(stage.told().await, [""; 0], "its session is over");
    assert_eq!(stage.pull().await["state"], "closed", "and it is known all the same");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_forge_that_is_down_for_an_hour_keeps_back_no_notice_and_is_looked_at_afterwards() {
    let stage = stage(Kind::GitHub).await;
    stage.creates().await.done();
    stage.forge.merges(SHOP, 1);
    stage.forge.fault(Fault::Down);
    stage.hears(news("it was merged")).await;
    let text = stage.told_once().await;
    assert!(text.contains("It was open when it was last seen; the hub looks again, as the forge cannot be"), "{text}");
    // What comes behind it waits for nothing.
    stage.hears(news("somebody pushed")).await;
    assert!(stage.told_once().await.contains("somebody pushed"));
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let pull = stage.pull().await;
    assert_eq!((&pull["state"], &pull["outdated"]), (&json!("open"), &json!(true)), "{pull}");
    stage.forge.fault(Fault::None);
    tokio::time::sleep(Duration::from_secs(700)).await;
    let pull = stage.pull().await;
    assert_eq!((&pull["state"], &pull["outdated"]), (&json!("merged"), &Value::Null), "{pull}");
    assert_eq!(stage.told().await, [""; 0], "it was told already");
    let types = stage.types().await;
    let many = |name: &str| types.iter().filter(|kind| *kind == name).count();
    assert_eq!((many("pr.outdated"), many("pr.merged")), (1, 1), "{types:?}");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_token_that_was_revoked_changes_nothing_and_without_a_forge_the_newest_word_counts() {
    let stage = stage(Kind::GitHub).await;
    stage.creates().await.done();
    let says = |state, at: Timestamp| {
        let said = PullSaid { title: "Add the login".to_owned(), draft: false, state, at: Some(at) };
        Change { said: Some(said), ..news("it was closed") }
    };
    let later = Timestamp(stage.desk.hub.clock.now().0 + 60_000);
    stage.forge.fault(Fault::Revoked);
    stage.hears(says(PullState::Closed, later)).await;
    assert!(stage.told_once().await.contains("cannot be looked at: the forge does not accept the hub's token"));
    let pull = stage.pull().await;
    assert_eq!((&pull["state"], &pull["outdated"]), (&json!("open"), &Value::Null), "{pull}");
    stage.forge.fault(Fault::None);
    stage.desk.reload(|settings| settings.hub.forge.repositories = vec!["acme/other".to_owned()]);
    stage.hears(says(PullState::Closed, Timestamp(1_000))).await;
    assert!(stage.told_once().await.contains("forge.repositories does not list acme/shop"));
    assert_eq!(stage.pull().await["state"], "open", "older than what is known");
    let asked = stage.forge.asked().len();
    stage.hears(says(PullState::Closed, later)).await;
    assert!(stage.told_once().await.ends_with("It is closed now, by the sender's word."));
    assert_eq!((stage.pull().await["state"].clone(), stage.forge.asked().len()), (json!("closed"), asked));
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_counts_by_who_may_judge_and_opens_the_way_to_the_merge() {
    let stage = stage_with(Kind::GitHub, people).await;
    let (task, _) = stage.hands_in().await;
    stage.merges().await.is("MERGE_BLOCKED");
    let approved = |author: &str| reviewed(author, Verdict::Approved, "Fine.");
    let program = {
        let mut change = approved("ada");
        change.review.as_mut().unwrap().by_program = true;
        change
    };
    let earlier = {
        let mut change = approved("ada");
        change.review.as_mut().unwrap().at = Some(Timestamp(stage.desk.hub.clock.now().0 - 60_000));
        change
    };
    for (change, why) in [
        (approved("mallory"), "It is nobody's order, and moves no review: its author is nobody in people.yaml"),
        (approved("bob"), "It moves no review here: Bob may not approve the work of"),
        (program, "It is nobody's order, and moves no review: a program wrote it"),
        (earlier, "It moves no review here: it was written before the work was handed in"),
        (reviewed("ada", Verdict::Commented, "Fine."), "It is open now"),
    ] {
        stage.hears(change).await;
        let text = stage.told_once().await;
        assert!(text.contains(why) && text.ends_with("They write: Fine."), "{text}");
        assert_eq!(stage.review(&task).await.state, ReviewState::Open, "{why}");
    }
    stage.merges().await.is("MERGE_BLOCKED");
    // She may not write there: what counts is what the hub gives her.
    stage.forge.permits(SHOP, "ada", "read");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.hears(approved("ADA")).await;
    let review = stage.review(&task).await;
    let verdict = review.rounds[0].verdicts.last().unwrap();
    assert_eq!((review.state, verdict.by.id.as_str()), (ReviewState::Approved, "person:ada"));
    assert_eq!(stage.told_once().await, "approved: merge and call complete_task (Fine.)", "one notice, the verdict's");
    // Somebody else agrees, too: nothing moves, and it is told.
    stage.hears(approved("ada")).await;
    assert!(stage.told_once().await.contains("it is so already"));
    assert_eq!(stage.merges().await.done().0["pr"]["state"], "merged");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_may_only_look_by_their_own_token_approves_and_answers_nothing() {
    let stage = stage_with(Kind::GitHub, people).await;
    let looks = |principal: &PrincipalId| (principal.as_str() == "person:ada").then(|| [Scope::View].into());
    stage.desk.hub.credentials.begin(looks);
    let (task, _) = stage.hands_in().await;
    stage.forge.permits(SHOP, "ada", "read");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.hears(reviewed("ada", Verdict::Approved, "Fine.")).await;
    assert_eq!(stage.review(&task).await.state, ReviewState::Open);
    stage.merges().await.is("MERGE_BLOCKED");
    stage.desk.ends().await;
    let stage = stage_with(Kind::GitHub, people).await;
    stage.desk.hub.credentials.begin(looks);
    stage.calls("link_task", json!({"work_item": "acme/shop#1"})).await.done();
    let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "new", "wait_seconds": 0});
    let asked = stage.calls("request_input", ask).await;
    let id = QuestionId::parse(&asked.done().text("question_id")).unwrap();
    let comment = |author: &str| ItemComment {
        item: WorkItem::parse("acme/shop#1").unwrap(),
        author: author.to_owned(),
        id: None,
        edited: false,
        by_program: false,
        text: "old".to_owned(),
        at: Some(stage.desk.hub.clock.now()),
    };
    for (author, stays_open) in [("ada", true), ("bob", false)] {
        stage.receives("github", None, HookEvent::Comment { comment: Box::new(comment(author)) }).await;
        stage.settled().await;
        let id = id.clone();
        let question = stage.desk.hub.journal.read(move |reader| reader.question(&id)).await.unwrap().unwrap();
        assert_eq!(question.is_open(), stays_open, "{author}");
    }
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_came_by_webhook_lives_as_long_as_the_forge_shows_it() {
    let stage = stage_with(Kind::GitHub, people).await;
    let (task, _) = stage.hands_in().await;
    stage.forge.permits(SHOP, "ada", "read");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.hears(reviewed("ada", Verdict::Approved, "Fine.")).await;
    assert_eq!(stage.review(&task).await.state, ReviewState::Approved);
    stage.forge.dismisses(SHOP, 1, "ada");
    let no = stage.merges().await;
    let taken = "its approval was taken back on the forge: call submit_for_review with its pr_id again";
    assert_eq!(no.is("MERGE_BLOCKED").0["details"]["missing"], json!([taken]));
    // One of an earlier commit that is delivered late approves nothing.
    stage.forge.pushes(SHOP, BRANCH);
    stage.calls("submit_for_review", json!({"pr_id": "1"})).await.done();
    let mut late = reviewed("ada", Verdict::Approved, "Fine.");
    late.review.as_mut().unwrap().commit = Some("0".repeat(40));
    stage.hears(late).await;
    assert_eq!(stage.review(&task).await.state, ReviewState::Open);
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.hears(reviewed("ada", Verdict::Approved, "Fine.")).await;
    assert_eq!(stage.merges().await.done().0["pr"]["state"], "merged");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn requested_changes_come_back_in_the_reviewers_words_and_once_though_it_is_done_twice() {
    let stage = stage_with(Kind::GitHub, people).await;
    let (task, _) = stage.hands_in().await;
    stage.hears(reviewed("ada", Verdict::ChangesRequested, "Rename it.")).await;
    let page = PageRequest { limit: 9, cursor: None };
    let filter = DeliveryFilter { destination: Some("hooks.in".to_owned()), ..DeliveryFilter::default() };
    let rows = stage.desk.hub.journal.read(move |reader| reader.deliveries(&filter, &page)).await.unwrap().items;
    // As after a crash before its end was written down.
    let again = stage.desk.hooks.send(&rows[0]).await;
    assert!(matches!(again, SendOutcome::Delivered { .. }), "{again:?}");
    let text = stage.told_once().await;
    assert!(text.ends_with("Your task comes back to you with what is to change: call wait_for_prompt."), "{text}");
    let offer = stage.calls("wait_for_prompt", json!({})).await;
    let comments = offer.0["comments"].as_array().unwrap_or_else(|| panic!("{offer:?}"));
    assert_eq!((offer.0["taskId"].as_str(), comments.len()), (Some(task.as_str()), 1), "{offer:?}");
    assert_eq!((&comments[0]["text"], &comments[0]["from"]["displayName"]), (&json!("Rename it."), &json!("Ada")));
    assert_eq!(offer.notices(), [Value::Null; 0]);
    assert_eq!(stage.review(&task).await.state, ReviewState::ChangesRequested);
    // Without words, the place where they stand.
    stage.calls("ack_task", json!({ "taskId": task.as_str() })).await.done();
    stage.calls("submit_for_review", json!({"pr_id": "1"})).await.done();
    let mut silent = reviewed("ada", Verdict::ChangesRequested, " ");
    silent.review.as_mut().unwrap().url = Some("https://git.example/acme/shop/pull/1#review-2".to_owned());
    stage.hears(silent).await;
    let last = stage.review(&task).await.comments.last().unwrap().comment.text.clone();
    assert!(last.ends_with("https://git.example/acme/shop/pull/1#review-2"), "{last}");
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_handed_in_by_its_link_moves_and_a_bare_number_of_somewhere_else_does_not() {
    let stage = stage_with(Kind::GitHub, people).await;
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("ack_task", json!({ "taskId": task })).await.done();
    let task = TaskId::parse(&task).unwrap();
    let nine = |author: &str| {
        let url = Some("https://git.example/acme/shop/pull/9".to_owned());
        let touched = Touched { numbers: vec![9], url, ..Touched::default() };
        Change { touched, ..reviewed(author, Verdict::Approved, "") }
    };
    stage.calls("submit_for_review", json!({"pr_id": "9"})).await.done();
    stage.hears(nine("ada")).await;
    assert_eq!(stage.review(&task).await.state, ReviewState::Open, "9 of which repository?");
    stage.calls("submit_for_review", json!({"pr_url": "https://git.example/acme/Shop/pull/9"})).await.done();
    stage.hears(nine("mallory")).await;
    let text = stage.told_once().await;
    assert!(text.starts_with("News of your pull request: it was reviewed. It is nobody's order"), "{text}");
    stage.hears(nine("ada")).await;
    assert_eq!(stage.review(&task).await.state, ReviewState::Approved);
    // What is dismissed there says so wherever it is listed, and may be given again.
    let dismissed = |author: &str| Change { review: reviewed(author, Verdict::Dismissed, "").review, ..nine(author) };
    stage.hears(dismissed("mallory")).await;
    assert!(!stage.review(&task).await.is_taken_back());
    stage.hears(dismissed("Ada")).await;
    let review = stage.review(&task).await;
    assert!(review.is_taken_back() && review.view().taken_back, "{review:?}");
    tokio::time::sleep(Duration::from_secs(2)).await;
    stage.hears(nine("ada")).await;
    assert!(!stage.review(&task).await.is_taken_back());
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn one_comment_by_two_hooks_is_one_for_three_days() {
    let stage = stage(Kind::GitHub).await;
    let named = |host: Option<&str>| {
        Some(DeliverySubject { host: host.map(str::to_owned), name: "comment 7 in acme/shop".to_owned() })
    };
    let heard = || HookEvent::Change { change: Box::new(news("x")) };
    let (kept, repeated) = (HookReceipt::Kept, HookReceipt::Repeated);
    for (source, host, receipt) in [
        ("github", Some("github.com"), kept),
        ("organisation", Some("github.com"), repeated),
        ("github", Some("github.com"), repeated),
        ("github", Some("git.example"), kept),
        ("github", None, kept),
        ("github", None, repeated),
        ("organisation", None, kept),
    ] {
        assert_eq!(stage.receives(source, named(host), heard()).await, receipt, "{source} {host:?}");
    }
    tokio::time::sleep(Duration::from_secs(71 * 3_600)).await;
    assert_eq!(stage.receives("organisation", named(Some("github.com")), heard()).await, repeated);
    tokio::time::sleep(Duration::from_secs(2 * 3_600)).await;
    assert_eq!(stage.receives("organisation", named(Some("github.com")), heard()).await, kept);
    stage.settled().await;
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_work_item_stands_in_the_pull_request_and_the_pull_request_in_the_completion() {
    let stage = stage(Kind::GitHub).await;
    stage.calls("link_task", json!({"work_item": "acme/web#12"})).await.done();
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("ack_task", json!({ "taskId": task })).await.done();
    let said = stage.creates().await;
    let pr = &said.done().0["pr"];
    assert_eq!(pr["work_item"], "acme/web#12");
    let body = || stage.forge.text_of(SHOP, 1).unwrap().1;
    assert!(body().starts_with("Signs people in.\n\nWork item: acme/web#12\n\n<!-- callboard pr_"), "{}", body());
    stage.calls("update_pr", json!({"pr_id": "1", "body": "More."})).await.done();
    assert!(body().starts_with("More.\n\nWork item: acme/web#12\n\n<!-- callboard pr_"), "{}", body());
    assert_eq!(stage.pull().await["workItem"], "acme/web#12");
    stage.calls("complete_task", json!({"summary": "merged"})).await.done();
    let shown = stage.calls("get_task_context", json!({ "taskId": task })).await.0["task"].clone();
    let artifact = json!({"kind": "pr", "url": pr["url"], "title": "pull request acme/shop#1"});
    assert_eq!(shown["artifacts"], json!([artifact]), "{shown}");
    assert_eq!(
        (&shown["pullRequests"][0]["prId"], shown["pullRequests"][0]["state"].clone()),
        (&pr["pr_id"], json!("open"))
    );
    stage.desk.ends().await;
}
