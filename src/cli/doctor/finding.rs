//! What was looked at, how it is, and what to do.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};

use serde::Serialize;

use crate::cli::exit::Exit;
use crate::cli::output::paint::{Ink, painted};
use crate::cli::problem::Problem;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it is to be.
    Good,
    /// It works, and could surprise.
    Doubtful,
    /// Something does not work.
    Wrong,
    /// It was not looked at, or is not there and need not be.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct Finding {
    /// What, as `hub` or `client claude`: stable, for programs.
    check: String,
    state: State,
    message: String,
    /// Which of the ways in which it can be wrong, where programs are to tell them apart: stable.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Cow<'static, str>>,
    /// What a program said to people, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    said: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip)]
    exit: Option<Exit>,
}

impl Finding {
    fn new(check: impl Into<String>, state: State, message: impl Into<String>) -> Self {
        let (check, message) = (check.into(), message.into());
        Self { check, state, message, code: None, said: Vec::new(), next: None, exit: None }
    }

    pub(super) fn good(check: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(check, State::Good, message)
    }

    /// It works, and could surprise.
    pub(super) fn doubtful(check: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(check, State::Doubtful, message)
    }

    pub(super) fn skipped(check: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(check, State::Skipped, message)
    }

    /// Something does not work, and the command ends with this code.
    pub(super) fn wrong(check: impl Into<String>, exit: Exit, message: impl Into<String>) -> Self {
        Self { exit: Some(exit), ..Self::new(check, State::Wrong, message) }
    }

    /// What a command would end with, and with its code.
    pub(super) fn of_problem(check: impl Into<String>, problem: &Problem) -> Self {
        Self::wrong(check, problem.exit(), problem.told())
    }

    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    pub(super) fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = Some(code.into());
        self
    }

    pub(super) fn said(mut self, said: Vec<String>) -> Self {
        self.said = said;
        self
    }

    pub(super) const fn state(&self) -> State {
        self.state
    }

    pub(super) const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// A line, those that its message goes on with, and one with what to do.
    pub(super) fn words(&self) -> String {
        let (mark, ink) = match self.state {
            State::Good => ("good", Ink::Green),
            State::Doubtful => ("look", Ink::Yellow),
            State::Wrong => ("wrong", Ink::Red),
            State::Skipped => ("-", Ink::Dim),
        };
        let padded = format!("{mark:<6}");
        let mark = painted(&padded, Some(ink), io::stdout().is_terminal());
        let next = self.next.as_ref().map(|next| format!("\n      next: {next}")).unwrap_or_default();
        let code = self.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        let said: String = self.said.iter().map(|line| format!("\n      said: {line}")).collect();
        let message = self.message.replace('\n', "\n      ");
        format!("{mark}{}: {message}{code}{said}{next}", self.check)
    }
}
