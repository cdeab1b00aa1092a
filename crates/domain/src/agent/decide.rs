//! What an agent decides about its record.

use std::collections::BTreeSet;

use super::command::{AgentCommand, Claim};
use super::record::AgentRecord;
use super::refusal::AgentRefusal;
use super::state::{Agent, Eviction, Notice, Registration, TypingStage};
use crate::ids::{NoticeId, SessionId};
use crate::session::SessionRecord;
use crate::time::Timestamp;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentDecision {
    /// For the agent's own stream.
    pub records: Vec<AgentRecord>,
    /// For its session's stream, in the same append.
    pub session: Option<(SessionId, SessionRecord)>,
}

impl Agent {
    /// Decides; changes nothing. A decision without records says that what is asked for is so already. Fails with
    /// `NotRegistered` when an agent that never registered is to be sent away.
    pub fn decide(&self, now: Timestamp, command: &AgentCommand) -> Result<AgentDecision, AgentRefusal> {
        match command {
            AgentCommand::Register(claim) => Ok(self.register(now, claim)),
            AgentCommand::Post(notice) => Ok(self.post(notice)),
            AgentCommand::Hear(ids) => Ok(self.hear(ids)),
            AgentCommand::GiveUp => Ok(self.give_up()),
            AgentCommand::Type { id, order_id, whole } => Ok(self.order(id, order_id, *whole)),
            AgentCommand::EndTyping { id, order_id, stage } => Ok(self.end_typing(id, order_id, *stage)),
            AgentCommand::Evict(eviction) => self.evict(eviction),
            AgentCommand::HearEviction => Ok(self.hear_eviction()),
        }
    }

    /// The same id is the same agent: its session goes on, and what it has not heard still waits for it.
    fn register(&self, now: Timestamp, claim: &Claim) -> AgentDecision {
        let before = self.registration.as_ref().map(|known| known.session.clone());
        let (session, record) = match before {
            Some(session) => (session, SessionRecord::TakenUp),
            None => (claim.new_session.clone(), SessionRecord::Opened { agent: self.id.clone() }),
        };
        let registration = Registration {
            role: claim.role.clone(),
            display_name: claim.display_name.clone(),
            capabilities: claim.capabilities.clone(),
            can_delegate_to: claim.can_delegate_to.clone(),
            reports_to: claim.reports_to.clone(),
            workspace: claim.workspace.clone(),
            client: claim.client.clone(),
            session: session.clone(),
            instance: claim.instance.clone(),
            registered_at: now,
            sanitized: claim.sanitized.clone(),
        };
        AgentDecision { records: vec![AgentRecord::Registered { registration }], session: Some((session, record)) }
    }

    fn post(&self, notice: &Notice) -> AgentDecision {
        let known = self.notices.contains_key(&notice.id);
        AgentDecision::of((!known).then(|| AgentRecord::NoticePosted { notice: notice.clone() }))
    }

    /// Only what waits to be heard can be heard: a doubled acknowledgement writes nothing (N1).
    fn hear(&self, ids: &BTreeSet<NoticeId>) -> AgentDecision {
        let ids: BTreeSet<NoticeId> = ids.iter().filter(|id| self.notices.contains_key(*id)).cloned().collect();
        AgentDecision::of((!ids.is_empty()).then_some(AgentRecord::NoticesHeard { ids }))
    }

    /// What waits to be heard waits for nobody once nobody can speak for the agent.
    fn give_up(&self) -> AgentDecision {
        let gone = self.eviction.as_ref().is_some_and(|eviction| eviction.for_good) && !self.notices.is_empty();
        let ids = || self.notices.keys().cloned().collect();
        AgentDecision::of(gone.then(|| AgentRecord::NoticesUndeliverable { ids: ids() }))
    }

    /// Only under the next number, and only what may be ordered: a doubled order writes nothing (N2).
    fn order(&self, id: &NoticeId, order_id: &str, whole: bool) -> AgentDecision {
        let next = self.registered().is_ok() && self.may_be_ordered(id) && self.next_order(id) == order_id;
        AgentDecision::of(next.then(|| AgentRecord::NoticeMoved {
            id: id.clone(),
            order_id: order_id.to_owned(),
            whole,
            now: TypingStage::Ordered,
        }))
    }

    fn end_typing(&self, id: &NoticeId, order_id: &str, now: TypingStage) -> AgentDecision {
        let open = self.typing.get(id).filter(|it| it.order_id == order_id && it.stage == TypingStage::Ordered);
        AgentDecision::of(open.map(|typing| AgentRecord::NoticeMoved {
            id: id.clone(),
            order_id: order_id.to_owned(),
            whole: typing.whole,
            now,
        }))
    }

    fn evict(&self, eviction: &Eviction) -> Result<AgentDecision, AgentRefusal> {
        if self.registration.is_none() {
            return Err(AgentRefusal::NotRegistered { agent: self.id.to_string() });
        }
        let so_already = self.eviction.as_ref() == Some(eviction);
        let record = AgentRecord::Evicted { eviction: eviction.clone() };
        Ok(AgentDecision::of((!so_already).then_some(record)))
    }

    fn hear_eviction(&self) -> AgentDecision {
        AgentDecision::of(self.eviction_to_tell().is_some().then_some(AgentRecord::EvictionHeard))
    }
}

impl AgentDecision {
    fn of(record: Option<AgentRecord>) -> Self {
        Self { records: record.into_iter().collect(), session: None }
    }
}
