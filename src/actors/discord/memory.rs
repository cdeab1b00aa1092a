//! What is remembered of Discord, and how the connection stands; shared through watch channels, so that none waits.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Duration, Instant};

use crate::domain::discord::{Author, Identifies, Overwrite, sees_channel};
use crate::domain::ids::TaskId;
use crate::domain::time::Timestamp;
use crate::settings::Settings;

/// The most messages whose ids are remembered; the oldest are forgotten first.
const MESSAGES: usize = 4_000;

/// The most channels and threads whose newest heard message is remembered.
const HEARD: usize = 200;
/// The most messages of its own that the hub knows by their nonces.
const OWN: usize = 500;
/// The sign that a request was seen.
pub(super) const SEEN: &str = "👀";
/// The longest pause before a refused token is tried again.
const TOKEN_PAUSE: Duration = Duration::from_secs(300);

/// What outlives a restart of the hub.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Memory {
    /// The gateway session: its id and the number of its last event.
    pub session: Option<(String, u64)>,
    /// Where that session is resumed.
    pub resume_url: Option<String>,
    pub bot: u64,
    pub application: u64,
    pub identifies: Identifies,
    pub guilds: BTreeMap<u64, Guild>,
    /// The newest message that was heard, by channel.
    pub heard: BTreeMap<u64, u64>,
    /// What the commands of a guild were last set to, as a digest.
    pub commands: BTreeMap<u64, String>,
    /// Channel and id of a message, by what it is about: `task:ID`, `question:ID`.
    pub messages: BTreeMap<String, (u64, u64)>,
    /// The number of the last line of the audit that was posted.
    pub audited: Option<u64>,
    /// The hub's own newest messages, by id: the channel, and the nonce that it was sent under.
    pub own: BTreeMap<u64, (u64, String)>,
    /// The signs of the hub on a request, between blanks: the newest is the last, and those before it are to go.
    pub signs: BTreeMap<u64, String>,
    /// What the status messages of tasks that are not over show, as digests: by task.
    pub statuses: BTreeMap<String, String>,
    /// Interactions that were acknowledged and not answered yet, with their tokens.
    pub thinking: BTreeMap<u64, String>,
}

impl Memory {
    /// A channel that was never heard counts as heard up to its newest message, so that messages that come while the
    /// hub is away are read back. Returns whether any is new.
    pub fn begins_channels(&mut self, newest: impl IntoIterator<Item = (u64, u64)>) -> bool {
        let before = self.heard.clone();
        for (channel, message) in newest {
            self.heard.entry(channel).or_insert(message);
        }
        self.forgets_channels();
        before != self.heard
    }

    /// Only so many channels are remembered: those in which something was said last.
    pub fn forgets_channels(&mut self) {
        while self.heard.len() > HEARD {
            let oldest = self.heard.iter().min_by_key(|(_, last)| **last).map(|(channel, _)| *channel);
            oldest.map(|channel| self.heard.remove(&channel));
        }
    }

    /// Keeps the nonce of a message, where the hub itself wrote it. Whether it is new.
    pub(super) fn hears_itself(&mut self, message: &Value) -> bool {
        let id = |path: &str| message.pointer(path)?.as_str()?.parse::<u64>().ok();
        let nonce = message.get("nonce").and_then(Value::as_str).filter(|_| id("/author/id") == Some(self.bot));
        let Some(((nonce, id), channel)) = nonce.zip(id("/id")).zip(id("/channel_id")) else { return false };
        let new = self.own.insert(id, (channel, nonce.to_owned())).is_none();
        while self.own.len() > OWN {
            self.own.pop_first();
        }
        new
    }
}

/// Names in one guild; a resumed session is not told them again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guild {
    pub roles: BTreeMap<u64, String>,
    pub channels: BTreeMap<u64, String>,
    /// The channel of a thread, the category of a channel.
    pub parents: BTreeMap<u64, u64>,
    /// What each role may, in Discord's bits.
    pub rights: BTreeMap<u64, u64>,
    /// What each channel changes of that.
    pub changes: BTreeMap<u64, Vec<Overwrite>>,
}

impl Guild {
    /// Whether a member sees a channel, or a thread as its channel; of one that is not known nobody is said to.
    pub fn shows(&self, guild: u64, channel: u64, member: (u64, &[u64])) -> bool {
        // A thread that is open to all of its channel changes nothing itself.
        let changes = self.changes.get(&channel).or_else(|| self.changes.get(self.parents.get(&channel)?));
        changes.is_some_and(|changes| sees_channel(guild, member, &self.rights, changes))
    }
}

/// How the connection stands; forgotten with the process.
#[derive(Debug, Clone, Default)]
pub struct Health {
    /// `connecting`, `ready`, or why it stands still.
    pub state: String,
    pub ready: bool,
    pub last_event: Option<Timestamp>,
    pub session_since: Option<Timestamp>,
    pub last_error: Option<String>,
    /// How often in a row the token was refused (401), and until when it is not tried again.
    pub refused: Option<(u32, Instant)>,
}

/// Both, as the services share them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shared {
    pub memory: watch::Sender<Memory>,
    pub health: watch::Sender<Health>,
}

impl Shared {
    /// What was remembered, and a connection that is not there yet.
    pub fn new(memory: Memory) -> Self {
        let health = Health { state: "connecting".to_owned(), ..Health::default() };
        Self { memory: watch::Sender::new(memory), health: watch::Sender::new(health) }
    }

    pub fn keep_message(&self, about: String, channel: u64, message: u64) {
        self.memory.send_if_modified(|memory| {
            let before = memory.messages.insert(about, (channel, message));
            while memory.messages.len() > MESSAGES {
                // Ids count up with time.
                let oldest = memory.messages.iter().min_by_key(|(_, (_, id))| *id).map(|(about, _)| about.clone());
                oldest.map(|about| memory.messages.remove(&about));
            }
            before != Some((channel, message))
        });
    }

    pub fn message(&self, about: &str) -> Option<(u64, u64)> {
        self.memory.borrow().messages.get(about).copied()
    }

    /// All messages about this, of which all but the newest have their id behind it.
    pub(super) fn messages_about(&self, about: &str) -> Vec<(u64, u64)> {
        let memory = self.memory.borrow();
        let from = memory.messages.range(about.to_owned()..);
        let of = from.take_while(|(key, _)| key.starts_with(about)).map(|(_, message)| *message);
        // The newest may be known by both.
        of.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The guild of a channel whose name was told.
    pub fn guild_of(&self, channel: u64) -> Option<u64> {
        let has = |(guild, names): (&u64, &Guild)| names.channels.contains_key(&channel).then_some(*guild);
        self.memory.borrow().guilds.iter().find_map(has)
    }

    /// The roles that somebody has in a guild, each with its name where that is known and counts.
    pub fn roles_of(&self, author: &Author, guild: Option<u64>, settings: &Settings) -> Vec<(u64, String)> {
        let memory = self.memory.borrow();
        // Whoever owns a server makes roles of any name there: names count in servers that are listed alone.
        let listed = guild.filter(|guild| settings.hub.discord.guilds.iter().any(|one| one.0 == *guild));
        let names = listed.and_then(|guild| memory.guilds.get(&guild)).map(|guild| &guild.roles);
        let named = |id: &u64| (*id, names.and_then(|names| names.get(id)).cloned().unwrap_or_default());
        author.roles.iter().map(named).collect()
    }

    /// Channel and id of the message that was sent under this nonce, where Discord told the hub that it came. Discord
    /// itself remembers a nonce for some minutes only, and an answer may be lost for longer.
    pub fn arrived(&self, nonce: &str) -> Option<(u64, u64)> {
        let memory = self.memory.borrow();
        let found = memory.own.iter().rev().find(|(_, (_, of))| of == nonce);
        found.map(|(message, (channel, _))| (*channel, *message))
    }

    pub fn stands(&self, state: &str, ready: bool) {
        self.health.send_modify(|health| (health.state, health.ready) = (state.to_owned(), ready));
    }

    /// How long nothing is asked under the token, since it was refused.
    pub fn token_pause(&self) -> Option<Duration> {
        let (_, until) = self.health.borrow().refused?;
        Some(until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    /// The token was refused: it is tried again after a pause.
    pub(super) fn token_is_refused(&self) {
        self.health.send_modify(|health| {
            let times = health.refused.map_or(0, |(times, _)| times);
            health.refused = Some((times + 1, Instant::now() + token_pause(times)));
        });
    }

    pub(super) fn token_is_taken(&self) {
        self.health.send_if_modified(|health| health.refused.take().is_some());
    }

    /// The sign that the hub puts on a request; those that are to go. They are kept until [`Shared::sign_is_gone`]:
    /// whoever kills the hub in between leaves two, and the next one of them is taken away then. One that is not known
    /// was seen at least.
    pub(super) fn signs(&self, message: u64, sign: &str) -> Vec<String> {
        let mut before = Vec::new();
        self.memory.send_if_modified(|memory| {
            let kept = memory.signs.get(&message).map_or(SEEN, String::as_str);
            before = kept.split(' ').filter(|one| *one != sign).map(str::to_owned).collect();
            memory.signs.insert(message, [&before[..], &[sign.to_owned()]].concat().join(" "));
            while memory.signs.len() > OWN {
                memory.signs.pop_first();
            }
            true
        });
        before
    }

    pub(super) fn sign_is_gone(&self, message: u64, sign: &str) {
        self.memory.send_if_modified(|memory| {
            let Some(kept) = memory.signs.get_mut(&message) else { return false };
            *kept = kept.split(' ').filter(|one| *one != sign).collect::<Vec<_>>().join(" ");
            true
        });
    }

    /// What the status message of a task shows by now, where it is known.
    pub(super) fn status(&self, task: &TaskId) -> Option<String> {
        self.memory.borrow().statuses.get(task.as_str()).cloned()
    }

    pub(super) fn keep_status(&self, task: &TaskId, digest: String) {
        self.memory.send_if_modified(|memory| {
            let before = memory.statuses.insert(task.to_string(), digest.clone());
            while memory.statuses.len() > MESSAGES {
                memory.statuses.pop_first();
            }
            before != Some(digest)
        });
    }

    /// Nothing more is to come in the status message of a task that is over.
    pub(super) fn ends_status(&self, over: bool, task: &TaskId) {
        self.memory.send_if_modified(|memory| over && memory.statuses.remove(task.as_str()).is_some());
    }

    pub fn failed(&self, why: impl Into<String>) {
        let why = why.into();
        self.health.send_modify(|health| health.last_error = Some(why));
    }
}

/// The pause after a token was refused so often: 5, 10, 20 … 300 seconds, since Discord bans an address that sends
/// 10,000 such requests within ten minutes.
pub(super) fn token_pause(times: u32) -> Duration {
    Duration::from_secs(5 << times.min(6)).min(TOKEN_PAUSE)
}

#[cfg(test)]
mod tests;
