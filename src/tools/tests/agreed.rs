//! Of what an approval is: of one pull request, in the commit and for the base in which it was handed in, by who may.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{VerbReply, operator};
use super::pulls::{BRANCH, SHOP, Stage, stage, stage_with};
use crate::domain::ids::PrincipalId;
use crate::domain::pull::Green;
use crate::domain::task::RightsSet;
use crate::settings::{Person, Settings};
use crate::tools::people::{
    ApproveWork, CancelTask, DiscordOrder, DiscordUser, OnDiscord, PersonCall, RequestChanges, Wish,
};
use callboard_standin::forge::{Fault, Kind};

impl Stage {
    async fn approves(&self, task: &str) {
        let call = PersonCall::new(self.desk.hub.clone(), operator(), None);
        call.run(task, &ApproveWork::default()).await.unwrap();
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

    async fn codes(&self) -> Value {
        let no = self.calls("merge_pr", json!({"pr_id": "1"})).await;
        no.is("MERGE_BLOCKED").0["details"]["missingCodes"].clone()
    }

    async fn merged(&self) -> VerbReply {
        let merged = self.calls("merge_pr", json!({"pr_id": "1"})).await;
        assert_eq!(merged.done().0["pr"]["state"], "merged", "{merged:?}");
        merged
    }

    /// A task, and its pull request with a green check.
    async fn works(&self) -> (String, Value) {
        let task = self.desk.given(&self.ann, json!({})).await;
        self.calls("ack_task", json!({ "taskId": task })).await.done();
        let pr = self.creates().await.done().0["pr"].clone();
        self.green();
        (task, pr)
    }

    fn green(&self) {
        self.forge.checks(SHOP, 1, "build", Some("success"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_of_what_was_handed_in_and_of_nothing_else() {
    let stage = stage(Kind::GitHub).await;
    // Opened before there is a task: that it is handed in for it is what counts.
    let pr = stage.creates().await.done().0["pr"].clone();
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("ack_task", json!({ "taskId": task })).await.done();
    stage.green();
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
    stage.forge.checks(SHOP, 2, "build", Some("success"));
    assert_eq!((stage.hub_review(&other).await, stage.missing(&other).await), (json!("not_asked"), nobody));

    assert_eq!(stage.hub_review(&pr).await, "approved");
    stage.forge.pushes(SHOP, BRANCH);
    stage.green();
    assert_eq!(stage.hub_review(&pr).await, "outdated");
    let moved = "its branch moved on after it was approved: call submit_for_review with its pr_id again";
    assert_eq!(stage.missing(&pr).await, json!([moved]));
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    stage.merged().await;
    assert!(stage.types().await.contains(&"pr.merge_sent".to_owned()));
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn who_may_write_there_approves_and_nobody_else(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.works().await;
    for (who, permission) in [("eve", "read"), ("tom", "triage"), ("ci[bot]", "write"), ("callboard-bot", "admin")] {
        stage.forge.permits(SHOP, who, permission);
        stage.forge.reviews(SHOP, 1, who, "APPROVED");
        assert_eq!(stage.codes().await, json!(["approval"]), "{who}");
    }
    // What strangers want is told, and holds nothing up.
    stage.forge.reviews(SHOP, 1, "eve", "CHANGES_REQUESTED");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.permits(SHOP, "ada", "read");
    assert_eq!(stage.codes().await, json!(["approval"]), "she may not write any more");
    stage.forge.permits(SHOP, "ada", "write");
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn an_approval_on_the_forge_is_of_its_commit_and_base_until_it_is_dismissed(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    let (_, pr) = stage.works().await;
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.dismisses(SHOP, 1, "ada");
    assert_eq!(stage.codes().await, json!(["approval"]), "dismissed");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.pushes(SHOP, BRANCH);
    stage.green();
    let said = stage.missing(&pr).await;
    assert!(said[0].as_str().unwrap().starts_with("`ada` approved another commit ("), "{said}");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    tokio::time::sleep(Duration::from_secs(5)).await;
    stage.forge.leads_into(SHOP, 1, "release");
    assert_eq!(stage.missing(&pr).await, json!(["`ada` approved it before its base was changed"]));
    tokio::time::sleep(Duration::from_secs(5)).await;
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    let merged = stage.merged().await;
    assert_eq!(merged.0["pr"]["base_branch"], "release");
    stage.desk.ends().await;
    // Whoever wants GitHub's way has it.
    let lenient = |settings: &mut Settings| {
        settings.roles.roles.values_mut().for_each(|role| role.merge.stale_approvals = true);
    };
    let stage = stage_with(kind, lenient).await;
    stage.works().await;
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.pushes(SHOP, BRANCH);
    stage.green();
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_was_handed_in_for_another_base_is_handed_in_again(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    let (task, pr) = stage.works().await;
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    stage.forge.leads_into(SHOP, 1, "release");
    assert_eq!(stage.hub_review(&pr).await, "base_changed");
    stage.codes().await;
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_base_that_went_back_takes_every_approval_with_it(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    let (task, pr) = stage.works().await;
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    assert_eq!(stage.hub_review(&pr).await, "approved");
    stage.forge.rewinds(SHOP, 1);
    let said = stage.missing(&pr).await.to_string();
    assert!(said.contains("holds no more what it held") && said.contains("before its base was rewound"), "{said}");
    assert_eq!(stage.hub_review(&pr).await, "base_rewound");
    // The same commit for the same base is no repeat of what was handed in.
    stage.hands_in_again(&pr).await;
    assert_eq!(stage.hub_review(&pr).await, "open");
    stage.approves(&task).await;
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_cannot_be_known_now_is_not_handed_in(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    let (_, pr) = stage.works().await;
    let hands_in = || stage.calls("submit_for_review", json!({"pr_id": pr["pr_id"]}));
    stage.forge.fault(Fault::Down);
    let no = hands_in().await;
    let next = no.is("FORGE_UNREACHABLE").text("prompt");
    assert!(next.contains("submit_for_review again once get_pr_status answers"), "{next}");
    stage.forge.fault(Fault::None);
    stage.calls("update_pr", json!({"pr_id": "1", "state": "closed"})).await.done();
    let no = hands_in().await;
    assert!(no.is("PR_NOT_OPEN").text("prompt").contains("Open it again with update_pr"), "{no:?}");
    stage.calls("update_pr", json!({"pr_id": "1", "state": "open"})).await.done();
    hands_in().await.done();
    stage.forge.fault(Fault::Down);
    stage.forge.pushes(SHOP, "feature/other");
    let opening = json!({"title": "Another", "head_branch": "feature/other"});
    let opening = stage.calls("create_pr", opening).await.done().0["pr"].clone();
    assert_eq!(opening["state"], "opening");
    let no = stage.calls("submit_for_review", json!({"pr_id": opening["pr_id"]})).await;
    assert!(no.is("PR_NOT_OPEN").text("prompt").contains("Wait until"), "{no:?}");
    stage.forge.fault(Fault::None);
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn no_check_is_not_green_yet_and_a_forge_that_does_not_know_is_asked_again(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    assert_eq!(stage.codes().await, json!(["checks_unknown"]));
    tokio::time::sleep(Duration::from_secs(120)).await;
    stage.forge.pushes(SHOP, BRANCH);
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    assert_eq!(stage.codes().await, json!(["checks_unknown"]), "of the newest commit");
    tokio::time::sleep(Duration::from_secs(120)).await;
    if kind == Kind::GitHub {
        stage.forge.suite(SHOP, 1, "actions", None);
        assert_eq!(stage.codes().await, json!(["check"]), "its suite is queued");
        stage.forge.suite(SHOP, 1, "actions", Some("startup_failure"));
        assert_eq!(stage.codes().await, json!(["check"]), "it never began");
        stage.forge.suite(SHOP, 1, "actions", Some("success"));
        stage.forge.ponders(SHOP, 1, 40);
        assert_eq!(stage.codes().await, json!(["mergeable_unknown"]));
        stage.forge.ponders(SHOP, 1, 4);
    }
    stage.merged().await;
    stage.desk.ends().await;
    let named = |settings: &mut Settings| {
        let names = Green::of(["build".to_owned()].into());
        settings.roles.roles.values_mut().for_each(|role| role.merge.require_green = names.clone());
    };
    let stage = stage_with(kind, named).await;
    stage.creates().await.done();
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(stage.codes().await, json!(["check_missing"]));
    stage.forge.checks(SHOP, 1, "nightly", Some("failure"));
    stage.green();
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_merge_that_waited_is_judged_again_when_it_is_sent(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    for change in 0..4 {
        let stage = stage(kind).await;
        let (task, pr) = stage.works().await;
        stage.hands_in_again(&pr).await;
        stage.approves(&task).await;
        // All looks pass, and then nothing does: the merge waits in the outbox.
        stage.forge.fault(Fault::ReadsOnly);
        let said = stage.calls("merge_pr", json!({"pr_id": "1"})).await;
        assert!(said.done().text("message").contains("did not answer yet"), "{said:?}");
        match change {
            0 => {
                let call = PersonCall::new(stage.desk.hub.clone(), operator(), None);
                call.run(&task, &RequestChanges { comments: vec![Wish::plain("Rename it.")], round: None })
                    .await
                    .unwrap();
            }
            1 => stage.forge.checks(SHOP, 1, "build", Some("failure")),
            2 => stage.forge.reviews(SHOP, 1, "ada", "CHANGES_REQUESTED"),
            _ => stage.forge.leads_into(SHOP, 1, "release"),
        }
        stage.forge.fault(Fault::None);
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        let (_, _, merged) = stage.forge.ends_of(SHOP, 1).unwrap();
        assert!(!merged, "{change}: it was merged");
        let listed = stage.calls("list_prs", json!({})).await;
        assert_eq!(listed.0["prs"][0]["status"], "open", "{change}: {listed:?}");
        // The agent can go on from there.
        stage.calls("update_pr", json!({"pr_id": "1", "title": "Again"})).await.done();
        stage.desk.ends().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_terms_are_those_of_the_role_that_opened_it() {
    let lax = |settings: &mut Settings| {
        let role = settings.roles.roles.iter_mut().find(|(id, _)| id.as_str() == "designer").unwrap().1;
        (role.merge.require_approval, role.merge.require_green) = (false, Green::NOTHING);
    };
    let stage = stage_with(Kind::GitHub, lax).await;
    stage.works().await;
    let again = json!({"agentId": "ann", "role": "designer", "workspace": {"repo": SHOP, "branch": BRANCH}});
    let known = stage.calls("register_agent", again).await;
    known.done();
    assert_eq!(stage.codes().await, json!(["approval"]), "it was opened by another role");
    stage.desk.ends().await;
    // An agent of a laxer role that opens the same one gets no laxer terms by that.
    let stage = stage_with(Kind::GitHub, lax).await;
    stage.works().await;
    let lax_too = json!({"role": "designer", "workspace": {"repo": SHOP, "branch": BRANCH}});
    let bob = stage.desk.agent_with("bob", lax_too).await;
    let same = stage.desk.call(&bob, "create_pr", json!({"title": "Mine"})).await;
    assert_eq!(same.done().0["pr"]["number"], 1, "it is the same one");
    stage.desk.call(&bob, "merge_pr", json!({"pr_id": "1"})).await.is("MERGE_BLOCKED");
    stage.desk.ends().await;
}

fn person(can_approve: Option<RightsSet>) -> Person {
    let principal = PrincipalId::parse("operator").ok();
    Person { display_name: Some("Olga".to_owned()), principal, can_approve, ..Person::default() }
}

#[tokio::test(start_paused = true)]
async fn the_right_to_approve_is_given_by_name_where_a_merge_needs_one() {
    let ask = |can_approve: Option<RightsSet>, needed: bool| async move {
        let stage = stage_with(Kind::GitHub, |settings| {
            settings.people.people.insert("olga".to_owned(), person(can_approve));
            settings.roles.roles.values_mut().for_each(|role| role.merge.require_approval = needed);
        })
        .await;
        let (task, pr) = stage.works().await;
        stage.hands_in_again(&pr).await;
        let call = PersonCall::new(stage.desk.hub.clone(), operator(), None);
        let said = call.run(&task, &ApproveWork::default()).await;
        let said = said.map(drop).map_err(|refusal| refusal.message);
        stage.desk.ends().await;
        said
    };
    assert_eq!(operator().principal.id, person(None).principal.unwrap());
    assert_eq!(ask(None, false).await, Ok(()), "it follows canAnswer");
    assert_eq!(ask(Some(RightsSet::All), true).await, Ok(()));
    let no = ask(None, true).await.unwrap_err();
    assert!(no.contains("may not approve the work of") && no.contains("`canApprove` in config/people.yaml"), "{no}");
    ask(Some(RightsSet::none()), false).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn on_discord_whoever_may_answer_does_not_approve_by_that() {
    let ask = |can_approve: Option<RightsSet>| async move {
        let stage = stage_with(Kind::GitHub, |settings| {
            let grant = crate::settings::Grant {
                can_assign_to: RightsSet::All,
                can_answer: Some(RightsSet::All),
                can_approve,
                can_cancel: None,
                deny: RightsSet::none(),
            };
            settings.permissions.users.insert(crate::settings::Snowflake(7), grant);
        })
        .await;
        let (task, pr) = stage.works().await;
        stage.hands_in_again(&pr).await;
        let user = DiscordUser { id: 7, name: "zoe".to_owned(), roles: Vec::new() };
        let zoe = OnDiscord::new(&stage.desk.hub, user).unwrap();
        let said = zoe.direct(&task, DiscordOrder::Approve(None), "1").await;
        let merged = stage.calls("merge_pr", json!({"pr_id": "1"})).await.0["pr"]["state"].clone();
        stage.desk.ends().await;
        (said.map(drop).map_err(|refusal| refusal.message), merged)
    };
    let (no, state) = ask(None).await;
    assert!(no.as_ref().is_err_and(|no| no.starts_with("You may not approve the work of")), "{no:?}");
    assert_eq!(state, Value::Null);
    assert_eq!(ask(Some(RightsSet::All)).await, (Ok(()), json!("merged")));
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn the_reviewer_sees_the_forges_change_whatever_the_agent_says(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    let (task, pr) = stage.works().await;
    let diff = |line: &str| format!("diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1,2 @@\n one\n+{line}\n");
    let shown = || {
        let id = crate::domain::ids::TaskId::parse(&task).unwrap();
        stage.desk.hub.journal.read(move |reader| {
            let review = reader.review(&id)?.unwrap();
            let change = &review.round().unwrap().change;
            let text = change.diff.as_ref().map(|diff| crate::tools::texts::whole_text(reader, diff)).transpose()?;
            Ok::<_, crate::journal::ReadError>((text, change.diff_from))
        })
    };
    let words = |from| serde_json::to_value(from).unwrap();
    stage.forge.shows(SHOP, 1, &diff("two"));
    stage.hands_in_again(&pr).await;
    let (text, from) = shown().await.unwrap();
    assert_eq!((text, words(from)), (Some(diff("two")), json!("forge")));
    let other = json!({"pr_id": pr["pr_id"], "diff": diff("harmless")});
    let said = stage.calls("submit_for_review", other).await;
    assert!(said.done().text("message").contains("changes something else than the pull request does"), "{said:?}");
    let (text, from) = shown().await.unwrap();
    assert_eq!((text, words(from)), (Some(diff("two")), json!("forge_against_agent")));
    // The same change with more around it is the same change.
    let wide = "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,3 @@ fn\n one\n+two\n three\n";
    stage.calls("submit_for_review", json!({"pr_id": pr["pr_id"], "diff": wide, "message": "x"})).await.done();
    assert_eq!(words(shown().await.unwrap().1), json!("forge"));
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_of_a_round_approves_no_later_one() {
    let stage = stage_with(Kind::GitHub, |_| ()).await;
    let (task, pr) = stage.works().await;
    stage.hands_in_again(&pr).await;
    stage.forge.pushes(SHOP, BRANCH);
    stage.hands_in_again(&pr).await;
    stage.green();
    let seen = |round| ApproveWork { message: None, round: Some(round) };
    let call = PersonCall::new(stage.desk.hub.clone(), operator(), None);
    let no = call.run(&task, &seen(1)).await.unwrap_err();
    assert_eq!(no.code, "REVIEW_CHANGED", "{no:?}");
    assert!(no.message.contains("its newest is round 2"), "{}", no.message);
    assert_eq!(stage.codes().await, json!(["approval"]));
    call.run(&task, &seen(2)).await.unwrap();
    stage.merged().await;
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn whom_people_yaml_keeps_from_approving_approves_nothing_on_the_forge_either(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let denied = |settings: &mut Settings| {
        let ada = Person { github: Some("Ada".to_owned()), deny: RightsSet::All, ..Person::default() };
        settings.people.people.insert("ada".to_owned(), ada);
    };
    let stage = stage_with(kind, denied).await;
    stage.works().await;
    stage.forge.permits(SHOP, "ada", "write");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    assert_eq!(stage.codes().await, json!(["approval"]));
    stage.forge.permits(SHOP, "bob", "write");
    stage.forge.reviews(SHOP, 1, "bob", "APPROVED");
    stage.merged().await;
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_of_a_cancelled_task_merges_nothing() {
    let stage = stage_with(Kind::GitHub, |_| ()).await;
    let (task, pr) = stage.works().await;
    stage.hands_in_again(&pr).await;
    stage.approves(&task).await;
    let call = PersonCall::new(stage.desk.hub.clone(), operator(), None);
    call.run(&task, &CancelTask { reason: None }).await.unwrap();
    assert_eq!(stage.codes().await, json!(["approval"]));
    stage.desk.ends().await;
}
