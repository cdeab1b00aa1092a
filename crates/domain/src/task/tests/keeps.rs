//! What a task keeps and says of what it was told: long texts apart, proofs, results, the words on its way.

use std::sync::Arc;

use super::kit::*;
use crate::ids::{AgentId, BlobId, LeaseEpoch, RoleId, SessionId};
use crate::task::*;

fn stored(blob: &str) -> KeptText {
    let (blob, head) = (BlobId::parse(blob).unwrap(), "a long".to_owned());
    KeptText::Stored { blob, head, bytes: 20_000, digest: "d".to_owned(), sanitized: None }
}

fn says(kind: ReportKind, message: KeptText, diff: Option<KeptText>) -> TaskCommand {
    let report = Report { message, diff, evidence: Some(serde_json::json!({"tests": 7})), ..report(kind, "") };
    TaskCommand::Report { agent: agent("ann"), epoch: None, report }
}

fn leased() -> Story {
    Story::begins().then(say::offer("ann")).then(say::ack("ann"))
}

/// A task that was told long texts: a diff with its progress, a report at its end.
fn told_at_length() -> Story {
    let halfway = says(progress(), KeptText::inline("halfway"), Some(stored("b_00000001")));
    leased().then(halfway).then(says(ReportKind::Completed, stored("b_00000002"), None))
}

#[test]
fn every_long_text_of_every_attempt_is_named_once_and_no_short_one() {
    let blobs = |story: &Story| story.task.blobs().into_iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(blobs(&leased().then(say::tell("ann", ReportKind::Completed))), Vec::<String>::new());
    assert_eq!(blobs(&told_at_length()), ["b_00000002", "b_00000001"]);
    let attempt = &told_at_length().task.view().attempts[0];
    assert_eq!(attempt.message_blob.as_deref(), Some("b_00000002"));
    assert_eq!(attempt.diff_blob.as_deref(), Some("b_00000001"));
    assert_eq!(attempt.message.as_deref(), Some("a long"));
}

#[test]
fn a_proof_stays_with_its_attempt_also_when_a_later_report_brings_none() {
    let story = leased().then(says(progress(), KeptText::inline("halfway"), None));
    let story = story.then(say::tell("ann", ReportKind::Completed));
    assert_eq!(story.task.attempts[0].evidence, Some(serde_json::json!({"tests": 7})));
}

#[test]
fn only_what_is_done_has_a_result_and_a_task_without_words_has_an_empty_one() {
    assert_eq!(Story::begins().task.result(), None, "nobody worked on it");
    assert_eq!(leased().task.result(), None, "somebody works on it");
    assert_eq!(leased().then(say::tell("ann", ReportKind::Failed)).task.result(), None);
    let done = told_at_length().task;
    assert_eq!(done.result(), Some((stored("b_00000002"), Vec::new())));
    let mut silent = done;
    silent.attempts[0].message = None;
    assert_eq!(silent.result(), Some((KeptText::inline(""), Vec::new())));
}

#[test]
fn results_are_those_of_the_dependencies_that_are_done() {
    let on = [("first001", Dependency::Pending), ("second01", met()), ("third001", failed())];
    let waiting = Story::depends(&on).task;
    let names: Vec<String> = waiting.dependency_results().into_keys().map(|id| id.to_string()).collect();
    assert_eq!(names, ["second01"]);
}

#[test]
fn the_newest_lease_is_the_last_attempt() {
    assert_eq!(Story::begins().task.last_attempt(), None);
    let again = leased().later(TTL).then(say::offer("bob")).then(say::ack("bob"));
    assert_eq!(again.task.last_attempt().map(|attempt| attempt.agent.clone()), Some(agent("bob")));
}

#[test]
fn what_is_approved_waits_for_its_holder_to_merge_it() {
    let approved = leased().then(say::submit("ann")).then(say::approve(false));
    let waits = approved.task.waits_for().map(|who| who.to_string());
    assert_eq!(waits.as_deref(), Some("it is approved: `ann` must merge and complete it"));
    assert_eq!((approved.task.is_approved(), leased().task.is_approved()), (true, false));
    assert_eq!(approved.task.blocked_reason(), None);
    assert_eq!(leased().task.blocked_reason(), None);
}

#[test]
fn only_a_queued_task_is_kept_for_somebody_and_only_for_who_had_it() {
    assert_eq!(leased().task.held_for(), None);
    assert_eq!(Story::begins().task.held_for(), None);
    let answered = leased().then(say::tell("ann", blocked("how?"))).then(say::answer("so"));
    let held = answered.task.held_for().cloned();
    assert_eq!(held, Some(HeldFor { agent: agent("ann"), until: DAWN + terms().last_holder_hold.span() }));
    assert_eq!(answered.task.hold_for(&agent("bob"), DAWN), None, "who never had it");
}

#[test]
fn a_role_is_asked_and_only_its_agents_suit() {
    let of = |role: &str| TaskCommand::Offer {
        agent: agent("ann"),
        terms: LeaseTerms { role: RoleId::parse(role).unwrap(), ..terms() },
    };
    let asked = Story::of(TaskSpec { target: target("role:test-engineer"), ..spec() }, Default::default());
    assert_eq!(asked.refuses(&of("full-stack-engineer")).code(), "TASK_WRONG_STATE");
    assert_eq!(asked.then(of("test-engineer")).state(), TaskStateName::Assigned);
}

#[test]
fn of_any_only_those_suit_whom_the_asker_may_delegate_to() {
    let rights = RightsSet::Only(["test-engineer".to_owned(), "bob".to_owned()].into());
    let asked = Story::of(TaskSpec { target: target("any"), rights, ..spec() }, Default::default());
    let of = |id: &str, role: &str| TaskCommand::Offer {
        agent: agent(id),
        terms: LeaseTerms { role: RoleId::parse(role).unwrap(), ..terms() },
    };
    assert_eq!(asked.refuses(&of("ann", "full-stack-engineer")).code(), "TASK_WRONG_STATE");
    for (id, role) in [("ann", "test-engineer"), ("bob", "full-stack-engineer")] {
        assert_eq!(asked.clone().then(of(id, role)).state(), TaskStateName::Assigned, "{id} as {role}");
    }
}

#[test]
fn a_remark_on_a_review_says_where_as_far_as_it_knows() {
    let submitted = leased().then(say::submit("ann"));
    let place = |file: Option<&str>, line| {
        let comment = Comment { file: file.map(str::to_owned), line, ..comment("operator", "rename it") };
        let side = crate::review::Side::New;
        let decision = submitted.clone().try_to(&TaskCommand::Discuss { comment, side }).unwrap();
        decision.notices.into_iter().map(|(to, notice)| format!("{to}: {}", notice.text)).collect::<Vec<_>>()
    };
    assert_eq!(place(None, Some(7)), ["ann: operator on task `task0001`: rename it"]);
    assert_eq!(place(Some("a.rs"), None), ["ann: operator on task `task0001` at `a.rs`: rename it"]);
    assert_eq!(place(Some("a.rs"), Some(7)), ["ann: operator on task `task0001` at `a.rs`, line 7: rename it"]);
}

#[test]
fn a_notice_calls_a_task_by_its_title_and_marks_a_text_that_goes_on() {
    let titled = TaskSpec { title: Some("Log in".to_owned()), ..spec() };
    let mut story = Story::of(titled, Default::default()).then(say::offer("ann")).then(say::ack("ann"));
    let decision = story.try_as("ann", &says(ReportKind::Completed, stored("b_00000001"), None)).unwrap();
    let text = &decision.notices.iter().find(|(to, _)| *to == agent("boss")).unwrap().1.text;
    assert!(text.contains("task `task0001` (Log in)") && text.contains("a long…"), "{text}");
}

/// `apply` cannot fail, whatever it is given: what does not fit a state leaves the lease and the attempts alone.
#[test]
fn a_record_that_does_not_fit_moves_no_lease() {
    let (at, ann): (_, AgentId) = (Story::begins().now, agent("ann"));
    let extended =
        TaskRecord::LeaseExtended { agent: ann.clone(), epoch: LeaseEpoch(1), expires_at: at, asked_in: None };
    let told = TaskRecord::Progressed {
        agent: ann,
        message: "late".to_owned(),
        phase: None,
        percent: None,
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        expires_at: at,
    };
    for record in [extended, told] {
        let (idle, mut after) = (Story::begins().task, Story::begins().task);
        after.apply(at, &record);
        assert_eq!((&after.state, &after.attempts), (&idle.state, &idle.attempts), "{record:?}");
    }
    let created = TaskRecord::Created { spec: Arc::new(spec()), dependencies: Default::default() };
    let (before, mut after) = (leased().task, leased().task);
    after.apply(at, &created);
    assert_eq!(after.state, before.state);
    assert_eq!(
        Task::from_created(at, &TaskRecord::Remarked { comment: comment("ann", "first?"), posted_to: None }),
        None
    );
}

#[test]
fn a_session_is_the_one_of_the_lease() {
    let session = SessionId::parse("s_00000001").unwrap();
    let offer =
        TaskCommand::Offer { agent: agent("ann"), terms: LeaseTerms { session: Some(session.clone()), ..terms() } };
    let task = Story::begins().then(offer).then(say::ack("ann")).task;
    let follower = crate::session::follower(&task).map(|(who, of)| (who.clone(), of.clone()));
    assert_eq!(follower, Some((agent("ann"), session)));
    assert_eq!(crate::session::follower(&leased().task), None, "it was told of none");
}

#[test]
fn a_dependency_that_moves_while_somebody_works_changes_no_state() {
    let record = TaskRecord::DependencyMoved { task: task_id("first001"), now: met() };
    let (mut task, before) = (leased().task, leased().task);
    task.apply(DAWN, &record);
    assert_eq!((&task.state, task.dependencies.len()), (&before.state, 1));
}

/// Asked to say the same again, it is the same only if the reason is, too.
#[test]
fn blocked_for_another_reason_is_no_repeat() {
    let mut story = leased().then(say::tell("ann", blocked("which database?")));
    let mut again = story.clone();
    assert_eq!(again.try_to(&say::tell("ann", blocked("which database?"))).unwrap().records, []);
    let other = story.try_to(&say::tell("ann", blocked("which port?")));
    assert!(!other.is_ok_and(|decision| decision.records.is_empty()), "it is news");
}

#[test]
fn who_worked_last_may_be_working_still_while_the_task_is_open() {
    let ran_out = leased().later(TTL).task;
    assert_eq!(ran_out.worker(), Some(&agent("ann")));
    let off = leased().later(TTL).then(say::cancel()).task;
    assert_eq!(off.worker(), None, "it is closed");
    let released = leased().then(say::release("ann")).task;
    assert_eq!(released.worker(), None, "it was told to stop");
}

#[test]
fn notices_end_where_their_ids_do() {
    let story = leased();
    let mut cause = cause("operator");
    cause.notices.clear();
    let decision = story.task.decide(story.now, &say::cancel(), &cause).unwrap();
    assert_eq!(decision.notices, []);
}

#[test]
fn what_came_out_is_kept_once_however_often_it_is_said() {
    let pr =
        |url: &str| Artifact { kind: ArtifactKind::Pr, url: Some(url.to_owned()), path: None, text: None, title: None };
    let brings = |kind, urls: &[&str]| {
        let artifacts = urls.iter().map(|url| pr(url)).collect();
        let report = Report { artifacts, ..report(kind, "words") };
        TaskCommand::Report { agent: agent("ann"), epoch: None, report }
    };
    let first = leased().then(brings(progress(), &["one", "two"])).then(brings(ReportKind::Failed, &["two"]));
    assert_eq!(first.task.attempts[0].artifacts, [pr("one"), pr("two")]);
    let again = first.then(TaskCommand::Retry).then(say::offer("ann")).then(say::ack("ann"));
    let done = again.then(brings(ReportKind::Completed, &["two", "three"])).task;
    assert_eq!(done.artifacts(), [pr("one"), pr("two"), pr("three")]);
    assert_eq!(done.result().unwrap().1.len(), 3);
}

#[test]
fn who_is_not_to_be_waited_for_has_no_hold() {
    let none = LeaseTerms { last_holder_hold: crate::time::Millis(0), ..terms() };
    let offer = TaskCommand::Offer { agent: agent("ann"), terms: none };
    let answered = Story::begins().then(offer).then(say::tell("ann", blocked("how?"))).then(say::answer("so"));
    assert_eq!((answered.state(), answered.task.held_for()), (TaskStateName::Queued, None));
}

#[test]
fn each_outcome_says_what_follows_from_it() {
    use AttemptOutcome::{Blocked, Cancelled, Completed, Failed, Released, Running, Submitted, TimedOut};
    let all = [Running, Completed, Failed, Blocked, Submitted, TimedOut, Released, Cancelled];
    let those = |rule: fn(AttemptOutcome) -> bool| all.into_iter().filter(|it| rule(*it)).collect::<Vec<_>>();
    assert_eq!(those(AttemptOutcome::uses_up), [Failed, TimedOut]);
    assert_eq!(those(AttemptOutcome::may_go_on), [Blocked, Submitted, TimedOut]);
}

#[test]
fn a_view_shows_whose_it_is_until_when_and_why_it_stands_still() {
    let lease = |story: &Story| {
        story.task.view().lease.map(|it| (it.agent_id, it.epoch, it.ack_by.is_some(), it.expires_at.is_some()))
    };
    assert_eq!(lease(&Story::begins()), None);
    let offered = Story::begins().then(say::offer("ann"));
    assert_eq!(lease(&offered), Some(("ann".to_owned(), 1, true, false)));
    assert_eq!(lease(&leased()), Some(("ann".to_owned(), 1, false, true)));
    let reason = |story: Story| story.task.view().reason;
    assert_eq!(reason(leased()), None);
    assert_eq!(reason(leased().then(say::tell("ann", blocked("how?")))).as_deref(), Some("how?"));
    assert_eq!(reason(leased().then(say::cancel())).as_deref(), Some("not needed"));
    let waiting = Story::depends(&[("first001", Dependency::Pending)]);
    assert_eq!(reason(waiting).as_deref(), Some("`first001` must complete first"));
    let lost = (0..3).fold(Story::begins(), |story, _| story.then(say::offer("ann")).then(say::ack("ann")).later(TTL));
    assert_eq!(lost.state(), TaskStateName::DeadLetter);
    assert!(lost.task.view().reason.is_some_and(|why| !why.is_empty()));
}

/// Whoever had it once, and has it no more, neither gives it back nor speaks for it.
#[test]
fn only_whose_it_is_gives_it_back_or_speaks_for_it() {
    let two = || {
        let first = Story::begins().then(say::offer("bob")).then(say::ack("bob")).later(TTL);
        first.then(say::offer("ann")).then(say::ack("ann"))
    };
    let approved = two().then(say::submit("ann")).then(say::approve(false));
    assert_eq!(approved.clone().try_to(&say::release("bob")).unwrap().records, []);
    assert_eq!(approved.then(say::release("ann")).state(), TaskStateName::Queued);
    let asked = two().then(say::tell("ann", blocked("how?")));
    assert_eq!(asked.refuses(&say::tell("bob", progress())).code(), "LEASE_LOST");
}
