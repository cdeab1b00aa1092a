//! The choice: by arrow keys where a person sits at a terminal, by one line of input elsewhere.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use dialoguer::{Input, Select};
use tokio::signal::unix::{SignalKind, signal};

use super::tell;
use crate::cli::prelude::*;
use crate::cli::signals::INTERRUPTED;

/// What stands below the options where other words are allowed.
const OTHER: &str = "something else …";

struct Choice<'a> {
    options: Vec<&'a str>,
    default: Option<&'a str>,
    free: bool,
    is_risky: bool,
}

pub(super) fn pick(question: &Value) -> Result<String, Problem> {
    let choice = Choice::of(question);
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return by_keys(&choice);
    }
    by_line(&choice)
        .map_err(|problem| problem.next(format!("callboard question answer {} VALUE", text(question, "id"))))
}

/// A number that was typed as the answer: the option that has it, unless one is called so.
pub(super) fn numbered(question: &Value, number: &str) -> Result<String, Problem> {
    Choice::of(question).read(number.trim())
}

fn by_keys(choice: &Choice<'_>) -> Result<String, Problem> {
    // The chooser hides the cursor: Ctrl-C must not end the process before it is shown again.
    let _caught = signal(SignalKind::interrupt())?;
    if choice.options.is_empty() {
        return by_words(choice);
    }
    let mut shown: Vec<String> = choice.options.iter().map(|option| choice.line(option)).collect();
    if choice.free {
        shown.push(OTHER.to_owned());
    }
    let select = Select::new().with_prompt("answer").items(&shown).default(choice.first());
    let picked = select.interact_opt().map_err(failed)?;
    match picked {
        Some(at) => choice.options.get(at).map_or_else(|| by_words(choice), |option| Ok((*option).to_owned())),
        None => Err(Problem::failed("nothing was answered").because("the choice was left with Escape")),
    }
}

fn by_words(choice: &Choice<'_>) -> Result<String, Problem> {
    let input = Input::<String>::new().with_prompt("answer");
    // The default is shown and taken by Return alone; it is an answer like any other, and by a person.
    match choice.default.filter(|_| choice.options.is_empty() && !choice.is_risky) {
        Some(default) => input.default(default.to_owned()).show_default(false).interact_text().map_err(failed),
        None => input.interact_text().map_err(failed),
    }
}

/// Without a terminal: the options are listed, and a line is read: the number of one, or words.
fn by_line(choice: &Choice<'_>) -> Result<String, Problem> {
    let mut out = io::stderr().lock();
    for (n, option) in choice.options.iter().enumerate() {
        writeln!(out, "  {}. {}", n + 1, choice.line(option))?;
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    choice.read(line.trim())
}

impl<'a> Choice<'a> {
    fn of(question: &'a Value) -> Self {
        let options = question.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
        let free = options.is_empty() || question.get("allowFreeText") == Some(&Value::Bool(true));
        let is_risky = tell::is_dangerous(question) || at(question, "permission.risk").is_some();
        Self { options, default: str_at(question, "defaultAction"), free, is_risky }
    }

    /// The option that is chosen already; none where Return alone could destroy something.
    fn first(&self) -> usize {
        let default = self.options.iter().position(|option| Some(*option) == self.default);
        if self.is_risky { usize::MAX } else { default.unwrap_or(0) }
    }

    fn line(&self, option: &str) -> String {
        let mark = if Some(option) == self.default { " (default)" } else { "" };
        format!("{}{mark}", tell::value(option))
    }

    fn read(&self, line: &str) -> Result<String, Problem> {
        if line.is_empty() {
            return Err(Problem::configuration("there is no answer to give").because("standard input has none either"));
        }
        let numbered = line.parse::<usize>().ok().and_then(|n| self.options.get(n.checked_sub(1)?));
        // A word that is an option is that option, also where it is a number. The hub knows best what else it takes.
        let taken = numbered.copied().filter(|_| !self.options.contains(&line)).unwrap_or(line);
        Ok(taken.to_owned())
    }
}

fn failed(error: dialoguer::Error) -> Problem {
    let dialoguer::Error::IO(why) = &error;
    if why.kind() == io::ErrorKind::Interrupted {
        drop(io::stderr().write_all(b"\x1b[?25h\n"));
        return Problem::hosted(INTERRUPTED);
    }
    Problem::failed("the terminal could not be read").because(error.to_string())
}

#[cfg(test)]
mod tests;
