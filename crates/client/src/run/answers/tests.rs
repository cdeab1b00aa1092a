//! What `answers` does, tried.

use bytes::Bytes;

use super::*;
use crate::domain::prompt::{Moment, Reader, ScreenView, detect};

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
const KEYS: Host = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };

const BLANK: Screen<'static> = Screen { text: "", printed: 20 };

fn prompt(text: &str, host: Host) -> InputPrompt {
    detect(&ScreenView::of_text(text), &Moment { host, ..Moment::default() }).unwrap()
}

fn answered(asks: &str, host: Host, keys: &'static str, then: Option<&str>) -> Option<Answer> {
    let (mut answers, began) = (Answers::default(), Instant::now());
    answers.looked(Some(&prompt(asks, host)), 20, began);
    let later = began + Duration::from_millis(700);
    answers.typed(&Typed::Keys(Bytes::from_static(keys.as_bytes())), host, &BLANK, later);
    answers.looked(then.map(|text| prompt(text, host)).as_ref(), 40, later + Duration::from_secs(3))
}

#[test]
fn an_answer_is_what_was_entered_at_the_prompt_that_stood_there() {
    let answer = answered("Continue? [y/N] ", LINES, "y\r", None).unwrap();
    assert_eq!((answer.input_text.as_str(), answer.success, answer.response_time_ms), ("y", true, 700));
    let answer = answered("Continue? [y/N] ", LINES, "what\r", Some("Continue? [y/N] ")).unwrap();
    assert!(!answer.success, "it asks again");
    assert!(answered("Continue? [y/N] ", LINES, "y", None).is_none(), "nothing was entered");
}

#[test]
fn a_secret_is_never_among_it() {
    for asks in ["Password: ", "Enter PIN: ", "API token: "] {
        let answer = answered(asks, LINES, "hunter2\r", None).unwrap();
        assert_eq!(answer.input_text, REDACTED, "{asks}");
    }
    let answer = answered("Name: ", KEYS, "hunter2\r", None).unwrap();
    assert_eq!(answer.input_text, REDACTED, "the program does not show what is typed");
    let (mut answers, now) = (Answers::default(), Instant::now());
    answers.looked(Some(&prompt("Name: ", LINES)), 20, now);
    answers.typed(&Typed::Hidden { keys: b"hunter2\r".to_vec().into(), entered: true }, LINES, &BLANK, now);
    assert_eq!(answers.looked(None, 20, now + VERDICT).unwrap().input_text, REDACTED);
}

#[test]
fn a_program_that_reads_keys_is_answered_without_enter() {
    let answer = answered("Overwrite it? (y/n) ", KEYS, "n", None).unwrap();
    assert_eq!((answer.input_text.as_str(), answer.prompt_type), ("n", PromptKind::YesNo));
}
