//! The client program that an agent runs in, as it declares itself, and how long a wait it was seen to bear.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way by which a client's calls come. Some clients bear a longer wait over one than over the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientDoor {
    /// Through the proxy. Also where the door is not known: no client bears less over HTTP.
    #[default]
    Stdio,
    /// HTTP or a WebSocket of the client's own.
    Http,
}

/// How an idle client is told that there is something for it, other than by the answer to a wait of its model's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WakeWay {
    /// It takes up a wait as a task of the MCP Tasks extension.
    Tasks,
    /// The proxy begins a turn of the thread by the socket of Codex' daemon.
    CodexQueue,
    /// A plugin in the client's own server begins a turn.
    OpencodeServer,
    /// A hook that runs at the end of a turn, and makes the client go on.
    StopHook,
    /// The proxy appends a turn to the file from which the client's terminal reads what else is typed.
    InputFile,
    /// In no way: it waits in the call.
    #[default]
    None,
}

/// What a client program says of itself: a hint that chooses how long its waits are, and no right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct DeclaredClient {
    /// As in `clientInfo`: `claude-code`.
    pub name: String,
    pub version: Option<String>,
    pub door: ClientDoor,
    /// Whether it declares the MCP Tasks extension.
    pub tasks: bool,
}

/// As the journal has it: records before the version was kept have the name alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Name(String),
    Whole {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
        #[serde(default)]
        door: ClientDoor,
        #[serde(default)]
        tasks: bool,
    },
}

impl DeclaredClient {
    /// The most letters that are kept of a name or a version.
    const LONGEST: usize = 128;

    pub fn named(name: &str) -> Self {
        Self::new(name, None, ClientDoor::default(), false)
    }

    /// What a client declared, cut to what is kept of it.
    pub fn new(name: &str, version: Option<&str>, door: ClientDoor, tasks: bool) -> Self {
        let kept = |text: &str| text.chars().filter(|letter| !letter.is_control()).take(Self::LONGEST).collect();
        Self { name: kept(name), version: version.filter(|text| !text.is_empty()).map(kept), door, tasks }
    }
}

impl From<Written> for DeclaredClient {
    fn from(written: Written) -> Self {
        match written {
            Written::Name(name) => Self::named(&name),
            Written::Whole { name, version, door, tasks } => Self { name, version, door, tasks },
        }
    }
}

impl From<DeclaredClient> for Written {
    fn from(client: DeclaredClient) -> Self {
        let DeclaredClient { name, version, door, tasks } = client;
        if version.is_none() && door == ClientDoor::default() && !tasks {
            return Self::Name(name);
        }
        Self::Whole { name, version, door, tasks }
    }
}

/// How long a wait one connection of a client was seen to bear. Used for clients that no row of `clients.yaml` names:
/// some of them give up after five seconds, and others never.
///
/// ```text
///  row's cap ──two waits in a row given up──► half ──given up──► half … down to FLOOR
///      ▲                                        │ an answer arrives
///      └──────── twice as long, on trial ◄──────┘ PROVEN answers in a row; a failed trial asks for twice as many
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitTolerance {
    /// None: as long as its row says.
    limit: Option<Duration>,
    /// The last wait of this length was given up.
    missed: Option<Duration>,
    /// The limit is new, and no answer has arrived within it yet.
    trial: Option<Trial>,
    /// Whole waits in a row that ended with their answer, within the limit.
    arrived: u32,
    /// How many of them it takes to try a longer one.
    needed: u32,
}

/// Which way a limit was changed that is on trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trial {
    Shorter,
    Longer,
}

impl Default for WaitTolerance {
    fn default() -> Self {
        Self { limit: None, missed: None, trial: None, arrived: 0, needed: Self::PROVEN }
    }
}

impl WaitTolerance {
    /// No wait becomes shorter than this by being given up: the least patient client measured ends a call after 5 s.
    pub const FLOOR: Duration = Duration::from_secs(2);

    /// How many answers in a row make a longer wait worth trying.
    pub const PROVEN: u32 = 16;

    /// The most answers in a row that are asked for.
    const MOST_NEEDED: u32 = 1024;

    /// The longest wait; none where nothing was learned.
    pub const fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// The client gave up a wait of `span` before its answer.
    pub fn gave_up(&mut self, span: Duration) {
        let span = whole(span);
        if span <= Self::FLOOR {
            return;
        }
        match (self.trial, self.missed) {
            (None, None) => {
                (self.missed, self.arrived) = (Some(span), 0);
                return;
            }
            (Some(Trial::Longer), _) => self.needed = (self.needed * 2).min(Self::MOST_NEEDED),
            (Some(Trial::Shorter), _) | (None, Some(_)) => {}
        }
        let half = whole(span / 2).max(Self::FLOOR);
        (self.limit, self.missed, self.trial, self.arrived) = (Some(half), None, Some(Trial::Shorter), 0);
    }

    /// A wait of `span` lasted to its end, and was answered.
    pub fn answered(&mut self, span: Duration) {
        let span = whole(span);
        if self.missed.is_some_and(|missed| missed <= span) {
            self.missed = None;
        }
        let Some(limit) = self.limit.filter(|limit| *limit <= span) else { return };
        (self.trial, self.arrived) = (None, self.arrived + 1);
        if self.arrived >= self.needed {
            (self.limit, self.trial, self.arrived) = (Some(limit.saturating_mul(2)), Some(Trial::Longer), 0);
        }
    }
}

/// The nearest whole seconds: a wait is asked for in seconds and measured between two moments.
const fn whole(span: Duration) -> Duration {
    Duration::from_secs(span.saturating_add(Duration::from_millis(500)).as_secs())
}

#[cfg(test)]
mod tests;
