//! What who looks on sees of a run.

use super::*;

#[test]
fn a_trace_only_grows_and_says_what_is_left_once_the_hub_stops() {
    let mut run = begun();
    let mut before = run.trace();
    assert_eq!(before.len(), 2, "what is wanted, and the plan");
    assert!(run.messages().len() > before.len(), "a model is told at once what is left");
    let came = outcome(json!({"config": ["r-1"]}), false, MatchedBy::Plan);
    for command in [
        WorkflowCommand::Begin { step: 0, asked: json!({"service": "api"}) },
        WorkflowCommand::End { step: 0, outcome: came, misfit: false },
        WorkflowCommand::Pause(PauseReason::TimeBudget { step: "deploy".to_owned() }),
    ] {
        order(&mut run, &command).expect("an order for this moment");
        let now = run.trace();
        assert!(now.len() > before.len() && now.starts_with(&before), "{command:?}: {now:#?}");
        before = now;
    }
    assert!(before.last().is_some_and(|said| said.text.contains("To continue, make these calls")), "{before:#?}");
}

#[test]
fn a_state_is_read_as_it_is_written() {
    for status in RunStatus::ALL {
        assert_eq!(RunStatus::parse(status.as_str()), Some(status));
    }
    assert_eq!(RunStatus::parse("done"), None);
}
