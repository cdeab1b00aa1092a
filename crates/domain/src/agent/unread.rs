//! Was an answer read? What the answers to one agent carry, and how far each of them has come.
//!
//! ```text
//!             ┌──lost──────────────────────────────────► lost: its offer goes back, its notices are news again
//!             │                              ┌──lost───► the same
//!  tells or ──► handed ──left──► left ───────┤
//!  hands out                                 └──read───► read: the agent has heard its notices
//! ```
//!
//! - *handed*: the answer is with the hub's door. The agent may have several calls open, so a call that begins now
//!   shows nothing of it, and no second answer tells the same notices beside it.
//! - *left*: the door has begun to write it. The agent's next call shows that it arrived.
//! - *read*: a call came after the answer had left. Nothing of it is kept here.
//! - *lost*: its guard was dropped without a word, or its connection is known to have died with the answer unread.
//!
//! An offer in an answer expires by itself: the task has that deadline (`ackBy`), so none is kept here.
//!
//! Nothing of this is in the journal. After a restart of the agent's actor a lost answer may name an offer that this
//! ledger never handed out. It is remembered until the task says that the agent holds it, and goes back then
//! ([`Unread::goes_back`]).

use std::collections::{BTreeMap, BTreeSet};

use super::state::Notice;
use crate::ids::{LeaseEpoch, NoticeId, TaskId};
use crate::session::question::AnswerRoute;

/// The number of one call, unique within the hub's run: the end of an old wait never ends a newer one, and what an
/// answer carries is known by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// What an answer carries that must not get lost with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    pub offer: Option<(TaskId, LeaseEpoch)>,
    pub notices: BTreeSet<NoticeId>,
}

impl Carried {
    /// Whether there is nothing to lose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offer.is_none() && self.notices.is_empty()
    }
}

/// The most that the notices of one answer take, in bytes as they are written: each text stands there twice, as
/// structure and as text. What does not fit comes with the next answer.
const AT_ONCE: usize = 36_000;
/// What a notice takes beside its text, in bytes.
const ABOUT_A_NOTICE: usize = 450;
/// How many lost offers are remembered until their tasks say that the agent holds them. An agent has one wait, so more
/// than one or two are rare; what is forgotten here goes back at its `ackBy`.
const REMEMBERED: usize = 16;

/// The answers to one agent that are not known to have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// Answers that have not left, with what they carry.
    handed: BTreeMap<CallId, Carried>,
    /// Notices in answers that were handed out or have left.
    shown: BTreeMap<NoticeId, NoticeProgress>,
    /// Lost offers of tasks that have not said yet that the agent holds them.
    lost: BTreeMap<TaskId, LeaseEpoch>,
}

/// How far a notice has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NoticeProgress {
    /// By which way it went first.
    way: AnswerRoute,
    /// An answer with it has left.
    left: bool,
}

impl Unread {
    /// What of `notices` an answer to this call may tell: not what another answer is bringing, and no more than fits.
    /// The first one always fits.
    pub fn tellable(&self, call: CallId, notices: impl Iterator<Item = Notice>) -> Vec<Notice> {
        let others = || self.handed.iter().filter(|(other, _)| **other != call);
        let elsewhere = |id: &NoticeId| others().any(|(_, carried)| carried.notices.contains(id));
        let mut taken = 0;
        let told = notices.filter(|notice| !elsewhere(&notice.id)).enumerate().take_while(|(index, notice)| {
            taken += ABOUT_A_NOTICE + 2 * notice.text.len();
            *index == 0 || taken <= AT_ONCE
        });
        told.map(|(_, notice)| notice).collect()
    }

    /// The answer to this call tells these.
    pub fn tells(&mut self, call: CallId, way: AnswerRoute, notices: impl Iterator<Item = NoticeId>) {
        for notice in notices {
            self.shown.entry(notice.clone()).or_insert(NoticeProgress { way, left: false });
            self.handed.entry(call).or_default().notices.insert(notice);
        }
    }

    /// The answer to this call carries this offer.
    pub fn hands_out(&mut self, call: CallId, offer: (TaskId, LeaseEpoch)) {
        self.lost.remove(&offer.0);
        self.handed.entry(call).or_default().offer = Some(offer);
    }

    /// The answer has left.
    pub fn left(&mut self, call: CallId) {
        for id in self.handed.remove(&call).unwrap_or_default().notices {
            if let Some(shown) = self.shown.get_mut(&id) {
                shown.left = true;
            }
        }
    }

    /// The answer is lost, with what is known here to be in it, or with `carried` when it had left before. What is
    /// given back is the offer in it.
    ///
    /// A notice stays shown where another answer brings it still, or has left with it.
    pub fn lost(&mut self, call: CallId, carried: Carried) -> Option<(TaskId, LeaseEpoch)> {
        let known = self.handed.remove(&call);
        let had_left = known.is_none();
        let known = known.unwrap_or_default();
        for id in known.notices.union(&carried.notices) {
            let left_with_another = !had_left && self.shown.get(id).is_some_and(|shown| shown.left);
            if left_with_another {
                continue;
            }
            if !self.handed.values().any(|other| other.notices.contains(id)) {
                self.shown.remove(id);
            } else if let Some(shown) = self.shown.get_mut(id) {
                // It left with this one alone, and that did not arrive.
                shown.left = false;
            }
        }
        carried.offer.or(known.offer)
    }

    /// Keeps a lost offer whose task has not said yet that the agent holds it.
    pub fn remember(&mut self, (task, epoch): (TaskId, LeaseEpoch)) {
        self.lost.insert(task, epoch);
        if self.lost.len() > REMEMBERED {
            self.lost.pop_first();
        }
    }

    /// A task says how the agent holds it: `offered` is the number of an offer that is not acknowledged. Whether that
    /// offer goes back, since its answer was lost before.
    pub fn goes_back(&mut self, task: &TaskId, offered: Option<LeaseEpoch>) -> bool {
        let lost = self.lost.remove(task);
        lost.is_some() && lost == offered
    }

    /// The agent calls: notices in answers that have left are read, and forgotten here.
    pub fn read(&mut self) -> BTreeSet<NoticeId> {
        self.shown.extract_if(.., |_, shown| shown.left).map(|(id, _)| id).collect()
    }

    /// Whether an answer tells it that is not known to be lost or read.
    #[must_use]
    pub fn is_shown(&self, id: &NoticeId) -> bool {
        self.shown.contains_key(id)
    }

    /// By which way it went first.
    #[must_use]
    pub fn way_of(&self, id: &NoticeId) -> Option<AnswerRoute> {
        self.shown.get(id).map(|shown| shown.way)
    }

    pub fn shown(&self) -> impl ExactSizeIterator<Item = &NoticeId> {
        self.shown.keys()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn notice(number: u64) -> NoticeId {
        NoticeId::parse(&format!("n_{number:08}")).expect("a notice's id")
    }

    fn task(number: u64) -> TaskId {
        TaskId::parse(&format!("{number:08}")).expect("a task's id")
    }

    fn carried(notices: &[u64]) -> Carried {
        Carried { offer: None, notices: notices.iter().copied().map(notice).collect() }
    }

    fn tells(unread: &mut Unread, call: u64, notices: &[u64]) {
        unread.tells(CallId(call), AnswerRoute::Result, carried(notices).notices.into_iter());
    }

    #[test]
    fn only_what_has_left_is_read_by_the_next_call() {
        let mut unread = Unread::default();
        tells(&mut unread, 1, &[1]);
        tells(&mut unread, 2, &[2]);
        unread.left(CallId(1));
        assert_eq!(unread.read(), carried(&[1]).notices);
        assert!(!unread.is_shown(&notice(1)) && unread.is_shown(&notice(2)));
    }

    #[test]
    fn a_lost_answer_gives_its_offer_and_its_notices_back_whether_it_had_left_or_not() {
        for left in [false, true] {
            let mut unread = Unread::default();
            tells(&mut unread, 1, &[1]);
            unread.hands_out(CallId(1), (task(1), LeaseEpoch(3)));
            if left {
                unread.left(CallId(1));
            }
            // The guard says what it carries.
            let guard = Carried { offer: Some((task(1), LeaseEpoch(3))), ..carried(&[1]) };
            assert_eq!(unread.lost(CallId(1), guard), Some((task(1), LeaseEpoch(3))));
            assert!(!unread.is_shown(&notice(1)));
            assert_eq!(unread.read(), BTreeSet::new());
        }
    }

    #[test]
    fn an_answer_that_never_left_is_known_by_its_call_alone() {
        let mut unread = Unread::default();
        unread.hands_out(CallId(1), (task(1), LeaseEpoch(3)));
        assert_eq!(unread.lost(CallId(2), Carried::default()), None);
        assert_eq!(unread.lost(CallId(1), Carried::default()), Some((task(1), LeaseEpoch(3))));
        assert_eq!(unread.lost(CallId(1), Carried::default()), None, "once");
    }

    #[test]
    fn a_notice_that_left_with_one_answer_stays_shown_when_another_with_it_is_lost() {
        let mut unread = Unread::default();
        tells(&mut unread, 1, &[1]);
        unread.left(CallId(1));
        tells(&mut unread, 2, &[1]);
        assert_eq!(unread.lost(CallId(2), carried(&[1])), None);
        assert_eq!(unread.read(), carried(&[1]).notices);
    }

    #[test]
    fn a_notice_of_a_lost_answer_that_another_brings_waits_for_that_one() {
        let mut unread = Unread::default();
        tells(&mut unread, 1, &[1]);
        unread.left(CallId(1));
        tells(&mut unread, 2, &[1]);
        unread.lost(CallId(1), carried(&[1]));
        assert!(unread.is_shown(&notice(1)));
        assert_eq!(unread.read(), BTreeSet::new(), "the one that had left is lost, the other has not left");
    }

    #[test]
    fn an_offer_that_a_predecessor_handed_out_goes_back_once_its_task_says_so_and_only_under_its_number() {
        for (says, back) in [(Some(LeaseEpoch(3)), true), (Some(LeaseEpoch(4)), false), (None, false)] {
            let mut unread = Unread::default();
            unread.remember((task(1), LeaseEpoch(3)));
            assert!(!unread.goes_back(&task(2), Some(LeaseEpoch(3))), "another task");
            assert_eq!(unread.goes_back(&task(1), says), back);
            assert!(!unread.goes_back(&task(1), Some(LeaseEpoch(3))), "once");
        }
    }

    #[test]
    fn an_offer_that_is_handed_out_again_is_forgotten_as_lost_and_few_are_remembered() {
        let mut unread = Unread::default();
        unread.remember((task(1), LeaseEpoch(3)));
        unread.hands_out(CallId(1), (task(1), LeaseEpoch(4)));
        assert_eq!(unread.lost, BTreeMap::new());
        (0..100).for_each(|number| unread.remember((task(number), LeaseEpoch(1))));
        assert_eq!(unread.lost.len(), REMEMBERED);
    }

    proptest! {
        /// A model: for each notice the answers that carry it and how far they are. It is shown exactly while one of
        /// them is handed or left.
        #[test]
        fn a_notice_is_shown_while_an_answer_with_it_is_handed_or_left(
            steps in prop::collection::vec((0_u8..4, 0_u64..4), 0..40)
        ) {
            let mut unread = Unread::default();
            // One notice; each answer with it: whether it has left.
            let mut answers: BTreeMap<u64, bool> = BTreeMap::new();
            for (step, call) in steps {
                match step {
                    0 if !answers.contains_key(&call) && answers.values().all(|left| *left) => {
                        tells(&mut unread, call, &[1]);
                        answers.insert(call, false);
                    }
                    1 if answers.get(&call) == Some(&false) => {
                        unread.left(CallId(call));
                        answers.insert(call, true);
                    }
                    // A second loss after leaving cannot be told from the first one's, so one answer has left at most.
                    2 if (answers.get(&call).is_some_and(|left| !left) || answers.len() == 1)
                        && answers.remove(&call).is_some() =>
                    {
                        unread.lost(CallId(call), carried(&[1]));
                    }
                    3 => {
                        let any_left = answers.values().any(|left| *left);
                        prop_assert_eq!(!unread.read().is_empty(), any_left);
                        if any_left {
                            // Read: of answers that still carry it nothing is told again.
                            answers.clear();
                            unread = Unread::default();
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(unread.is_shown(&notice(1)), !answers.is_empty());
            }
        }
    }

    #[test]
    fn a_lost_offer_goes_back_once_and_only_the_newest_are_remembered() {
        let offer = |number: u64| (task(number), LeaseEpoch(number));
        let mut unread = Unread::default();
        assert!(Carried::default().is_empty());
        unread.hands_out(CallId(1), offer(1));
        assert_eq!(unread.lost(CallId(1), Carried::default()), Some(offer(1)), "it was known here");
        let carried = Carried { offer: Some(offer(2)), ..Carried::default() };
        assert!(!carried.is_empty());
        assert_eq!(unread.lost(CallId(2), carried), Some(offer(2)), "its answer had left");
        assert_eq!(unread.lost(CallId(3), Carried::default()), None);
        for number in 1..=17 {
            unread.remember(offer(number));
        }
        assert!(!unread.goes_back(&task(1), Some(LeaseEpoch(1))), "it was forgotten for the newer ones");
        assert!(!unread.goes_back(&task(2), Some(LeaseEpoch(9))), "that is another offer");
        assert!(unread.goes_back(&task(3), Some(LeaseEpoch(3))));
        assert!(!unread.goes_back(&task(3), Some(LeaseEpoch(3))), "once");
        assert!(!unread.goes_back(&task(4), None), "it is not offered any more");
        unread.hands_out(CallId(4), offer(5));
        assert!(!unread.goes_back(&task(5), Some(LeaseEpoch(5))), "it was handed out anew");
    }
}
