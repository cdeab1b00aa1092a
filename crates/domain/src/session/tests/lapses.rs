//! Questions that nobody needs any more: which those are when a task moves, and how they end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kit::*;
use crate::ids::{AgentId, NoticeId, PrincipalId, SessionId, TaskId};
use crate::invariants::{Broken, q5_signed_by_who_did_it, q6_open_is_needed};
use crate::principal::Surface;
use crate::samples::{plain_task, plain_terms};
use crate::session::question::{
    Answerer, Delivery, LateAnswer, Question, QuestionSpec, QuestionState, Resolution, ResolutionType,
};
use crate::session::{Happened, Session, in_the_way, lapsed, unneeded};
use crate::task::*;

fn ann() -> AgentId {
    AgentId::parse("ann").unwrap()
}

fn terms() -> LeaseTerms {
    LeaseTerms { session: Some(session().id), ..plain_terms() }
}

/// A task that Ann works on in her session.
fn leased() -> Task {
    let spec = Arc::new(plain_task(task().as_str(), DAWN));
    let mut task = Task::from_created(DAWN, &TaskRecord::Created { spec, dependencies: BTreeMap::new() }).unwrap();
    let epoch = crate::ids::LeaseEpoch(1);
    let expires_at = later(MINUTE);
    task.apply(DAWN, &TaskRecord::Acknowledged { agent: ann(), epoch, terms: terms(), expires_at });
    task
}

pub(super) fn closed() -> Task {
    Task { state: TaskState::Cancelled { at: DAWN, reason: None }, ..leased() }
}

/// Nobody works on it.
fn adrift() -> Task {
    Task { state: TaskState::Queued { since: DAWN, held_for: None }, attempts: Vec::new(), ..leased() }
}

/// Ann's session, with an open question for the task, a dangerous one, one for another task, and one that is answered.
fn session() -> Session {
    let of_task = |spec: QuestionSpec, task: TaskId| Question::asked(QuestionSpec { task_id: Some(task), ..spec });
    let mut session = Session::opened(SessionId::parse("s_00000001").unwrap(), ann(), DAWN);
    let other = TaskId::parse("task0002").unwrap();
    session.questions = vec![
        of_task(spec(1), task()),
        of_task(dangerous(2), task()),
        of_task(spec(3), other),
        resolved(of_task(spec(4), task()), ResolutionType::Human, somebody("ada", Surface::Page)),
        Question::asked(spec(5)),
    ];
    session
}

fn resolved(question: Question, kind: ResolutionType, by: Answerer) -> Question {
    let resolution = Box::new(Resolution { kind, value: "old".to_owned(), by, at: DAWN });
    let state = QuestionState::Resolved {
        resolution,
        late_answers: Vec::new(),
        delivery: Delivery::Undelivered,
        way: None,
        used: false,
    };
    Question { state, ..question }
}

fn those(task: &Task, records: &[TaskRecord]) -> Vec<String> {
    unneeded(&session(), task, records).map(|question| question.spec.id.to_string()).collect()
}

#[test]
fn only_its_askers_completion_of_its_own_task_would_drop_a_dangerous_question() {
    let completed = |agent: &str| TaskRecord::Completed {
        agent: AgentId::parse(agent).unwrap(),
        message: KeptText::inline("done"),
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        posted_to: None,
    };
    let stopped = |task: &Task, record: TaskRecord| {
        in_the_way(&session(), task, &[record]).map(|question| question.spec.id.clone())
    };
    assert_eq!(stopped(&leased(), completed("ann")), Some(dangerous(2).id));
    assert_eq!(stopped(&leased(), completed("bob")), None, "another agent's word is not the asker's");
    assert_eq!(stopped(&leased(), TaskRecord::Cancelled { reason: None }), None);
    let other = Task { spec: plain_task("task0002", DAWN).into(), ..leased() };
    assert_eq!(stopped(&other, completed("ann")), None, "it was asked for another task");
    let mut harmless = session();
    harmless.questions.retain(|question| !question.spec.is_dangerous());
    assert!(in_the_way(&harmless, &leased(), &[completed("ann")]).is_none());
}

#[test]
fn while_its_agent_has_the_task_every_question_is_needed() {
    assert_eq!(those(&leased(), &[]), Vec::<String>::new());
}

#[test]
fn with_a_task_that_ended_or_was_given_away_end_all_that_were_asked_for_it() {
    let both = ["q_00000001", "q_00000002"];
    assert_eq!(those(&closed(), &[]), both);
    let target = Target { who: TargetWho::Any, capabilities: BTreeSet::new() };
    assert_eq!(those(&adrift(), &[TaskRecord::Reassigned { target: target.clone(), escalated: false }]), both);
    let escalated = [TaskRecord::Reassigned { target, escalated: true }];
    assert_eq!(those(&adrift(), &escalated), ["q_00000001"], "that is no hand of a person");
}

#[test]
fn who_lost_the_task_otherwise_keeps_the_dangerous_question_for_whoever_takes_it_up() {
    assert_eq!(those(&adrift(), &[]), ["q_00000001"]);
}

#[test]
fn a_question_that_lapses_says_so_in_its_record_and_to_its_agent() {
    let (hub, notice) = (somebody("hub", Surface::Hub), NoticeId::parse("n_00000007").unwrap());
    let (record, told) = lapsed(&session().questions[0], &closed(), hub, notice.clone(), DAWN);
    let Happened::Question(record) = record else { panic!("not about a question: {record:?}") };
    let mut ended = session().questions[0].clone();
    ended.apply(DAWN, &record);
    assert_eq!(ended.resolution().map(|it| it.kind), Some(ResolutionType::Superseded));
    assert_eq!((told.id, told.question_id), (notice, Some(question(1))));
}

/// Of each end its agent hears what it was, and never that the work goes on where it does not.
#[test]
fn a_question_that_lapses_says_what_became_of_its_task() {
    let ended = |state| Task { state, ..leased() };
    for (task, says) in [
        (closed(), "task task0001 was called off"),
        (ended(TaskState::Completed { at: DAWN }), "task task0001 is done"),
        (ended(TaskState::Failed { at: DAWN }), "task task0001 is given up"),
        (ended(TaskState::DeadLetter { at: DAWN, reason: String::new() }), "every attempt of task task0001 ran out"),
        (adrift(), "task task0001 is no longer with you"),
    ] {
        let notice = NoticeId::parse("n_00000007").unwrap();
        let (_, told) = lapsed(&session().questions[0], &task, somebody("hub", Surface::Hub), notice, DAWN);
        assert_eq!(told.text, format!("Your question q_00000001 needs no answer any more: {says}."));
    }
}

fn name(outcome: Result<(), Broken>) -> &'static str {
    outcome.expect_err("it should have been broken").name
}

/// Q5: who may sign what.
#[test]
fn a_resolution_that_is_signed_by_another_is_seen() {
    use ResolutionType::{Cancelled, Human, Superseded, Timeout};
    let (ada, timer) = (somebody("ada", Surface::Page), somebody("hub", Surface::Timer));
    let signed = |name: &str| PrincipalId::parse(name).unwrap();
    let agent = Answerer { principal: signed("agent:ann"), ..somebody("ann", Surface::Agent) };
    let other = Answerer { principal: signed("agent:bob"), ..agent.clone() };
    let asked = || Question::asked(QuestionSpec { agent_id: ann(), ..spec(1) });
    assert_eq!(q5_signed_by_who_did_it(&asked()), Ok(()));
    for (kind, by, right) in [
        (Human, &ada, true),
        (Human, &agent, false),
        (Human, &timer, false),
        (Timeout, &timer, true),
        (Timeout, &ada, false),
        (Cancelled, &agent, true),
        (Cancelled, &ada, true),
        (Cancelled, &other, false),
        (Cancelled, &timer, false),
        (Superseded, &timer, true),
    ] {
        let outcome = q5_signed_by_who_did_it(&resolved(asked(), kind, by.clone()));
        assert_eq!(outcome.is_ok(), right, "{kind:?} by {by:?}");
    }
    let mut late = resolved(asked(), Human, ada);
    if let QuestionState::Resolved { late_answers, .. } = &mut late.state {
        late_answers.push(LateAnswer { value: "new".to_owned(), by: agent, at: DAWN });
    }
    assert_eq!(name(q5_signed_by_who_did_it(&late)), "Q5 signed-by-who-did-it");
}

/// Q6: nobody is asked for the sake of a task that is over.
#[test]
fn a_question_that_outlives_its_task_is_seen() {
    let [open, _, other, answered, free] = session().questions.try_into().unwrap();
    assert_eq!(q6_open_is_needed(&open, &leased()), Ok(()));
    assert_eq!(name(q6_open_is_needed(&open, &closed())), "Q6 open-is-needed");
    for question in [other, answered, free] {
        assert_eq!(q6_open_is_needed(&question, &closed()), Ok(()), "{}", question.spec.id);
    }
}
