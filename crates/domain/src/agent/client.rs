//! The client program that an agent runs in, as it declares itself, and how long a wait it was seen to bear.

use std::time::Duration;

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

    /// One of which only the name is known.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::new(name, None, ClientDoor::default(), false)
    }

    /// What a client declared, cut to what is kept of it.
    #[must_use]
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
    #[must_use]
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
mod tests {
    use super::*;

    const CAP: u64 = 45;

    /// Plays `waits` waits of a client that gives up after `bears` seconds; how long each was.
    fn plays(bears: u64, waits: usize) -> Vec<u64> {
        let mut known = WaitTolerance::default();
        let mut spans = Vec::new();
        for _ in 0..waits {
            let span = known.limit().map_or(CAP, |limit| limit.as_secs().min(CAP));
            spans.push(span);
            if span < bears {
                known.answered(Duration::from_secs(span));
            } else {
                known.gave_up(Duration::from_secs(span));
            }
        }
        spans
    }

    #[test]
    fn who_gave_up_twice_is_given_less_and_less_until_an_answer_arrives() {
        assert_eq!(plays(5, 8), [45, 45, 23, 12, 6, 3, 3, 3]);
        assert_eq!(plays(20, 6), [45, 45, 23, 12, 12, 12]);
        assert_eq!(plays(60, 40), [45; 40], "whoever gets its answers is left alone");
        assert_eq!(plays(0, 9), [45, 45, 23, 12, 6, 3, 2, 2, 2], "never below the floor");
    }

    #[test]
    fn a_longer_wait_is_tried_ever_more_seldom_and_never_beyond_the_cap() {
        let spans = plays(5, 400);
        let tried: Vec<usize> = (5..400).filter(|at| spans[*at] > spans[at - 1]).collect();
        // 3 becomes 6, which it does not bear, after 16 answers, then after 32, 64, 128.
        let gaps: Vec<usize> = tried.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!((tried[0], &gaps[..3]), (5 + 16, &[33, 65, 129][..]), "{spans:?}");
        assert!(spans[5..].iter().all(|span| [3, 6].contains(span)), "{spans:?}");
        let mut known = WaitTolerance::default();
        for _ in 0..2 {
            known.gave_up(Duration::from_secs(CAP));
        }
        for _ in 0..200 {
            known.answered(Duration::from_secs(CAP));
        }
        assert!(known.limit() > Some(Duration::from_secs(CAP)), "the row's cap bounds it, and nothing else does");
    }

    #[test]
    fn one_wait_that_was_given_up_between_others_changes_nothing() {
        let (long, short) = (Duration::from_secs(45), Duration::from_secs(1));
        let mut known = WaitTolerance::default();
        for _ in 0..9 {
            known.gave_up(long);
            known.answered(long);
        }
        assert_eq!(known.limit(), None);
        known.gave_up(long);
        known.answered(short);
        known.gave_up(long);
        assert_eq!(
            known.limit(),
            Some(Duration::from_secs(23)),
            "the answer of a short wait says nothing of long ones"
        );
    }

    #[test]
    fn a_client_is_kept_as_it_declared_itself_and_the_name_alone_of_old_records_is_read() {
        let whole = DeclaredClient::new("claude-code", Some("2.1.331"), ClientDoor::Http, true);
        let written = serde_json::to_string(&whole).unwrap();
        assert_eq!(written, r#"{"name":"claude-code","version":"2.1.331","door":"http","tasks":true}"#);
        assert_eq!(serde_json::from_str::<DeclaredClient>(&written).unwrap(), whole);
        let named = DeclaredClient::named("codex");
        assert_eq!(serde_json::from_str::<DeclaredClient>("\"codex\"").unwrap(), named);
        assert_eq!(serde_json::to_string(&named).unwrap(), "\"codex\"");
        let long = DeclaredClient::new(&"x".repeat(999), Some("1\u{1b}[31m"), ClientDoor::Stdio, false);
        assert_eq!((long.name.len(), long.version.as_deref()), (128, Some("1[31m")));
    }
}
