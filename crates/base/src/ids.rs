//! Names of things, as types: a `TaskId` is never a `SessionId`, and text from outside becomes one only by `parse`.
//!
//! Ids that the hub mints (task, session, event, notice, comment, blob) are made by `crate::ids` alone; here is only
//! their shape. An id of a task is `^[a-z0-9]{8,32}$`, so it can be put into a command line as it is.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::as_text;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{given}` is not {what}: it must match {rule}")]
pub struct IdError {
    /// The text as it came, cut to 80 characters.
    pub given: String,
    /// Which kind of id was expected, with its article.
    pub what: &'static str,
    pub rule: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $check:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Reads an id from outside. Fails when the text does not have the shape of this kind of id.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let check: fn(&str) -> bool = $check;
                if check(text) {
                    Ok(Self(Arc::from(text)))
                } else {
                    Err(IdError { given: text.chars().take(80).collect(), what: $what, rule: $rule })
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        as_text!($name);
    )+};
}

ids! {
    /// A registered worker, named by its operator: `^[a-z0-9][a-z0-9._-]{0,63}$`.
    AgentId, "an agent id", "^[a-z0-9][a-z0-9._-]{0,63}$", is_name;
    /// A role of `agents.yaml`, or free text in the shape of one.
    RoleId, "a role", "^[a-z0-9][a-z0-9._-]{0,63}$", is_name;
    /// One piece of work. Minted by the hub.
    TaskId, "a task id", "^[a-z0-9]{8,32}$", |text| (8..=32).contains(&text.len()) && text.bytes().all(is_low_alnum);
    /// One agent's working context: `s_…`. Minted by the hub.
    SessionId, "a session id", "^s_[a-z0-9]{8,32}$", |text| is_minted(text, "s_");
    /// What an agent asks a human: `q_…`. Minted by the hub.
    QuestionId, "a question id", "^q_[a-z0-9]{8,32}$", |text| is_minted(text, "q_");
    /// Something an agent should hear that is not a task: `n_…`. Minted by the hub.
    NoticeId, "a notice id", "^n_[a-z0-9]{8,32}$", |text| is_minted(text, "n_");
    /// A remark on a task: `c_…`. Minted by the hub.
    CommentId, "a comment id", "^c_[a-z0-9]{8,32}$", |text| is_minted(text, "c_");
    /// A long text kept apart from the state that mentions it: `b_…`. Minted by the hub.
    BlobId, "a blob id", "^b_[a-z0-9]{8,32}$", |text| is_minted(text, "b_");
    /// A call whose answer is fetched later: `h_…`. Minted by the hub, all of it by chance.
    TicketId, "a ticket's id", "^h_[a-z0-9]{8,32}$", |text| is_minted(text, "h_");
    /// A pull request: `pr_…`. Minted by the hub.
    PullId, "a pull request's id", "^pr_[a-z0-9]{8,32}$", |text| is_minted(text, "pr_");
    /// A run of a workflow: `w_…`. Minted by the hub, all of it by chance.
    WorkflowId, "a workflow's id", "^w_[a-z0-9]{8,32}$", |text| is_minted(text, "w_");
    /// What a host does for one attempt of a task: `run_…`, made from the task and the number of its offer.
    RunId, "a run's id", "^run_[a-z0-9]{8,32}$", |text| is_minted(text, "run_");
    /// A terminal that the hub watches: the id of its session, or a name that whoever started its monitor chose.
    TerminalId, "the id of a monitored session", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    |text| text.len() <= 64
        && text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    /// What people answer to one kind of input prompt, in one place: `p_…`. Made from prompt and place.
    PatternId, "a pattern id", "^p_[a-z0-9]{8,32}$", |text| is_minted(text, "p_");
    /// Who is calling, as the credential says: `agent:fullstack-1`, `operator`, `person:ada`.
    PrincipalId, "a principal", "^[a-z0-9][a-z0-9.:_-]{0,95}$",
    |text| !text.is_empty() && text.len() <= 96
        && text.bytes().next().is_some_and(is_low_alnum)
        && text.bytes().all(|b| is_low_alnum(b) || matches!(b, b'.' | b':' | b'_' | b'-'));
}

/// The number of an offer of a task, growing by one with each: a lease of a lower number changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeaseEpoch(pub u64);

impl LeaseEpoch {
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for LeaseEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TerminalId {
    /// The session that it belongs to, when it belongs to one.
    pub fn session(&self) -> Option<SessionId> {
        SessionId::parse(&self.0).ok()
    }
}

impl PatternId {
    /// The name that a digest in lower-case hexadecimal gives; what is not of that kind is left out of it.
    pub fn of_digest(digest: &str) -> Self {
        let plain: String = digest.chars().filter(char::is_ascii_hexdigit).take(32).collect();
        Self(Arc::from(format!("p_{plain:0>8}").to_ascii_lowercase()))
    }
}

impl From<&SessionId> for TerminalId {
    /// Every session id has the shape of the id of a terminal.
    fn from(session: &SessionId) -> Self {
        Self(Arc::from(session.as_str()))
    }
}

impl RunId {
    /// How many characters of it are the number of the offer, in base 36.
    const EPOCH: usize = 4;

    /// The run that begins with this offer of a task; none where the two do not fit into an id.
    pub fn of(task: &TaskId, epoch: LeaseEpoch) -> Option<Self> {
        let mut rest = epoch.0;
        let digits: Vec<char> = (0..Self::EPOCH)
            .map(|_| {
                let digit = u32::try_from(rest % 36).unwrap_or(0);
                rest /= 36;
                char::from_digit(digit, 36).unwrap_or('0')
            })
            .collect();
        let number: String = digits.into_iter().rev().collect();
        Self::parse(&format!("run_{task}{number}")).ok().filter(|_| rest == 0)
    }

    pub fn task(&self) -> Option<TaskId> {
        let body = self.0.strip_prefix("run_")?;
        TaskId::parse(&body[..body.len().checked_sub(Self::EPOCH)?]).ok()
    }
}

impl TaskId {
    /// The last four characters, enough for people to tell two tasks of a day apart.
    pub fn short(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

const fn is_low_alnum(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.bytes().next().is_some_and(is_low_alnum)
        && text.bytes().all(|b| is_low_alnum(b) || matches!(b, b'.' | b'_' | b'-'))
}

fn is_minted(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|tail| (8..=32).contains(&tail.len()) && tail.bytes().all(is_low_alnum))
}

#[cfg(test)]
mod tests;
