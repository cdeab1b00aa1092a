//! Coding agents: at work they wait for nobody, at a dialog and at rest in their input box they do.

use std::time::Duration;

use super::super::*;

/// A screen of these rows; the cursor is where `█` stands, or hidden below them.
fn screen(rows: &[&str]) -> ScreenView {
    let at = rows.iter().position(|row| row.contains('█'));
    let (before, after) = at.map(|at| rows[at].split_once('█').unwrap()).unwrap_or_default();
    let rows: Vec<String> = rows.iter().map(|row| row.replace('█', "")).collect();
    ScreenView {
        wrapped: vec![false; rows.len()],
        cursor_row: at.unwrap_or(rows.len()),
        before: before.to_owned(),
        after: after.trim().to_owned(),
        cursor_hidden: at.is_none(),
        rows,
        ..ScreenView::default()
    }
}

/// By text alone after a pause of that many milliseconds, and with a host that says that it polls or reads.
fn verdicts(rows: &[&str], quiet_ms: u64) -> [Option<InputPrompt>; 3] {
    let raw = |reader| Host { reader, echo: Some(false), canonical: Some(false), destroys: false };
    [Host::default(), raw(Reader::Polls), raw(Reader::Reads)].map(|host| {
        let quiet = Some(Duration::from_millis(quiet_ms));
        let found = detect(&screen(rows), &Moment { host, quiet, answered: false });
        found.filter(|prompt| prompt.confidence >= MIN_CONFIDENCE)
    })
}

#[track_caller]
fn works(rows: &[&str]) {
    for quiet_ms in [0, 100, 1_000] {
        assert_eq!(verdicts(rows, quiet_ms), [const { None }; 3], "{rows:#?} after {quiet_ms} ms");
    }
}

#[track_caller]
fn waits(rows: &[&str], quiet_ms: u64, kind: PromptKind) -> [InputPrompt; 3] {
    verdicts(rows, quiet_ms).map(|found| {
        let found = found.unwrap_or_else(|| panic!("nothing waits in {rows:#?}"));
        assert_eq!(found.prompt_type, kind, "{rows:#?}: {found:?}");
        found
    })
}

#[test]
fn a_status_row_that_moves_and_names_the_key_that_interrupts_is_of_an_agent_at_work() {
    for status in [
        "• Working (12s • esc to interrupt)",
        "Working (1m 05s · esc to interrupt)",
        "✻ Thinking… (3s · ↓ 120 tokens · esc to interrupt)",
        "⠏ Pondering (esc to cancel, 4s)",
        "✦ Writing it down… (ctrl+c to stop)",
        "⠙ Running tests   esc again to interrupt",
    ] {
        for boxed in [
            &["› Ask for follow-up changes"][..],
            &["› █Ask for follow-up changes"],
            &["› █Ask for follow-up changes", "", "  gpt-5 · ~/project"],
            &["› next█", "", "  gpt-5 · ~/project"],
            &["──────────", "❯ █", "──────────"],
            &["──────────", ">   Type your message or @path/to/file", "──────────"],
            &["❯ █"],
            &["> █"],
        ] {
            works(&[&["  Some text.", "", status, ""], boxed].concat());
        }
    }
}

#[test]
fn the_key_that_interrupts_may_stand_in_the_footer() {
    let (edge, thinks) = ("──────────────────", "✢ Processing…");
    works(&[thinks, "", edge, "❯ █", edge, "  manual mode on · esc to interrupt · ? for shortcuts"]);
    works(&[edge, "❯ █", edge, "  esc interrupt   ctrl+p commands"]);
    // While somebody types it is not named.
    works(&[thinks, "", edge, "❯ and then█", edge, "  manual mode on"]);
    waits(&["● Done.", "", edge, "❯ █", edge, "  manual mode on"], 1_000, PromptKind::Command);
    waits(&["✻ Worked for 12s", "", edge, "❯ █", edge, "  manual mode on"], 1_000, PromptKind::Command);
    waits(&["The key is esc to interrupt (see help)", "", edge, "❯ █", edge, "", "", ""], 1_000, PromptKind::Command);
}

#[test]
fn a_question_is_asked_whatever_an_agent_left_above_it() {
    let left = ["• Working (12s • esc to interrupt)", "", "› Ask for follow-up changes", ""];
    for asks in ["ada@host:~$ █", "Continue? [y/N] █", "Your name: █"] {
        let [words, polls, reads] = verdicts(&[&left[..], &[asks]].concat(), 1_000);
        assert!(words.is_some() && polls.is_some() && reads.is_some(), "{asks}");
    }
}

#[test]
fn a_dialog_is_seen_though_a_spinner_turns_below_it() {
    let rows = [
        "  $ rm -rf build", "", "Allow execution of: 'rm'?", "", "› 1. Yes, allow once", "  2. No", "",
        "⠏ Waiting for user confirmation...",
    ];
    for (quiet_ms, status) in [(30, rows[7]), (1_000, rows[7]), (30, "⠏ Waiting for you (3s · esc to cancel)")] {
        let rows = [&rows[..7], &[status]].concat();
        for found in waits(&rows, quiet_ms, PromptKind::Choice) {
            assert_eq!(found.prompt_text, "Allow execution of: 'rm'?");
            assert_eq!(found.choices, ["1. Yes, allow once", "2. No"]);
            assert!(found.is_dangerous && !found.safe_to_type, "{found:?}");
        }
    }
    let list = ["? Pick one", "❯ red", "  green", "", "⠏ Installing..."];
    let unasked = ["❯ red", "  green", "", "⠏ Installing..."];
    assert!(verdicts(&unasked, 1_000)[0].is_none() && verdicts(&list[1..], 1_000)[1].is_none());
}

#[test]
fn an_agent_at_rest_waits_in_its_box_whatever_stands_in_it() {
    let edge = "──────────────────";
    for (rows, text) in [
        (&["", "› █Ask Codex to do anything", "", "  model · ~"][..], "›"),
        (&["", "› fix the tests█", "", "  model · ~"], "› fix the tests"),
        (&[edge, "> █  Type your message or @path/to/file", edge], ">"),
        (&[edge, "❯ fix the tests", "  and the docs█", edge], "❯ fix the tests  and the docs"),
    ] {
        for found in waits(rows, 1_000, PromptKind::Command) {
            assert_eq!(
                (&*found.matched_pattern.to_string(), &*found.prompt_text),
                ("command.input_box", text),
                "{rows:#?}"
            );
        }
        assert!(verdicts(rows, 1_000)[1].as_ref().unwrap().safe_to_type, "{rows:#?}");
    }
    let placeholder = [edge, ">   Type your message or @path/to/file", edge];
    waits(&placeholder, 1_000, PromptKind::Command);
    let menu = waits(&[edge, "Proceed?", "❯ 1. Yes", "  2. No", edge], 1_000, PromptKind::Choice);
    assert_eq!(menu[0].choices, ["1. Yes", "2. No"]);
}

#[test]
fn a_placeholder_that_names_a_mentioned_path_asks_for_none() {
    for text in ["❯ Type your message or @path/to/file: ", "Type your message or @path/to/file? ", "> @file: "] {
        let found = detect(&ScreenView::of_text(text), &Moment::default());
        assert!(found.is_none_or(|found| found.prompt_type != PromptKind::Path), "{text}");
    }
    assert_eq!(
        detect(&ScreenView::of_text("Path to a file: "), &Moment::default()).unwrap().prompt_type,
        PromptKind::Path
    );
}
