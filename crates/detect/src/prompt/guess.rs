//! What a rule makes of a screen, and how much that says.

use super::kind::PromptKind;
use super::rule_id::{Form, RuleId};

/// How much the words alone say that a program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Much else looks like this.
    Weak,
    /// Usually a prompt, if the program pauses here.
    Fair,
    /// Hardly ever anything else.
    Likely,
    /// A form that is made for prompts.
    Sure,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) kind: PromptKind,
    pub(super) form: Form,
    /// The name of the operator's prompt that it is.
    pub(super) own: Option<String>,
    pub(super) strength: Strength,
    pub(super) choices: Vec<String>,
    /// The question, where it is not the open line.
    pub(super) question: Option<String>,
    /// Whether it was read from the whole screen and not from the open line.
    pub(super) is_menu: bool,
    /// The entry of a menu that Enter takes.
    pub(super) marked: Option<String>,
    /// Whether its answer may destroy something; as the words say when nobody said so.
    pub(super) dangerous: Option<bool>,
}

impl Guess {
    pub(super) const fn new(kind: PromptKind, form: Form, strength: Strength) -> Self {
        Self {
            kind,
            form,
            own: None,
            strength,
            choices: Vec::new(),
            question: None,
            is_menu: false,
            marked: None,
            dangerous: None,
        }
    }

    pub(super) fn choices(mut self, choices: Vec<String>) -> Self {
        self.choices = choices;
        self
    }

    /// The same in another form of the screen.
    pub(super) fn seen_as(self, form: Form, strength: Strength) -> Self {
        Self { form, own: None, strength, ..self }
    }

    pub(super) fn is(&self, kind: PromptKind, form: Form) -> bool {
        (self.kind, self.form) == (kind, form)
    }

    /// Whether nobody asked for it in words: it may be a dialog after all.
    pub(super) fn is_unasked(&self) -> bool {
        self.rule().is_unasked()
    }

    pub(super) fn rule(&self) -> RuleId {
        self.own.as_ref().map_or(RuleId::Built(self.kind, self.form), |name| RuleId::Own(name.clone()))
    }

    pub(super) fn asked_in(self, row: &str) -> Self {
        self.on_screen(Some(row.trim().to_owned()))
    }

    pub(super) fn on_screen(mut self, question: Option<String>) -> Self {
        self.question = question;
        self.is_menu = true;
        self
    }
}
