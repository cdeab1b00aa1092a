//! What an agent has not heard, on its way into the terminal that it works in: the third rung of the ladder.
//!
//! ```text
//!                order                    the host says
//!   unheard ───────────────► ordered ──┬── sent ───────► typed      told once more with the next result, marked
//!      ▲  quiet for so long            ├── not typed ──► declined ─► ordered again, three times at most
//!      │                               ├── not sent ───► undelivered: not typed again, wakes a wait, told marked
//!      └── its next call hears it ◄────┴── nothing ────► nobody knows: it is not typed again
//! ```
//!
//! *Once.* The order is on disk before the host hears of it. So whatever dies between the typing and its record (host,
//! connection, hub), the line is never typed a second time: the notice stays undelivered and comes with the agent's
//! next call, under the same id. Only a host that says that it did *not* type makes room for another order.
//!
//! *No two ways at a time.* While an order is out, no result brings its notice, for at most [`HOST_ANSWERS_WITHIN`].
//!
//! *Nothing lost.* A line that left the input box is no proof that the agent read it. So such a notice counts as
//! delivered, wakes no wait any more, and is told a last time with the agent's next result, with `typedAt` to say that
//! it is not new; like any other it is heard with the call after that. A line that was typed and still stands in the
//! box is not delivered: the notice goes on down the ladder, with `typedAt` because somebody may send the line later.

use std::collections::BTreeSet;
use std::time::Duration;

use super::state::{Agent, Notice, Typing, TypingStage};
use crate::ids::NoticeId;
use crate::time::Timestamp;

/// How long a host may take to say what came of an order: after that it is not waited for.
pub const HOST_ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// How many orders to type one notice there may be, where hosts decline.
const MOST_ORDERS: u8 = 3;

/// What there is to type into an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToType {
    Nothing,
    /// Something, not before then.
    Later(Timestamp),
    /// This, under the order of that name.
    Now(Box<Notice>, String),
}

impl Agent {
    /// The oldest notice that nobody fetched for `after`, counted from when the agent fell silent. `told` are those
    /// that left with a result, which are on their way already.
    #[must_use]
    pub fn to_type(
        &self,
        now: Timestamp,
        quiet_since: Timestamp,
        after: Duration,
        told: &BTreeSet<NoticeId>,
    ) -> ToType {
        if self.registered().is_err() {
            return ToType::Nothing;
        }
        // One at a time: whether the next may be typed shows when this one was taken.
        if let Some(until) = self.typing.values().filter_map(Typing::held_until).find(|until| now < *until) {
            return ToType::Later(until);
        }
        let due = |notice: &Notice| {
            let declined = self.typing.get(&notice.id).map(|typing| typing.at);
            notice.at.max(quiet_since).max(declined.unwrap_or_default()) + after
        };
        let mut open = self.notices.values().filter(|it| !told.contains(&it.id) && self.may_be_ordered(&it.id));
        match open.next() {
            None => ToType::Nothing,
            Some(notice) if now < due(notice) => ToType::Later(due(notice)),
            Some(notice) => ToType::Now(Box::new(notice.clone()), self.next_order(&notice.id)),
        }
    }

    /// What it is told with a result, oldest first: not what is being typed this very moment.
    pub fn tellable(&self, now: Timestamp) -> impl Iterator<Item = Notice> {
        let free =
            move |id: &NoticeId| self.typing.get(id).and_then(Typing::held_until).is_none_or(|until| until <= now);
        self.notices.values().filter(move |notice| free(&notice.id)).map(|notice| {
            let typed = self.typing.get(&notice.id).filter(|typing| typing.stands_in_the_terminal());
            Notice { typed_at: typed.map(|typing| typing.at), ..notice.clone() }
        })
    }

    /// When the next of those that are being typed may be told again.
    #[must_use]
    pub fn held_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.typing.values().filter_map(Typing::held_until).filter(|until| now < *until).min()
    }

    /// Whether it is a reason to end a wait: not what is being typed this very moment, nor what was typed.
    #[must_use]
    pub fn is_news(&self, id: &NoticeId, now: Timestamp) -> bool {
        let typing = self.typing.get(id);
        typing.is_none_or(|typing| !typing.is_delivered() && typing.held_until().is_none_or(|until| until <= now))
    }

    /// Whether all of it was typed into its terminal.
    #[must_use]
    pub fn was_typed(&self, id: &NoticeId) -> bool {
        self.typing.get(id).is_some_and(Typing::is_delivered)
    }

    /// What it has not heard, oldest first. What stands in its terminal has reached it.
    pub fn unheard(&self) -> impl Iterator<Item = &Notice> {
        self.notices.values().filter(|notice| !self.was_typed(&notice.id))
    }

    pub(super) fn may_be_ordered(&self, id: &NoticeId) -> bool {
        let again = |typing: &Typing| typing.stage == TypingStage::Declined && typing.orders < MOST_ORDERS;
        self.notices.contains_key(id) && self.typing.get(id).is_none_or(again)
    }

    /// The name of its next order: that of the notice, and a number.
    pub(super) fn next_order(&self, id: &NoticeId) -> String {
        format!("{id}.{}", self.typing.get(id).map_or(0, |typing| typing.orders).saturating_add(1))
    }
}

impl Typing {
    fn is_delivered(&self) -> bool {
        self.whole && self.stage == TypingStage::Typed
    }

    /// Whether all of it was typed, sent or not: its agent may read it there.
    const fn stands_in_the_terminal(&self) -> bool {
        self.whole && matches!(self.stage, TypingStage::Typed | TypingStage::Undelivered)
    }

    /// Until when it is told by no other way.
    fn held_until(&self) -> Option<Timestamp> {
        (self.stage == TypingStage::Ordered).then(|| self.at + HOST_ANSWERS_WITHIN)
    }
}

#[cfg(test)]
mod tests {
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
        assert!(
            matches!(agent.to_type(over, NEVER, AFTER, &BTreeSet::new()), ToType::Now(next, _) if next.id == id(2))
        );
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
        let eviction =
            Eviction { action: EvictionAction::Restart, reason: "a new version".to_owned(), for_good: false };
        act(&mut agent, DUE, &AgentCommand::Evict(eviction));
        assert_eq!(agent.to_type(DUE, NEVER, AFTER, &BTreeSet::new()), ToType::Nothing);
        assert!(!orders(&mut agent, 1, 1));
    }
}
