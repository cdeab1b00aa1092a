//! What `order` does, tried.

use rstest::rstest;

use super::*;
use crate::prompt::Reader;
use crate::time::Timestamp;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
const KEYS: Host = Host { reader: Reader::Reads, echo: Some(false), canonical: Some(false), destroys: false };

fn seen(change: impl FnOnce(&mut SeenPrompt)) -> SeenPrompt {
    let mut prompt = SeenPrompt {
        prompt_text: "Go on?".to_owned(),
        confidence: 0.99,
        prompt_type: PromptKind::YesNo,
        matched_pattern: "yes_no.words".into(),
        file_position: 6,
        timestamp: Timestamp(0),
        is_dangerous: false,
        signals: vec![Signal::TtyRead],
        safe_to_type: true,
        choices: Vec::new(),
    };
    change(&mut prompt);
    prompt
}

fn ask(text: &str, by_person: bool) -> InputAsk {
    InputAsk {
        text: text.to_owned(),
        prompt_text: "Go on?".to_owned(),
        file_position: Some(6),
        by_person,
        reason: "it was asked".to_owned(),
    }
}

fn decide(ask: InputAsk, prompt: Option<&SeenPrompt>, host: Host) -> Result<InputOrder, NotTyped> {
    ask.decide("o-1".to_owned(), prompt, host).map(|(order, _)| order)
}

#[test]
fn an_order_keeps_what_is_typed_at_which_prompt_by_whom_and_why() {
    let order = decide(ask("yes", true), Some(&seen(|_| {})), LINES).unwrap();
    assert_eq!((order.order_id.as_str(), order.prompt_text.as_str()), ("o-1", "Go on?"));
    assert_eq!((order.input_text.as_str(), order.by_person, order.dangerous), ("yes", true, false));
    assert_eq!((order.reason.as_str(), order.prompt_type), ("it was asked", PromptKind::YesNo));
}

#[rstest]
#[case::of_other_words(|prompt: &mut SeenPrompt| prompt.prompt_text = "Is it?".to_owned(), NotTyped::AnotherPrompt)]
#[case::of_the_same_words_further_on(|prompt: &mut SeenPrompt| prompt.file_position = 7, NotTyped::AnotherPrompt)]
#[case::a_secret(|prompt: &mut SeenPrompt| prompt.prompt_type = PromptKind::Password, NotTyped::Secret)]
#[case::uncertain(|prompt: &mut SeenPrompt| prompt.safe_to_type = false, NotTyped::NotSafe)]
#[case::a_menu(|prompt: &mut SeenPrompt| prompt.signals.push(Signal::Menu), NotTyped::Keys)]
#[case::an_editor(|prompt: &mut SeenPrompt| prompt.signals.push(Signal::FullScreen), NotTyped::Keys)]
#[case::a_pager(|prompt: &mut SeenPrompt| prompt.matched_pattern = "command.pager_file".into(), NotTyped::Keys)]
fn what_a_person_may_not_have_typed(#[case] change: fn(&mut SeenPrompt), #[case] why: NotTyped) {
    assert_eq!(decide(ask("yes", true), Some(&seen(change)), LINES), Err(why));
}

#[test]
fn nothing_is_typed_where_nothing_waits() {
    assert_eq!(decide(ask("yes", true), None, LINES), Err(NotTyped::NothingWaits));
}

#[test]
fn a_prompt_that_names_a_secret_is_one_whatever_its_kind_and_so_is_an_answer_of_that_shape() {
    let asks = InputAsk { prompt_text: "Enter your PIN:".to_owned(), ..ask("1234", true) };
    let pin = seen(|prompt| {
        prompt.prompt_text = "Enter your PIN:".to_owned();
        prompt.prompt_type = PromptKind::Text;
    });
    assert_eq!(decide(asks, Some(&pin), LINES), Err(NotTyped::Secret));
    let hidden = Host { echo: Some(false), ..LINES };
    assert_eq!(decide(ask("x", true), Some(&seen(|_| {})), hidden), Err(NotTyped::Secret));
    let token = format!("ghp_{}", "a1B2".repeat(9));
    assert_eq!(decide(ask(&token, true), Some(&seen(|_| {})), LINES), Err(NotTyped::Secret));
}

#[test]
fn into_danger_and_into_a_shell_only_a_person_types() {
    let danger = seen(|prompt| prompt.is_dangerous = true);
    assert_eq!(decide(ask("yes", false), Some(&danger), LINES), Err(NotTyped::Dangerous));
    assert!(decide(ask("yes", true), Some(&danger), LINES).unwrap().dangerous);
    let shell = seen(|prompt| prompt.prompt_type = PromptKind::Command);
    assert_eq!(decide(ask("ls", false), Some(&shell), LINES), Err(NotTyped::Command));
    assert!(decide(ask("ls", true), Some(&shell), KEYS).is_ok());
    let text = seen(|prompt| prompt.prompt_type = PromptKind::Text);
    assert_eq!(decide(ask("rm -rf /", false), Some(&text), LINES), Err(NotTyped::Command));
    assert!(decide(ask("bob", false), Some(&text), LINES).is_ok());
}

#[test]
fn where_keys_are_read_only_what_is_entered_is_typed() {
    assert_eq!(decide(ask("y", true), Some(&seen(|_| {})), KEYS), Err(NotTyped::Keys));
    let choice = seen(|prompt| prompt.prompt_type = PromptKind::Choice);
    assert_eq!(decide(ask("2", true), Some(&choice), KEYS), Err(NotTyped::Keys));
    assert!(decide(ask("2", true), Some(&choice), LINES).is_ok());
    let name = seen(|prompt| prompt.prompt_type = PromptKind::Text);
    assert!(decide(ask("bob", true), Some(&name), KEYS).is_ok());
    let unasked = seen(|prompt| {
        prompt.prompt_type = PromptKind::Command;
        prompt.matched_pattern = "command.silent".into();
    });
    assert_eq!(decide(ask("q", true), Some(&unasked), KEYS), Err(NotTyped::Keys));
}
