//! What is Forgejo's own: titles of drafts, short pages, refusals of a merge, and what is not known yet. What all
//! forges have in common is told in `pulls.rs`, of this one, too.

use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use secrecy::SecretString;

use super::in_process::InProcess;
use crate::actors::forge::{Forge, ForgeError, MergeOrder, Port};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    Branch, MergeMethod, PullChange, PullRequest, PullSpec, PullState, Repository, ReviewerRole, Verdict,
};
use crate::domain::time::Timestamp;
use crate::settings::{ForgeKind, Settings};
use callboard_standin::forge::{Fault, ForgeStandIn, Kind};

const SHOP: &str = "acme/shop";
const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// An instance with one repository, and the way to it.
struct Stage {
    forge: ForgeStandIn,
    port: Box<dyn Port>,
}

fn stage() -> Stage {
    stage_at("https://git.example")
}

fn stage_at(base: &str) -> Stage {
    let clock = Clock::starting_at(NOW);
    let forge = ForgeStandIn::new(Kind::Forgejo, "a-token", callboard_standin::time::Clock::starting_at(NOW));
    forge.repository(SHOP, "trunk");
    forge.pushes(SHOP, "feature/login");
    let mut set = Settings::defaults().hub.forge;
    (set.kind, set.base_url) = (ForgeKind::Forgejo, Some(base.to_owned()));
    let handle = Forge::carried_by(Some(SecretString::from("a-token")), Arc::new(InProcess(forge.clone())));
    Stage { port: handle.adapter(&set, clock).unwrap(), forge }
}

impl Stage {
    /// A merge of what stands there now.
    async fn order(&self, pull: &PullRequest, method: MergeMethod) -> MergeOrder {
        let seen = self.port.look(pull).await.unwrap().seen;
        MergeOrder { method, head: seen.commit.unwrap(), base: seen.base.unwrap(), fork: None }
    }
}

fn id(text: &str) -> PullId {
    PullId::parse(text).unwrap()
}

fn spec(title: &str, draft: bool) -> PullSpec {
    PullSpec {
        repository: Repository::parse(SHOP).unwrap(),
        head: Branch::parse("feature/login").unwrap(),
        base: None,
        title: title.to_owned(),
        body: "Signs people in.".to_owned(),
        draft,
        work_item: None,
        role: None,
    }
}

impl Stage {
    async fn opens(&self, title: &str, draft: bool) -> PullRequest {
        let spec = spec(title, draft);
        let opened = self.port.open(&id("pr_abcdefgh"), &spec).await.unwrap();
        let mut pull = PullRequest::requested(id("pr_abcdefgh"), None, &spec, NOW);
        (pull.number, pull.base, pull.state) = (opened.number, Some(opened.base), PullState::Open);
        pull
    }

    fn title(&self) -> String {
        self.forge.text_of(SHOP, 1).unwrap().0
    }

    fn asked_to(&self, what: &str) -> usize {
        self.forge.asked().iter().filter(|asked| asked.starts_with(what)).count()
    }
}

#[tokio::test(start_paused = true)]
async fn a_draft_is_one_by_its_title_there_and_by_a_mark_of_its_own_here() {
    let stage = stage();
    let pull = stage.opens("Add the login", true).await;
    assert_eq!(stage.title(), "WIP: Add the login");
    assert_eq!(pull.base.as_ref().map(Branch::as_str), Some("trunk"), "the repository's own default");
    let look = stage.port.look(&pull).await.unwrap();
    assert_eq!((look.seen.title.as_str(), look.seen.draft), ("Add the login", true));
    assert_eq!(look.mergeable, None, "a draft is no conflict");
    let renamed = PullChange { title: Some("Add the log-in".to_owned()), ..PullChange::default() };
    let seen = stage.port.change(&pull, &renamed).await.unwrap();
    assert_eq!((stage.title().as_str(), seen.title.as_str()), ("WIP: Add the log-in", "Add the log-in"));
    let ready = PullChange { draft: Some(false), ..PullChange::default() };
    let seen = stage.port.change(&pull, &ready).await.unwrap();
    assert_eq!((stage.title().as_str(), seen.draft), ("Add the log-in", false));
    let asked = stage.asked_to("PATCH");
    stage.port.change(&pull, &ready).await.unwrap();
    assert_eq!(stage.asked_to("PATCH"), asked, "what is so already is not asked for");
    assert_eq!(stage.port.look(&pull).await.unwrap().mergeable, Some(true));
}

#[rstest]
#[case("https://git.example/")]
#[case("https://git.example/api/v1")]
#[case("https://git.example/api/v1/")]
#[tokio::test(start_paused = true)]
async fn the_interface_is_below_the_instances_address(#[case] base: &str) {
    let stage = stage_at(base);
    assert_eq!(stage.port.who().await.unwrap(), "the token is that of `callboard-bot`");
    assert_eq!(stage.forge.asked(), ["GET /api/v1/user"]);
}

#[tokio::test(start_paused = true)]
async fn a_page_is_as_long_as_the_instance_likes_and_all_are_read() {
    let stage = stage();
    let pull = stage.opens("Add the login", false).await;
    for at in 0..45 {
        stage.forge.checks(SHOP, 1, &format!("a{at:02}"), Some("success"));
        stage.forge.reviews(SHOP, 1, &format!("p{at:02}"), "COMMENTED");
    }
    stage.forge.checks(SHOP, 1, "z", Some("failure"));
    stage.forge.permits(SHOP, "eve", "read");
    stage.forge.reviews(SHOP, 1, "eve", "APPROVED");
    stage.forge.reviews(SHOP, 1, "ada", "APPROVED");
    (0..3).for_each(|_| stage.forge.opens_thread(SHOP, 1));
    let look = stage.port.look(&pull).await.unwrap();
    assert_eq!((look.checks.len(), look.checks[45].conclusion.as_deref()), (46, Some("failure")));
    let said = |who: &str| look.reviews.iter().find(|review| review.who == who).map(|review| review.verdict);
    assert_eq!((said("ada"), said("p44")), (Some(Verdict::Approved), Some(Verdict::Commented)));
    assert_eq!(look.unresolved_threads, Some(3));
    // Whoever is no official reviewer has an opinion.
    let standing = |who: &str| look.reviews.iter().find(|review| review.who == who).map(|review| review.standing);
    assert_eq!((said("eve"), standing("eve")), (Some(Verdict::Approved), Some(ReviewerRole::Reader)));
    assert_eq!(standing("ada"), Some(ReviewerRole::Writer));
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_believed_when_the_instance_had_time_to_look() {
    let stage = stage();
    let pull = stage.opens("Add the login", false).await;
    stage.forge.ponders(SHOP, 1, 2);
    assert_eq!(stage.port.look(&pull).await.unwrap().mergeable, Some(true), "it took a moment");
    stage.forge.conflicts(SHOP, 1);
    assert_eq!(stage.port.look(&pull).await.unwrap().mergeable, Some(false));
}

#[tokio::test(start_paused = true)]
async fn a_merge_that_is_refused_says_why_and_one_that_was_done_is_found() {
    let stage = stage();
    let pull = stage.opens("Add the login", false).await;
    let order = stage.order(&pull, MergeMethod::Squash).await;
    let merge = || stage.port.merge(&pull, &order);
    stage.forge.ponders(SHOP, 1, 9);
    let later = merge().await.unwrap_err();
    assert!(matches!(&later, ForgeError::Unreachable(why) if why.contains("still finding out")), "{later}");
    stage.forge.ponders(SHOP, 1, 0);
    stage.forge.conflicts(SHOP, 1);
    let no = merge().await.unwrap_err();
    assert!(matches!(&no, ForgeError::Refused(why) if why.contains("it conflicts") && why.contains("(405)")), "{no}");
    stage.forge.pushes(SHOP, "feature/login");
    let moved = merge().await.unwrap_err();
    assert!(matches!(&moved, ForgeError::Refused(why) if why.contains("moved on to")), "{moved}");
    stage.forge.merges(SHOP, 1);
    let asked = stage.asked_to("POST");
    assert_eq!(merge().await.unwrap().state, PullState::Merged);
    assert_eq!(stage.asked_to("POST"), asked, "it is not asked for again");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_moved_is_told_from_a_conflict() {
    let stage = stage();
    let pull = stage.opens("Add the login", false).await;
    let order = stage.order(&pull, MergeMethod::Merge).await;
    stage.forge.pushes(SHOP, "feature/login");
    let moved = stage.port.merge(&pull, &order).await.unwrap_err();
    assert!(matches!(&moved, ForgeError::Refused(why) if why.contains("moved on to")), "{moved}");
    assert_eq!(stage.port.look(&pull).await.unwrap().seen.state, PullState::Open);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_open_for_these_branches_is_taken_even_where_no_page_showed_it() {
    let stage = stage();
    // Somebody opens it between the look and the request.
    let first = stage.opens("Add the login", false).await;
    (0..250).for_each(|at| stage.forge.pushes(SHOP, &format!("b{at}")));
    for at in 0..250 {
        let spec = PullSpec { head: Branch::parse(&format!("b{at}")).unwrap(), ..spec("Another", false) };
        stage.port.open(&id(&format!("pr_other{at:03}")), &spec).await.unwrap();
    }
    let again = stage.port.open(&id("pr_zzzzzzzz"), &spec("Again", false)).await.unwrap();
    assert_eq!(again.number, first.number);
    assert_eq!(stage.forge.count(SHOP), 251);
}

#[rstest]
#[case::token(Fault::Revoked, "FORGE_UNAUTHORIZED", false)]
#[case::rights(Fault::Answers(403, Vec::new()), "FORGE_REFUSED", false)]
#[case::unknown(Fault::Answers(404, Vec::new()), "FORGE_REFUSED", false)]
#[case::archived(Fault::Answers(423, Vec::new()), "FORGE_REFUSED", false)]
#[case::too_many(Fault::TooMany(Duration::from_secs(7)), "FORGE_LIMITED", true)]
#[case::broken(Fault::Answers(500, Vec::new()), "FORGE_UNREACHABLE", true)]
#[case::in_front(Fault::BadGateway, "FORGE_UNREACHABLE", true)]
#[case::down(Fault::Down, "FORGE_UNREACHABLE", true)]
#[tokio::test(start_paused = true)]
async fn every_no_is_for_good_or_passes(#[case] fault: Fault, #[case] code: &str, #[case] passes: bool) {
    let stage = stage();
    stage.forge.fault(fault);
    let no = stage.port.open(&id("pr_abcdefgh"), &spec("Add the login", false)).await.unwrap_err();
    assert_eq!((no.code(), no.passes().is_some()), (code, passes), "{no}");
}

#[tokio::test(start_paused = true)]
async fn a_repository_is_surveyed() {
    let stage = stage();
    let shop = Repository::parse(SHOP).unwrap();
    let seen = stage.port.survey(&shop).await.unwrap();
    assert_eq!((seen.default_branch.as_deref(), seen.may_write), (Some("trunk"), Some(true)));
    stage.forge.lets_push(SHOP, false);
    assert_eq!(stage.port.survey(&shop).await.unwrap().may_write, Some(false));
    let folder = Repository::parse("/srv/git/shop").unwrap();
    assert!(matches!(stage.port.survey(&folder).await, Err(ForgeError::Refused(_))));
}
