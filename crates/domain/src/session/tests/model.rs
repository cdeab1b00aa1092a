//! Random stories of one question after another, judged against a model of ten lines: whoever comes first wins.

use proptest::prelude::*;

use super::kit::*;
use crate::session::question::{QuestionSpec, ResolutionType};
use crate::session::{SessionCommand, SessionOutcome};
use crate::time::Timestamp;

/// What is done to the newest question.
#[derive(Debug, Clone)]
enum Deed {
    Ask { dangerous: bool, minutes: u64 },
    Answer { old: bool, who: u8 },
    Withdraw,
    Wait { minutes: u64 },
    Ring,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (any::<bool>(), 1u64..30).prop_map(|(dangerous, minutes)| Deed::Ask { dangerous, minutes }),
        4 => (any::<bool>(), 0u8..4).prop_map(|(old, who)| Deed::Answer { old, who }),
        1 => Just(Deed::Withdraw),
        3 => (0u64..20).prop_map(|minutes| Deed::Wait { minutes }),
        4 => Just(Deed::Ring),
    ]
}

/// What must have become of the newest question.
#[derive(Debug, Clone)]
struct Model {
    n: u32,
    dangerous: bool,
    expires_at: Timestamp,
    resolved: Option<(ResolutionType, String)>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn whoever_comes_first_wins_and_a_dangerous_default_never_does(deeds in proptest::collection::vec(deed(), 1..60)) {
        let mut story = Story::at_work();
        let mut model: Option<Model> = None;
        for deed in deeds {
            let open = model.as_ref().is_some_and(|known| known.resolved.is_none());
            match deed {
                Deed::Ask { dangerous, minutes } => {
                    let n = model.as_ref().map_or(1, |known| known.n + 1);
                    let expires_at = Timestamp(story.now.0 + minutes * MINUTE);
                    let danger = dangerous.then_some(crate::session::question::Danger::Declared);
                    let asked = QuestionSpec { danger, asked_at: story.now, expires_at, ..spec(n) };
                    let outcome = story.does(&ask(asked)).map(|decision| decision.outcome);
                    if open {
                        prop_assert_eq!(outcome.unwrap_err().code(), "QUESTION_OPEN");
                    } else {
                        prop_assert_eq!(outcome.unwrap(), SessionOutcome::Open(question(n)));
                        model = Some(Model { n, dangerous, expires_at, resolved: None });
                    }
                }
                Deed::Answer { old, who } => {
                    let Some(known) = &mut model else { continue };
                    let value = if old { "old" } else { "new" };
                    let outcome = story.does(&answer(known.n, value, &format!("p{who}"))).unwrap().outcome;
                    match &known.resolved {
                        None => known.resolved = Some((ResolutionType::Human, value.to_owned())),
                        Some((kind, won)) => {
                            let SessionOutcome::Late(_, first) = outcome else { panic!("{outcome:?}") };
                            prop_assert_eq!((&first.kind, &first.value), (kind, won), "the loser is told who won");
                        }
                    }
                }
                Deed::Withdraw => {
                    let Some(known) = &mut model else { continue };
                    let outcome = story.does(&withdraw(known.n));
                    match &known.resolved {
                        None => known.resolved = Some((ResolutionType::Cancelled, String::new())),
                        Some((ResolutionType::Cancelled, _)) => prop_assert!(outcome.is_ok()),
                        Some(_) => prop_assert_eq!(outcome.unwrap_err().code(), "ALREADY_RESOLVED"),
                    }
                }
                Deed::Wait { minutes } => story.now = Timestamp(story.now.0 + minutes * MINUTE),
                Deed::Ring => {
                    story.does(&SessionCommand::Tick).unwrap();
                    if let Some(known) = &mut model
                        && known.resolved.is_none() && !known.dangerous && known.expires_at <= story.now
                    {
                        known.resolved = Some((ResolutionType::Timeout, "new".to_owned()));
                    }
                }
            }
            if let Some(known) = &model {
                let kept = story.session.question(&question(known.n)).expect("the newest is remembered");
                let now = kept.resolution().map(|it| (it.kind, it.value.clone()));
                prop_assert_eq!(&now, &known.resolved);
            }
        }
    }
}
