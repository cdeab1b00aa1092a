//! Prompts and words of danger that an operator adds to what the rules know by themselves (`patterns.yaml`).
//!
//! A prompt is told by what its line ends in, to the letter and whatever the case: no expression, so that nothing that
//! stands in a file can take more than linear time.
//!
//! The hub alone reads that file. What a host tells of an answer is looked at again by the hub before it is written
//! (`transport::terminal`).

use super::kind::PromptKind;

/// What an operator adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    prompts: Vec<OwnPrompt>,
    danger: Vec<String>,
}

/// A prompt that the rules do not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPrompt {
    /// As verdicts name it.
    pub(super) name: String,
    /// What the open line ends in, in lower case.
    ends: String,
    pub(super) kind: PromptKind,
    pub(super) choices: Vec<String>,
    pub(super) dangerous: Option<bool>,
}

impl OwnPrompt {
    /// A prompt. `name` is the operator's, `ends` what its line ends in; `dangerous` is as the words say when left out.
    #[must_use]
    pub fn new(name: &str, ends: &str, kind: PromptKind, choices: Vec<String>, dangerous: Option<bool>) -> Self {
        let (name, ends) = (format!("patterns.{name}"), ends.trim().to_lowercase());
        Self { name, ends, kind, choices, dangerous }
    }
}

impl Patterns {
    /// Nothing but what the rules know.
    pub const NONE: &Self = &Self { prompts: Vec::new(), danger: Vec::new() };

    /// These prompts, and words or phrases that make a question dangerous.
    #[must_use]
    pub fn new(mut prompts: Vec<OwnPrompt>, danger: &[String]) -> Self {
        // The longest fits best.
        prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.ends.len()));
        Self { prompts, danger: danger.iter().map(|words| words.trim().to_lowercase()).collect() }
    }

    /// Whether a text has one of the words of danger in it, from the beginning of a word to the end of one.
    pub(super) fn names_danger(&self, text: &str) -> bool {
        if self.danger.is_empty() {
            return false;
        }
        let lower = text.to_lowercase();
        let parts = |c: char| c.is_alphanumeric() || c == '_';
        self.danger.iter().any(|words| {
            lower.match_indices(words.as_str()).any(|(at, found)| {
                let before = lower[..at].chars().next_back().is_some_and(parts);
                let after = lower[at + found.len()..].chars().next().is_some_and(parts);
                !before && !after
            })
        })
    }

    /// The prompt that this line is, in lower case and without blanks at its ends.
    pub(super) fn find(&self, lower: &str) -> Option<&OwnPrompt> {
        self.prompts.iter().find(|prompt| lower.ends_with(&prompt.ends))
    }

    /// Where in a line a prompt for a secret ends, in bytes: what stands behind it was typed.
    pub(super) fn end_of_secret_prompt(&self, line: &str) -> Option<usize> {
        let secrets = self.prompts.iter().filter(|prompt| prompt.kind == PromptKind::Password);
        secrets.filter_map(|prompt| end_of(line, &prompt.ends)).min()
    }

    /// Whether any prompt for a secret is among them.
    pub(super) fn has_secrets(&self) -> bool {
        self.prompts.iter().any(|prompt| prompt.kind == PromptKind::Password)
    }
}

/// Where `ends`, in lower case, ends in a line of any case for the first time.
fn end_of(line: &str, ends: &str) -> Option<usize> {
    let mut lower = String::with_capacity(line.len());
    // A letter may be longer or shorter in lower case: each byte of it knows where its letter ends in the line.
    let mut places = Vec::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        lower.extend(letter.to_lowercase());
        places.resize(lower.len(), at + letter.len_utf8());
    }
    let found = lower.find(ends)?;
    places.get((found + ends.len()).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{EchoStrainer, Moment, ScreenView, detect, detect_with};

    fn patterns() -> Patterns {
        let own = |name: &str, ends: &str, kind, dangerous| OwnPrompt::new(name, ends, kind, Vec::new(), dangerous);
        let prompts = vec![
            own("short", "it>", PromptKind::Text, None),
            own("ship", " Ship it> ", PromptKind::YesNo, Some(true)),
            own("word", "Losung »", PromptKind::Password, None),
            OwnPrompt::new("lane", "which lane", PromptKind::Choice, vec!["a".to_owned(), "b".to_owned()], Some(false)),
        ];
        Patterns::new(prompts, &["Evacuate".to_owned()])
    }

    fn seen(text: &str) -> Option<(String, PromptKind, bool)> {
        let found = detect_with(&ScreenView::of_text(text), &Moment::default(), &patterns())?;
        Some((found.matched_pattern.to_string(), found.prompt_type, found.is_dangerous))
    }

    #[test]
    fn a_prompt_of_the_operators_own_is_told_by_its_end_and_the_longest_fits() {
        assert_eq!(seen("SHIP IT> "), Some(("patterns.ship".to_owned(), PromptKind::YesNo, true)));
        assert_eq!(seen("eat it> "), Some(("patterns.short".to_owned(), PromptKind::Text, false)));
        assert_eq!(seen("ship it> now"), None, "the line goes on");
        let found = detect_with(&ScreenView::of_text("which lane "), &Moment::default(), &patterns()).unwrap();
        assert_eq!((found.choices, found.confidence >= 0.9), (vec!["a".to_owned(), "b".to_owned()], true));
        assert_eq!(detect(&ScreenView::of_text("which lane "), &Moment::default()), None, "nobody said so");
    }

    #[test]
    fn a_word_of_danger_counts_where_it_stands_alone() {
        assert!(seen("Evacuate the rack? (yes/no) ").unwrap().2);
        assert!(!seen("Is it evacuated? (yes/no) ").unwrap().2);
        assert!(!seen("Use un_evacuate? (yes/no) ").unwrap().2);
        let plain = detect(&ScreenView::of_text("Evacuate the rack? (yes/no) "), &Moment::default()).unwrap();
        assert!(!plain.is_dangerous);
    }

    #[test]
    fn a_word_of_danger_counts_in_whatever_is_asked_and_not_in_a_shells_prompt() {
        for (asks, kind) in [
            ("Rack to evacuate: ", PromptKind::Text),
            ("File of the racks to evacuate: ", PromptKind::Path),
            ("Password to evacuate the rack: ", PromptKind::Password),
            ("Press any key to evacuate the rack ", PromptKind::Unknown),
        ] {
            let (_, found, dangerous) = seen(asks).unwrap();
            assert_eq!((found, dangerous), (kind, true), "{asks}");
            assert!(!detect(&ScreenView::of_text(asks), &Moment::default()).unwrap().is_dangerous, "{asks}");
        }
        let (_, kind, dangerous) = seen("ada@evacuate:~$ ").unwrap();
        assert_eq!((kind, dangerous), (PromptKind::Command, false));
        let full = ScreenView { alternate: true, ..ScreenView::of_text("Racks\nOld ones\nEvacuate now") };
        assert!(detect_with(&full, &Moment::default(), &patterns()).unwrap().is_dangerous, "it may ask");
        assert!(!seen("Rack: ").unwrap().2);
    }

    #[test]
    fn a_secret_of_the_operators_own_is_one_and_its_echo_is_taken_out() {
        assert_eq!(patterns().judge("LOSUNG »"), (PromptKind::Password, false));
        assert_eq!(patterns().judge("Evacuate the rack? (yes/no)"), (PromptKind::YesNo, true));
        let strained = |line: &str, text: &str| {
            let kept = EchoStrainer::default().strain_with(line, text.as_bytes(), &patterns()).into_owned();
            String::from_utf8(kept).unwrap()
        };
        assert_eq!(strained("", "Losung » hunter2\r\nwelcome"), "Losung » [REDACTED]\r\nwelcome");
        assert_eq!(strained("İ LOSUNG » ", "hunter2"), "[REDACTED]");
        assert_eq!(strained("", "Losung » "), "Losung » ");
        assert_eq!(strained("", "Compiling\r\n"), "Compiling\r\n");
    }
}
