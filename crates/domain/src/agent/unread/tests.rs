//! What `unread` does, tried.

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
