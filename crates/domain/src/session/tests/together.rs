//! Random lives of a task, its review, its holder's session and what is asked for its sake. After each step every
//! promise that concerns more than one of them holds.

use proptest::prelude::*;

use super::world::{Deed, World};
use crate::inbox::{Behind, of_question, of_task};
use crate::session::WorkflowStatus;
use crate::session::question::{Question, ResolutionType};
use crate::task::{BlockedOn, TaskState};

fn deed() -> impl Strategy<Value = Deed> {
    use WorkflowStatus::{AwaitingReview, Blocked, Completed, Working};
    let statuses = prop_oneof![3 => Just(Working), 1 => Just(Blocked), 1 => Just(AwaitingReview), 1 => Just(Completed)];
    prop_oneof![
        6 => (any::<bool>(), 1u64..40).prop_map(|(dangerous, minutes)| Deed::Ask { dangerous, minutes }),
        5 => (0usize..6, any::<bool>()).prop_map(|(which, old)| Deed::Answer { which, old }),
        1 => (0usize..6).prop_map(|which| Deed::Withdraw { which }),
        4 => statuses.prop_map(Deed::Report),
        1 => Just(Deed::Complete),
        1 => Just(Deed::Fail),
        2 => Just(Deed::Submit),
        1 => any::<bool>().prop_map(|completes| Deed::Approve { completes }),
        2 => Just(Deed::RequestChanges),
        1 => Just(Deed::AnswerTask),
        1 => Just(Deed::Cancel),
        1 => Just(Deed::Reassign),
        1 => Just(Deed::Retry),
        6 => any::<bool>().prop_map(|other| Deed::Offer { other }),
        5 => Just(Deed::Acknowledge),
        1 => Just(Deed::Release),
        6 => (0u64..30).prop_map(|minutes| Deed::Wait { minutes }),
    ]
}

#[test]
fn what_was_said_before_is_no_status_of_a_session_whose_task_went_on() {
    use WorkflowStatus::{Blocked, Working};
    let mut world = World::new();
    let asks = [Deed::Offer { other: false }, Deed::Ask { dangerous: false, minutes: 1 }, Deed::Acknowledge];
    let blocks = asks.into_iter().chain([Deed::Report(Working), Deed::Report(Blocked)]);
    for deed in blocks.chain([Deed::AnswerTask, Deed::Report(Blocked)]) {
        world.does(&deed);
        assert_eq!(world.judge(), Ok(()), "after {deed:?}");
    }
    assert_ne!(world.session.status(), Blocked);
}

proptest! {
    #[test]
    fn whatever_happens_a_question_has_one_end_and_whoever_is_needed_for_it_sees_it(
        deeds in proptest::collection::vec(deed(), 1..80)
    ) {
        let mut world = World::new();
        let mut ended: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
        for deed in deeds {
            let unheard = world.task.sent_back;
            world.does(&deed);
            prop_assert_eq!(world.judge(), Ok(()), "after {:?}", deed);
            for known in &world.asked {
                let id = known.spec.id.to_string();
                let (session, task) = (Some(&world.session), Some(&world.task));
                let listed = of_question(known, session, task, None, &Behind::default()).is_some();
                prop_assert_eq!(listed, known.is_open(), "the inbox has what is open");
                let in_session = world.session.question(&known.spec.id).is_some_and(Question::is_open);
                prop_assert_eq!(in_session, known.is_open(), "and so has the session");
                let Some(end) = known.resolution() else {
                    prop_assert!(!ended.contains_key(&id), "{} has lost its end", id);
                    prop_assert!(known.is_overdue() || known.spec.expires_at > world.now, "{} is late", id);
                    continue;
                };
                prop_assert_eq!(end.kind == ResolutionType::Human, end.by.principal.as_str() == "person:ada"
                    && end.kind != ResolutionType::Superseded);
                prop_assert!(!(known.spec.is_dangerous() && end.kind == ResolutionType::Timeout));
                let end = format!("{end:?}");
                prop_assert_eq!(ended.entry(id).or_insert_with(|| end.clone()), &end, "one end for good");
            }
            // A task that stands still for a question is that question's, and never nobody's.
            if let TaskState::Blocked { on: BlockedOn::Answer { question: Some(id), .. }, .. } = &world.task.state {
                let stands = world.asked.iter().any(|known| known.spec.id == *id && known.is_open());
                prop_assert!(stands, "{} is stuck", id);
                prop_assert!(of_task(&world.task, &Behind::default(), |_| false).is_none(), "and is listed once");
            }
            let hands_in = matches!(
                deed,
                Deed::Complete | Deed::Submit | Deed::Report(WorkflowStatus::Completed | WorkflowStatus::AwaitingReview)
            );
            let over = matches!(world.task.state, TaskState::Completed { .. } | TaskState::InReview { .. });
            prop_assert!(!(unheard && hands_in && over), "nobody heard what is to change");
        }
    }
}
