//! One message of Discord, as far as anything is decided by it. It is read from what came as it is: a field that is
//! missing or of another kind makes that part empty, and no message is refused for a field that nobody needs.

use serde_json::Value;

use crate::text::clean;
use crate::time::Timestamp;

/// Discord's first moment, in milliseconds of the Unix clock: its ids count from it.
const FIRST_MOMENT: u64 = 1_420_070_400_000;

/// Who wrote a message or pressed a button.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Author {
    /// The user's id.
    pub id: u64,
    /// In one line, without characters that hide or turn text; never empty.
    pub name: String,
    /// The ids of the roles, as they were with this event.
    pub roles: Vec<u64>,
    /// Not a person: a bot, a webhook or the system.
    pub is_program: bool,
}

/// The message that another one answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepliedTo {
    pub id: u64,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub text: String,
    /// Its attachments: name and address.
    pub attachments: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiscordMessage {
    pub id: u64,
    pub channel: u64,
    /// Its guild; none of a direct message.
    pub guild: Option<u64>,
    /// Who wrote it.
    pub author: Author,
    /// What it says; of a forwarded message, what that one says.
    pub text: String,
    /// Whether it forwards another message: then nobody says anything to an agent by it.
    pub is_forwarded: bool,
    /// The ids of the roles that it mentions, as Discord counts them.
    pub roles: Vec<u64>,
    /// The users that it mentions, with their names.
    pub users: Vec<(u64, String)>,
    /// Its attachments, or those of the message that it forwards: name and address.
    pub attachments: Vec<(String, String)>,
    /// Whether it is a sticker, a poll or a recording, and has no words.
    pub is_unreadable: bool,
    /// When it was edited last.
    pub edited: Option<Timestamp>,
    /// What it answers.
    pub replied_to: Option<RepliedTo>,
}

/// The most bytes of a name; Discord takes 32 characters.
const NAME: usize = 256;
/// Kinds of messages that people write: an ordinary one, and a reply.
const BY_PEOPLE: [u64; 2] = [0, 19];
/// The flag of a recording, which comes as an attachment.
const IS_RECORDING: u64 = 1 << 13;
/// The kind of a reference to a message that is forwarded.
const FORWARDS: u64 = 1;

impl DiscordMessage {
    /// Reads the `d` of a `MESSAGE_CREATE`, or a message of a list; none where it has no ids.
    pub fn read(message: &Value) -> Option<Self> {
        let kind = message.get("type").and_then(Value::as_u64).unwrap_or(0);
        let snapshot = message.pointer("/message_snapshots/0/message");
        let reference = message.pointer("/message_reference/type").and_then(Value::as_u64);
        let shown = snapshot.unwrap_or(message);
        let text = words(shown.get("content"));
        let is_recording = message.get("flags").and_then(Value::as_u64).unwrap_or(0) & IS_RECORDING != 0;
        let is_odd = is_recording || list(shown.get("sticker_items")).next().is_some() || shown["poll"].is_object();
        let mut author = Author::read(message.get("author")?, message.get("member"))?;
        author.is_program |= message.get("webhook_id").is_some_and(|id| !id.is_null()) || !BY_PEOPLE.contains(&kind);
        let replied_to = message.get("referenced_message").filter(|_| kind == 19).and_then(|to| {
            let author = Author::read(to.get("author")?, None)?.name;
            Some(RepliedTo {
                id: id(to.get("id"))?,
                author,
                text: words(to.get("content")),
                attachments: attachments(to),
            })
        });
        Some(Self {
            id: id(message.get("id"))?,
            channel: id(message.get("channel_id"))?,
            guild: id(message.get("guild_id")),
            author,
            is_unreadable: is_odd && text.trim().is_empty(),
            text,
            is_forwarded: snapshot.is_some() || reference == Some(FORWARDS),
            roles: ids(message.get("mention_roles")),
            users: list(message.get("mentions"))
                .filter_map(|user| Author::read(user, user.get("member")))
                .map(|user| (user.id, user.name))
                .collect(),
            attachments: attachments(shown),
            edited: message.get("edited_timestamp").and_then(Value::as_str).and_then(Timestamp::parse),
            replied_to,
        })
    }
}

impl DiscordMessage {
    /// Whether it may call anybody: in a guild a message without a mention calls nobody, whoever could be called.
    pub fn mentions_somebody(&self) -> bool {
        self.guild.is_none() || self.text.contains("<@") || !self.roles.is_empty()
    }

    /// What an agent reads of it: that it is a forward, its words, then its files with their addresses.
    pub fn with_files(&self) -> String {
        let head = if self.is_forwarded { "Forwarded message: " } else { "" };
        let files = self.attachments.iter().map(|(name, url)| format!("\n📎 {name}: {url}"));
        format!("{head}{}{}", self.text.trim(), files.collect::<String>()).trim().to_owned()
    }
}

impl Author {
    /// Reads a user, and the member that the user is in a guild.
    pub fn read(user: &Value, member: Option<&Value>) -> Option<Self> {
        let name = [member.and_then(|member| member.get("nick")), user.get("global_name"), user.get("username")];
        let names = name.into_iter().flatten().filter_map(Value::as_str).map(shown_name);
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "somebody".to_owned());
        let is = |key: &str| user.get(key).and_then(Value::as_bool).unwrap_or(false);
        let is_program = is("bot") || is("system");
        Some(Self { id: id(user.get("id"))?, name, roles: ids(member.and_then(|it| it.get("roles"))), is_program })
    }
}

/// A name that somebody chose, in one line: nothing in it hides, or turns what stands behind it.
fn shown_name(name: &str) -> String {
    clean(name, NAME).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// When a message was written, or anything else with an id of Discord's was made: the id says so.
pub const fn written_at(id: u64) -> Timestamp {
    Timestamp((id >> 22) + FIRST_MOMENT)
}

/// The least id of what is made at this moment.
pub const fn first_id_at(at: Timestamp) -> u64 {
    at.0.saturating_sub(FIRST_MOMENT) << 22
}

/// The files of a message: name and address.
pub fn attachments(message: &Value) -> Vec<(String, String)> {
    let files = list(message.get("attachments"));
    files.map(|file| (words(file.get("filename")), words(file.get("url")))).collect()
}

/// An id, written as text.
fn id(value: Option<&Value>) -> Option<u64> {
    value?.as_str()?.parse().ok()
}

fn ids(value: Option<&Value>) -> Vec<u64> {
    list(value).filter_map(|one| id(Some(one))).collect()
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn words(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}
