//! Each promise about questions and sessions is shown one that breaks it; and how they are told and shown.

use super::kit::*;
use crate::agent::{Agent, Notice, NoticeKind};
use crate::ids::{AgentId, NoticeId, PrincipalId};
use crate::invariants::*;
use crate::principal::Surface;
use crate::session::question::permission::Permission;
use crate::session::question::{
    AnswerRoute, Answerer, Danger, Delivery, LateAnswer, Question, QuestionRecord, QuestionState, Resolution,
    ResolutionType,
};
use crate::session::{Bond, SessionRecord, WorkflowStatus};
use crate::task::Origin;
use crate::time::Timestamp;

fn resolution(kind: ResolutionType, value: &str) -> Resolution {
    Resolution { kind, value: value.to_owned(), by: somebody("ada", Surface::Page), at: DAWN }
}

fn resolved(kind: ResolutionType, value: &str) -> QuestionRecord {
    QuestionRecord::Resolved { id: question(1), resolution: Box::new(resolution(kind, value)) }
}

fn late(value: &str) -> QuestionRecord {
    let answer = LateAnswer { value: value.to_owned(), by: somebody("bob", Surface::Cli), at: DAWN };
    QuestionRecord::AnsweredLate { id: question(1), answer: Box::new(answer) }
}

/// A question to which all of this happened.
fn after(records: &[QuestionRecord]) -> Question {
    let mut question = Question::asked(spec(1));
    records.iter().for_each(|record| question.apply(DAWN, record));
    question
}

fn answered() -> Question {
    after(&[resolved(ResolutionType::Human, "old")])
}

fn broken(outcome: Result<(), Broken>) -> &'static str {
    let broken = outcome.expect_err("it should have been broken");
    assert!(broken.to_string().starts_with(broken.name), "{broken}");
    broken.name
}

#[test]
fn a_second_resolution_is_seen() {
    let again = resolved(ResolutionType::Human, "new");
    assert_eq!(q1_one_winner(&after(&[]), &again, &after(std::slice::from_ref(&again))), Ok(()));
    assert_eq!(broken(q1_one_winner(&answered(), &again, &answered())), "Q1 one-winner");
    assert_eq!(broken(q1_one_winner(&answered(), &late("new"), &after(std::slice::from_ref(&again)))), "Q1 one-winner");
    assert_eq!(broken(q1_one_winner(&answered(), &late("new"), &after(&[]))), "Q1 one-winner", "it is forgotten");
    assert_eq!(broken(question_moves(Some(&answered()), &again, &answered())), "Q1 one-winner");
}

#[test]
fn a_dangerous_default_that_applied_is_seen() {
    let mut question = after(&[resolved(ResolutionType::Timeout, "new")]);
    assert_eq!(q2_no_dangerous_default(&question), Ok(()));
    question.spec.danger = Some(Danger::Declared);
    assert_eq!(broken(q2_no_dangerous_default(&question)), "Q2 no-dangerous-default");
    let record = resolved(ResolutionType::Timeout, "new");
    assert_eq!(broken(question_moves(None, &record, &question)), "Q2 no-dangerous-default");
    assert_eq!(question_moves(None, &record, &answered()), Ok(()));
}

#[test]
fn an_answer_that_reaches_nobody_is_seen() {
    let mut ann = Agent::unknown(AgentId::parse("ann").unwrap());
    assert_eq!(q3_answer_delivered(&after(&[]), None), Ok(()), "there is no answer yet");
    assert_eq!(broken(q3_answer_delivered(&answered(), None)), "Q3 answer-delivered");
    assert_eq!(broken(q3_answer_delivered(&answered(), Some(&ann))), "Q3 answer-delivered");
    let mut notice = Notice {
        id: NoticeId::parse("n_00000001").unwrap(),
        kind: NoticeKind::Answer,
        text: "old".to_owned(),
        from: Origin::hub(),
        task_id: None,
        question_id: Some(question(2)),
        at: DAWN,
        typed_at: None,
    };
    ann.notices.insert(notice.id.clone(), notice.clone());
    assert_eq!(broken(q3_answer_delivered(&answered(), Some(&ann))), "Q3 answer-delivered", "of another question");
    notice.question_id = Some(question(1));
    ann.notices.insert(notice.id.clone(), notice);
    assert_eq!(q3_answer_delivered(&answered(), Some(&ann)), Ok(()));
    let heard = QuestionRecord::DeliveryMoved { id: question(1), delivery: Delivery::Acknowledged, way: None };
    let acknowledged = after(&[resolved(ResolutionType::Human, "old"), heard]);
    assert_eq!(q3_answer_delivered(&acknowledged, None), Ok(()));
}

#[test]
fn leave_is_heard_by_the_call_that_asks_for_it_and_by_no_notice() {
    let leave = |kind: ResolutionType| {
        let mut question = after(&[resolved(kind, "deny")]);
        let asked = Permission::new("Bash".to_owned(), "0".repeat(64), &"cargo publish".into(), None);
        question.spec.permission = Some(Box::new(asked));
        question
    };
    for kind in [ResolutionType::Human, ResolutionType::Timeout] {
        assert_eq!(q3_answer_delivered(&leave(kind), None), Ok(()), "the call asks again, or never will");
    }
    assert_eq!(broken(q3_answer_delivered(&leave(ResolutionType::Superseded), None)), "Q3 answer-delivered");
}

#[test]
fn a_late_answer_that_is_lost_is_seen() {
    let first = resolved(ResolutionType::Human, "old");
    let (one, two) = (after(&[first.clone(), late("new")]), after(&[first.clone(), late("new"), late("newer")]));
    assert_eq!(q4_late_is_kept(&one, &late("newer"), &two), Ok(()));
    assert_eq!(broken(q4_late_is_kept(&one, &late("newer"), &one)), "Q4 late-is-kept");
    assert_eq!(broken(q4_late_is_kept(&two, &late("more"), &one)), "Q4 late-is-kept");
    let other = after(&[first, late("newer"), late("new")]);
    assert_eq!(broken(q4_late_is_kept(&one, &late("new"), &other)), "Q4 late-is-kept", "not in their order");
    assert_eq!(broken(question_moves(Some(&one), &late("newer"), &one)), "Q4 late-is-kept");
}

#[test]
fn two_open_questions_are_seen() {
    let mut story = Story::at_work();
    story.session.questions = vec![Question::asked(spec(1)), answered()];
    assert_eq!(s2_one_open_question(&story.session), Ok(()));
    story.session.questions.push(Question::asked(spec(2)));
    assert_eq!(broken(s2_one_open_question(&story.session)), "S2 one-open-question");
}

#[test]
fn an_answer_that_was_acknowledged_stays_so_and_an_open_question_has_none_to_deliver() {
    let moved = |delivery| QuestionRecord::DeliveryMoved { id: question(1), delivery, way: None };
    let delivery = |question: &Question| match &question.state {
        QuestionState::Open { .. } => None,
        QuestionState::Resolved { delivery, .. } => Some(*delivery),
    };
    let first = resolved(ResolutionType::Human, "old");
    assert_eq!(delivery(&after(&[moved(Delivery::Delivered)])), None);
    assert_eq!(delivery(&after(&[first.clone(), moved(Delivery::Delivered)])), Some(Delivery::Delivered));
    let back = [first, moved(Delivery::Acknowledged), moved(Delivery::Undelivered)];
    assert_eq!(delivery(&after(&back)), Some(Delivery::Acknowledged));
    let withdrawn = |principal: &str| {
        let by = Answerer { principal: PrincipalId::parse(principal).unwrap(), ..somebody("x", Surface::Api) };
        let resolution = Box::new(Resolution { by, ..resolution(ResolutionType::Cancelled, "") });
        delivery(&after(&[QuestionRecord::Resolved { id: question(1), resolution }]))
    };
    assert_eq!(withdrawn("agent:nobody"), Some(Delivery::Acknowledged), "its agent did it itself");
    assert_eq!(withdrawn("person:ada"), Some(Delivery::Undelivered), "its agent is to hear it");
}

#[test]
fn what_comes_too_late_changes_no_question() {
    let reminded = QuestionRecord::Reminded { id: question(1), percent: 50 };
    let overdue = QuestionRecord::Overdue { id: question(1) };
    let asked = QuestionRecord::Asked { spec: Box::new(spec(2)) };
    let mut question = answered();
    for record in [reminded, overdue, asked.clone()] {
        question.apply(DAWN, &record);
        assert_eq!(question, answered(), "{record:?}");
    }
    assert_eq!(after(&[late("new")]), Question::asked(spec(1)), "nothing is late while it is open");
    assert_eq!(after(&[asked]), Question::asked(spec(1)));
}

#[test]
fn a_question_is_shown_open_overdue_and_resolved() {
    let open = after(&[]).view();
    assert_eq!((open.overdue_at, open.resolution, open.late_answers.len()), (None, None, 0));
    assert_eq!(open.expires_at, later(30 * MINUTE).to_string());
    let mut overdue = after(&[QuestionRecord::Overdue { id: question(1) }]);
    overdue.spec.danger = Some(Danger::Found { words: "delete".to_owned() });
    let view = overdue.view();
    assert_eq!((view.overdue_at, view.dangerous), (Some(DAWN.to_string()), true));
    assert_eq!(view.danger.as_deref(), Some("it says `delete`"));
    let resolved = after(&[resolved(ResolutionType::Human, "old"), late("new")]).view();
    assert_eq!(resolved.resolution.map(|it| (it.value, it.surface)), Some(("old".to_owned(), "page".to_owned())));
    assert_eq!(resolved.late_answers[0].by.display_name, "bob");
    let by_default = after(&[self::resolved(ResolutionType::Timeout, "old")]).view().resolution;
    assert_eq!(by_default.map(|it| it.is_option), Some(None), "no person chose it");
}

#[test]
fn each_danger_and_each_end_has_its_words() {
    assert_eq!(Danger::Declared.to_string(), "declared by the agent");
    assert_eq!(Danger::Approval.to_string(), "it asks for approval");
    for (kind, name, says) in [
        (ResolutionType::Human, "human", "ada answered `old` at"),
        (ResolutionType::Timeout, "timeout", "nobody answered in time, and its default `old` applied at"),
        (ResolutionType::Cancelled, "cancelled", "ada withdrew it at"),
        (ResolutionType::Superseded, "superseded", "nobody needed it any more at"),
    ] {
        assert_eq!(kind.as_str(), name);
        assert_eq!(serde_json::to_value(kind).unwrap(), name);
        let text = resolution(kind, "old").to_string();
        assert!(text.starts_with(says), "{text}");
    }
}

#[test]
fn each_record_names_its_question_and_each_bond_its_task() {
    let records = [
        QuestionRecord::Asked { spec: Box::new(spec(1)) },
        QuestionRecord::Reminded { id: question(1), percent: 50 },
        QuestionRecord::Overdue { id: question(1) },
        QuestionRecord::DeliveryMoved { id: question(1), delivery: Delivery::Delivered, way: Some(AnswerRoute::Wait) },
        resolved(ResolutionType::Human, "old"),
        late("new"),
    ];
    for record in &records {
        assert_eq!(*record.id(), question(1), "{record:?}");
    }
    assert_eq!(Bond::Own.task(), None);
    for bond in [Bond::Takes { task: task() }, Bond::Follows { task: task() }, Bond::Leaves { task: task() }] {
        assert_eq!(bond.task(), Some(&task()));
    }
}

#[test]
fn a_session_says_since_when_it_is_open_and_when_it_was_taken_up() {
    let mut story = Story::opened().at(later(MINUTE));
    story.hears(&SessionRecord::TakenUp);
    assert_eq!((story.session.opened_at, story.session.taken_up_at), (DAWN, later(MINUTE)));
    let agent = story.session.agent.clone();
    story.hears(&SessionRecord::Opened { agent });
    assert_eq!(story.session.opened_at, later(MINUTE));
}

#[test]
fn what_cannot_follow_is_reached_by_no_way() {
    assert_eq!(WorkflowStatus::Completed.way_to(WorkflowStatus::Working), []);
    let refused = Story::opened().decides(&report(WorkflowStatus::Completed)).unwrap_err();
    assert_eq!(refused.code(), "INVALID_TRANSITION", "nothing was begun");
}

/// The next moment is the nearest of its reminders, or its end; and its reason says what comes of it.
#[test]
fn a_question_acts_by_itself_at_its_reminders_and_at_its_end() {
    let at = |question: &Question| question.next_deadline().map(|deadline| (deadline.at, deadline.reason));
    let mut asked = Question::asked(spec(1));
    assert_eq!(at(&asked), Some((later(15 * MINUTE), "people are reminded of the question")));
    asked.apply(DAWN, &QuestionRecord::Reminded { id: question(1), percent: 90 });
    assert_eq!(at(&asked), Some((later(30 * MINUTE), "nobody answered: the question's default applies")));
    asked.spec.danger = Some(Danger::Declared);
    assert_eq!(at(&asked), Some((later(30 * MINUTE), "nobody answered: the session becomes blocked")));
    asked.apply(DAWN, &QuestionRecord::Overdue { id: question(1) });
    assert_eq!(at(&asked), None);
}

#[test]
fn who_answers_is_somebody_with_a_name_and_a_surface() {
    let Answerer { principal, display_name, surface } = somebody("ada", Surface::Discord);
    let at = Timestamp(0);
    let shown = Resolution { kind: ResolutionType::Human, value: "x".to_owned(), at, by: somebody("ada", surface) };
    assert_eq!((principal.as_str(), display_name.as_str()), ("person:ada", "ada"));
    assert!(shown.to_string().ends_with("(discord)"), "{shown}");
}

#[test]
fn the_same_task_anew_is_the_next_round_when_it_was_completed() {
    let mut story = Story::at_work();
    story.does(&report(WorkflowStatus::Completed)).unwrap();
    story.hears(&SessionRecord::status(WorkflowStatus::Started, "", Bond::Takes { task: task() }));
    assert_eq!((story.session.round, story.status()), (2, WorkflowStatus::Started));
}

#[test]
fn a_record_of_a_question_that_is_forgotten_changes_nothing() {
    let mut story = Story::at_work();
    let before = story.session.questions.clone();
    story.session.hear(DAWN, &resolved(ResolutionType::Human, "old"));
    assert_eq!(story.session.questions, before);
}
