//! Which word lets a pull request be merged: a table of cases, and random stories against a model of the rule.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::ids::{AgentId, PullId, SessionId, TaskId};
use crate::principal::Surface;
use crate::review::{self, Change, Grounds, Review, ReviewState, Round, VerdictKind};
use crate::task::{KeptText, Origin};
use crate::time::Timestamp;

const SECOND: u64 = 1_000;
const WANTED: MergeTerms = MergeTerms { approval: true, green: Green::NOTHING, stale: false };

fn branch(name: &str) -> Branch {
    Branch::parse(name).unwrap()
}

fn pull() -> PullRequest {
    let spec = PullSpec {
        repository: Repository::parse("acme/shop").unwrap(),
        head: branch("feature/login"),
        base: Some(branch("main")),
        title: "Add the login".to_owned(),
        body: String::new(),
        draft: false,
        work_item: None,
        role: None,
    };
    let mut pull = PullRequest::requested(PullId::parse("pr_00000001").unwrap(), None, &spec, Timestamp(5 * SECOND));
    (pull.number, pull.state) = (Some(7), PullState::Open);
    pull
}

/// How it stands on the forge: in this commit, onto this base.
fn look(commit: &str, base: &str, reviews: &[Reviewed]) -> PullLook {
    PullLook {
        seen: PullSeen {
            title: "Add the login".to_owned(),
            draft: false,
            state: PullState::Open,
            base: Some(branch(base)),
            commit: Some(commit.to_owned()),
            place: None,
        },
        mergeable: Some(true),
        checks: Vec::new(),
        runs_checks: true,
        reviews: reviews.to_vec(),
        base_changed_at: Ok(None),
        fork: None,
        lost: BTreeSet::new(),
        unresolved_threads: None,
        sizes: Sizes::default(),
    }
}

fn said(who: &str, verdict: Verdict, standing: ReviewerRole, commit: Option<&str>) -> Reviewed {
    let at = Some(Timestamp(10 * SECOND));
    Reviewed { who: who.to_owned(), verdict, standing, commit: commit.map(str::to_owned), at }
}

#[expect(clippy::unnecessary_wraps, reason = "as a verdict has them")]
fn given(login: Option<&str>) -> Option<Grounds> {
    Some(Grounds { rule: "people.ada.canApprove".to_owned(), given: true, forge_login: login.map(str::to_owned) })
}

fn verdict(kind: VerdictKind, grounds: Option<Grounds>) -> review::Verdict {
    let (by, at) = (Origin { id: "person:ada".to_owned(), ..Origin::hub() }, Timestamp(9 * SECOND));
    review::Verdict { kind, by, surface: Surface::Page, message: None, grounds, at, taken_back: None }
}

fn handed_in(change: Change, state: ReviewState, verdicts: Vec<review::Verdict>, second: u64) -> Review {
    let at = Timestamp(second * SECOND);
    let round = Round {
        number: 1,
        agent: AgentId::parse("ann").unwrap(),
        session: SessionId::parse("s_00000001").ok(),
        message: KeptText::inline("look"),
        change,
        notes: None,
        at,
        verdicts,
    };
    let task = TaskId::parse("task0001").unwrap();
    Review { task, state, rounds: vec![round], comments: Vec::new(), opened_at: at, updated_at: at }
}

fn change(commit: Option<&str>, base: Option<&str>) -> Change {
    let [commit, base] = [commit, base].map(|name| name.map(str::to_owned));
    Change { pull: PullId::parse("pr_00000001").ok(), commit, base, ..Change::default() }
}

fn approved(change: Change, grounds: Option<Grounds>) -> Review {
    handed_in(change, ReviewState::Approved, vec![verdict(VerdictKind::Approved, grounds)], 8)
}

fn codes(terms: &MergeTerms, look: &PullLook, reviews: &[Review]) -> Vec<&'static str> {
    let judged = judge(terms, &pull(), look, reviews, Timestamp(0));
    judged.missing.iter().map(Missing::code).collect()
}

#[rstest]
#[case::of_what_was_handed_in(change(Some("c1"), Some("main")), given(None), HubReview::Approved)]
#[case::pushed_since(change(Some("c0"), Some("main")), given(None), HubReview::Outdated)]
#[case::of_another_base(change(Some("c1"), Some("release")), given(None), HubReview::BaseChanged)]
#[case::of_no_commit(change(None, Some("main")), given(None), HubReview::Unknown)]
#[case::of_no_base(change(Some("c1"), None), given(None), HubReview::Unknown)]
#[case::by_no_right(change(Some("c1"), Some("main")), None, HubReview::Unknown)]
#[case::by_a_right_to_answer(
    change(Some("c1"), Some("main")),
    given(None).map(|right| Grounds { given: false, ..right }),
    HubReview::Unknown
)]
#[case::by_the_forges_word_that_is_gone(change(Some("c1"), Some("main")), given(Some("ada-l")), HubReview::TakenBack)]
#[case::with_another_pull_request(
    Change { pull: PullId::parse("pr_00000002").ok(), ..change(Some("c1"), Some("main")) },
    given(None),
    HubReview::NotAsked
)]
#[case::as_a_diff(
    Change { pull: None, diff: Some(KeptText::inline("+x")), ..change(Some("c1"), Some("main")) },
    given(None),
    HubReview::NotAsked
)]
#[case::with_the_task_alone(Change::default(), given(None), HubReview::NotAsked)]
#[case::by_a_bare_number(Change { pr_id: Some("7".to_owned()), ..Change::default() }, given(None), HubReview::NotAsked)]
#[case::before_it_was_there(
    Change { pr_url: Some("acme/shop#7".to_owned()), ..Change::default() },
    given(None),
    HubReview::Unknown
)]
fn an_approval_in_the_hub(#[case] change: Change, #[case] grounds: Option<Grounds>, #[case] says: HubReview) {
    let (reviews, look) = ([approved(change, grounds)], look("c1", "main", &[]));
    let judged = judge(&WANTED, &pull(), &look, &reviews, Timestamp(0));
    assert_eq!(judged.hub, says);
    assert_eq!(
        (judged.missing.is_empty(), judged.approval.is_some()),
        (says == HubReview::Approved, says == HubReview::Approved)
    );
}

#[test]
fn a_copy_of_the_forges_word_lives_as_long_as_that() {
    let reviews = [approved(change(Some("c1"), Some("main")), given(Some("Ada-L")))];
    let on_forge = |verdict, standing, commit| look("c1", "main", &[said("ada-l", verdict, standing, commit)]);
    let hub = |look: &PullLook| HubReview::of(&pull(), look, &reviews);
    // By the right that the hub gives, whatever the forge's own is.
    assert_eq!(hub(&on_forge(Verdict::Approved, ReviewerRole::Reader, Some("c1"))), HubReview::Approved);
    for (verdict, standing, commit) in [
        (Verdict::Dismissed, ReviewerRole::Writer, Some("c1")),
        (Verdict::ChangesRequested, ReviewerRole::Reader, Some("c1")),
        (Verdict::Approved, ReviewerRole::Writer, Some("c0")),
        (Verdict::Approved, ReviewerRole::Writer, None),
        (Verdict::Approved, ReviewerRole::Program, Some("c1")),
        (Verdict::Approved, ReviewerRole::Own, Some("c1")),
    ] {
        assert_eq!(
            hub(&on_forge(verdict, standing, commit)),
            HubReview::TakenBack,
            "{verdict:?} {standing:?} {commit:?}"
        );
    }
}

#[test]
fn the_round_that_was_handed_in_last_says_how_it_stands() {
    let both = |state| {
        let newest = handed_in(change(Some("c1"), Some("main")), state, Vec::new(), 20);
        [newest, approved(change(Some("c1"), Some("main")), given(None))]
    };
    let look = look("c1", "main", &[]);
    for (state, says) in [
        (ReviewState::Open, HubReview::Open),
        (ReviewState::ChangesRequested, HubReview::ChangesRequested),
        (ReviewState::Withdrawn, HubReview::NotAsked),
    ] {
        assert_eq!(HubReview::of(&pull(), &look, &both(state)), says);
        assert!(!codes(&WANTED, &look, &both(state)).is_empty(), "{state}");
    }
}

#[rstest]
#[case::a_writer(ReviewerRole::Writer, Some("c1"), &[])]
#[case::a_writer_of_an_earlier_commit(ReviewerRole::Writer, Some("c0"), &["approval"])]
#[case::a_writer_of_no_commit(ReviewerRole::Writer, None, &["approval"])]
#[case::a_reader(ReviewerRole::Reader, Some("c1"), &["approval"])]
#[case::a_program(ReviewerRole::Program, Some("c1"), &["approval"])]
#[case::whoever_opened_it(ReviewerRole::Own, Some("c1"), &["approval"])]
fn an_approval_on_the_forge(#[case] standing: ReviewerRole, #[case] commit: Option<&str>, #[case] missing: &[&str]) {
    let on_forge = look("c1", "main", &[said("ada", Verdict::Approved, standing, commit)]);
    assert_eq!(codes(&WANTED, &on_forge, &[]), missing);
    let lenient = MergeTerms { stale: true, ..WANTED };
    let stale = standing == ReviewerRole::Writer && commit.is_some();
    assert_eq!(codes(&lenient, &on_forge, &[]).is_empty(), stale, "{standing:?} {commit:?}");
}

#[test]
fn an_approval_from_before_the_base_was_changed_is_void() {
    let mut changed = look("c1", "release", &[said("ada", Verdict::Approved, ReviewerRole::Writer, Some("c1"))]);
    for (second, missing) in [(9, &[][..]), (10, &["approval"]), (11, &["approval"])] {
        changed.base_changed_at = Ok(Some(Timestamp(second * SECOND)));
        assert_eq!(codes(&WANTED, &changed, &[]), missing, "{second}");
    }
    changed.base_changed_at = Ok(Some(Timestamp(9 * SECOND)));
    changed.reviews[0].at = None;
    assert_eq!(codes(&WANTED, &changed, &[]), ["approval"], "who knows when");
}

#[test]
fn wishes_of_strangers_hold_nothing_up_and_are_told() {
    let ada = said("ada", Verdict::Approved, ReviewerRole::Writer, Some("c1"));
    let wish =
        |standing| look("c1", "main", &[ada.clone(), said("eve", Verdict::ChangesRequested, standing, Some("c0"))]);
    assert_eq!(codes(&WANTED, &wish(ReviewerRole::Reader), &[]), [""; 0]);
    assert!(wish(ReviewerRole::Reader).sentence().contains("by `eve`"), "{}", wish(ReviewerRole::Reader).sentence());
    assert_eq!(codes(&WANTED, &wish(ReviewerRole::Writer), &[]), ["changes_wanted"]);
}

#[test]
fn what_was_approved_is_void_once_its_base_went_back() {
    let from = |fork: &str| Change { fork: Some(fork.to_owned()), ..change(Some("c1"), Some("main")) };
    let mut look = look("c1", "main", &[said("ada", Verdict::Approved, ReviewerRole::Writer, Some("c1"))]);
    let none = PullLook { reviews: Vec::new(), ..look.clone() };
    let here = [approved(from("f1"), given(None))];
    let handed = |fork: &str, second| handed_in(from(fork), ReviewState::Open, Vec::new(), second);
    assert_eq!(codes(&WANTED, &none, &here), [""; 0]);
    assert_eq!(codes(&WANTED, &look, &[handed("f1", 8)]), [""; 0]);
    look.lost = BTreeSet::from(["f1".to_owned()]);
    let none = PullLook { reviews: Vec::new(), ..look.clone() };
    assert_eq!(codes(&WANTED, &none, &here), ["approval"]);
    assert_eq!(HubReview::of(&pull(), &none, &here), HubReview::BaseRewound);
    // On the forge it was approved in the tenth second; what is handed in later says nothing of that.
    assert_eq!(codes(&WANTED, &look, &[handed("f1", 8)]), ["approval"]);
    assert_eq!(codes(&WANTED, &look, &[handed("f1", 8), handed("f2", 11)]), ["approval"]);
    assert_eq!(codes(&WANTED, &look, &[handed("f1", 8), handed("f2", 9)]), [""; 0]);
    assert_eq!(codes(&WANTED, &look, &[handed("f1", 11), handed("f2", 12)]), ["approval"]);
    assert_eq!(codes(&WANTED, &look, &[]), [""; 0], "it was never handed in");
}

#[test]
fn while_nobody_knows_whether_the_base_was_changed_no_approval_on_the_forge_counts() {
    let ada = said("ada", Verdict::Approved, ReviewerRole::Writer, Some("c1"));
    let look = PullLook { base_changed_at: Err("500".to_owned()), ..look("c1", "main", &[ada]) };
    assert_eq!(codes(&WANTED, &look, &[]), ["approvals_unknown"]);
    assert_eq!(codes(&WANTED, &look, &[approved(change(Some("c1"), Some("main")), given(None))]), [""; 0]);
    assert_eq!(codes(&WANTED, &PullLook { reviews: Vec::new(), ..look }, &[]), ["approval"]);
}

#[test]
fn terms_of_several_sessions_are_those_of_all() {
    let named = |name: &str| Green::of([name.to_owned()].into());
    let lax = MergeTerms { approval: false, green: Green::NOTHING, stale: true };
    let strict = MergeTerms { approval: true, green: Green::ALL, stale: false };
    assert_eq!(lax.clone().and(strict.clone()), strict);
    let whole = Green { all: true, ..named("a") };
    assert_eq!(strict.clone().and(MergeTerms { green: named("a"), ..lax }).green, whole);
    assert_eq!(MergeTerms { green: named("a"), ..lax }.and(strict).green, whole);
    let both = MergeTerms { green: named("a"), ..lax }.and(MergeTerms { green: named("b"), ..lax });
    assert_eq!(both.green, Green::of(["a".to_owned(), "b".to_owned()].into()));
    assert_eq!(lax.clone().and(lax.clone()), lax);
}

/// What may happen to a pull request.
#[derive(Debug, Clone)]
enum Step {
    Push,
    Retarget(bool),
    HandIn,
    HubApproves { given: bool, login: Option<usize> },
    HubWishes,
    ForgeSays(usize, Verdict),
}

/// Who is on the forge.
const PEOPLE: [(&str, ReviewerRole); 4] = [
    ("ada", ReviewerRole::Writer),
    ("bob", ReviewerRole::Reader),
    ("ci[bot]", ReviewerRole::Program),
    ("hub", ReviewerRole::Own),
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let verdict = prop_oneof![
        4 => Just(Verdict::Approved),
        1 => Just(Verdict::ChangesRequested),
        1 => Just(Verdict::Dismissed),
    ];
    let step = prop_oneof![
        2 => Just(Step::Push),
        1 => any::<bool>().prop_map(Step::Retarget),
        4 => Just(Step::HandIn),
        4 => (any::<bool>(), proptest::option::of(0..PEOPLE.len()))
            .prop_map(|(given, login)| Step::HubApproves { given, login }),
        1 => Just(Step::HubWishes),
        5 => (0..PEOPLE.len(), verdict).prop_map(|(who, verdict)| Step::ForgeSays(who, verdict)),
    ];
    proptest::collection::vec(step, 1..14)
}

/// The rule once more, kept while things happen and not read from what they left.
#[derive(Default)]
struct Model {
    head: u32,
    base: bool,
    /// How often the base was changed.
    bases: u32,
    /// What each person says: which way, of which commit, after how many changes of the base.
    forge: [Option<(Verdict, u32, u32)>; 4],
    /// What was handed in (commit, base), and each agreement: given by name, and whose word on the forge it copies.
    hub: Option<HandedIn>,
    wished: bool,
}

/// The commit and the base that were handed in, and each agreement.
type HandedIn = (u32, bool, Vec<(bool, Option<usize>)>);

impl Model {
    fn takes(&mut self, step: &Step) {
        match step {
            Step::Push => self.head += 1,
            Step::Retarget(base) => (self.base, self.bases) = (*base, self.bases + 1),
            Step::HandIn => (self.hub, self.wished) = (Some((self.head, self.base, Vec::new())), false),
            Step::HubApproves { given, login } if !self.wished => {
                if let Some((_, _, agreed)) = &mut self.hub {
                    agreed.push((*given, *login));
                }
            }
            Step::HubApproves { .. } => {}
            Step::HubWishes => self.wished |= self.hub.is_some(),
            Step::ForgeSays(who, verdict) => self.forge[*who] = Some((*verdict, self.head, self.bases)),
        }
    }

    fn may_be_merged(&self, stale: bool) -> bool {
        let yes = |who: usize, head: u32| {
            matches!(self.forge[who], Some((Verdict::Approved, of, _)) if of == head) && who < 2
        };
        let writer = self.forge[0].is_some_and(|(verdict, of, bases)| {
            verdict == Verdict::Approved && (of == self.head || stale) && bases == self.bases
        });
        let hub = self.hub.as_ref().is_some_and(|(of, base, agreed)| {
            let lives = agreed.iter().any(|(given, login)| *given && login.is_none_or(|who| yes(who, *of)));
            *of == self.head && *base == self.base && lives
        });
        let wished = self.wished || matches!(self.forge[0], Some((Verdict::ChangesRequested, _, _)));
        (writer || hub) && !wished
    }
}

/// The same as it is written down, in the forge's and the hub's own forms.
#[derive(Default)]
struct World {
    head: u32,
    base: bool,
    changed: Option<Timestamp>,
    reviews: Vec<Reviewed>,
    hub: Vec<Review>,
}

impl World {
    fn takes(&mut self, step: &Step, second: u64) {
        let (commit, base) = (format!("c{}", self.head), if self.base { "main" } else { "release" });
        match step {
            Step::Push => self.head += 1,
            Step::Retarget(base) => (self.base, self.changed) = (*base, Some(Timestamp(second * SECOND))),
            Step::HandIn => {
                let change = change(Some(&commit), Some(base));
                self.hub.push(handed_in(change, ReviewState::Open, Vec::new(), second));
            }
            Step::HubApproves { given, login } => {
                let forge_login = login.map(|who| PEOPLE[who].0.to_owned());
                let grounds = Some(Grounds { rule: "x".to_owned(), given: *given, forge_login });
                let open = self.hub.last_mut().filter(|review| review.state != ReviewState::ChangesRequested);
                if let Some(review) = open {
                    review.state = ReviewState::Approved;
                    review.rounds[0].verdicts.push(verdict(VerdictKind::Approved, grounds));
                }
            }
            Step::HubWishes => {
                if let Some(review) = self.hub.last_mut() {
                    review.state = ReviewState::ChangesRequested;
                    review.rounds[0].verdicts.push(verdict(VerdictKind::ChangesRequested, None));
                }
            }
            Step::ForgeSays(who, verdict) => {
                let (name, standing) = PEOPLE[*who];
                let at = Some(Timestamp(second * SECOND));
                let review = Reviewed { at, ..said(name, *verdict, standing, Some(&commit)) };
                self.reviews = last_verdicts(self.reviews.drain(..).chain([review]));
            }
        }
    }

    fn judged(&self, terms: &MergeTerms) -> Judged {
        let base = if self.base { "main" } else { "release" };
        let mut look = look(&format!("c{}", self.head), base, &self.reviews);
        look.base_changed_at = Ok(self.changed);
        judge(terms, &pull(), &look, &self.hub, Timestamp(0))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    /// No merge without a living approval of exactly that head and base by somebody who may, and none refused with one.
    #[test]
    fn what_may_be_merged_is_what_the_rule_says(steps in steps(), stale in any::<bool>()) {
        let (mut model, mut world) = (Model::default(), World::default());
        let terms = MergeTerms { stale, ..WANTED };
        for (second, step) in (100..).zip(&steps) {
            model.takes(step);
            world.takes(step, second);
            let judged = world.judged(&terms);
            prop_assert_eq!(judged.missing.is_empty(), model.may_be_merged(stale), "{:?}: {:?}", step, judged);
            let sent = MergeSent {
                head: format!("c{}", world.head),
                base: branch(if world.base { "main" } else { "release" }),
                required: true,
                stale,
                approval: judged.approval.clone(),
            };
            prop_assert!(!judged.missing.is_empty() || sent.is_approved(), "{:?}", sent);
        }
    }
}
