//! One prompt, one record of its coming and one of its going.

use super::*;
use crate::domain::prompt::PromptKind;
use crate::domain::time::{Millis, Timestamp};

fn seen(text: &str, confidence: f64, line: Option<u64>) -> Sighting {
    let prompt = SeenPrompt {
        prompt_text: text.to_owned(),
        confidence,
        prompt_type: PromptKind::Text,
        matched_pattern: "text.question".to_owned(),
        file_position: 10,
        timestamp: Timestamp(1_000),
        is_dangerous: false,
        signals: Vec::new(),
        safe_to_type: false,
        choices: Vec::new(),
    };
    Sighting { prompt, line }
}

/// Looks, lets what follows happen, and says it in short.
fn looks(prompting: &mut Prompting, at: u64, sighting: Option<&Sighting>) -> Vec<String> {
    let records = prompting.decide(Timestamp(at), None, sighting);
    records.iter().for_each(|record| prompting.apply(Timestamp(at), record, sighting.and_then(|seen| seen.line)));
    if let (true, Some(seen)) = (records.is_empty(), sighting) {
        prompting.see_again(seen);
    }
    let told = records.iter().map(|record| match record {
        TerminalRecord::InputPromptDetected { prompt, .. } => format!("+ {}", prompt.prompt_text),
        TerminalRecord::InputPromptGone { prompt_text, after: Millis(after), .. } => format!("- {prompt_text} {after}"),
        TerminalRecord::MonitorStarted { .. }
        | TerminalRecord::MonitorStopped { .. }
        | TerminalRecord::InputTracked { .. }
        | TerminalRecord::InputOrdered { .. }
        | TerminalRecord::InputInjected { .. }
        | TerminalRecord::InputDeclined { .. } => "?".to_owned(),
    });
    told.collect()
}

#[test]
fn a_prompt_comes_once_and_goes_once() {
    let mut prompting = Prompting::default();
    let name = seen("Name:", 0.8, Some(3));
    assert_eq!(looks(&mut prompting, 1_000, Some(&name)), ["+ Name:"]);
    assert!(looks(&mut prompting, 1_200, Some(&name)).is_empty());
    assert_eq!(looks(&mut prompting, 1_500, None), ["- Name: 500"]);
    assert!(looks(&mut prompting, 1_600, None).is_empty());
    assert_eq!(prompting.shown(), None);
}

#[test]
fn what_is_hardly_likely_does_not_come_and_what_became_less_likely_stays() {
    let mut prompting = Prompting::default();
    assert!(looks(&mut prompting, 1_000, Some(&seen("Name:", 0.69, Some(3)))).is_empty());
    looks(&mut prompting, 1_000, Some(&seen("Name:", 0.7, Some(3))));
    assert!(looks(&mut prompting, 1_100, Some(&seen("Name:", 0.5, Some(3)))).is_empty(), "its screen is drawn anew");
    assert_eq!(looks(&mut prompting, 1_200, Some(&seen("Name:", 0.49, Some(3)))), ["- Name: 200"]);
}

#[test]
fn the_same_words_in_another_line_are_another_prompt_and_on_a_screen_they_are_the_same() {
    let mut prompting = Prompting::default();
    looks(&mut prompting, 0, Some(&seen("$", 0.9, Some(3))));
    assert_eq!(looks(&mut prompting, 50, Some(&seen("$", 0.9, Some(4)))), ["- $ 50", "+ $"]);
    looks(&mut prompting, 100, Some(&seen("Pick one", 0.9, None)));
    assert!(looks(&mut prompting, 150, Some(&seen("Pick one", 0.9, None))).is_empty());
    assert_eq!(looks(&mut prompting, 200, Some(&seen("Pick two", 0.9, None))), ["- Pick one 100", "+ Pick two"]);
}

#[test]
fn a_prompt_that_was_read_from_the_journal_is_found_again_where_it_stands() {
    let mut prompting = Prompting::default();
    let name = seen("Name:", 0.8, Some(7));
    for record in Prompting::default().decide(Timestamp(5), None, Some(&name)) {
        prompting.apply(Timestamp(5), &record, None);
    }
    assert!(looks(&mut prompting, 9, Some(&name)).is_empty());
    assert_eq!(looks(&mut prompting, 12, Some(&seen("Name:", 0.8, Some(8)))), ["- Name: 7", "+ Name:"]);
}

#[test]
fn nothing_of_the_shape_of_a_token_is_in_a_prompt() {
    let prompt = crate::domain::prompt::InputPrompt {
        prompt_text: "Use ghp_0123456789abcdefghij0123? [y/N]".to_owned(),
        confidence: 0.9,
        prompt_type: PromptKind::YesNo,
        matched_pattern: "yes_no.brackets".into(),
        is_dangerous: false,
        signals: Vec::new(),
        safe_to_type: false,
        choices: Vec::new(),
    };
    assert_eq!(SeenPrompt::of(prompt, 0, Timestamp(0)).prompt_text, "Use [secret]? [y/N]");
}
