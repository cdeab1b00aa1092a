//! One prompt, one record of its coming and one of its going.

use super::*;
use crate::prompt::PromptKind;
use crate::time::{Millis, Timestamp};

fn seen(text: &str, confidence: f64, line: Option<u64>) -> Sighting {
    let prompt = SeenPrompt {
        prompt_text: text.to_owned(),
        confidence,
        prompt_type: PromptKind::Text,
        matched_pattern: "text.question".into(),
        file_position: 10,
        timestamp: Timestamp(1_000),
        is_dangerous: false,
        signals: Vec::new(),
        safe_to_type: false,
        choices: Vec::new(),
    };
    Sighting { prompt, line, redrawn: false }
}

/// Looks, lets what follows happen, and says it in short.
fn looks(prompting: &mut Prompting, at: u64, sighting: Option<&Sighting>) -> Vec<String> {
    let records = prompting.decide(Timestamp(at), None, sighting, true);
    records.iter().for_each(|record| prompting.apply(Timestamp(at), record, sighting.and_then(|seen| seen.line)));
    if records.is_empty() {
        prompting.look_again(Timestamp(at), sighting);
    }
    let told = records.iter().map(|record| match record {
        TerminalRecord::InputPromptDetected { prompt, .. } => format!("+ {}", prompt.prompt_text),
        TerminalRecord::InputPromptGone { prompt_text, after: Millis(after), .. } => format!("- {prompt_text} {after}"),
        TerminalRecord::MonitorStarted { .. }
        | TerminalRecord::MonitorStopped { .. }
        | TerminalRecord::InputTracked { .. }
        | TerminalRecord::InputOrdered { .. }
        | TerminalRecord::InputInjected { .. }
        | TerminalRecord::InputUndelivered { .. }
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
    prompting.typed(10);
    assert_eq!(looks(&mut prompting, 1_500, None), ["- Name: 500"], "it was answered");
    assert!(looks(&mut prompting, 1_600, None).is_empty());
    assert_eq!(prompting.shown(), None);
}

#[test]
fn what_nobody_answered_may_be_away_for_a_moment_and_not_for_long() {
    let mut prompting = Prompting::default();
    let name = seen("Name:", 0.8, Some(3));
    looks(&mut prompting, 1_000, Some(&name));
    assert!(looks(&mut prompting, 1_100, None).is_empty(), "its screen is being drawn anew");
    assert!(looks(&mut prompting, 1_299, None).is_empty());
    assert!(looks(&mut prompting, 1_300, Some(&name)).is_empty());
    assert!(looks(&mut prompting, 1_700, None).is_empty());
    assert_eq!(prompting.look_again(Timestamp(1_800), None), Some(Timestamp(1_900)));
    assert_eq!(looks(&mut prompting, 1_900, None), ["- Name: 900"]);
    looks(&mut prompting, 3_000, Some(&name));
    looks(&mut prompting, 3_100, None);
    let other = seen("Port:", 0.8, Some(3));
    assert_eq!(looks(&mut prompting, 3_200, Some(&other)), ["- Name: 200", "+ Port:"], "another one waits for nobody");
    let gone = prompting.decide(Timestamp(3_300), None, None, false);
    assert_eq!(gone.len(), 1, "what still stands there was answered");
}

/// A countdown, and a clock above that pushes it down.
#[test]
fn a_question_that_is_drawn_anew_is_one_prompt_until_somebody_answers() {
    let mut prompting = Prompting::default();
    let second = |left: u64, line| {
        let mut sighting = seen(&format!("Go on? ({left} s) [y/N]"), 0.9, Some(line));
        (sighting.prompt.file_position, sighting.redrawn) = (100 - left, true);
        sighting
    };
    assert_eq!(looks(&mut prompting, 0, Some(&second(10, 3))), ["+ Go on? (10 s) [y/N]"]);
    for left in 4..10 {
        let sighting = second(left, 20 - left);
        assert!(looks(&mut prompting, 1_000 * left, Some(&sighting)).is_empty());
        let shown = &prompting.shown().unwrap().prompt;
        assert_eq!((shown.file_position, &shown.prompt_text), (90, &sighting.prompt.prompt_text));
        assert_eq!(prompting.known(&sighting).file_position, 90, "an answer names it by where it came");
    }
    prompting.typed(96);
    assert!(looks(&mut prompting, 10_000, Some(&second(4, 16))).is_empty(), "nothing followed yet");
    let next = looks(&mut prompting, 10_100, Some(&second(3, 16)));
    assert_eq!(next, ["- Go on? (4 s) [y/N] 10100", "+ Go on? (3 s) [y/N]"], "it may ask for something else now");
    assert_eq!(prompting.known(&second(2, 16)).file_position, 97);
}

#[test]
fn what_is_hardly_likely_does_not_come_and_what_became_less_likely_stays() {
    let mut prompting = Prompting::default();
    assert!(looks(&mut prompting, 1_000, Some(&seen("Name:", 0.69, Some(3)))).is_empty());
    looks(&mut prompting, 1_000, Some(&seen("Name:", 0.7, Some(3))));
    assert!(looks(&mut prompting, 1_100, Some(&seen("Name:", 0.5, Some(3)))).is_empty(), "its screen is drawn anew");
    assert!(looks(&mut prompting, 1_200, Some(&seen("Name:", 0.49, Some(3)))).is_empty());
    assert_eq!(looks(&mut prompting, 1_400, Some(&seen("Name:", 0.49, Some(3)))), ["- Name: 400"]);
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
    for record in Prompting::default().decide(Timestamp(5), None, Some(&name), false) {
        prompting.apply(Timestamp(5), &record, None);
    }
    assert!(looks(&mut prompting, 9, Some(&name)).is_empty());
    assert_eq!(looks(&mut prompting, 12, Some(&seen("Name:", 0.8, Some(8)))), ["- Name: 7", "+ Name:"]);
}

#[test]
fn nothing_of_the_shape_of_a_token_is_in_a_prompt() {
    let prompt = crate::prompt::InputPrompt {
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
