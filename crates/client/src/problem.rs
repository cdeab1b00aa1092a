//! Why a command came to nothing: what, why, and what to type next.

use std::io::{self, IsTerminal as _, Write as _};

use super::exit::Exit;
use super::output::paint::{Ink, painted};
use crate::domain::text::for_terminal;
use crate::settings::ConfigFaults;

/// A command that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    exit: Exit,
    what: String,
    why: Option<String>,
    next: Option<String>,
    /// Whether nobody here knows if it was done all the same.
    unsure: bool,
}

impl Problem {
    /// One that ends with this code. `what` is a lowercase fragment that names the thing in backticks.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), why: None, next: None, unsure: false }
    }

    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(Exit::Failed, what)
    }

    /// A setting, a flag or an argument is wrong.
    pub fn configuration(what: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, what)
    }

    /// With the reason.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// With one more line to its reason.
    #[must_use]
    pub fn also(mut self, line: &str) -> Self {
        self.why = Some(self.why.map_or_else(|| line.to_owned(), |why| format!("{why}\n{line}")));
        self
    }

    /// Of a change whose answer did not come: the hub may have made it.
    #[must_use]
    pub fn maybe_done_if(self, unsure: bool) -> Self {
        if !unsure {
            return self;
        }
        let told =
            self.also("it may have been done all the same").next("look whether it was, before you type it again");
        Self { unsure: true, ..told }
    }

    /// Whether what was asked for may have been done all the same.
    pub const fn is_unsure(&self) -> bool {
        self.unsure
    }

    /// With what to type or to change next.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into()).filter(|next| !next.is_empty());
        self
    }

    /// What came to nothing.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What came to nothing, and, on lines of their own, why.
    pub fn told(&self) -> String {
        self.why.as_ref().map_or_else(|| self.what.clone(), |why| format!("{}\n{why}", self.what))
    }

    /// The code it ends with.
    pub const fn exit(&self) -> Exit {
        self.exit
    }

    /// The words, one line each; a line of the reason that has several is indented.
    pub fn words(&self) -> String {
        self.words_after("error:")
    }

    fn words_after(&self, head: &str) -> String {
        let mut words = format!("{head} {}\n", self.what);
        if let Some(why) = &self.why {
            words.push_str(&format!("  why:  {}\n", why.replace('\n', "\n        ")));
        }
        if let Some(next) = &self.next {
            words.push_str(&format!("  next: {}\n", next.replace('\n', "\n        ")));
        }
        words
    }

    /// Writes the words to standard error. A pipe that nobody reads is not an error worth a word.
    pub fn report(&self) {
        if self.what.is_empty() {
            return;
        }
        let words = self.words();
        let words = for_terminal(&words);
        let rest = words.strip_prefix("error:").unwrap_or(&words);
        let head = painted("error:", Some(Ink::Red), io::stderr().is_terminal());
        drop(write!(io::stderr(), "{head}{rest}"));
    }

    /// Writes the words behind this head to standard error: nothing comes to an end by it.
    pub fn told_by(&self, head: &str) {
        drop(write!(io::stderr(), "{}", for_terminal(&self.words_after(head))));
    }

    /// A hosted program ended so: it has said itself what there was to say.
    pub const fn hosted(code: u8) -> Self {
        Self { exit: Exit::Hosted(code), what: String::new(), why: None, next: None, unsure: false }
    }

    /// The reader of standard output went away: nothing is wrong, and there is nothing left to do.
    pub const fn unread() -> Self {
        Self { exit: Exit::Done, what: String::new(), why: None, next: None, unsure: false }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::unread();
        }
        Self::failed("failed to read or write").because(error.to_string())
    }
}

impl From<ConfigFaults> for Problem {
    fn from(faults: ConfigFaults) -> Self {
        let count = faults.list().len();
        let what = if count == 1 { "a setting is wrong".to_owned() } else { format!("{count} settings are wrong") };
        Self::configuration(what)
            .because(faults.to_string())
            .next("mend it, then `callboard config check`; `callboard config show --origin` says what is set where")
    }
}
