//! What `answers` does, tried.

use super::*;
use crate::agent::{AgentRecord, CallId, Notice, NoticeKind};
use crate::ids::{AgentId, QuestionId};
use crate::task::Origin;
use crate::time::Timestamp;

fn id(number: u64) -> NoticeId {
    NoticeId::parse(&format!("n_{number:08}")).unwrap()
}

fn question(number: u64) -> QuestionId {
    QuestionId::parse(&format!("q_{number:08}")).unwrap()
}

/// An agent that has an answer and a message to hear.
fn agent() -> Agent {
    let mut agent = Agent::unknown(AgentId::parse("tester-1").unwrap());
    let notice = Notice {
        id: id(1),
        kind: NoticeKind::Answer,
        text: "yes".to_owned(),
        from: Origin::hub(),
        task_id: Some(TaskId::parse("task0001").unwrap()),
        question_id: Some(question(1)),
        at: Timestamp(1),
        typed_at: None,
    };
    let message = Notice { id: id(2), kind: NoticeKind::Message, question_id: None, ..notice.clone() };
    for notice in [notice, message] {
        agent.apply(Timestamp(1), &AgentRecord::NoticePosted { notice });
    }
    agent
}

fn moved(delivery: Delivery, way: Option<AnswerRoute>) -> Vec<Answered> {
    let task = Some(TaskId::parse("task0001").unwrap());
    vec![(task, QuestionRecord::DeliveryMoved { id: question(1), delivery, way })]
}

#[test]
fn an_answer_leaves_once_and_comes_back_where_its_result_is_lost() {
    let (agent, mut unread) = (agent(), Unread::default());
    let nothing = BTreeSet::new();
    assert_eq!(agent.answers_on_their_way(&unread, &nothing), (BTreeSet::new(), Vec::new()));
    unread.tells(CallId(1), AnswerRoute::Result, [id(1), id(2)].into_iter());
    let (left, new) = agent.answers_on_their_way(&unread, &nothing);
    assert_eq!((&left, new), (&BTreeSet::from([id(1)]), moved(Delivery::Delivered, Some(AnswerRoute::Result))));
    assert_eq!(agent.answers_on_their_way(&unread, &left), (left.clone(), Vec::new()), "it is noted once");
    unread.lost(CallId(1), crate::agent::Carried::default());
    let (left, back) = agent.answers_on_their_way(&unread, &left);
    assert_eq!((left, back), (BTreeSet::new(), moved(Delivery::Undelivered, None)));
}

#[test]
fn only_questions_have_answers() {
    let heard = BTreeSet::from([id(1), id(2), id(3)]);
    let acknowledged = agent().answers_among(&heard, Delivery::Acknowledged, |_| None);
    assert_eq!(acknowledged, moved(Delivery::Acknowledged, None));
}
