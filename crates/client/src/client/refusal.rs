//! What the hub's no, or its silence, means to whoever typed the command.

use std::io;

use serde_json::Value;

use crate::domain::text::shorten;
use crate::exit::Exit;
use crate::output::cell::{one_line, plain, str_at};
use crate::problem::Problem;
use crate::typed::{next_step, with_flags};

/// Why a question has no answer.
#[derive(Debug)]
pub enum Unheard {
    Nobody(String),
    Lost(String),
    /// Somebody takes the connection, and the answer does not come in time.
    Silent,
    /// It said no.
    Refused(Problem),
    /// It answered, and not as a hub does.
    Gibberish {
        status: u16,
        /// What it said.
        text: String,
    },
}

impl Unheard {
    /// Whether the same question may have an answer the next time.
    pub(super) const fn worth_asking_again(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Nobody(_) | Self::Silent | Self::Refused(_) | Self::Gibberish { .. } => false,
        }
    }

    /// Whether it may have been heard, and done.
    pub(super) const fn may_be_done(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Silent)
    }

    /// Whether another node may answer it.
    pub(super) const fn is_away(&self) -> bool {
        matches!(self, Self::Nobody(_) | Self::Lost(_) | Self::Silent)
    }

    /// Why there is no answer, beside the address that was asked.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Nobody(why) => format!("nobody answers ({why})"),
            Self::Lost(why) => format!("the connection was lost ({why})"),
            Self::Silent => "it takes the connection, and says nothing in time".to_owned(),
            Self::Refused(problem) => problem.what().to_owned(),
            Self::Gibberish { status, .. } => format!("it does not answer as a hub does (status {status})"),
        }
    }

    pub fn problem(self, address: &str) -> Problem {
        match self {
            Self::Nobody(why) => Problem::new(Exit::Unreachable, format!("no hub answers at `{address}`"))
                .because(why)
                .next("callboard serve, or set CALLBOARD_URL to where the hub listens"),
            Self::Lost(why) => Problem::new(Exit::Unreachable, format!("the connection to `{address}` was lost"))
                .because(why)
                .next("the same command again"),
            Self::Silent => Problem::new(Exit::Unreachable, format!("what listens at `{address}` does not answer"))
                .because("it takes the connection, and says nothing in time")
                .next("callboard doctor"),
            Self::Refused(problem) => problem,
            Self::Gibberish { status, text } => {
                Problem::failed(format!("what listens at `{address}` does not answer as a hub does"))
                    .because(format!("status {status}: {}", shorten(&text, 200)))
                    .next("set CALLBOARD_URL to where the hub listens")
            }
        }
    }
}

impl From<reqwest::Error> for Unheard {
    fn from(error: reqwest::Error) -> Self {
        let why = chain(&error);
        match (error.is_connect(), error.is_timeout()) {
            (true, _) => Self::Nobody(why),
            (false, true) => Self::Silent,
            (false, false) => Self::Lost(why),
        }
    }
}

impl From<io::Error> for Unheard {
    fn from(error: io::Error) -> Self {
        let nobody = matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::AddrNotAvailable);
        if nobody { Self::Nobody(error.to_string()) } else { Self::Lost(error.to_string()) }
    }
}

/// The innermost reason says most: `connection refused`, not that a request failed.
fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A refusal of the hub, by its status and its body.
pub(super) fn refused(status: u16, text: &str, address: &str) -> Problem {
    let body: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let Some(sentence) = str_at(&body, "error") else {
        return unexplained(status, text, address);
    };
    let code = str_at(&body, "code").unwrap_or("UNKNOWN");
    let mut why = format!("{code} ({status})");
    if let Some(details) = body.get("details").and_then(Value::as_object) {
        // `prompt` tells a model which tool to call; whoever types here gets a command instead. The sentence names
        // the field.
        let is_news = |(key, value): &(&String, &Value)| {
            !matches!(key.as_str(), "prompt" | "field") && value.as_array().is_none_or(|items| !items.is_empty())
        };
        for (key, value) in details.iter().filter(is_news) {
            let by = str_at(value, "by.displayName").map(|name| format!(" by {}", one_line(name))).unwrap_or_default();
            let value = value.get("value").filter(|_| key == "resolution").unwrap_or(value);
            why.push_str(&format!("\n{key}: {}{by}", plain(value)));
        }
    }
    if let Some(request) = str_at(&body, "requestId") {
        why.push_str(&format!("\nrequest {request}"));
    }
    let problem = Problem::new(Exit::of(status, code), with_flags(sentence)).because(why);
    match next_step(status, code) {
        Some(next) => problem.next(next),
        None => problem,
    }
}

/// The same of who asks to come in, and whether it is the token that is refused: where a host or a page is, another
/// token helps nobody.
pub(super) fn refused_at_the_door(status: u16, text: &str, address: &str) -> (Problem, bool) {
    let body: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let code = str_at(&body, "code").unwrap_or_default();
    let token = matches!(code, "UNAUTHENTICATED" | "IDENTITY_MISMATCH" | "INSUFFICIENT_SCOPE");
    (refused(status, text, address), token || (code.is_empty() && matches!(status, 401 | 403)))
}

fn unexplained(status: u16, text: &str, address: &str) -> Problem {
    let problem = Unheard::Gibberish { status, text: text.to_owned() }.problem(address);
    match status {
        401 | 403 => Problem::new(Exit::Refused, format!("`{address}` does not accept this token (status {status})"))
            .next(next_step(status, "").unwrap_or_default()),
        _ => problem,
    }
}
