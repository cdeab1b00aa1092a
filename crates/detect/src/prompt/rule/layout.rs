//! What the parts of a layout say: which kind of answer it waits for.
//!
//! A layout is found by its drawing or by where its question stands ([`super::DRAWN`], [`super::UNDER`]). What it finds
//! are parts: the question, the answers that are named or listed, the label of a line. Of most of them the kind is
//! said here; a drawing that means one kind alone says it by itself.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::answer::{first_word, is_no, is_yes};
use super::{Guess, Strength, action, names_secret, path};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answers<'a> {
    Named(Vec<String>),
    /// One or more of what is listed.
    Listed,
    /// Nothing but that it was read.
    Taken,
    /// A line behind this label.
    Line(&'a str),
    /// A line, or a yes, where the label asks for one.
    Question(&'a str),
}

pub(super) fn kind_of(answers: &Answers<'_>) -> PromptKind {
    let says = |named: &[String], is: fn(&str) -> bool| named.iter().any(|it| is(first_word(it)));
    match answers {
        Answers::Named(named) if says(named, is_yes) && says(named, is_no) => PromptKind::YesNo,
        Answers::Named(_) | Answers::Listed => PromptKind::Choice,
        Answers::Taken => PromptKind::Unknown,
        Answers::Line(label) | Answers::Question(label) => {
            let lower = label.to_lowercase();
            match answers {
                _ if names_secret(&lower) => PromptKind::Password,
                Answers::Question(_) if action::asks(&lower) => PromptKind::YesNo,
                _ if action::asks(&lower) => PromptKind::Text,
                _ if path::names_path(&lower) => PromptKind::Path,
                Answers::Line(_) | Answers::Question(_) | Answers::Named(_) | Answers::Listed | Answers::Taken => {
                    PromptKind::Text
                }
            }
        }
    }
}

impl Guess {
    pub(super) fn of(answers: Answers<'_>, form: Form, strength: Strength) -> Self {
        let guess = Self::new(kind_of(&answers), form, strength);
        match answers {
            Answers::Named(named) => guess.choices(named),
            Answers::Listed | Answers::Taken | Answers::Line(_) | Answers::Question(_) => guess,
        }
    }
}
