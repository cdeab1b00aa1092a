//! What an agent that is gone has not heard.

use std::collections::BTreeSet;

use super::*;
use crate::agent::{Agent, AgentRecord, Notice, NoticeKind, Registration, TypingStage};
use crate::ids::{NoticeId, RoleId, SessionId};

fn ann(registered: bool, notices: &[(&str, u64, Option<TypingStage>)]) -> Agent {
    let mut agent = Agent::unknown(AgentId::parse("ann").unwrap());
    if registered {
        let registration = Registration {
            role: RoleId::parse("test-engineer").unwrap(),
            display_name: "Ann".to_owned(),
            capabilities: BTreeSet::new(),
            can_delegate_to: RightsSet::All,
            reports_to: BTreeSet::new(),
            workspace: None,
            client: None,
            session: SessionId::parse("s_00000001").unwrap(),
            instance: None,
            registered_at: NOW,
            sanitized: None,
        };
        agent.apply(NOW, &AgentRecord::Registered { registration });
    }
    for (text, minutes, typed) in notices {
        let id = NoticeId::parse(&format!("n_0000000{text}")).unwrap();
        let from = Origin { kind: OriginKind::Api, id: "bob".to_owned(), display_name: "Bob".to_owned() };
        let (at, text) = (Timestamp(NOW.0 - minutes * MINUTE), (*text).to_owned());
        let kind = NoticeKind::Message;
        let notice = Notice { id: id.clone(), kind, text, from, task_id: None, question_id: None, at, typed_at: None };
        agent.apply(NOW, &AgentRecord::NoticePosted { notice });
        if let Some(now) = *typed {
            agent.apply(NOW, &AgentRecord::NoticeMoved { id, order_id: "o".to_owned(), whole: true, now });
        }
    }
    agent
}

#[rstest]
#[case::nothing(true, &[], None)]
#[case::one(true, &[("1", 3, None)], Some("1 notice for `ann`, the newest 1, for 3 min"))]
#[case::the_oldest(true, &[("1", 3, None), ("2", 9, None)], Some("2 notices for `ann`, the newest 2, for 9 min"))]
#[case::what_was_typed_has_reached_it(true, &[("1", 3, None), ("2", 2, Some(TypingStage::Typed))],
    Some("1 notice for `ann`, the newest 1, for 3 min"))]
#[case::what_was_not_has_not(true, &[("1", 3, Some(TypingStage::Declined))],
    Some("1 notice for `ann`, the newest 1, for 3 min"))]
#[case::all_of_it_was_typed(true, &[("1", 3, Some(TypingStage::Typed))], None)]
#[case::nobody_it_is_for(false, &[("1", 3, None)], None)]
fn what_was_not_heard_is_one_item_of_its_agent(
    #[case] registered: bool,
    #[case] notices: &[(&str, u64, Option<TypingStage>)],
    #[case] expected: Option<&str>,
) {
    let item = of_unheard(&ann(registered, notices));
    let found = item.as_ref().map(|item| {
        let newest = item.reason.strip_prefix("`ann` is not there to hear: ").unwrap();
        format!("{}, the newest {newest}, for {} min", item.title, (NOW.0 - item.since.0) / MINUTE)
    });
    assert_eq!(found.as_deref(), expected);
    if let Some(item) = item {
        let of = (item.id.as_str(), item.agent_id.as_deref(), item.session_id.as_deref());
        assert_eq!(of, ("undelivered:ann", Some("ann"), Some("s_00000001")));
        assert_eq!(item.role.map(|role| role.to_string()).as_deref(), Some("test-engineer"));
    }
}
