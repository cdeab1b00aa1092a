//! Pull requests that people open, merge and close by hand, deliveries that people drop, and forges that say no in
//! words alone or slowly.

use std::sync::Arc;
use std::time::Duration;

use callboard_standin::forge::{Fault, ForgeStandIn, Kind};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rstest::rstest;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::fixture::operator;
use super::in_process::InProcess;
use super::pulls::{BRANCH, SHOP, Stage, stage, stage_over};
use crate::actors::forge::{Carrier, Forge, ForgeAnswer, ForgeError, ForgeRequest};
use crate::actors::outbox::{OrderRequest, OutboxOrder};
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::{Delivery, DeliveryStateName};
use crate::domain::principal::{By, Surface};
use crate::journal::{DeliveryFilter, PageRequest, Seq};

impl Stage {
    async fn deliveries(&self, state: DeliveryStateName) -> Vec<Delivery> {
        let filter = DeliveryFilter { states: vec![state], destination: Some("forge".to_owned()), lane: None };
        let page = PageRequest { limit: 100, cursor: None };
        self.desk.hub.journal.read(move |reader| reader.deliveries(&filter, &page)).await.unwrap().items
    }

    /// A person has the one delivery not sent that waits.
    async fn drops(&self, reason: &str) {
        self.drops_as(operator().principal.id, reason).await;
    }

    async fn drops_as(&self, principal: PrincipalId, reason: &str) {
        let [waiting] = <[Delivery; 1]>::try_from(self.deliveries(DeliveryStateName::Pending).await).unwrap();
        let by = By { principal, surface: Surface::Cli };
        let order = OutboxOrder::Drop { reason: reason.to_owned() };
        let order = OrderRequest { id: waiting.id, order, by, request: None, key: None };
        self.desk.hub.outbox.order(order).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    /// Everything that the agent was ever told.
    async fn all_heard(&self) -> String {
        let records = self.desk.hub.journal.read(|reader| reader.records(Seq(0), 10_000)).await.unwrap();
        let told = records.iter().map(|record| format!("{record:?}")).filter(|record| record.contains("Notice"));
        told.collect::<Vec<_>>().join("\n")
    }

    /// How often the agent was told this of what is not sent any more.
    async fn told_of(&self, reason: &str) -> usize {
        let all = self.all_heard().await;
        let told = |line: &&str| line.contains("is not sent to the forge any more") && line.contains(reason);
        all.lines().filter(told).count()
    }

    async fn listed(&self) -> Value {
        self.calls("list_prs", json!({})).await.done().0["prs"].clone()
    }
}

#[rstest]
#[case::secondary(403, json!({"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}))]
#[case::graph(200, json!({"data": null, "errors": [{"type": "RATE_LIMITED", "message": "API limit"}]}))]
#[tokio::test(start_paused = true)]
async fn a_limit_that_only_words_tell_of_is_waited_for(#[case] status: u16, #[case] body: Value) {
    let stage = stage(Kind::GitHub).await;
    stage.forge.fault(Fault::Says(status, body.clone()));
    let said = stage.creates().await;
    assert!(said.done().text("message").contains("wants no more requests for 60 s"), "{said:?}");
    let asked = stage.forge.asked().len();
    tokio::time::sleep(Duration::from_secs(50)).await;
    assert_eq!(stage.forge.asked().len(), asked, "nothing is asked before the pause is over");
    stage.forge.mends();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(stage.listed().await[0]["status"], "open");
    stage.forge.fault(Fault::Says(status, body));
    stage.calls("get_pr_status", json!({"pr_id": "1"})).await.is("FORGE_LIMITED");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_people_merged_or_closed_is_seen_before_a_branch_is_said_to_be_open(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
    #[values(true, false)] merged: bool,
) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    if merged {
        stage.forge.merges(SHOP, 1);
    } else {
        stage.forge.closes(SHOP, 1);
    }
    let next = stage.creates().await;
    assert_eq!((&next.done().0["pr"]["number"], &next.0["pr"]["state"]), (&json!(2), &json!("open")), "{next:?}");
    let before = if merged { "merged" } else { "closed" };
    let statuses = stage.listed().await;
    assert!(statuses.as_array().unwrap().iter().any(|pr| pr["status"] == before), "{statuses}");
    // What cannot be looked at is said to be as it was.
    stage.forge.fault(Fault::Down);
    let known = stage.creates().await;
    let message = known.done().text("message");
    assert_eq!(known.0["pr"]["number"], 2);
    assert!(message.contains("So it was when it was last looked at: the forge cannot be reached"), "{message}");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn one_that_a_person_opened_is_taken_over_and_said_so(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.forge.opens(SHOP, "ada", "Sign people in", BRANCH);
    let said = stage.creates().await;
    let pr = &said.done().0["pr"];
    assert_eq!((&pr["number"], &pr["title"]), (&json!(1), &json!("Sign people in")));
    assert_eq!(pr["adopted"], json!({"by": "ada", "title": "Sign people in"}));
    assert!(said.text("message").contains("`ada` opened it as `Sign people in`"), "{said:?}");
    assert_eq!(stage.forge.text_of(SHOP, 1).unwrap().1, "By hand.", "nothing of it was changed");
    let seen = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
    assert_eq!(seen.done().0["pr"]["adopted"]["by"], "ada");
    stage.desk.ends().await;
}

/// While the hub looks into which branch to merge, somebody opens a pull request by hand.
#[derive(Debug)]
struct Meanwhile(ForgeStandIn);

impl Carrier for Meanwhile {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        let answer = self.0.answers(&request);
        if request.uri().path().ends_with("/repos/acme/shop") && self.0.count(SHOP) == 0 {
            self.0.opens(SHOP, "ada", "Sign people in", BRANCH);
        }
        async move { answer.ok_or_else(|| ForgeError::Unreachable("connection reset".to_owned())) }.boxed()
    }
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn whoever_is_quicker_by_a_moment_is_found(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let carried = |forge: &ForgeStandIn| {
        Forge::carried_by(Some(SecretString::from("a-token")), Arc::new(Meanwhile(forge.clone())))
    };
    let stage = stage_over(kind, carried, |_| {}).await;
    let said = stage.creates().await;
    assert_eq!(said.done().0["pr"]["adopted"]["by"], "ada", "{said:?}");
    assert_eq!((stage.asked_to("POST", "/pulls"), stage.forge.count(SHOP)), (1, 1));
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_a_person_drops_can_be_asked_for_again(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.forge.fault(Fault::Down);
    let said = stage.creates().await;
    assert_eq!(said.done().0["pr"]["state"], "opening");
    stage.drops("not today").await;
    let listed = stage.listed().await;
    assert_eq!((&listed[0]["status"], listed[0]["pending"].is_null()), (&json!("failed"), true));
    assert!(listed[0]["trouble"].as_str().unwrap().contains("not today"), "{listed}");
    let seen = stage.calls("get_pr_status", json!({"pr_id": listed[0]["pr_id"]})).await;
    assert!(seen.done().text("message").contains("is failed") && seen.text("message").contains("not today"));
    assert_eq!(stage.told_of("not today").await, 1, "{}", stage.all_heard().await);
    stage.forge.mends();
    assert_eq!(stage.creates().await.done().0["pr"]["state"], "open");
    // A change, too.
    stage.forge.fault(Fault::Down);
    let change = json!({"pr_id": "1", "title": "Sign in"});
    assert_eq!(stage.calls("update_pr", change.clone()).await.done().0["pr"]["pending"], "change");
    assert_eq!(stage.listed().await[0]["pending"], "change");
    stage.calls("update_pr", change.clone()).await.is("PR_BUSY");
    stage.drops("leave it").await;
    stage.forge.mends();
    let seen = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
    assert!(seen.done().text("message").contains("came to nothing") && seen.text("message").contains("leave it"));
    assert_eq!(stage.told_of("leave it").await, 1, "{}", stage.all_heard().await);
    assert_eq!(stage.calls("update_pr", change).await.done().0["pr"]["title"], "Sign in");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_an_older_hub_let_end_without_a_word_can_be_asked_for_again(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    // What the hub itself drops leaves no row that tells the session, as every drop did.
    let hub = || PrincipalId::parse("hub").unwrap();
    stage.forge.fault(Fault::Down);
    assert_eq!(stage.creates().await.done().0["pr"]["state"], "opening");
    stage.drops_as(hub(), "as it was").await;
    stage.forge.mends();
    assert_eq!(stage.creates().await.done().0["pr"]["state"], "open");
    stage.forge.fault(Fault::Down);
    let change = json!({"pr_id": "1", "title": "Sign in"});
    assert_eq!(stage.calls("update_pr", change.clone()).await.done().0["pr"]["pending"], "change");
    stage.calls("update_pr", change.clone()).await.is("PR_BUSY");
    stage.drops_as(hub(), "as it was").await;
    stage.forge.mends();
    assert_eq!(stage.calls("update_pr", change).await.done().0["pr"]["title"], "Sign in");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_branch_that_leads_elsewhere_than_is_asked_is_said_so(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    let again = stage.calls("create_pr", json!({"title": "Add the login", "base_branch": "release"})).await;
    let said = again.done().text("message");
    assert!(said.contains("leads into `main`, and not into `release`") && said.contains("update_pr"), "{said}");
    let same = stage.calls("create_pr", json!({"title": "Add the login", "base_branch": "main"})).await;
    assert!(!same.done().text("message").contains("leads into"), "{same:?}");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn what_the_outbox_gives_up_can_be_asked_for_again(#[values(Kind::GitHub, Kind::Forgejo)] kind: Kind) {
    let stage = stage(kind).await;
    stage.creates().await.done();
    let change = json!({"pr_id": "1", "title": "Sign in"});
    stage.forge.fault(Fault::Down);
    stage.calls("update_pr", change.clone()).await.done();
    tokio::time::sleep(Duration::from_secs(30 * 60 * 60)).await;
    let listed = stage.listed().await;
    assert!(listed[0]["pending"].is_null(), "{listed}");
    assert!(listed[0]["trouble"].as_str().unwrap().contains("given up after"), "{listed}");
    assert_eq!(stage.deliveries(DeliveryStateName::DeadLetter).await.len(), 1, "people can see why");
    stage.forge.mends();
    assert_eq!(stage.calls("update_pr", change).await.done().0["pr"]["title"], "Sign in");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.deliveries(DeliveryStateName::DeadLetter).await.len(), 0, "a later attempt succeeded");
    stage.desk.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn people_get_no_dead_letter_for_what_the_agent_was_told_and_only_it_can_mend(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    let stage = stage(kind).await;
    let unpushed = json!({"title": "x", "head_branch": "not-pushed"});
    stage.calls("create_pr", unpushed).await.is("FORGE_REFUSED");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.deliveries(DeliveryStateName::DeadLetter).await, []);
    let [told] = <[Delivery; 1]>::try_from(stage.deliveries(DeliveryStateName::Dropped).await).unwrap();
    assert!(serde_json::to_string(&told.state).unwrap().contains("its agent was told"), "{told:?}");
    // A token is people's to mend, and once it is, nothing is left for them.
    stage.forge.fault(Fault::Revoked);
    stage.creates().await.is("FORGE_REFUSED");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.deliveries(DeliveryStateName::DeadLetter).await.len(), 1);
    stage.forge.mends();
    stage.creates().await.done();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.deliveries(DeliveryStateName::DeadLetter).await, []);
    stage.desk.ends().await;
}

/// Every answer takes this long.
#[derive(Debug)]
struct Slow(InProcess, Duration);

impl Carrier for Slow {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        async move {
            tokio::time::sleep(self.1).await;
            self.0.carry(request).await
        }
        .boxed()
    }
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_slow_forge_is_asked_side_by_side_and_for_no_longer_than_a_call_may_take(
    #[values(Kind::GitHub, Kind::Forgejo)] kind: Kind,
) {
    for (seconds, is_whole) in [(4, true), (10, false)] {
        let slow = |forge: &ForgeStandIn| {
            let carrier = Slow(InProcess(forge.clone()), Duration::from_secs(seconds));
            Forge::carried_by(Some(SecretString::from("a-token")), Arc::new(carrier))
        };
        let stage = stage_over(kind, slow, |_| {}).await;
        stage.creates().await.done();
        tokio::time::sleep(Duration::from_secs(300)).await;
        let began = tokio::time::Instant::now();
        let seen = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
        let took = began.elapsed().as_secs();
        match is_whole {
            true => assert_eq!((seen.done().0["pr"]["state"].as_str(), took), (Some("open"), 2 * seconds)),
            false => assert_eq!((seen.is("FORGE_UNREACHABLE").0["success"].as_bool(), took), (Some(false), 15)),
        }
        stage.desk.ends().await;
    }
}

/// One route answers that the instance is in trouble.
#[derive(Debug)]
struct DeadRoute(InProcess, &'static str);

impl Carrier for DeadRoute {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        if request.uri().path().contains(self.1) {
            let mut answer = ForgeAnswer::default();
            *answer.status_mut() = 500_u16.try_into().unwrap();
            return async move { Ok(answer) }.boxed();
        }
        self.0.carry(request)
    }
}

#[rstest]
#[case::when_the_base_was_changed(Kind::Forgejo, "/timeline", "approvals_unknown")]
#[case::where_both_parted(Kind::GitHub, "/compare/", "")]
#[tokio::test(start_paused = true)]
async fn a_dead_route_costs_what_it_says_and_never_gives_an_approval(
    #[case] kind: Kind,
    #[case] route: &'static str,
    #[case] code: &str,
) {
    let dead = |forge: &ForgeStandIn| {
        Forge::carried_by(Some(SecretString::from("a-token")), Arc::new(DeadRoute(InProcess(forge.clone()), route)))
    };
    let stage = stage_over(kind, dead, |_| {}).await;
    stage.creates().await.done();
    stage.forge.checks(SHOP, 1, "build", Some("success"));
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    let seen = stage.calls("get_pr_status", json!({"pr_id": "1"})).await;
    assert_eq!(seen.done().0["checks"][0]["name"], "build", "the rest is told");
    let merged = stage.calls("merge_pr", json!({"pr_id": "1"})).await;
    match code {
        "" => assert_eq!(merged.done().0["pr"]["state"], "merged", "it was never handed in"),
        code => assert_eq!(merged.is("MERGE_BLOCKED").0["details"]["missingCodes"], json!([code])),
    }
    stage.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_address_with_a_password_is_taken_as_a_name_and_the_password_is_written_nowhere() {
    let stage = stage(Kind::GitHub).await;
    let address = "https://ann:ghp_secret@github.com/acme/shop.git";
    let workspace = json!({"role": "full-stack-engineer", "workspace": {"repo": address, "branch": BRANCH}});
    let bob = stage.desk.agent_with("bob", workspace).await;
    let said = stage.desk.call(&bob, "create_pr", json!({"title": "Add the login"})).await;
    assert_eq!(said.done().0["pr"]["repository"], SHOP);
    let given = json!({"workspace": {"repo": "git@github.com:acme/shop.git", "branch": BRANCH}});
    let task = stage.desk.given(&stage.ann, given).await;
    let records = stage.desk.hub.journal.read(|reader| reader.records(Seq(0), 10_000)).await.unwrap();
    let written = format!("{records:?}");
    assert!(written.contains(&task) && !written.contains("ghp_secret") && !written.contains("git@"), "{written}");
    stage.desk.ends().await;
}
