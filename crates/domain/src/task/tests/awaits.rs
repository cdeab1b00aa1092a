//! The holder waits for a human: its lease outlives the question, and the answer finds the task wherever it is.

use super::kit::*;
use crate::ids::{LeaseEpoch, QuestionId, SessionId};
use crate::task::*;
use crate::time::Timestamp;

/// The question's deadline, after the lease's own end.
const UNTIL: Timestamp = Timestamp(DAWN.0 + 5 * TTL);

fn session() -> SessionId {
    SessionId::parse("s_00000001").unwrap()
}

fn question(n: u32) -> QuestionId {
    QuestionId::parse(&format!("q_{n:08}")).unwrap()
}

fn waits(by: &str) -> TaskCommand {
    TaskCommand::Await { agent: agent(by), until: UNTIL, session: Some(session()) }
}

fn resumes(by: &str, n: u32, answer: Option<&str>) -> TaskCommand {
    let answer = answer.map(|text| comment("ada", text));
    TaskCommand::Resume { agent: agent(by), question: question(n), answer }
}

/// Blocked until a person answers question 1.
fn blocks() -> TaskCommand {
    let kind = ReportKind::Blocked { reason: "which one?".to_owned(), question: Some(question(1)) };
    TaskCommand::Report { agent: agent("ann"), epoch: None, report: report(kind, "words") }
}

fn leased() -> Story {
    Story::begins().then(say::offer("ann")).then(say::ack("ann"))
}

fn ends(story: &Story) -> u64 {
    story.task.lease().expect("a lease").expires_at.0
}

#[test]
fn a_lease_outlives_the_question_by_one_more_time_to_live() {
    let asked = leased().then(waits("ann"));
    assert_eq!(ends(&asked), UNTIL.0 + TTL);
    assert_eq!(asked.task.asked_in, [session()].into());
    let late = leased().unseen(1).then(waits("ann"));
    assert_eq!(ends(&late), UNTIL.0 + TTL, "the later of deadline and now counts");
    let overdue = TaskCommand::Await { agent: agent("ann"), until: Timestamp(0), session: None };
    let over = leased().unseen(7).then(overdue);
    assert_eq!(ends(&over), DAWN.0 + 7 + TTL);
}

#[test]
fn a_task_knows_all_agents_and_sessions_that_may_have_to_hear_of_it() {
    let other = SessionId::parse("s_00000002").unwrap();
    let terms = LeaseTerms { session: Some(other.clone()), ..terms() };
    let offered = TaskCommand::Offer { agent: agent("bob"), terms };
    let story = leased().then(waits("ann")).then(say::release("ann")).then(offered);
    let story = story.then(say::returned("bob", 2, ReturnReason::NobodyWaiting));
    assert_eq!(story.task.agents().collect::<Vec<_>>(), ["ann", "bob", "boss"].map(agent));
    assert_eq!(story.task.sessions().collect::<Vec<_>>(), [other, session()]);
    let taken = story.then(say::offer("bob")).then(say::ack("bob"));
    assert_eq!(taken.task.sessions().collect::<Vec<_>>(), [session()], "a session is known by its newest terms");
}

#[test]
fn asking_takes_an_offer_up_and_only_whose_it_is_may_ask() {
    let asked = Story::begins().then(say::offer("ann")).then(waits("ann"));
    assert_eq!((asked.state(), ends(&asked)), (TaskStateName::InProgress, UNTIL.0 + TTL));
    assert_eq!(leased().refuses(&waits("bob")).code(), "TASK_NOT_FOUND");
    assert_eq!(leased().then(say::submit("ann")).refuses(&waits("ann")).code(), "TASK_WRONG_STATE");
}

#[test]
fn with_the_answer_the_lease_runs_as_after_any_sign_of_life() {
    for answer in [None, Some("that one")] {
        let goes_on = leased().then(waits("ann")).unseen(3).then(resumes("ann", 1, answer));
        assert_eq!((goes_on.state(), ends(&goes_on)), (TaskStateName::InProgress, DAWN.0 + 3 + TTL));
        assert_eq!(goes_on.task.lease().map(|lease| lease.epoch), Some(LeaseEpoch(1)));
    }
}

#[test]
fn the_answer_to_the_question_that_blocks_a_task_frees_it_for_who_asked() {
    let blocked = leased().then(blocks());
    let freed = blocked.clone().then(resumes("ann", 1, Some("that one")));
    assert_eq!(freed.state(), TaskStateName::Queued);
    assert_eq!(freed.task.held_for().map(|held| held.agent.clone()), Some(agent("ann")));
    assert_eq!(freed.task.comments.last().map(|it| it.text.as_str()), Some("that one"));
    let other = blocked.clone().then(resumes("ann", 2, Some("of another question")));
    assert_eq!(other.state(), TaskStateName::Blocked);
    assert_eq!(other.task.comments.len(), 1, "it is kept with the task");
    let none = blocked.then(resumes("ann", 1, None));
    assert_eq!(none.state(), TaskStateName::Blocked, "nothing was answered");
}

/// Where the task is with somebody else, or with nobody, the answer is kept for whoever has it next.
#[test]
fn an_answer_is_never_lost_with_the_lease() {
    let elsewhere = leased().later(TTL).then(say::offer("bob")).then(say::ack("bob"));
    let (before, mut story) = (ends(&elsewhere), elsewhere);
    let decision = story.try_as("ada", &resumes("ann", 1, Some("that one"))).unwrap();
    assert_eq!(ends(&story), before, "it is Bob's lease");
    assert_eq!(story.task.comments.last().map(|it| it.text.as_str()), Some("that one"));
    assert!(decision.notices.iter().any(|(to, notice)| *to == agent("bob") && notice.text.contains("that one")));
    let idle = Story::begins().then(resumes("ann", 1, Some("that one")));
    assert_eq!((idle.state(), idle.task.comments.len()), (TaskStateName::Queued, 1));
    let nothing = Story::begins().then(resumes("ann", 1, None));
    assert_eq!(nothing.records.len(), 1, "nothing was answered, and nobody waits");
    let closed = leased().then(say::cancel()).then(resumes("ann", 1, Some("too late")));
    assert_eq!((closed.state(), closed.task.comments.len()), (TaskStateName::Cancelled, 0));
}

#[test]
fn a_task_that_stands_still_for_a_question_is_freed_by_no_other_answer() {
    let blocked = leased().then(blocks());
    let authority = Authority::Agent(agent("boss"));
    let by_agent = TaskCommand::Answer { authority, answer: comment("boss", "that one") };
    assert_eq!(blocked.refuses(&by_agent).code(), "TASK_WRONG_STATE");
    let beside = blocked.refuses(&say::answer("that one"));
    assert_eq!(beside.code(), "TASK_WRONG_STATE", "its question would stay open to a second first answer");
    let plain = leased().then(say::tell("ann", super::kit::blocked("which one?")));
    assert_eq!(plain.then(by_agent).state(), TaskStateName::Queued, "its asker may answer what no person must");
}

#[test]
fn wishes_are_listed_up_to_twenty_and_then_counted() {
    let wishes = |n: usize| TaskRefusal::ChangesRequested {
        task: task_id("task0001"),
        offer: None,
        wishes: (0..n).map(|at| comment("ada", &format!("wish {at}."))).collect(),
    };
    assert!(wishes(0).to_string().contains("the comments that are open"), "{}", wishes(0));
    let twenty = wishes(20).to_string();
    assert!(twenty.contains("wish 19.") && !twenty.contains("more"), "{twenty}");
    let many = wishes(21).to_string();
    assert!(many.contains("wish 19.") && many.contains("and 1 more") && !many.contains("wish 20."), "{many}");
}

/// What was only remarked, and what was wished for in a round before, is not what a reviewer wants now.
#[test]
fn wishes_are_those_of_reviewers_since_the_work_was_handed_in() {
    let wish = |story: &Story, text: &str| {
        let comments = vec![Comment { kind: CommentKind::Review, at: story.now, ..comment("ada", text) }];
        TaskCommand::RequestChanges { comments, round: None }
    };
    let first = leased().then(say::submit("ann"));
    let (told, again) = (wish(&first, "an old wish"), say::offer("ann"));
    let second = first.then(told).then(again).then(say::ack("ann")).unseen(10).then(say::submit("ann"));
    let remark = Comment { at: second.now, ..comment("ada", "only a remark") };
    let told = wish(&second, "a new wish");
    let sent_back = second.then(TaskCommand::Remark { comment: remark, posted_to: None }).then(told);
    let refusal = sent_back.refuses(&say::tell("ann", ReportKind::Completed)).to_string();
    assert!(refusal.contains("a new wish"), "{refusal}");
    assert_eq!(["an old wish", "only a remark"].map(|words| refusal.contains(words)), [false, false], "{refusal}");
}
