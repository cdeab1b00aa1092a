//! What `typing` does, tried.

use super::*;
use crate::agent::{AgentCommand, AgentRecord, Claim, Eviction, EvictionAction, NoticeKind};
use crate::ids::{AgentId, RoleId, SessionId};
use crate::task::{Origin, RightsSet};

const AFTER: Duration = Duration::from_secs(20);
const POSTED: Timestamp = Timestamp(100_000);
const DUE: Timestamp = Timestamp(120_000);
const NEVER: Timestamp = Timestamp(0);

fn id(number: u8) -> NoticeId {
    NoticeId::parse(&format!("n_0000000{number}")).unwrap()
}

/// An agent that is to hear so many things.
fn agent(notices: u8) -> Agent {
    let mut agent = Agent::unknown(AgentId::parse("fullstack-1").unwrap());
    let claim = Claim {
        role: RoleId::parse("full-stack-engineer").unwrap(),
        display_name: "FullStack".to_owned(),
        capabilities: BTreeSet::new(),
        can_delegate_to: RightsSet::All,
        reports_to: BTreeSet::new(),
        workspace: None,
        client: None,
        instance: None,
        new_session: SessionId::parse("s_aaaaaaaa").unwrap(),
        sanitized: None,
    };
    act(&mut agent, NEVER, &AgentCommand::Register(claim));
    for number in 1..=notices {
        let notice = Notice {
            id: id(number),
            kind: NoticeKind::Message,
            text: "hello".to_owned(),
            from: Origin::hub(),
            task_id: None,
            question_id: None,
            at: POSTED,
            typed_at: None,
        };
        act(&mut agent, POSTED, &AgentCommand::Post(notice));
    }
    agent
}

/// Decides and applies; whether that took a record.
fn act(agent: &mut Agent, now: Timestamp, command: &AgentCommand) -> bool {
    let decision = agent.decide(now, command).unwrap();
    decision.records.iter().for_each(|record| agent.apply(now, record));
    !decision.records.is_empty()
}

fn orders(agent: &mut Agent, number: u8, order: u8) -> bool {
    let order_id = format!("{}.{order}", id(number));
    act(agent, DUE, &AgentCommand::Type { id: id(number), order_id, whole: true })
}

fn ends(agent: &mut Agent, number: u8, order: u8, stage: TypingStage) -> bool {
    let order_id = format!("{}.{order}", id(number));
    act(agent, DUE, &AgentCommand::EndTyping { id: id(number), order_id, stage })
}

fn told(agent: &Agent, now: Timestamp) -> Vec<(NoticeId, Option<Timestamp>)> {
    agent.tellable(now).map(|notice| (notice.id, notice.typed_at)).collect()
}

#[test]
fn the_oldest_that_lay_so_long_is_typed_counted_from_its_agents_last_sign() {
    let agent = agent(2);
    let to_type = |now, quiet, told: &[NoticeId]| agent.to_type(now, quiet, AFTER, &told.iter().cloned().collect());
    assert_eq!(to_type(Timestamp(119_999), NEVER, &[]), ToType::Later(DUE));
    let first = agent.notices[&id(1)].clone();
    assert_eq!(to_type(DUE, NEVER, &[]), ToType::Now(Box::new(first), "n_00000001.1".to_owned()));
    let second = agent.notices[&id(2)].clone();
    assert_eq!(to_type(DUE, NEVER, &[id(1)]), ToType::Now(Box::new(second), "n_00000002.1".to_owned()));
    assert_eq!(to_type(DUE, NEVER, &[id(1), id(2)]), ToType::Nothing, "both are on their way");
    assert_eq!(to_type(DUE, Timestamp(110_000), &[]), ToType::Later(Timestamp(130_000)));
}

#[test]
fn it_is_ordered_once_and_again_only_where_the_host_says_that_it_did_not() {
    let mut agent = agent(1);
    assert!(!orders(&mut agent, 1, 2), "the first order is the first");
    assert!(orders(&mut agent, 1, 1));
    assert!(!orders(&mut agent, 1, 1));
    assert!(!orders(&mut agent, 1, 2));
    assert!(!ends(&mut agent, 1, 2, TypingStage::Typed), "of an order that was never given");
    assert!(ends(&mut agent, 1, 1, TypingStage::Declined));
    assert!(!ends(&mut agent, 1, 1, TypingStage::Typed));
    assert!(orders(&mut agent, 1, 2));
    assert!(ends(&mut agent, 1, 2, TypingStage::Declined));
    assert!(orders(&mut agent, 1, 3));
    assert!(ends(&mut agent, 1, 3, TypingStage::Declined));
    assert!(!orders(&mut agent, 1, 4));
    assert!(!orders(&mut agent, 2, 1), "it is not there");
}

#[test]
fn one_at_a_time_and_meanwhile_it_goes_no_other_way() {
    let mut agent = agent(2);
    assert!(orders(&mut agent, 1, 1));
    let over = DUE + HOST_ANSWERS_WITHIN;
    assert_eq!(agent.to_type(DUE, NEVER, AFTER, &BTreeSet::new()), ToType::Later(over));
    assert_eq!((told(&agent, DUE), agent.held_until(DUE)), (vec![(id(2), None)], Some(over)));
    assert!(!agent.is_news(&id(1), DUE));
    assert!(agent.is_news(&id(2), DUE));
    assert!(agent.is_news(&id(1), over));
    assert_eq!((told(&agent, over).len(), agent.held_until(over)), (2, None), "nobody waits for a host for ever");
    assert!(matches!(agent.to_type(over, NEVER, AFTER, &BTreeSet::new()), ToType::Now(next, _) if next.id == id(2)));
}

#[test]
fn what_was_typed_whole_is_no_news_and_is_told_with_when() {
    let mut agent = agent(1);
    assert!(orders(&mut agent, 1, 1));
    assert!(ends(&mut agent, 1, 1, TypingStage::Typed));
    assert_eq!((told(&agent, DUE), agent.is_news(&id(1), DUE)), (vec![(id(1), Some(DUE))], false));
    assert_eq!(agent.to_type(DUE + AFTER, NEVER, AFTER, &BTreeSet::new()), ToType::Nothing);
    agent.apply(DUE, &AgentRecord::NoticesHeard { ids: BTreeSet::from([id(1)]) });
    assert!(agent.typing.is_empty());
    assert!(told(&agent, DUE).is_empty());
}

#[test]
fn a_line_that_stands_unsent_is_not_delivered_and_never_typed_again_but_marked() {
    let mut agent = agent(1);
    assert!(orders(&mut agent, 1, 1));
    assert!(ends(&mut agent, 1, 1, TypingStage::Undelivered));
    assert!(!agent.was_typed(&id(1)));
    assert!(agent.is_news(&id(1), DUE), "it is under \"Needs you\", and wakes a wait");
    assert_eq!(told(&agent, DUE), vec![(id(1), Some(DUE))], "somebody may send it where it stands");
    assert_eq!(agent.to_type(DUE + AFTER, NEVER, AFTER, &BTreeSet::new()), ToType::Nothing);
    assert!(!orders(&mut agent, 1, 2));
}

#[test]
fn a_line_that_only_says_that_there_is_something_delivers_nothing() {
    let mut agent = agent(1);
    let order_id = "n_00000001.1".to_owned();
    act(&mut agent, DUE, &AgentCommand::Type { id: id(1), order_id, whole: false });
    assert!(ends(&mut agent, 1, 1, TypingStage::Typed));
    assert_eq!((told(&agent, DUE), agent.is_news(&id(1), DUE)), (vec![(id(1), None)], true));
    assert_eq!(agent.to_type(DUE + AFTER, NEVER, AFTER, &BTreeSet::new()), ToType::Nothing, "but once");
}

#[test]
fn whoever_was_sent_away_is_told_nothing_by_typing() {
    let mut agent = agent(1);
    let eviction = Eviction { action: EvictionAction::Restart, reason: "a new version".to_owned(), for_good: false };
    act(&mut agent, DUE, &AgentCommand::Evict(eviction));
    assert_eq!(agent.to_type(DUE, NEVER, AFTER, &BTreeSet::new()), ToType::Nothing);
    assert!(!orders(&mut agent, 1, 1));
}
