//! From an agent's branch to a pull request on GitHub, and on Forgejo, on stopped time, over the strict stand-in; and
//! when the forge is down, wants a pause, or does not know the token any more.

use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, VerbReply, operator};
use super::in_process::InProcess;
use crate::actors::forge::Forge;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::settings::{ForgeKind, Settings};
use crate::tools::Caller;
use callboard_standin::forge::{Fault, ForgeStandIn, Kind};

pub(super) const SHOP: &str = "acme/shop";
pub(super) const BRANCH: &str = "feature/login";

/// A hub, a forge with one repository, and an agent that pushed its branch.
pub(super) struct Stage {
    pub(super) desk: ToolFixture,
    pub(super) forge: ForgeStandIn,
    pub(super) ann: Caller,
}

pub(super) async fn stage(kind: Kind) -> Stage {
    stage_with(kind, |_| {}).await
}

pub(super) async fn stage_with(kind: Kind, change: impl FnOnce(&mut Settings)) -> Stage {
    let carried = |forge: &ForgeStandIn| {
        Forge::carried_by(Some(SecretString::from("a-token")), Arc::new(InProcess(forge.clone())))
    };
    stage_over(kind, carried, change).await
}

/// The same with requests that are carried in another way.
pub(super) async fn stage_over(
    kind: Kind,
    carried: impl FnOnce(&ForgeStandIn) -> Forge,
    change: impl FnOnce(&mut Settings),
) -> Stage {
    let clock = Clock::starting_at(Timestamp(1_800_000_000_000));
    let forge = ForgeStandIn::new(kind, "a-token", callboard_standin::time::Clock::starting_at(clock.now()));
    forge.repository(SHOP, "main");
    forge.pushes(SHOP, BRANCH);
    let desk = ToolFixture::beside(carried(&forge), |settings| {
        (settings.hub.forge.kind, settings.hub.forge.base_url) = match kind {
            Kind::GitHub => (ForgeKind::Github, None),
            Kind::Forgejo => (ForgeKind::Forgejo, Some("https://git.example/".to_owned())),
        };
        settings.hub.forge.repositories = vec!["acme/*".to_owned()];
        change(settings);
    })
    .await;
    let workspace = json!({"role": "full-stack-engineer", "workspace": {"repo": SHOP, "branch": BRANCH}});
    let ann = desk.agent_with("ann", workspace).await;
    Stage { desk, forge, ann }
}

impl Stage {
    pub(super) async fn calls(&self, name: &str, arguments: Value) -> VerbReply {
        self.desk.call(&self.ann, name, arguments).await
    }

    pub(super) async fn creates(&self) -> VerbReply {
        self.calls("create_pr", json!({"title": "Add the login", "body": "Signs people in."})).await
    }

    /// Once it is another state than `opening`.
    async fn settles(&self) -> VerbReply {
        for _ in 0..200 {
            let said = self.calls("list_prs", json!({})).await;
            if said.0["prs"][0]["status"] != "opening" {
                return said;
            }
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        panic!("it is still being opened");
    }

    /// How often something was asked for by this method, below a path that ends so.
    pub(super) fn asked_to(&self, method: &str, end: &str) -> usize {
        self.forge.asked().iter().filter(|asked| asked.starts_with(method) && asked.ends_with(end)).count()
    }

    pub(super) async fn types(&self) -> Vec<String> {
        let said = self.calls("get_session_history", json!({"types": ["pr"], "limit": 50})).await;
        let events = said.0["events"].as_array().unwrap_or_else(|| panic!("{said:?}"));
        events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_branch_becomes_a_pull_request_with_its_task_and_is_looked_at(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    let task = stage.desk.given(&stage.ann, json!({})).await;
    stage.calls("ack_task", json!({ "taskId": task })).await.done();
    let said = stage.creates().await;
    let pr = &said.done().0["pr"];
    assert_eq!((&pr["state"], &pr["number"], &pr["base_branch"]), (&json!("open"), &json!(1), &json!("main")));
    assert_eq!((&pr["repository"], &pr["head_branch"], &pr["task_id"]), (&json!(SHOP), &json!(BRANCH), &json!(task)));
    let body = stage.forge.text_of(SHOP, 1).unwrap().1;
    assert!(body.starts_with("Signs people in.\n\n<!-- callboard pr_"), "{body}");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.checks(SHOP, 1, "build", Some("success"));
    stage.forge.checks(SHOP, 1, "lint", None);
    (0..120).for_each(|_| stage.forge.opens_thread(SHOP, 1));
    let seen = stage.calls("get_pr_status", json!({"pr_id": "#1"})).await;
    let review = &seen.done().0["reviews"][0];
    assert_eq!((&review["who"], &review["verdict"]), (&json!("ada"), &json!("approved")));
    let commit = stage.forge.ends_of(SHOP, 1).unwrap().0;
    assert_eq!((&review["standing"], &review["commit"]), (&json!("writer"), &json!(commit)));
    let checks = json!([{"name": "build", "status": "completed", "conclusion": "success"},
        {"name": "lint", "status": "in_progress"}]);
    assert_eq!((&seen.0["checks"], &seen.0["unresolved_threads"]), (&checks, &json!(120)));
    let commits = if kind == Kind::GitHub { 1 } else { 2 };
    assert_eq!(seen.0["sizes"], json!({"commits": commits, "files": 2, "additions": 30, "deletions": 4}));
    // The same branch again is the same pull request.
    assert_eq!(stage.creates().await.0["pr"]["pr_id"], pr["pr_id"]);
    assert_eq!((stage.forge.count(SHOP), stage.types().await.len()), (1, 2));
    let listed = stage.calls("list_prs", json!({"status": "open"})).await;
    assert_eq!((&listed.0["prs"][0]["pr_id"], &listed.0["prs"][0]["task_id"]), (&pr["pr_id"], &json!(task)));
    // Handed in under that id, it is listed once, with its review.
    stage.calls("submit_for_review", json!({"pr_id": pr["pr_id"]})).await.done();
    let listed = stage.calls("list_prs", json!({})).await;
    assert_eq!(listed.0["prs"].as_array().map(Vec::len), Some(1), "{listed:?}");
    assert_eq!((&listed.0["prs"][0]["status"], &listed.0["prs"][0]["review"]), (&json!("open"), &json!("open")));
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_forge_that_is_down_for_an_hour_gets_it_afterwards_once(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.forge.fault(Fault::Down);
    let said = stage.creates().await;
    assert_eq!(said.done().0["pr"]["state"], "opening");
    assert!(said.text("message").contains("cannot be reached: connection reset"), "{said:?}");
    let id = said.0["pr"]["pr_id"].clone();
    let seen = stage.calls("get_pr_status", json!({"pr_id": id})).await;
    assert!(seen.done().text("message").contains("cannot be reached"), "{seen:?}");
    tokio::time::sleep(Duration::from_secs(1_800)).await;
    stage.forge.fault(Fault::BadGateway);
    tokio::time::sleep(Duration::from_secs(1_800)).await;
    stage.forge.fault(Fault::None);
    assert_eq!(stage.settles().await.0["prs"][0]["status"], "open");
    assert_eq!((stage.forge.count(SHOP), stage.types().await), (1, vec!["pr.created".into(), "pr.requested".into()]));
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_opens_no_second_pull_request(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.forge.fault(Fault::LosesAnswers);
    assert_eq!(stage.creates().await.done().0["pr"]["state"], "opening");
    // Found by its mark, whatever became of it meanwhile.
    stage.forge.closes(SHOP, 1);
    tokio::time::sleep(Duration::from_secs(300)).await;
    let listed = stage.settles().await;
    assert_eq!((&listed.0["prs"][0]["status"], stage.forge.count(SHOP)), (&json!("open"), 1));
    let posts = stage.asked_to("POST", "/pulls");
    assert_eq!(posts, 1, "{:?}", stage.forge.asked());
    let seen = stage.calls("get_pr_status", json!({"pr_id": listed.0["prs"][0]["pr_id"]})).await;
    assert_eq!(seen.done().0["pr"]["state"], "closed", "what stands on the forge is the truth");
    stage.desk.ends().await;
}

#[rstest]
#[case::used_up(Fault::UsedUp(Timestamp(1_800_000_000_000 + 1_500_000)), 1_500)]
#[case::too_many(Fault::TooMany(Duration::from_secs(1_200)), 1_200)]
#[tokio::test(start_paused = true)]
async fn a_limit_is_waited_for_and_not_asked_against(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
    #[case] fault: Fault,
    #[case] seconds: u64,
) {
    let stage = stage(kind).await;
    stage.forge.fault(fault);
    let said = stage.creates().await;
    assert!(said.done().text("message").contains("wants no more requests for"), "{said:?}");
    let asked = stage.forge.asked().len();
    tokio::time::sleep(Duration::from_secs(seconds - 60)).await;
    assert_eq!(stage.forge.asked().len(), asked, "nothing is asked before the pause is over");
    stage.forge.fault(Fault::None);
    assert_eq!(stage.settles().await.0["prs"][0]["status"], "open");
    // What is only looked at says so at once.
    stage.forge.fault(Fault::TooMany(Duration::from_secs(90)));
    let no = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
    assert_eq!(no.is("FORGE_LIMITED").0["details"]["retryAfterSeconds"], 90);
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_token_that_was_revoked_is_said_plainly_and_a_person_has_it_asked_for_again(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    stage.forge.fault(Fault::Revoked);
    let no = stage.creates().await;
    assert!(no.is("FORGE_REFUSED").text("message").contains("does not accept the hub's token (401)"), "{no:?}");
    assert_eq!(stage.calls("list_prs", json!({"status": "failed"})).await.0["prs"].as_array().map(Vec::len), Some(1));
    stage.forge.fault(Fault::None);
    let dead = stage.desk.hub.journal.read(|reader| reader.waiting_deliveries(None, 9)).await.unwrap();
    assert_eq!(dead.len(), 0, "it is not tried again by itself");
    let again = stage.creates().await;
    assert_eq!(again.done().0["pr"]["state"], "open", "another attempt of the agent's");
    stage.forge.fault(Fault::Revoked);
    stage.calls("get_pr_status", json!({"pr_id": "1"})).await.is("FORGE_UNAUTHORIZED");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn one_that_is_closed_by_hand_is_seen_closed_and_the_branch_may_have_another(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    stage.forge.closes(SHOP, 1);
    let seen = stage.calls("get_pr_status", json!({"pr_id": "acme/shop#1"})).await;
    assert_eq!(seen.done().0["pr"]["state"], "closed");
    let next = stage.creates().await;
    assert_eq!(next.done().0["pr"]["number"], 2, "{next:?}");
    stage.forge.merges(SHOP, 2);
    assert_eq!(stage.calls("get_pr_status", json!({"pr_id": "2"})).await.0["pr"]["state"], "merged");
    let types = stage.types().await;
    assert_eq!(types.iter().filter(|kind| *kind == "pr.closed" || *kind == "pr.merged").count(), 2, "{types:?}");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_cannot_be_opened_is_refused_before_anybody_is_asked(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.calls("get_pr_status", json!({"pr_id": "pr_nobody00"})).await.is("PR_NOT_FOUND");
    let title = json!({"title": " "});
    assert_eq!(stage.calls("create_pr", title).await.is("INVALID_ARGUMENTS").0["details"]["field"], "title");
    let head = json!({"title": "x", "head_branch": "a b"});
    assert_eq!(stage.calls("create_pr", head).await.is("INVALID_ARGUMENTS").0["details"]["field"], "head_branch");
    let own = json!({"title": "x", "head_branch": "main", "base_branch": "main"});
    stage.calls("create_pr", own).await.is("INVALID_ARGUMENTS");
    let elsewhere = json!({"role": "full-stack-engineer", "workspace": {"repo": "evil/shop", "branch": "x"}});
    let bob = stage.desk.agent_with("bob", elsewhere).await;
    let no = stage.desk.call(&bob, "create_pr", json!({"title": "x"})).await;
    assert_eq!(no.is("REPOSITORY_NOT_ALLOWED").0["details"]["allowed"], json!(["acme/*"]));
    let nowhere = stage.desk.agent("eve", "full-stack-engineer").await;
    stage.desk.call(&nowhere, "create_pr", json!({"title": "x"})).await.is("INVALID_ARGUMENTS");
    assert_eq!(stage.forge.asked(), [""; 0]);
    // The forge's own no, in its words.
    let said = match kind {
        Kind::GitHub => "field head: invalid (422)",
        Kind::Forgejo => "head or base does not exist",
    };
    let no = stage.calls("create_pr", json!({"title": "x", "head_branch": "not-pushed"})).await;
    assert!(no.is("FORGE_REFUSED").text("message").contains(said), "{no:?}");
    // Of another's session nobody sees anything.
    stage.creates().await.done();
    stage.desk.call(&bob, "get_pr_status", json!({"pr_id": "1"})).await.is("PR_NOT_FOUND");
    stage.desk.call(&operator(), "create_pr", json!({"title": "x"})).await.is("INSUFFICIENT_SCOPE");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_hub_without_a_forge_or_its_token_says_what_is_missing(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage_with(kind, |settings| settings.hub.forge.kind = ForgeKind::Git).await;
    let no = stage.creates().await;
    assert!(no.is("FORGE_REFUSED").text("message").contains("`acme/shop` is no folder"), "{no:?}");
    stage.desk.ends().await;
    let stage = stage_with(kind, |settings| settings.hub.forge.token_file = Some("/nowhere/token".into())).await;
    let no = stage.creates().await;
    assert!(no.is("FORGE_OFF").text("message").contains("there is no file `/nowhere/token`"), "{no:?}");
    assert_eq!(stage.forge.asked(), [""; 0]);
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_call_under_the_same_key_is_the_same_pull_request(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    let asks = |title: &str| json!({"title": title, "idempotencyKey": "once"});
    let first = stage.calls("create_pr", asks("Add the login")).await;
    stage.forge.closes(SHOP, 1);
    let again = stage.calls("create_pr", asks("Add the login")).await;
    assert_eq!((&again.done().0["pr"]["pr_id"], stage.forge.count(SHOP)), (&first.done().0["pr"]["pr_id"], 1));
    stage.calls("create_pr", asks("Another")).await.is("IDEMPOTENCY_KEY_REUSED");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_merge_is_refused_with_what_is_missing_and_allowed_when_it_is_there(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    let draft = json!({"title": "Add the login", "draft": true});
    stage.calls("create_pr", draft).await.done();
    stage.forge.checks(SHOP, 1, "build", None);
    stage.forge.reviews(SHOP, 1, "bob", "CHANGES_REQUESTED");
    let merge = || stage.calls("merge_pr", json!({"pr_id": "1", "method": "squash"}));
    let no = merge().await;
    let missing = no.is("MERGE_BLOCKED").0["details"]["missing"].to_string();
    for words in ["it is a draft", "changes are wanted by bob", "check `build` is in_progress"] {
        assert!(missing.contains(words), "{words}: {missing}");
    }
    let ready = json!({"pr_id": "1", "draft": false, "title": "Add the log-in", "body": "More."});
    let said = stage.calls("update_pr", ready).await;
    assert_eq!((&said.done().0["pr"]["draft"], &said.0["pr"]["title"]), (&json!(false), &json!("Add the log-in")));
    assert!(stage.forge.text_of(SHOP, 1).unwrap().1.starts_with("More.\n\n<!-- callboard pr_"));
    stage.forge.reviews(SHOP, 1, "bob", "DISMISSED");
    // On a public repository everybody may press the button.
    stage.forge.permits(SHOP, "eve", "read");
    stage.forge.reviews(SHOP, 1, "eve", "APPROVED");
    // What decides stands on the second page.
    (0..100).for_each(|at| stage.forge.checks(SHOP, 1, &format!("a{at:03}"), Some("success")));
    stage.forge.checks(SHOP, 1, "build", Some("failure"));
    let no = merge().await;
    let missing = json!(["`eve` approved it, and may not write there", "check `build` ended with failure"]);
    assert_eq!(no.is("MERGE_BLOCKED").0["details"]["missing"], missing);
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.checks(SHOP, 1, "build", Some("success"));
    let merged = merge().await;
    assert_eq!(merged.done().0["pr"]["state"], "merged", "{merged:?}");
    assert!(merge().await.done().text("message").contains("merged already"));
    let puts = stage.asked_to("P", "/merge");
    assert_eq!(puts, 1);
    let late = json!({"pr_id": "1", "title": "x"});
    stage.calls("update_pr", late).await.is("PR_NOT_OPEN");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn an_approval_in_the_hub_counts_and_a_role_may_ask_for_less(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    stage.calls("merge_pr", json!({"pr_id": "1"})).await.is("MERGE_BLOCKED");
    stage.desk.ends().await;
    let lenient = |settings: &mut Settings| {
        for role in settings.roles.roles.values_mut() {
            role.merge.require_approval = false;
        }
    };
    let stage = stage_with(kind, lenient).await;
    stage.creates().await.done();
    stage.forge.checks(SHOP, 1, "build", Some("success"));
    let merged = stage.calls("merge_pr", json!({"pr_id": "1"})).await;
    assert_eq!(merged.done().0["pr"]["state"], "merged");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_merge_whose_answer_is_lost_is_done_once_and_a_new_commit_is_not_merged_unseen(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    stage.forge.checks(SHOP, 1, "build", Some("success"));
    stage.forge.fault(Fault::LosesAnswers);
    let said = stage.calls("merge_pr", json!({"pr_id": "1"})).await;
    assert!(said.done().text("message").contains("did not answer yet"), "{said:?}");
    stage.calls("update_pr", json!({"pr_id": "1", "title": "x"})).await.is("PR_BUSY");
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(stage.calls("list_prs", json!({})).await.0["prs"][0]["status"], "merged");
    let puts = stage.asked_to("P", "/merge");
    assert_eq!(puts, 1, "{:?}", stage.forge.asked());
    stage.desk.ends().await;
    // Down while it is asked, and somebody pushes before it is back.
    let stage = self::stage(kind).await;
    stage.creates().await.done();
    let closed = stage.calls("update_pr", json!({"pr_id": "1", "state": "closed"})).await;
    assert_eq!(closed.done().0["pr"]["state"], "closed");
    let open = stage.calls("update_pr", json!({"pr_id": "1", "state": "open"})).await;
    assert_eq!(open.done().0["pr"]["state"], "open", "{open:?}");
    stage.calls("update_pr", json!({"pr_id": "1"})).await.is("INVALID_ARGUMENTS");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_an_agent_writes_does_nothing_there_but_to_be_read(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.calls("link_task", json!({"work_item": "acme/shop#40"})).await.done();
    let (title, body) =
        ("Fix #12 for @all", "Closes #12, other/repo#3 and &#64;ann\n/merge\nfixes https://x.example/i/1");
    let said = stage.calls("create_pr", json!({"title": title, "body": body})).await;
    assert_eq!(said.done().0["pr"]["title"], title, "it is told as it was asked for: {said:?}");
    let quiet = |number: u64| {
        let (title, body) = stage.forge.text_of(SHOP, number).unwrap();
        for acts in ["#12", "@all", "repo#3", "&#64;", "\n/merge", "fixes https"] {
            assert!(!title.contains(acts) && !body.contains(acts), "{acts}: {title} {body}");
        }
        assert!(body.contains("\n\nWork item: acme/shop#40\n"), "what the hub itself writes is a link: {body}");
        (title.replace('\u{200B}', ""), body.replace('\u{200B}', ""))
    };
    let shown = quiet(1);
    assert!(shown.0 == title && shown.1.starts_with(body), "people read the same: {shown:?}");
    // What stands there is what was asked for, and no news.
    let seen = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
    assert_eq!(seen.done().0["pr"]["title"], title, "{seen:?}");
    let before = stage.types().await;
    stage.calls("update_pr", json!({"pr_id": "1", "title": "Resolve GH-7", "body": "See #12."})).await.done();
    assert_eq!(quiet(1).0, "Resolve GH-7");
    stage.calls("get_pr_status", json!({"pr_id": "1"})).await.done();
    let more = stage.types().await.len() - before.len();
    assert!(more <= 2, "a look at it is no change of it: {:?}", stage.types().await);
    stage.desk.ends().await;
}
