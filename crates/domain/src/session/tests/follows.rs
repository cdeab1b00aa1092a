//! What moves of a task are to the session of whoever holds it: by a table of stories, and by S1 after every move.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::kit::{DAWN, later};
use crate::ids::{AgentId, CommentId, NoticeId, PrincipalId, SessionId, TaskId};
use crate::invariants::s1_task_and_session_agree;
use crate::principal::{By, Surface};
use crate::samples::{plain_task, plain_terms};
use crate::session::{Bond, Following, Session, SessionRecord, WorkflowStatus, follow, follower};
use crate::task::*;
use crate::time::Timestamp;

fn agent(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

fn session_of(name: &str) -> SessionId {
    SessionId::parse(if name == "ann" { "s_0000000a" } else { "s_0000000b" }).unwrap()
}

fn terms(name: &str) -> LeaseTerms {
    LeaseTerms { session: Some(session_of(name)), ..plain_terms() }
}

fn spec() -> TaskSpec {
    let ada = Origin { kind: OriginKind::Cli, id: "ada".to_owned(), display_name: "Ada".to_owned() };
    TaskSpec { from: ada, ..plain_task("task0001", DAWN) }
}

fn cause() -> Cause {
    Cause {
        by: By { principal: PrincipalId::parse("person:ada").unwrap(), surface: Surface::Cli },
        who: spec().from,
        notices: (1..=Cause::NOTICES).map(|n| NoticeId::parse(&format!("n_0000000{n}")).unwrap()).collect(),
    }
}

/// A task, and the sessions of Ann and Bob, which follow it.
struct Story {
    now: Timestamp,
    task: Task,
    sessions: BTreeMap<SessionId, Session>,
    /// Who was told what, in short: `ann takes: working`.
    told: Vec<String>,
}

impl Story {
    fn begins() -> Self {
        let create = TaskCommand::Create { spec: Arc::new(spec()), dependencies: BTreeMap::new(), first_offer: None };
        let decision = Task::begin(DAWN, &create, &cause()).unwrap();
        let task = Task::from_created(DAWN, &decision.records[0]).unwrap();
        assert_eq!(follower(&task), None, "nobody has it");
        let opened = |name: &str| (session_of(name), Session::opened(session_of(name), agent(name), DAWN));
        Self { now: DAWN, task, sessions: ["ann", "bob"].map(opened).into(), told: Vec::new() }
    }

    fn then(mut self, command: &TaskCommand) -> Self {
        self.told.clear();
        let decision = self.task.decide(self.now, command, &cause()).unwrap();
        for record in &decision.records {
            let before = self.task.clone();
            self.task.apply(self.now, record);
            for (id, told) in follow(&Following::of(&before), record, &self.task) {
                self.told.push(short(&id, &told));
                self.sessions.get_mut(&id).unwrap().apply(self.now, &told);
            }
            for session in self.sessions.values() {
                assert_eq!(s1_task_and_session_agree(&self.task, session), Ok(()), "after {record:?}");
            }
            let followed = self.sessions.values().filter(|it| it.task.as_ref() == Some(self.task.id())).count();
            assert_eq!(followed, usize::from(follower(&self.task).is_some()), "after {record:?}");
        }
        self
    }

    fn later(mut self, millis: u64) -> Self {
        self.now = later(millis);
        self.then(&TaskCommand::Tick)
    }

    /// Ann has it.
    fn works() -> Self {
        Self::begins().then(&offer("ann")).then(&take("ann"))
    }

    #[track_caller]
    fn tells(&self, expected: &[&str]) {
        assert_eq!(self.told, expected);
    }

    fn ann(&self) -> &Session {
        &self.sessions[&session_of("ann")]
    }
}

fn short(id: &SessionId, record: &SessionRecord) -> String {
    let SessionRecord::WorkflowStatus { status, message, bond, .. } = record else {
        panic!("not a status: {record:?}")
    };
    let bond = match bond {
        Bond::Own => "says",
        Bond::Takes { .. } => "takes",
        Bond::Follows { .. } => "follows",
        Bond::Leaves { .. } => "leaves",
    };
    let who = if *id == session_of("ann") { "ann" } else { "bob" };
    format!("{who} {bond}: {status} ({message})")
}

fn offer(to: &str) -> TaskCommand {
    TaskCommand::Offer { agent: agent(to), terms: terms(to) }
}

fn take(by: &str) -> TaskCommand {
    TaskCommand::Acknowledge { agent: agent(by), epoch: None }
}

fn says(by: &str, kind: ReportKind) -> TaskCommand {
    let report = Report {
        kind,
        message: KeptText::inline("words"),
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        posted_to: None,
    };
    TaskCommand::Report { agent: agent(by), epoch: None, report }
}

fn blocked() -> TaskCommand {
    says("ann", ReportKind::Blocked { reason: "which database?".to_owned(), question: None })
}

fn comment(text: &str) -> Comment {
    Comment {
        id: CommentId::parse("c_00000001").unwrap(),
        kind: CommentKind::Note,
        from: spec().from,
        text: text.to_owned(),
        file: None,
        line: None,
        reply_to: None,
        sanitized: None,
        at: DAWN,
    }
}

fn answer() -> TaskCommand {
    TaskCommand::Answer { authority: Authority::Operator, answer: comment("the new one") }
}

fn submit() -> TaskCommand {
    TaskCommand::SubmitForReview {
        agent: agent("ann"),
        epoch: None,
        message: KeptText::inline("look"),
        diff: None,
        artifacts: Vec::new(),
        submission: Box::default(),
    }
}

#[test]
fn an_offer_is_nobodys_yet_and_taking_it_up_begins_a_round() {
    Story::begins().then(&offer("ann")).tells(&[]);
    let works = Story::works();
    works.tells(&["ann takes: started (the task was taken up)"]);
    assert_eq!((works.ann().round, works.ann().task.as_ref()), (1, Some(works.task.id())));
}

#[test]
fn progress_is_the_agents_own_to_say() {
    Story::works().then(&says("ann", ReportKind::Progress { phase: None, percent: None })).tells(&[]);
}

#[test]
fn a_blocked_task_and_its_answer_are_the_sessions_too() {
    let story = Story::works().then(&blocked());
    story.tells(&["ann follows: blocked (which database?)"]);
    let story = story.then(&answer());
    story.tells(&["ann follows: working (the task was answered)"]);
    story.then(&offer("ann")).then(&take("ann")).tells(&["ann takes: working (the task was taken up)"]);
}

/// While one task waits for its answer the agent may do another; taken up again, the first is what it asks about.
#[test]
fn an_answered_task_is_the_sessions_own_again_after_another_one() {
    let story = Story::works().then(&blocked());
    let (other, mut ann) = (TaskId::parse("task0002").unwrap(), story.ann().clone());
    for (status, bond) in [
        (WorkflowStatus::Started, Bond::Takes { task: other.clone() }),
        (WorkflowStatus::Completed, Bond::Follows { task: other }),
    ] {
        ann.apply(DAWN, &SessionRecord::status(status, "words", bond));
    }
    let answered = story.then(&answer()).then(&offer("ann"));
    let mut task = answered.task.clone();
    for record in task.decide(answered.now, &take("ann"), &cause()).unwrap().records {
        let before = Following::of(&task);
        task.apply(answered.now, &record);
        for (_, told) in follow(&before, &record, &task) {
            ann.apply(answered.now, &told);
        }
    }
    assert_eq!((ann.task.as_ref(), ann.status()), (Some(task.id()), WorkflowStatus::Working));
}

#[test]
fn an_answered_task_that_somebody_else_takes_leaves_the_first_session() {
    let story = Story::works().then(&blocked()).then(&answer()).then(&offer("bob")).then(&take("bob"));
    story.tells(&[
        "ann leaves: started (task0001 is IN_PROGRESS, and no longer with `ann`)",
        "bob takes: started (the task was taken up)",
    ]);
    assert_eq!(story.ann().task, None);
}

#[test]
fn a_review_and_its_verdicts_are_the_sessions_too() {
    let submitted = || Story::works().then(&submit());
    submitted().tells(&["ann follows: awaiting_review (look)"]);
    let wish = TaskCommand::RequestChanges { comments: vec![comment("rename it")], round: None };
    submitted().then(&wish).tells(&["ann follows: working (a reviewer wants changes)"]);
    let approve = |message: Option<&str>, completes| TaskCommand::Approve {
        message: message.map(str::to_owned),
        comment: CommentId::parse("c_00000009").unwrap(),
        completes,
        grounds: None,
        round: None,
    };
    submitted().then(&approve(None, true)).tells(&["ann follows: completed (approved)"]);
    submitted().then(&approve(Some("fine"), true)).tells(&["ann follows: completed (fine)"]);
    let approved = submitted().then(&approve(None, false));
    approved.tells(&[]);
    let merged = ["ann follows: working (the task was taken up)", "ann follows: completed (words)"];
    approved.then(&says("ann", ReportKind::Completed)).tells(&merged);
}

#[test]
fn what_ends_otherwise_leaves_the_session() {
    let leaves = |state: &str| format!("ann leaves: started (task0001 is {state}, and no longer with `ann`)");
    Story::works().then(&says("ann", ReportKind::Completed)).tells(&["ann follows: completed (words)"]);
    Story::works().then(&says("ann", ReportKind::Failed)).tells(&[&leaves("FAILED")]);
    let cancel = TaskCommand::Cancel { authority: Authority::Operator, reason: None };
    Story::works().then(&cancel).tells(&[&leaves("CANCELLED")]);
    Story::works().then(&blocked()).then(&cancel).tells(&[&leaves("CANCELLED")]);
    Story::works().later(60_000).tells(&[&leaves("TIMEOUT")]);
    let evicted = TaskCommand::Release { agent: agent("ann"), why: ReturnReason::Evicted };
    Story::works().then(&evicted).tells(&[&leaves("QUEUED")]);
}

/// A report that ends a task may be the first word of its holder: the session takes it in the state that it is in.
#[test]
fn whoever_reports_at_once_has_taken_it_up_by_that() {
    let story = Story::begins().then(&offer("ann")).then(&says("ann", ReportKind::Completed));
    story.tells(&["ann takes: started (the task was taken up)", "ann follows: completed (words)"]);
}

#[test]
fn a_long_report_goes_with_a_status_by_its_head_alone() {
    let long = "x".repeat(5_000);
    let report = Report {
        kind: ReportKind::Completed,
        message: KeptText::inline(long),
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        posted_to: None,
    };
    let story = Story::works().then(&TaskCommand::Report { agent: agent("ann"), epoch: None, report });
    assert!(story.told[0].chars().count() < 250, "{}", story.told[0].len());
}

/// Each way in which the two may come apart.
#[test]
fn a_session_that_says_another_thing_than_its_task_is_seen() {
    let story = Story::works();
    let mut session = story.ann().clone();
    session.standpoint.status = WorkflowStatus::Blocked;
    let broken = s1_task_and_session_agree(&story.task, &session).unwrap_err();
    assert_eq!(broken.name, "S1 task-and-session-agree");
    assert!(broken.what.contains("is blocked while its task `task0001` is IN_PROGRESS"), "{broken}");
    let blocked = story.then(&blocked());
    let mut session = blocked.ann().clone();
    session.standpoint.status = WorkflowStatus::Working;
    assert!(s1_task_and_session_agree(&blocked.task, &session).is_err());
    let stranger = Session { task: Some(blocked.task.id().clone()), ..blocked.sessions[&session_of("bob")].clone() };
    assert!(s1_task_and_session_agree(&blocked.task, &stranger).is_err(), "the task is not with Bob");
    let free = Session { task: None, ..stranger };
    assert_eq!(s1_task_and_session_agree(&blocked.task, &free), Ok(()), "Bob follows no task");
}
