//! Random stories: after each step both machines keep their promises, and the records tell the whole life.

use proptest::prelude::*;

use super::kit::*;
use crate::review::*;
use crate::task::*;

/// What may happen next: who does what.
fn step() -> impl Strategy<Value = (&'static str, Next)> {
    let who = prop_oneof![2 => Just("ada"), 2 => Just("ann"), 1 => Just("bob")];
    let next = prop_oneof![
        4 => Just(Next::Submit),
        2 => any::<bool>().prop_map(Next::Approve),
        3 => (0_usize..3).prop_map(Next::Changes),
        2 => (0_u32..6).prop_map(Next::Discuss),
        2 => (1_u32..8).prop_map(Next::Resolve),
        2 => Just(Next::TakeBack),
        3 => prop_oneof![Just("ann"), Just("bob")].prop_map(Next::Offer),
        1 => prop_oneof![Just("ann"), Just("bob")].prop_map(Next::Release),
        1 => Just(Next::Cancel),
        2 => prop_oneof![Just(ReportKind::Completed), Just(ReportKind::Failed)].prop_map(Next::Report),
        1 => Just(Next::Retry),
        1 => Just(Next::Late),
    ];
    (who, next)
}

#[derive(Debug, Clone)]
enum Next {
    Submit,
    Approve(bool),
    Changes(usize),
    Discuss(u32),
    Resolve(u32),
    TakeBack,
    Offer(&'static str),
    Release(&'static str),
    Cancel,
    Report(ReportKind),
    Retry,
    Late,
}

fn command(story: &mut Story, who: &str, next: &Next, step: usize) -> TaskCommand {
    let me = agent(if who == "bob" { "bob" } else { "ann" });
    match next {
        Next::Submit => {
            let mut command = submit(&format!("round {step}"));
            if let TaskCommand::SubmitForReview { agent, .. } = &mut command {
                *agent = me;
            }
            command
        }
        Next::Approve(completes) => approve(*completes),
        Next::Changes(many) => changes((0..*many).map(|_| story.comment("change it")).collect()),
        Next::Discuss(answered) => {
            let reply_to = (*answered > 0).then(|| comment_id(*answered));
            discuss(Comment { reply_to, ..story.comment("why?") })
        }
        Next::Resolve(n) => resolve(*n, Some("done")),
        Next::TakeBack => TaskCommand::TakeBack { agent: me, epoch: None },
        Next::Offer(to) => offer(to),
        Next::Release(from) => TaskCommand::Release { agent: agent(from), why: ReturnReason::Evicted },
        Next::Cancel => TaskCommand::Cancel { authority: Authority::Operator, reason: None },
        Next::Report(kind) => report(me.as_str(), kind.clone()),
        Next::Retry => TaskCommand::Retry,
        Next::Late => TaskCommand::Tick,
    }
}

proptest! {
    #[test]
    fn the_records_tell_the_whole_life_and_no_word_is_lost(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut story = Story::works();
        for (n, (who, next)) in steps.iter().enumerate() {
            let command = command(&mut story, who, next, n);
            let before = story.review.clone();
            // What is granted is held to the promises by the story itself.
            if story.try_as(who, &command).is_err() {
                prop_assert_eq!(&story.review, &before, "a refusal changes nothing");
            }
        }
        let mut replayed: Option<Review> = None;
        for (at, record) in &story.records {
            let text = serde_json::to_string(record).unwrap();
            let record: ReviewRecord = serde_json::from_str(&text).unwrap();
            match &mut replayed {
                Some(review) => review.apply(*at, &record),
                None => replayed = Review::from_submitted(story.task.id().clone(), *at, &record),
            }
        }
        prop_assert_eq!(&replayed, &story.review);
        if let Some(review) = &story.review {
            let text = serde_json::to_string(review).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Review>(&text).unwrap(), review);
            let view = review.view();
            let text = serde_json::to_string(&view).unwrap();
            prop_assert_eq!(serde_json::from_str::<ReviewView>(&text).unwrap(), view);
        }
    }

    /// Whatever happens between: once a person agreed with what was handed in last, it stays agreed with until it is
    /// handed in again, or a person says otherwise.
    #[test]
    fn only_a_new_round_or_a_person_undoes_an_approval(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut story = Story::handed_in().then("ada", &approve(false));
        for (n, (who, next)) in steps.iter().enumerate() {
            let command = command(&mut story, who, next, n);
            let done = story.try_as(who, &command).is_ok();
            if matches!(next, Next::Submit | Next::Changes(_)) && done {
                break;
            }
            prop_assert_eq!(story.state(), Some(ReviewState::Approved), "after {:?} by {}", next, who);
        }
        let agreed = |round: &Round| round.verdicts.iter().any(|verdict| verdict.kind == VerdictKind::Approved);
        prop_assert!(agreed(&story.review().rounds[0]), "the verdict itself is there for good");
    }
}
