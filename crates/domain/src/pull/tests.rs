//! Pull requests, step by step.

use std::collections::BTreeSet;

use rstest::rstest;
use serde_json::json;

use super::*;
use crate::ids::{AgentId, NoticeId, PrincipalId, PullId, SessionId, TaskId};
use crate::principal::Surface;
use crate::session::question::Answerer;
use crate::session::{Happened, Session, SessionCause, SessionCommand, SessionOutcome, SessionRefusal, TaskStep};
use crate::time::Timestamp;

fn id(n: u32) -> PullId {
    PullId::parse(&format!("pr_{n:08}")).unwrap()
}

fn spec(head: &str) -> PullSpec {
    PullSpec {
        repository: Repository::parse("acme/shop").unwrap(),
        head: Branch::parse(head).unwrap(),
        base: None,
        title: "Add the login".to_owned(),
        body: "Signs people in.".to_owned(),
        draft: false,
        work_item: None,
        role: None,
    }
}

fn open(n: u32, head: &str) -> PullCommand {
    PullCommand::Open { id: id(n), spec: Box::new(spec(head)) }
}

fn created(n: u32, number: u64) -> PullCommand {
    let (url, base) = (Some(format!("https://git.example/pr/{number}")), Branch::parse("main").unwrap());
    let (commit, adopted, place) = (Some("c1".to_owned()), None, None);
    let outcome = PullOutcome::Created { number: Some(number), url, base, commit, adopted, place };
    PullCommand::Settle { id: id(n), outcome }
}

fn failed(n: u32) -> PullCommand {
    let outcome = PullOutcome::Failed { deed: PullDeed::Open, reason: "no such branch".to_owned() };
    PullCommand::Settle { id: id(n), outcome }
}

fn sees(n: u32, state: PullState) -> PullCommand {
    let seen =
        PullSeen { title: "Add the login".to_owned(), draft: false, state, base: None, commit: None, place: None };
    PullCommand::See { id: id(n), seen }
}

/// A session that is told things, one second after another.
struct Story(Session, u64);

fn someone() -> Answerer {
    Answerer { principal: PrincipalId::parse("hub").unwrap(), display_name: "hub".to_owned(), surface: Surface::Hub }
}

fn some_notice() -> NoticeId {
    NoticeId::parse("n_00000001").unwrap()
}

impl Story {
    fn new() -> Self {
        let mut session =
            Session::opened(SessionId::parse("s_00000001").unwrap(), AgentId::parse("ann").unwrap(), Timestamp(0));
        session.task = TaskId::parse("task0001").ok();
        Self(session, 0)
    }

    /// The kind of record that came of it, none where it was so already, and which pull request it is about.
    fn does(&mut self, command: PullCommand) -> Result<(Option<PullRecord>, PullId), SessionRefusal> {
        self.1 += 1_000;
        let someone = someone();
        let (now, notice) = (Timestamp(self.1), some_notice());
        let cause = SessionCause { now, notice, by: someone.clone(), timer: someone };
        let decision = self.0.decide(&SessionCommand::Pull(command), &cause)?;
        assert_eq!((decision.task, decision.notice), (TaskStep::None, None));
        let SessionOutcome::Pull(about) = decision.outcome else { panic!("{:?}", decision.outcome) };
        let mut record = None;
        for happened in decision.records {
            let Happened::Pull(happened) = happened else { panic!("{happened:?}") };
            self.0.hear_of_pull(now, &happened);
            record = Some(happened);
        }
        Ok((record, about))
    }

    fn state(&self, n: u32) -> PullState {
        self.pull(n).state
    }

    fn pull(&self, n: u32) -> &PullRequest {
        self.0.pulls.iter().find(|pull| pull.id == id(n)).unwrap()
    }
}

#[test]
fn one_is_asked_for_created_and_merged_and_each_step_counts_once() {
    let mut story = Story::new();
    let (record, _) = story.does(open(1, "feature/login")).unwrap();
    assert!(matches!(record, Some(PullRecord::Requested { task: Some(_), .. })), "{record:?}");
    assert_eq!(story.state(1), PullState::Opening);
    // Nothing is seen of what the forge does not have yet.
    assert_eq!(story.does(sees(1, PullState::Closed)).unwrap().0, None);
    assert!(story.does(created(1, 7)).unwrap().0.is_some());
    assert_eq!((story.state(1), story.pull(1).number), (PullState::Open, Some(7)));
    assert_eq!(story.pull(1).base.as_ref().map(Branch::as_str), Some("main"));
    // The answer comes again after a crash.
    assert_eq!(story.does(created(1, 7)).unwrap(), (None, id(1)));
    assert_eq!(story.does(failed(1)).unwrap().0, None);
    assert_eq!(story.does(sees(1, PullState::Open)).unwrap().0, None);
    assert_eq!(story.does(sees(1, PullState::Merged)).unwrap().0, Some(PullRecord::Merged { id: id(1) }));
    assert_eq!(story.does(sees(1, PullState::Merged)).unwrap().0, None);
    assert_eq!(story.state(1), PullState::Merged);
    assert_eq!(story.does(sees(1, PullState::Failed)).unwrap().0, None, "no forge says so");
}

/// What was asked of the first pull request then is not sent any more.
fn dropped(deed: PullDeed, since: u64) -> PullCommand {
    let outcome = PullOutcome::Dropped { deed, since: Timestamp(since), reason: "not today".to_owned() };
    PullCommand::Settle { id: id(1), outcome }
}

#[test]
fn what_is_not_sent_any_more_is_let_go_of_and_what_was_asked_later_goes_on() {
    let mut story = Story::new();
    story.does(open(1, "feature/login")).unwrap();
    assert_eq!(story.does(dropped(PullDeed::Open, 999)).unwrap().0, None);
    assert_eq!(story.does(dropped(PullDeed::Merge, 1_000)).unwrap().0, None);
    assert!(story.does(dropped(PullDeed::Open, 1_000)).unwrap().0.is_some());
    assert_eq!((story.state(1), story.pull(1).trouble.as_deref()), (PullState::Failed, Some("not today")));
    assert_eq!(story.does(dropped(PullDeed::Open, 1_000)).unwrap().0, None);
    story.does(created(1, 7)).unwrap();
    let asks = || PullCommand::Ask { id: id(1), ask: PullAsk::Merge(MergeMethod::Merge, "c0ffee".to_owned(), None) };
    story.does(asks()).unwrap();
    let since = story.1;
    // News of it while it waits change nothing of that.
    story.does(PullCommand::Outdate { id: id(1) }).unwrap();
    assert!(story.does(dropped(PullDeed::Merge, since)).unwrap().0.is_some());
    assert_eq!((story.state(1), story.pull(1).pending), (PullState::Open, None));
    story.does(asks()).unwrap();
    assert_eq!(story.does(dropped(PullDeed::Merge, since)).unwrap().0, None, "the later one goes on");
    assert_eq!(story.pull(1).pending, Some(PullDeed::Merge));
}

#[test]
fn one_that_was_closed_by_hand_is_seen_closed_and_open_again() {
    let mut story = Story::new();
    story.does(open(1, "feature/login")).unwrap();
    story.does(created(1, 7)).unwrap();
    assert_eq!(story.does(sees(1, PullState::Closed)).unwrap().0, Some(PullRecord::Closed { id: id(1) }));
    assert_eq!(story.does(sees(1, PullState::Closed)).unwrap().0, None);
    // The branch is free for the next one.
    assert_eq!(story.does(open(2, "feature/login")).unwrap().1, id(2));
    story.does(sees(1, PullState::Open)).unwrap();
    assert_eq!(story.state(1), PullState::Open);
    let seen = PullSeen {
        title: "Add the log-in".to_owned(),
        draft: true,
        state: PullState::Open,
        base: None,
        commit: None,
        place: None,
    };
    story.does(PullCommand::See { id: id(1), seen }).unwrap();
    assert_eq!((story.pull(1).title.as_str(), story.pull(1).draft), ("Add the log-in", true));
}

#[test]
fn one_that_failed_says_why_and_stands_after_all_when_a_person_has_it_asked_for_again() {
    let mut story = Story::new();
    story.does(open(1, "feature/login")).unwrap();
    story.does(failed(1)).unwrap();
    assert_eq!((story.state(1), story.pull(1).trouble.as_deref()), (PullState::Failed, Some("no such branch")));
    story.does(created(1, 7)).unwrap();
    assert_eq!((story.state(1), story.pull(1).trouble.as_deref()), (PullState::Open, None));
}

#[test]
fn a_branch_has_one_at_a_time_and_a_session_so_many() {
    let mut story = Story::new();
    story.does(open(1, "b1")).unwrap();
    assert_eq!(story.does(open(99, "b1")).unwrap(), (None, id(1)), "the one that is there");
    for n in 2..=20 {
        story.does(open(n, &format!("b{n}"))).unwrap();
    }
    assert_eq!(story.does(open(21, "b21")).unwrap_err().code(), "PR_LIMIT");
    let mut same = spec("main");
    same.base = Some(Branch::parse("main").unwrap());
    let no = story.does(PullCommand::Open { id: id(22), spec: Box::new(same) }).unwrap_err();
    assert_eq!(
        (no.code(), no.to_string().contains("`main` cannot be merged into itself")),
        ("INVALID_ARGUMENTS", true)
    );
    let no = story.does(sees(77, PullState::Open)).unwrap_err();
    assert_eq!(no.code(), "PR_NOT_FOUND");
    assert_eq!(story.does(created(77, 1)).unwrap_err().code(), "PR_NOT_FOUND");
}

#[test]
fn of_those_that_are_over_the_last_are_remembered() {
    let mut story = Story::new();
    story.does(open(1, "stays")).unwrap();
    for n in 2..=62 {
        story.does(open(n, &format!("b{n}"))).unwrap();
        story.does(failed(n)).unwrap();
    }
    assert_eq!(story.0.pulls.len(), 51);
    assert_eq!((story.state(1), story.0.pulls[1].id.clone()), (PullState::Opening, id(13)));
    // A record of one that is forgotten changes nothing.
    story.0.hear_of_pull(Timestamp(1), &PullRecord::Merged { id: id(2) });
    assert_eq!(story.0.pulls.len(), 51);
}

#[test]
fn it_is_known_by_each_of_its_names() {
    let mut story = Story::new();
    story.does(open(1, "feature/login")).unwrap();
    assert!(!story.pull(1).is_called("7"));
    story.does(created(1, 7)).unwrap();
    for name in ["pr_00000001", "7", "#7", "acme/shop#7", "Acme/Shop#7", "https://git.example/pr/7"] {
        assert!(story.pull(1).is_called(name), "{name}");
    }
    for name in ["", "8", "acme/web#7", "pr_00000002"] {
        assert!(!story.pull(1).is_called(name), "{name}");
    }
    assert_eq!(mark(&id(1)), "<!-- callboard pr_00000001 -->");
}

#[rstest]
#[case("acme/shop", "acme/shop")]
#[case(" acme/shop.git ", "acme/shop")]
#[case("a.b-c_d/e", "a.b-c_d/e")]
#[case("/srv/git/shop/", "/srv/git/shop")]
fn a_repository_is_read(#[case] text: &str, #[case] name: &str) {
    let read = Repository::parse(text).unwrap();
    assert_eq!(read.to_string(), name);
    assert_eq!(read.on_forge().is_none(), name.starts_with('/'));
    let json = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Repository>(&json).unwrap(), read);
}

#[rstest]
#[case("")]
#[case("acme")]
#[case("acme/")]
#[case("/")]
#[case("/srv/../etc")]
#[case("/srv\n/x")]
#[case("acme/..")]
#[case("acme/shop/x")]
#[case("https://github.com/acme/shop")]
#[case("acme/sh op")]
fn what_names_no_repository_is_refused(#[case] text: &str) {
    assert_eq!(Repository::parse(text), Err(NameError::Repository));
    let json = serde_json::to_string(text).unwrap();
    assert!(serde_json::from_str::<Repository>(&json).is_err());
}

#[rstest]
#[case("main", true)]
#[case("feature/login", true)]
#[case("", false)]
#[case("a b", false)]
#[case("-x", false)]
#[case("a..b", false)]
#[case("a/.b", false)]
#[case("a//b", false)]
#[case("a.lock", false)]
#[case("a.", false)]
#[case("a@{1}", false)]
#[case("acme:main", false)]
fn a_branch_is_what_git_lets_one_be_called(#[case] text: &str, #[case] fits: bool) {
    assert_eq!(Branch::parse(text).is_ok(), fits);
    let json = serde_json::to_string(text).unwrap();
    assert_eq!(serde_json::from_str::<Branch>(&json).is_ok(), fits);
}

#[test]
fn a_list_admits_what_it_names_and_all_that_begins_so() {
    let list = |entries: &[&str]| entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>();
    let shop = Repository::parse("acme/shop").unwrap();
    for yes in [&["acme/shop"][..], &["Acme/*"], &["x/y", " ACME/SHOP "], &["*"]] {
        assert!(is_allowed(&list(yes), &shop), "{yes:?}");
    }
    for no in [&[][..], &["acme/sho"], &["acme/shopping"], &["acme2/*"], &["acme/shop/very-long-name*"]] {
        assert!(!is_allowed(&list(no), &shop), "{no:?}");
    }
    let folder = Repository::parse("/srv/git/shop").unwrap();
    for yes in [&["/srv/git/*"][..], &["/srv/git/shop"], &["acme/*", " /srv/git/shop/ "], &["/*"]] {
        assert!(is_allowed(&list(yes), &folder), "{yes:?}");
    }
    for no in [&[][..], &["*"], &["/srv/GIT/*"], &["/srv/git/Shop"], &["/srv/git/sho"], &["srv/git/*"]] {
        assert!(!is_allowed(&list(no), &folder), "{no:?}");
    }
}

#[test]
fn the_last_verdict_of_each_counts_and_a_remark_takes_none_back() {
    let said = |who: &str, verdict| {
        let (commit, at) = (None, None);
        Reviewed { who: who.to_owned(), verdict, standing: ReviewerRole::Writer, commit, at }
    };
    let last = last_verdicts([
        said("ada", Verdict::ChangesRequested),
        said("bob", Verdict::Commented),
        said("ada", Verdict::Approved),
        said("ada", Verdict::Commented),
        said("bob", Verdict::Approved),
        said("bob", Verdict::Dismissed),
    ]);
    assert_eq!(last, [said("ada", Verdict::Approved), said("bob", Verdict::Dismissed)]);
}

fn change(n: u32) -> PullCommand {
    let change = PullChange { title: Some("x".to_owned()), ..PullChange::default() };
    PullCommand::Ask { id: id(n), ask: PullAsk::Change(change) }
}

#[test]
fn one_thing_at_a_time_is_asked_of_one_that_is_open() {
    let mut story = Story::new();
    story.does(open(1, "b")).unwrap();
    assert_eq!(story.does(change(1)).unwrap_err().code(), "PR_NOT_OPEN");
    story.does(created(1, 7)).unwrap();
    story.does(change(1)).unwrap();
    assert_eq!(story.pull(1).pending, Some(PullDeed::Change));
    assert_eq!(story.does(change(1)).unwrap_err().code(), "PR_BUSY");
    let fails =
        |deed| PullCommand::Settle { id: id(1), outcome: PullOutcome::Failed { deed, reason: "no".to_owned() } };
    assert_eq!(story.does(fails(PullDeed::Merge)).unwrap().0, None, "nobody asked for that");
    story.does(fails(PullDeed::Change)).unwrap();
    assert_eq!((story.state(1), story.pull(1).trouble.as_deref()), (PullState::Open, Some("no")));
    let merge = PullCommand::Ask { id: id(1), ask: PullAsk::Merge(MergeMethod::Squash, "c".to_owned(), None) };
    story.does(merge).unwrap();
    let done = |state| {
        let seen =
            PullSeen { title: "Add the login".to_owned(), draft: false, state, base: None, commit: None, place: None };
        PullCommand::Settle { id: id(1), outcome: PullOutcome::Done(seen) }
    };
    assert!(story.does(done(PullState::Open)).unwrap().0.is_some(), "what was asked is pending no more");
    assert_eq!(story.does(done(PullState::Open)).unwrap().0, None);
    story.does(done(PullState::Closed)).unwrap();
    let again = PullChange { open: Some(true), ..PullChange::default() };
    story.does(PullCommand::Ask { id: id(1), ask: PullAsk::Change(again) }).unwrap();
    story.does(done(PullState::Merged)).unwrap();
    assert_eq!((story.state(1), story.pull(1).pending), (PullState::Merged, None));
}

#[test]
fn news_that_nobody_could_look_at_mark_it_until_somebody_looks() {
    let mut story = Story::new();
    let outdate = || PullCommand::Outdate { id: id(1) };
    story.does(open(1, "b")).unwrap();
    assert_eq!(story.does(outdate()).unwrap().0, None, "it is not there yet");
    story.does(created(1, 7)).unwrap();
    assert_eq!(story.does(outdate()).unwrap().0, Some(PullRecord::Outdated { id: id(1) }));
    assert_eq!(story.does(outdate()).unwrap().0, None, "one look is owed, and no more");
    story.does(change(1)).unwrap();
    assert!(story.pull(1).outdated, "what is asked for shows nothing");
    // Whoever looks meanwhile does not answer for what was asked.
    let seen =
        PullSeen { title: "y".to_owned(), draft: true, state: PullState::Open, base: None, commit: None, place: None };
    assert_eq!(story.does(PullCommand::See { id: id(1), seen: seen.clone() }).unwrap().0, None);
    assert_eq!(story.pull(1).pending, Some(PullDeed::Change));
    story.does(PullCommand::Settle { id: id(1), outcome: PullOutcome::Done(seen) }).unwrap();
    assert_eq!((story.pull(1).pending, story.pull(1).outdated), (None, false));
    for state in [PullState::Merged, PullState::Closed] {
        story.does(sees(1, state)).unwrap();
        story.does(outdate()).unwrap();
        let (record, _) = story.does(sees(1, state)).unwrap();
        assert!(matches!(record, Some(PullRecord::Updated { .. })), "{record:?}");
        assert_eq!((story.state(1), story.pull(1).outdated), (state, false));
    }
    let view = PullView::from(story.pull(1));
    assert_eq!((view.number, view.state, view.outdated), (Some(7), PullState::Closed, false));
}

fn looked(checks: &[Check], reviews: &[Reviewed]) -> PullLook {
    let (title, base, commit) = ("x".to_owned(), Branch::parse("main").ok(), Some("c1".to_owned()));
    PullLook {
        seen: PullSeen { title, draft: false, state: PullState::Open, base, commit, place: None },
        mergeable: Some(true),
        checks: checks.to_vec(),
        runs_checks: true,
        reviews: reviews.to_vec(),
        base_changed_at: Ok(None),
        fork: None,
        lost: BTreeSet::new(),
        unresolved_threads: None,
        sizes: Sizes::default(),
    }
}

fn check(name: &str, end: Option<&str>) -> Check {
    let status = if end.is_some() { "completed" } else { "queued" }.to_owned();
    Check { name: name.to_owned(), status, conclusion: end.map(str::to_owned) }
}

#[test]
fn what_is_missing_for_a_merge_is_named() {
    let mut story = Story::new();
    story.does(open(1, "b")).unwrap();
    story.does(created(1, 7)).unwrap();
    let review = |who: &str, verdict| {
        let (commit, at) = (Some("c1".to_owned()), None);
        Reviewed { who: who.to_owned(), verdict, standing: ReviewerRole::Writer, commit, at }
    };
    let missing = |terms: &MergeTerms, look: &PullLook| -> Vec<String> {
        let judged = judge(terms, story.pull(1), look, &[], Timestamp(1_000_000));
        judged.missing.iter().map(ToString::to_string).collect()
    };
    let all = MergeTerms { approval: true, green: Green::ALL, stale: false };
    let none = MergeTerms { approval: false, green: Green::NOTHING, stale: false };
    let ada = review("ada", Verdict::Approved);
    let ends = ["success", "skipped", "neutral"].map(|end| check("build", Some(end)));
    let fine = looked(&ends, std::slice::from_ref(&ada));
    assert_eq!(missing(&all, &fine), [""; 0]);
    let waits = looked(&[check("build", None)], &[]);
    assert_eq!(missing(&all, &waits), ["nobody approved it yet", "check `build` is queued"]);
    let unhappy = looked(&[check("build", Some("failure"))], &[ada, review("bob", Verdict::ChangesRequested)]);
    assert_eq!(missing(&all, &unhappy), ["changes are wanted by bob", "check `build` ended with failure"]);
    assert_eq!(missing(&none, &unhappy), [""; 0]);
    let mut never = unhappy;
    (never.seen.draft, never.mergeable) = (true, Some(false));
    assert_eq!(missing(&none, &never).len(), 2, "no role may do without these");
    (never.seen.draft, never.mergeable, never.seen.base) = (false, None, None);
    let codes = judge(&none, story.pull(1), &never, &[], Timestamp(0)).missing;
    assert_eq!(codes.iter().map(Missing::code).collect::<Vec<_>>(), ["mergeable_unknown", "head_unknown"]);
}

#[test]
fn no_check_is_green_only_once_one_had_time_to_begin_and_none_is_asked_for_by_name() {
    let mut story = Story::new();
    story.does(open(1, "b")).unwrap();
    story.does(created(1, 7)).unwrap();
    let seen_at = story.pull(1).tip.clone().unwrap().at;
    let codes = |green: Green, look: &PullLook, second: u64| -> Vec<&str> {
        let terms = MergeTerms { approval: false, green, stale: false };
        let judged = judge(&terms, story.pull(1), look, &[], Timestamp(seen_at.0 + second * 1_000));
        judged.missing.iter().map(Missing::code).collect()
    };
    let none = looked(&[], &[]);
    assert_eq!(codes(Green::ALL, &none, 0), ["checks_unknown"]);
    assert_eq!(codes(Green::ALL, &none, 119), ["checks_unknown"]);
    assert_eq!(codes(Green::ALL, &none, 120), [""; 0]);
    assert_eq!(codes(Green::NOTHING, &none, 0), [""; 0]);
    let of_git = PullLook { runs_checks: false, ..none.clone() };
    assert_eq!(codes(Green::ALL, &of_git, 0), [""; 0], "none is ever run there");
    let mut pushed = none.clone();
    pushed.seen.commit = Some("c2".to_owned());
    assert_eq!(codes(Green::ALL, &pushed, 9_999), ["checks_unknown"], "seen now for the first time");
    let named = || Green::of(["build".to_owned(), "lint".to_owned()].into());
    assert_eq!(codes(named(), &none, 9_999), ["check_missing", "check_missing"]);
    let some = looked(&[check("build", Some("success")), check("nightly", Some("failure"))], &[]);
    assert_eq!(codes(named(), &some, 0), ["check_missing"], "others do not count");
    let both = Green { all: true, ..named() };
    assert_eq!(codes(both.clone(), &none, 9_999), ["check_missing", "check_missing"]);
    assert_eq!(codes(both, &some, 0), ["check_missing", "check"], "all, and these must be there");
    let twice = looked(&[check("build", Some("success")), check("build", None), check("lint", Some("success"))], &[]);
    assert_eq!(codes(named(), &twice, 0), ["check"]);
}

#[test]
fn a_merge_is_sent_with_a_living_approval_of_what_is_merged_or_not_at_all() {
    let mut story = Story::new();
    story.does(open(1, "b")).unwrap();
    story.does(created(1, 7)).unwrap();
    let main = || Branch::parse("main").unwrap();
    let approval = |head: &str, base: &str, taken_back| Approval {
        who: "ada".to_owned(),
        right: ApprovalRight::Writes,
        pull: id(1),
        base: Branch::parse(base).unwrap(),
        head: head.to_owned(),
        fork: None,
        at: None,
        taken_back,
    };
    let send = |required, stale, approval| {
        let sent = MergeSent { head: "c1".to_owned(), base: main(), required, stale, approval };
        PullCommand::Send { id: id(1), sent: Box::new(sent) }
    };
    let good = || Some(approval("c1", "main", None));
    assert_eq!(story.does(send(true, false, good())).unwrap_err().code(), "MERGE_BLOCKED", "nobody asked for it");
    let ask = PullAsk::Merge(MergeMethod::Merge, "c1".to_owned(), Some(main()));
    story.does(PullCommand::Ask { id: id(1), ask }).unwrap();
    for bad in [
        None,
        Some(approval("c0", "main", None)),
        Some(approval("c1", "release", None)),
        Some(approval("c1", "main", Some(TakenBack::OnForge))),
        Some(approval("c1", "main", Some(TakenBack::BaseChanged))),
    ] {
        assert_eq!(story.does(send(true, false, bad.clone())).unwrap_err().code(), "MERGE_BLOCKED", "{bad:?}");
    }
    assert!(story.does(send(true, false, good())).unwrap().0.is_some());
    assert_eq!(story.pull(1).pending, Some(PullDeed::Merge), "it is still being asked for");
    assert!(story.does(send(true, true, Some(approval("c0", "main", None)))).is_ok(), "stale ones count there");
    assert!(story.does(send(false, false, None)).is_ok());
}

#[test]
fn another_base_or_commit_on_the_forge_is_news() {
    let mut story = Story::new();
    story.does(open(1, "b")).unwrap();
    story.does(created(1, 7)).unwrap();
    let seen = |base: &str, commit: &str| {
        let (title, base) = ("Add the login".to_owned(), Branch::parse(base).ok());
        PullSeen { title, draft: false, state: PullState::Open, base, commit: Some(commit.to_owned()), place: None }
    };
    let sees = |base: &str, commit: &str| PullCommand::See { id: id(1), seen: seen(base, commit) };
    assert_eq!(story.does(sees("main", "c1")).unwrap().0, None);
    assert!(story.does(sees("main", "c2")).unwrap().0.is_some());
    let tip = story.pull(1).tip.clone().unwrap();
    assert!(story.does(sees("release", "c2")).unwrap().0.is_some());
    assert_eq!(story.pull(1).base, Branch::parse("release").ok());
    assert_eq!(story.pull(1).tip, Some(tip), "the commit is known for as long as before");
}

#[test]
fn states_are_written_as_they_are_read() {
    let all = [PullState::Opening, PullState::Open, PullState::Merged, PullState::Closed, PullState::Failed];
    for state in all {
        assert_eq!(serde_json::to_value(state).unwrap(), state.to_string());
    }
}

#[test]
fn what_an_older_hub_wrote_is_read_and_approves_nothing_by_itself() {
    let spec = json!({"repository": "acme/shop", "head": "b", "title": "x", "body": "", "draft": false});
    let records = [
        json!({"type": "requested", "id": "pr_00000001", "task": null, "spec": spec}),
        json!({"type": "created", "id": "pr_00000001", "number": 7, "url": null, "base": "main"}),
        json!({"type": "updated", "id": "pr_00000001", "title": "y", "draft": false, "state": "open"}),
        json!({"type": "merge_requested", "id": "pr_00000001", "method": "squash", "commit": "c1"}),
    ];
    let mut pull: Option<PullRequest> = None;
    for record in records {
        let record: PullRecord = serde_json::from_value(record).unwrap();
        match (&mut pull, &record) {
            (Some(pull), record) => pull.apply(Timestamp(2), record),
            (None, PullRecord::Requested { id, task, spec }) => {
                pull = Some(PullRequest::requested(id.clone(), task.clone(), spec, Timestamp(1)));
            }
            (None, other) => panic!("{other:?}"),
        }
    }
    let pull = pull.unwrap();
    assert_eq!((pull.pending, pull.tip.as_ref(), pull.role.as_ref()), (Some(PullDeed::Merge), None, None));
    let mut kept = serde_json::to_value(&pull).unwrap();
    assert!(kept.as_object_mut().unwrap().remove("tip").is_none(), "left out");
    assert_eq!(serde_json::from_value::<PullRequest>(kept).unwrap(), pull);
}
