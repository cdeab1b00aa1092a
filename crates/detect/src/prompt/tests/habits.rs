//! What is suggested, what is learned from answers, and what never is.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::infer::{Inference, InferenceInput, SuggestionSource, infer};
use super::super::learn::{Answer, InputSource, NotLearned, Pattern, Provenance, key, normalized};
use super::super::redact::{REDACTED, is_secret, kept_input};
use super::super::*;
use callboard_base::time::Timestamp;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn asked<'a>(text: &'a str, kind: PromptKind, context: &'a BTreeMap<String, String>) -> InferenceInput<'a> {
    InferenceInput { prompt_text: text, kind, context, choices: &[], pattern: None, dangerous: false, now: NOW }
}

fn inputs(inference: &Inference) -> Vec<&str> {
    inference.suggestions.iter().map(|suggestion| suggestion.input_text.as_str()).collect()
}

fn suggested(text: &str, kind: PromptKind) -> Inference {
    infer(&asked(text, kind, &BTreeMap::new()))
}

fn answer<'a>(text: &'a str, input: &'a str) -> Answer<'a> {
    Answer {
        prompt_text: text,
        kind: PromptKind::YesNo,
        dangerous: false,
        input_text: input,
        success: true,
        source: InputSource::UserTyped,
        provenance: Provenance::Attested,
        at: NOW,
    }
}

#[test]
fn yes_or_no_has_two_answers_in_the_words_of_the_prompt() {
    assert_eq!(inputs(&suggested("Continue? (yes/no): ", PromptKind::YesNo)), ["yes", "no"]);
    assert_eq!(inputs(&suggested("Continue? [Y/n] ", PromptKind::YesNo)), ["y", "n"]);
    assert_eq!(inputs(&suggested("Continue? [y/N] ", PromptKind::YesNo)), ["n", "y"]);
    assert_eq!(inputs(&suggested("Continue?", PromptKind::YesNo)), ["yes", "no"]);
}

#[test]
fn paths_choices_and_defaults_are_offered() {
    let found = suggested("Output directory: ", PromptKind::Path);
    assert!(inputs(&found).contains(&"./") && inputs(&found).contains(&"/tmp/"), "{found:?}");
    let context = BTreeMap::from([("cwd".to_owned(), "/srv/app".to_owned()), ("colour".to_owned(), "red".to_owned())]);
    let found = infer(&asked("Output directory: ", PromptKind::Path, &context));
    assert_eq!(found.suggestions[0].input_text, "/srv/app");
    assert_eq!(found.suggestions[0].source, SuggestionSource::ContextInference);
    assert_eq!(inputs(&suggested("Stage? [y,n,q]? ", PromptKind::Choice)), ["y", "n", "q"]);
    assert_eq!(inputs(&suggested("Port [8080]: ", PromptKind::Text)), ["8080"]);
}

#[test]
fn a_dangerous_prompt_warns_and_has_the_safe_answer_first() {
    let found = suggested("Delete all files? (yes/no)", PromptKind::YesNo);
    assert!(found.warnings.iter().any(|warning| warning.contains("dangerous")), "{found:?}");
    assert_eq!(inputs(&found), ["no", "yes"]);
}

#[test]
fn a_secret_is_never_suggested() {
    let found = suggested("Password: ", PromptKind::Password);
    assert_eq!(inputs(&found), [""]);
    assert_eq!(found.warnings.len(), 1);
}

#[test]
fn what_people_answered_ten_times_comes_first_and_says_so() {
    let text = "Restart service 12 now? (yes/no) ";
    let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
    for _ in 0..10 {
        pattern.learn(&answer(text, "no")).unwrap();
    }
    let found = infer(&InferenceInput { pattern: Some(&pattern), ..asked(text, PromptKind::YesNo, &BTreeMap::new()) });
    assert_eq!(inputs(&found), ["no", "yes"]);
    let first = &found.suggestions[0];
    assert_eq!(first.source, SuggestionSource::PatternLearning);
    assert!(first.reasoning.contains("answered 'no' 10/10 times"), "{}", first.reasoning);
    assert!(first.confidence > 0.9 && first.confidence < 1.0, "{}", first.confidence);
}

#[test]
fn two_sightings_are_no_habit_and_old_ones_fade() {
    let text = "Restart? (yes/no) ";
    let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
    pattern.learn(&answer(text, "no")).unwrap();
    pattern.learn(&answer(text, "no")).unwrap();
    assert!(pattern.standings(NOW).is_empty());
    pattern.learn(&answer(text, "no")).unwrap();
    let fresh = pattern.standings(NOW)[0].share;
    let day = Duration::from_secs(24 * 3600);
    let later = pattern.standings(NOW + day * 30)[0].share;
    assert!(later < fresh, "{later} after a month, {fresh} now");
    assert!((fresh - 0.8).abs() < 1e-9 && (later - 2.5 / 3.5).abs() < 1e-9, "half of three sightings, smoothed");
    assert!(pattern.standings(NOW + day * 120).is_empty(), "forgotten");
}

#[test]
fn a_failure_never_strengthens() {
    let text = "Restart? (yes/no) ";
    let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
    let failed = Answer { success: false, ..answer(text, "maybe") };
    assert_eq!(pattern.learn(&failed), Err(NotLearned::NothingToWeaken));
    assert!(pattern.answers.is_empty());
    for _ in 0..4 {
        pattern.learn(&answer(text, "no")).unwrap();
    }
    let before = pattern.standings(NOW)[0].share;
    pattern.learn(&Answer { success: false, ..answer(text, "no") }).unwrap();
    assert!(pattern.standings(NOW)[0].share < before);
    assert_eq!(pattern.answers["no"].successes, 4);
}

#[test]
fn an_agents_word_counts_a_tenth_and_never_for_danger_or_secrets() {
    let text = "Restart? (yes/no) ";
    let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
    let told = Answer { provenance: Provenance::AgentReported, ..answer(text, "yes") };
    for _ in 0..29 {
        pattern.learn(&told).unwrap();
    }
    assert!(pattern.standings(NOW).is_empty(), "29 reports are less than three sightings");
    pattern.learn(&told).unwrap();
    assert_eq!(pattern.standings(NOW).len(), 1);
    for _ in 0..4 {
        pattern.learn(&answer(text, "no")).unwrap();
    }
    assert_eq!(pattern.standings(NOW)[0].input, "no", "four people outweigh thirty reports");
    assert_eq!(pattern.learn(&Answer { dangerous: true, ..told }), Err(NotLearned::UnattestedDanger));
    assert_eq!(pattern.learn(&answer("Enter PIN: ", "1234")), Err(NotLearned::Secret));
    let own = Answer { source: InputSource::AutoInjected, ..answer(text, "yes") };
    assert_eq!(pattern.learn(&own), Err(NotLearned::OwnTyping));
}

#[test]
fn prompts_that_differ_in_names_and_numbers_are_one_kind() {
    let same = ["Overwrite 'a.txt'? (y/n)", "Overwrite 'my notes.txt'? (y/n)"];
    assert_eq!(normalized(same[0]), normalized(same[1]));
    assert_eq!(normalized("Delete 3 tables? (yes/no)"), "delete # tables? (yes/no)");
    assert_eq!(normalized("Save to /srv/data/x.db (120 MB)?"), "save to <path> (# mb)?");
    assert_eq!(normalized("Password for ada@host:"), "password for <address>:");
    assert_ne!(key(Some("npm"), "Ok?"), key(Some("apt"), "Ok?"));
}

#[test]
fn what_was_typed_into_a_secret_is_not_kept() {
    let host = Host::default();
    let shown = Host { echo: Some(false), canonical: Some(true), ..host };
    for text in
        ["Password: ", "[sudo] password for ada: ", "Enter PIN: ", "Token: ", "API key: ", "One-time code? OTP: "]
    {
        assert_eq!(kept_input(text, "hunter2", None, host), REDACTED, "{text}");
    }
    assert_eq!(kept_input("Say it: ", "hunter2", Some(PromptKind::Password), host), REDACTED);
    assert_eq!(kept_input("Say it: ", "hunter2", None, shown), REDACTED);
    assert_eq!(kept_input("Paste: ", "ghp_0123456789abcdefghijABCDEFGHIJ", None, host), REDACTED);
    assert_eq!(kept_input("Continue? ", "yes", Some(PromptKind::YesNo), host), "yes");
    assert!(!is_secret("Continue? ", Some(PromptKind::YesNo), host));
}

#[test]
fn what_names_a_secret_is_one_by_its_words_and_for_the_detector() {
    for text in [
        "Master key: ", "Card number: ", "CVV: ", "CVC2 (on the back): ", "Credential: ", "Credentials for db1: ",
        "Bearer: ", "Passphrase: ", "PIN: ", "PUK: ", "OTP: ", "API key: ", "Access key: ", "Private key: ",
        "Paste your private key> ", "Private key (hex): ", "Signing key: ", "Pre-shared key: ", "Recovery code: ",
        "Enter a backup code: ", "6-digit code: ", "Security answer: ", "Mother's maiden name: ", "Seed phrase: ",
        "Seed words: ", "Mnemonic: ", "SSN: ", "Kartennummer: ", "Código de seguridad: ",
    ] {
        assert_eq!(kept_input(text, "hunter2", None, Host::default()), REDACTED, "{text}");
        let found = detect(&ScreenView::of_text(text), &Moment::default()).unwrap();
        assert_eq!(found.prompt_type, PromptKind::Password, "{text}");
    }
    for text in [
        "Credential helper: ", "Credentials file: ", "Key: ", "Zip code: ", "Answer: ", "Card: ", "Private key file: ",
        "Security question: ",
    ] {
        assert_eq!(kept_input(text, "hunter2", None, Host::default()), "hunter2", "{text}");
    }
}

#[test]
fn words_that_differ_only_in_what_they_name_have_one_key() {
    for (text, key) in [
        ("Open ~/a?", "open <path>?"),
        ("Open ./a?", "open ./a?"),
        ("Open a/b?", "open a/b?"),
        ("Go on yes/no/abort?", "go on yes/no/abort?"),
        ("Pick 1a2b3c4d?", "pick <hash>?"),
        ("Pick deadbeef?", "pick deadbeef?"),
        ("Pick 'a b c' and \u{201c}d e\u{201d}?", "pick <name> and <name>?"),
    ] {
        assert_eq!(normalized(text), key, "{text}");
    }
    assert!(normalized(&"word ".repeat(500)).chars().count() < 500, "a key has an end");
}

#[test]
fn too_long_an_answer_teaches_nothing_and_neither_does_what_was_hidden() {
    let text = "Say it: ";
    let mut pattern = Pattern::new(text, PromptKind::Text, NOW);
    let long = "x".repeat(10_000);
    assert_eq!(pattern.learn(&answer(text, &long)), Err(NotLearned::TooLong));
    assert_eq!(pattern.learn(&answer(text, REDACTED)), Err(NotLearned::Secret));
    let failed = Answer { source: InputSource::AutoInjected, success: false, ..answer(text, "yes") };
    assert_eq!(pattern.learn(&failed), Err(NotLearned::NothingToWeaken), "what failed may be its own typing");
    let by_person = Answer { dangerous: true, ..answer(text, "yes") };
    assert_eq!(pattern.learn(&by_person), Ok(()), "a person may teach what is dangerous");
}

/// The room for answers ends; the lightest makes room, and one that is known needs none.
#[test]
fn of_many_answers_the_lightest_goes() {
    let text = "Say it: ";
    let mut pattern = Pattern::new(text, PromptKind::Text, NOW);
    let mut most = 0;
    for number in 0..200 {
        let said = format!("answer {number}");
        pattern.learn(&Answer { kind: PromptKind::Text, ..answer(text, &said) }).unwrap();
        pattern.learn(&Answer { kind: PromptKind::Text, ..answer(text, "always") }).unwrap();
        most = most.max(pattern.answers.len());
    }
    assert_eq!(pattern.answers.len(), most, "it is full");
    assert!(most < 100, "{most}");
    assert_eq!(pattern.answers["always"].successes, 200, "the heaviest stays");
    assert!(pattern.answers.contains_key("answer 199"), "the newest comes in");
}

#[test]
fn a_secret_has_no_habits() {
    let text = "Say it: ";
    let mut pattern = Pattern::new(text, PromptKind::Password, NOW);
    for _ in 0..10 {
        pattern.learn(&answer(text, "no")).unwrap();
    }
    assert!(pattern.standings(NOW).is_empty());
}

/// Where a prompt names its answers, a habit that is none of them is not suggested; where it does not, it is.
#[test]
fn a_habit_is_suggested_only_where_it_can_be_answered() {
    let habit = |text: &str, kind: PromptKind, said: &str| {
        let mut pattern = Pattern::new(text, kind, NOW);
        for _ in 0..5 {
            pattern.learn(&Answer { kind, ..answer(text, said) }).unwrap();
        }
        let found = infer(&InferenceInput { pattern: Some(&pattern), ..asked(text, kind, &BTreeMap::new()) });
        found.suggestions.into_iter().map(|suggestion| suggestion.input_text).collect::<Vec<_>>()
    };
    assert_eq!(habit("Continue? (yes/no) ", PromptKind::YesNo, "maybe"), ["yes", "no"]);
    assert_eq!(habit("Your name: ", PromptKind::Text, "ada"), ["ada"]);
    assert_eq!(habit("Port [8080]: ", PromptKind::Text, "9090"), ["9090", "8080"]);
}

#[test]
fn what_is_declared_dangerous_warns_whatever_it_says() {
    let found = infer(&InferenceInput { dangerous: true, ..asked("Continue?", PromptKind::YesNo, &BTreeMap::new()) });
    assert!(found.warnings[0].starts_with("dangerous"), "{found:?}");
    let context = BTreeMap::from([("cwd".to_owned(), String::new()), ("path".to_owned(), "x".repeat(5_000))]);
    let found = infer(&asked("Output directory: ", PromptKind::Path, &context));
    assert_eq!(inputs(&found), ["./", "/tmp/"], "neither nothing nor too much is a path");
    assert_eq!(inputs(&suggested("Say []: ", PromptKind::Text)), Vec::<&str>::new());
}

#[test]
fn suggestions_come_best_first_whatever_they_come_from() {
    let text = "Pick> ";
    let mut pattern = Pattern::new(text, PromptKind::Command, NOW);
    for word in ["one", "two", "two", "three", "four"] {
        pattern.learn(&Answer { kind: PromptKind::Command, ..answer(text, word) }).unwrap();
    }
    let found =
        infer(&InferenceInput { pattern: Some(&pattern), ..asked(text, PromptKind::Command, &BTreeMap::new()) });
    assert_eq!(inputs(&found)[0], "two", "{found:?}");
    assert!(found.suggestions.is_sorted_by(|a, b| a.confidence >= b.confidence), "{found:?}");
    let faded = Timestamp(NOW.0 + 90 * 24 * 3_600_000);
    let mut pattern = Pattern::new("Continue? [Y/n] ", PromptKind::YesNo, NOW);
    for _ in 0..8 {
        pattern.learn(&answer("Continue? [Y/n] ", "n")).unwrap();
    }
    let found = |now| {
        let context = BTreeMap::new();
        let asked = asked("Continue? [Y/n] ", PromptKind::YesNo, &context);
        inputs(&infer(&InferenceInput { pattern: Some(&pattern), now, ..asked })).join(" ")
    };
    assert_eq!((found(NOW), found(faded)), ("n y".to_owned(), "y n".to_owned()), "a faded habit is none");
}

#[test]
fn a_prompt_whose_kind_is_known_better_is_of_that_kind() {
    let text = "Pick> ";
    let mut pattern = Pattern::new(text, PromptKind::Choice, NOW);
    pattern.learn(&Answer { kind: PromptKind::Choice, ..answer(text, "1") }).unwrap();
    let told = Answer { kind: PromptKind::Path, provenance: Provenance::AgentReported, ..answer(text, "1") };
    pattern.learn(&told).unwrap();
    assert_eq!(pattern.kind, PromptKind::Choice, "an agent may tell what it likes");
    pattern.learn(&Answer { kind: PromptKind::Command, ..answer(text, "ls") }).unwrap();
    assert_eq!(pattern.kind, PromptKind::Command);
    let earlier = Pattern { kind: PromptKind::Choice, ..pattern.clone() };
    assert!(pattern.agrees(&earlier) && !pattern.agrees(&Pattern { kind: PromptKind::Password, ..earlier }));
}

#[test]
fn what_stands_on_the_screen_is_offered_where_the_prompt_names_nothing() {
    let offered = ["red".to_owned(), "green".to_owned()];
    let context = BTreeMap::new();
    let found = infer(&InferenceInput { choices: &offered, ..asked("Pick> ", PromptKind::Choice, &context) });
    assert_eq!(inputs(&found), ["red", "green"]);
    assert!(found.suggestions.iter().all(|found| found.source == SuggestionSource::ContextInference), "{found:?}");
    let found = infer(&InferenceInput { choices: &offered, ..asked("Stage? [y,n,q]? ", PromptKind::Choice, &context) });
    assert_eq!(inputs(&found), ["y", "n", "q"], "what it names itself goes before");
    let dangerous =
        InferenceInput { dangerous: true, ..asked("Overwrite it? [y,n,a,q]? ", PromptKind::Choice, &context) };
    assert_eq!(inputs(&infer(&dangerous)), ["n", "q", "y", "a"], "the safe ones first");
}

/// What the journal's check compares a row with: the habit that its answers come to.
#[test]
fn two_habits_agree_where_the_same_was_answered_as_often_at_the_same_time() {
    let text = "Restart? (yes/no) ";
    let habit = |inputs: &[&str]| {
        let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
        inputs.iter().for_each(|input| pattern.learn(&answer(text, input)).unwrap());
        pattern
    };
    let one = habit(&["no", "yes"]);
    assert!(one.agrees(&habit(&["no", "yes"])));
    assert!(one.agrees(&Pattern { kind: PromptKind::Text, ..one.clone() }), "kinds are taken anew by later hubs");
    let minute = Duration::from_secs(60);
    let others = [
        habit(&["no"]),
        habit(&["no", "maybe"]),
        habit(&["no", "no", "yes"]),
        Pattern { kind: PromptKind::Password, ..one.clone() },
        Pattern { last_seen: NOW + minute, ..one.clone() },
    ];
    for other in &others {
        assert!(!one.agrees(other) && !other.agrees(&one), "{other:?}");
    }
    // The same counts, one of them given a month before: it weighs less.
    let mut faded = Pattern::new(text, PromptKind::YesNo, NOW);
    let month_ago = Timestamp(NOW.0 - 30 * 24 * 3_600_000);
    faded.learn(&Answer { at: month_ago, ..answer(text, "no") }).unwrap();
    faded.learn(&answer(text, "yes")).unwrap();
    assert!(!one.agrees(&faded) && !faded.agrees(&one));
}

/// An answer that was given before the last one changes neither the kind nor when the prompt was last seen.
#[test]
fn an_answer_that_comes_late_changes_what_it_may() {
    let text = "Restart? (yes/no) ";
    let mut pattern = Pattern::new(text, PromptKind::YesNo, NOW);
    pattern.learn(&answer(text, "no")).unwrap();
    let before = Timestamp(NOW.0 - 60_000);
    pattern.learn(&Answer { kind: PromptKind::Text, at: before, ..answer(text, "no") }).unwrap();
    assert_eq!((pattern.kind, pattern.last_seen), (PromptKind::YesNo, NOW));
    assert_eq!(pattern.answers["no"].successes, 2);
}
