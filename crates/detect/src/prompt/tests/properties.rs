//! Whatever stands on a screen, the detector answers, within its bounds.

use std::time::Duration;

use proptest::prelude::*;

use super::super::infer::{InferenceInput, infer};
use super::super::learn::normalized;
use super::super::*;
use callboard_base::time::Timestamp;

/// Pieces that prompts are made of, so that chance meets the rules.
const PIECES: [&str; 24] = [
    "Password", ": ", "? ", "[y/N]", "(yes/no)", "❯ ", "\n", "  ", "│", "◆ ", "<Yes>", "[ ]", "> ", "$", "1) ", "%",
    "--More--", "(", "]", "é", "パスワード", "\r", "-", "?",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn moment() -> impl Strategy<Value = Moment> {
    let reader =
        proptest::sample::select(&[Reader::Unknown, Reader::Gone, Reader::Busy, Reader::Polls, Reader::Reads][..]);
    let flags = (any::<Option<bool>>(), any::<Option<bool>>(), any::<Option<u16>>(), any::<[bool; 2]>());
    (reader, flags).prop_map(|(reader, (echo, canonical, quiet, [answered, destroys]))| Moment {
        host: Host { reader, echo, canonical, destroys },
        quiet: quiet.map(|quiet| Duration::from_millis(quiet.into())),
        answered,
    })
}

proptest! {
    #[test]
    fn every_screen_has_a_verdict_within_its_bounds(text in text(), moment in moment(), hidden: bool, full: bool) {
        let sight = ScreenView { cursor_hidden: hidden, alternate: full, ..ScreenView::of_text(&text) };
        if let Some(prompt) = detect(&sight, &moment) {
            prop_assert!((0.0..=1.0).contains(&prompt.confidence));
            prop_assert!(prompt.prompt_text.chars().count() <= MOST_TEXT);
            let certain = moment.host.reader >= Reader::Polls && !moment.answered;
            prop_assert!(!prompt.safe_to_type || certain && prompt.prompt_type != PromptKind::Password);
            prop_assert!(moment.host.reader != Reader::Gone);
            prop_assert!(moment.host.reader != Reader::Busy || moment.host.canonical == Some(false));
            let asked = InferenceInput {
                prompt_text: &text, kind: prompt.prompt_type, context: &Default::default(), choices: &[],
                pattern: None,
                dangerous: prompt.is_dangerous, now: Timestamp(0),
            };
            let found = infer(&asked);
            prop_assert!(prompt.prompt_type != PromptKind::YesNo || found.suggestions.len() == 2);
        }
    }

    #[test]
    fn a_normal_form_is_short_and_stays(text in text()) {
        let once = normalized(&text);
        prop_assert!(once.chars().count() <= 1_000 || text.split_whitespace().any(|word| word.chars().count() > 600));
    }
}
