//! The agent's machine, by tables: registration, notices, eviction.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::ids::{AgentId, NoticeId, RoleId, SessionId};
use crate::invariants::n1_notice_once;
use crate::session::SessionRecord;
use crate::task::{Origin, RightsSet};
use crate::time::Timestamp;

const NOW: Timestamp = Timestamp(1_000);

fn fresh() -> Agent {
    Agent::unknown(AgentId::parse("fullstack-1").unwrap())
}

fn claim(session: &str, instance: &str) -> AgentCommand {
    AgentCommand::Register(Claim {
        role: RoleId::parse("full-stack-engineer").unwrap(),
        display_name: "FullStack".to_owned(),
        capabilities: BTreeSet::from(["code".to_owned()]),
        can_delegate_to: RightsSet::All,
        reports_to: BTreeSet::new(),
        workspace: None,
        client: None,
        instance: Some(instance.to_owned()),
        new_session: SessionId::parse(session).unwrap(),
        sanitized: None,
    })
}

fn notice(id: &str) -> Notice {
    Notice {
        id: NoticeId::parse(id).unwrap(),
        kind: NoticeKind::Message,
        text: "hello".to_owned(),
        from: Origin::hub(),
        task_id: None,
        question_id: None,
        at: NOW,
        typed_at: None,
    }
}

fn eviction(reason: &str) -> AgentCommand {
    AgentCommand::Evict(Eviction { action: EvictionAction::Restart, reason: reason.to_owned(), for_good: false })
}

/// Decides and applies; how many records it took.
fn act(agent: &mut Agent, command: &AgentCommand) -> usize {
    let decision = agent.decide(NOW, command).unwrap();
    decision.records.iter().for_each(|record| agent.apply(NOW, record));
    decision.records.len()
}

fn session_of(agent: &Agent, command: &AgentCommand) -> (SessionId, SessionRecord) {
    agent.decide(NOW, command).unwrap().session.unwrap()
}

#[test]
fn the_first_registration_opens_a_session_and_the_next_one_takes_it_up() {
    let mut agent = fresh();
    let (first, record) = session_of(&agent, &claim("s_aaaaaaaa", "one"));
    assert_eq!(record, SessionRecord::Opened { agent: agent.id.clone() });
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    let (second, record) = session_of(&agent, &claim("s_bbbbbbbb", "two"));
    assert_eq!((second, record), (first, SessionRecord::TakenUp));
}

#[test]
fn another_connection_supersedes_and_the_same_one_does_not() {
    let mut agent = fresh();
    assert!(!agent.supersedes(Some("one")), "nobody is there to be superseded");
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    assert!(!agent.supersedes(Some("one")));
    assert!(agent.supersedes(Some("two")));
    assert!(!agent.supersedes(None), "a call without a connection cannot be told apart");
}

#[test]
fn whoever_was_superseded_stays_so_until_it_registers_again_and_the_list_of_them_ends() {
    let mut agent = fresh();
    for instance in ["one", "two", "three"] {
        act(&mut agent, &claim("s_aaaaaaaa", instance));
    }
    let is_out = |agent: &Agent, instance: &str| agent.was_superseded(Some(instance));
    assert!(is_out(&agent, "one") && is_out(&agent, "two") && !is_out(&agent, "three"));
    assert!(!agent.was_superseded(None) && !is_out(&agent, "never seen"));
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    assert!(!is_out(&agent, "one") && is_out(&agent, "three"));
    for number in 0..2 * Agent::SUPERSEDED {
        act(&mut agent, &claim("s_aaaaaaaa", &format!("more-{number}")));
    }
    assert_eq!(agent.superseded.len(), Agent::SUPERSEDED);
    assert!(is_out(&agent, &format!("more-{}", 2 * Agent::SUPERSEDED - 2)), "the newest are kept");
}

#[test]
fn a_notice_waits_until_it_is_heard_and_is_never_heard_twice() {
    let mut agent = fresh();
    assert_eq!(act(&mut agent, &AgentCommand::Post(notice("n_00000001"))), 1);
    assert_eq!(act(&mut agent, &AgentCommand::Post(notice("n_00000001"))), 0, "it waits already");
    act(&mut agent, &AgentCommand::Post(notice("n_00000002")));
    let heard = |ids: &[&str]| AgentCommand::Hear(ids.iter().map(|id| NoticeId::parse(id).unwrap()).collect());
    assert_eq!(act(&mut agent, &heard(&["n_00000001", "n_99999999"])), 1);
    assert_eq!(agent.notices.keys().map(NoticeId::as_str).collect::<Vec<_>>(), ["n_00000002"]);
    assert_eq!(act(&mut agent, &heard(&["n_00000001"])), 0);
}

#[test]
fn registering_again_keeps_what_was_not_heard() {
    let mut agent = fresh();
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    act(&mut agent, &AgentCommand::Post(notice("n_00000001")));
    act(&mut agent, &claim("s_bbbbbbbb", "two"));
    assert_eq!(agent.notices.len(), 1);
}

#[test]
fn an_evicted_agent_hears_it_once_and_may_work_again_only_after_registering() {
    let mut agent = fresh();
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    assert_eq!(act(&mut agent, &eviction("old model")), 1);
    assert_eq!(act(&mut agent, &eviction("old model")), 0, "it is so already");
    assert!(agent.eviction_to_tell().is_some());
    assert_eq!(act(&mut agent, &AgentCommand::HearEviction), 1);
    assert_eq!(act(&mut agent, &AgentCommand::HearEviction), 0);
    assert!(agent.eviction_to_tell().is_none());
    assert_eq!(agent.registered().unwrap_err().code(), "EVICTED");
    act(&mut agent, &claim("s_bbbbbbbb", "two"));
    assert_eq!(agent.registered().unwrap().session.as_str(), "s_aaaaaaaa");
}

#[test]
fn who_never_registered_cannot_be_evicted_and_may_not_work() {
    let agent = fresh();
    assert_eq!(agent.decide(NOW, &eviction("why not")).unwrap_err().code(), "NOT_REGISTERED");
    assert_eq!(agent.registered().unwrap_err().code(), "NOT_REGISTERED");
    assert!(agent.decide(NOW, &AgentCommand::HearEviction).unwrap().records.is_empty());
}

#[test]
fn an_agent_survives_being_written_and_read() {
    let mut agent = fresh();
    act(&mut agent, &claim("s_aaaaaaaa", "one"));
    act(&mut agent, &AgentCommand::Post(notice("n_00000001")));
    act(&mut agent, &eviction("old model"));
    let text = serde_json::to_string(&agent).unwrap();
    assert_eq!(serde_json::from_str::<Agent>(&text).unwrap(), agent);
}

fn any_command() -> impl Strategy<Value = AgentCommand> {
    let ids = ["n_00000001", "n_00000002", "n_00000003"];
    let heard = |ids: Vec<&str>| AgentCommand::Hear(ids.into_iter().map(|id| NoticeId::parse(id).unwrap()).collect());
    prop_oneof![
        3 => proptest::sample::select(ids.to_vec()).prop_map(|id| AgentCommand::Post(notice(id))),
        2 => proptest::sample::subsequence(ids.to_vec(), 0..=3).prop_map(heard),
        1 => proptest::sample::select(vec!["one", "two"]).prop_map(|instance| claim("s_aaaaaaaa", instance)),
        1 => Just(eviction("old model")),
        1 => Just(AgentCommand::HearEviction),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_a_notice_is_heard_once_and_replay_equals_life(
        commands in proptest::collection::vec(any_command(), 1..30),
    ) {
        let (mut agent, mut replayed) = (fresh(), fresh());
        for command in commands {
            let Ok(decision) = agent.decide(NOW, &command) else { continue };
            for record in &decision.records {
                let before = agent.clone();
                agent.apply(NOW, record);
                prop_assert_eq!(n1_notice_once(&before, record, &agent), Ok(()));
                let text = serde_json::to_string(record).unwrap();
                replayed.apply(NOW, &serde_json::from_str(&text).unwrap());
            }
            let again = agent.decide(NOW, &command).map(|decision| decision.records.len());
            if !matches!(command, AgentCommand::Register(_)) {
                prop_assert_eq!(again, Ok(0), "asked twice, it is so already: {:?}", command);
            }
        }
        prop_assert_eq!(agent, replayed);
    }
}

#[test]
fn an_agent_is_shown_by_its_id_until_it_registers_and_then_by_its_name() {
    let presence = Presence { last_seen: Some(NOW), waiting_since: Some(NOW), departure: None };
    let stranger = fresh().view(NOW, (Availability::Offline, &Presence::default()), &[], None);
    assert_eq!((stranger.agent_id.as_str(), stranger.display_name.as_str()), ("fullstack-1", "fullstack-1"));
    assert_eq!((stranger.role, stranger.session_id, stranger.waiting_since, stranger.last_seen), Default::default());

    let mut agent = fresh();
    act(&mut agent, &claim("s_00000001", "one"));
    let held = crate::ids::TaskId::parse("abcd1234").unwrap();
    let view = agent.view(NOW, (Availability::Waiting, &presence), &[&held], None);
    assert_eq!((view.display_name.as_str(), view.role.as_deref()), ("FullStack", Some("full-stack-engineer")));
    assert_eq!((view.availability, view.queued, view.note), (Availability::Waiting, 0, None));
    assert_eq!((view.current_tasks, view.session_id.as_deref()), (vec!["abcd1234".to_owned()], Some("s_00000001")));
    assert_eq!(
        (view.waiting_since.as_deref(), view.last_seen),
        (Some("1970-01-01T00:00:01.000Z"), Some(NOW.to_string()))
    );
    assert_eq!(view.capabilities, BTreeSet::from(["code".to_owned()]));
}

#[test]
fn each_refusal_has_its_code_and_names_the_agent() {
    let agent = || "ann".to_owned();
    let table = [
        (AgentRefusal::NotRegistered { agent: agent() }, "NOT_REGISTERED"),
        (AgentRefusal::Superseded { agent: agent() }, "SUPERSEDED"),
        (AgentRefusal::Evicted { agent: agent(), reason: "a new version".to_owned() }, "EVICTED"),
    ];
    for (refusal, code) in table {
        assert_eq!(refusal.code(), code);
        assert!(refusal.to_string().contains("`ann`"), "{refusal}");
    }
}

#[test]
fn a_notice_that_is_lost_or_heard_for_ever_is_seen() {
    let mut told = fresh();
    act(&mut told, &AgentCommand::Post(notice("n_00000001")));
    let posted = AgentRecord::NoticePosted { notice: notice("n_00000001") };
    let heard = AgentRecord::NoticesHeard { ids: BTreeSet::from([NoticeId::parse("n_00000001").unwrap()]) };
    assert_eq!(n1_notice_once(&fresh(), &posted, &told), Ok(()));
    assert_eq!(n1_notice_once(&told, &heard, &fresh()), Ok(()));
    for (before, record, after) in [
        (&fresh(), &posted, &fresh()),
        (&told, &heard, &told),
        (&told, &AgentRecord::EvictionHeard, &fresh()),
        (&fresh(), &AgentRecord::EvictionHeard, &told),
    ] {
        let broken = n1_notice_once(before, record, after).unwrap_err();
        assert_eq!(broken.name, "N1 notice-once");
        assert!(broken.what.contains("`fullstack-1`"), "{broken}");
    }
}
