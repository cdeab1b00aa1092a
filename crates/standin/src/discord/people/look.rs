//! What people see: the messages of a channel, as its members and as one of them.

use std::fmt::Write as _;

use serde_json::Value;

use super::interact::components;
use crate::discord::model::interaction::Answer;
use crate::discord::model::message::Message;
use crate::discord::model::place::ChannelKind;
use crate::discord::model::rest_fault::Request;
use crate::discord::model::session::GatewayCounts;
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;

/// A message as it is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownMessage {
    pub id: Id,
    /// The name of who wrote it.
    pub author: String,
    /// Whether the bot wrote it.
    pub is_ours: bool,
    /// Its text; of a message of components, all of their texts.
    pub content: String,
    /// Labels of its buttons that can be pressed, and placeholders of its selects.
    pub controls: Vec<String>,
    /// The components as they were sent.
    pub components: Vec<Value>,
    /// The embeds as they were sent.
    pub embeds: Vec<Value>,
    /// Emojis and how many people reacted with each.
    pub reactions: Vec<(String, usize)>,
    /// Files: name and text.
    pub files: Vec<(String, String)>,
    /// Whether it was edited.
    pub edited: bool,
    /// Who heard a sound.
    pub pinged: Vec<Id>,
    /// The message that it answers.
    pub reply_to: Option<Id>,
    /// Who alone sees it.
    pub only_for: Option<Id>,
}

/// The world, to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a>(pub(crate) &'a World);

impl View<'_> {
    /// The messages of a channel or thread, oldest first; those that only one person sees too.
    #[must_use]
    pub fn messages(&self, channel: Id) -> Vec<ShownMessage> {
        let channel = self.0.channels.get(&channel);
        channel.into_iter().flat_map(|channel| channel.messages.values()).map(|one| self.shown(one)).collect()
    }

    /// One message, wherever it stands.
    #[must_use]
    pub fn message(&self, message: Id) -> Option<ShownMessage> {
        self.0.message(self.0.place_of(message)?, message).map(|known| self.shown(known))
    }

    /// The thread that hangs on a message.
    #[must_use]
    pub fn thread_of(&self, message: Id) -> Option<Id> {
        self.0.channels.get(&message).map(|thread| thread.id)
    }

    /// Every thread of a channel, oldest first.
    #[must_use]
    pub fn threads(&self, channel: Id) -> Vec<Id> {
        self.0.channels.values().filter(|known| known.parent == Some(channel)).map(|known| known.id).collect()
    }

    /// The name of a channel or thread.
    #[must_use]
    pub fn name_of(&self, channel: Id) -> Option<String> {
        self.0.channels.get(&channel).map(|known| known.name.clone())
    }

    /// Whether a thread is archived: its buttons cannot be pressed then.
    #[must_use]
    pub fn is_archived(&self, thread: Id) -> bool {
        self.0.channels.get(&thread).is_some_and(|known| known.archived)
    }

    /// A server that somebody is in.
    #[must_use]
    pub fn guild_of(&self, whom: Id) -> Option<Id> {
        self.0.guilds.iter().find(|(_, guild)| guild.members.contains_key(&whom)).map(|(id, _)| *id)
    }

    /// The roles of somebody in a server.
    #[must_use]
    pub fn roles_of(&self, guild: Id, whom: Id) -> Vec<Id> {
        let roles = self.0.guilds.get(&guild).and_then(|guild| guild.members.get(&whom));
        roles.into_iter().flatten().copied().collect()
    }

    /// The direct channel between the bot and somebody.
    #[must_use]
    pub fn direct_with(&self, whom: Id) -> Option<Id> {
        let mut all = self.0.channels.values();
        all.find(|known| known.kind == ChannelKind::Direct && known.recipients.contains(&whom)).map(|known| known.id)
    }

    /// What an interaction was answered with first.
    #[must_use]
    pub fn answer(&self, interaction: Id) -> Option<Answer> {
        self.0.interactions.get(&interaction)?.answer.clone()
    }

    /// The message that answers an interaction, as it reads now: not while the bot is thinking.
    #[must_use]
    pub fn reply_of(&self, interaction: Id) -> Option<ShownMessage> {
        let known = self.0.interactions.get(&interaction)?;
        let message = self.0.message(known.channel, known.original?)?;
        (message.flags & crate::discord::model::message::LOADING == 0).then(|| self.shown(message))
    }

    /// Every message that came from an interaction, oldest first.
    #[must_use]
    pub fn replies_of(&self, interaction: Id) -> Vec<ShownMessage> {
        let Some(known) = self.0.interactions.get(&interaction) else { return Vec::new() };
        let messages = known.messages.iter().filter_map(|id| self.0.message(known.channel, *id));
        messages.map(|message| self.shown(message)).collect()
    }

    /// The names of the commands that are registered in a server.
    #[must_use]
    pub fn commands(&self, guild: Id) -> Vec<String> {
        let commands = self.0.guilds.get(&guild).map(|guild| guild.commands.as_slice()).unwrap_or_default();
        commands.iter().filter_map(|command| command["name"].as_str()).map(String::from).collect()
    }

    /// The requests that came, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.0.rest_faults.requests.clone()
    }

    /// How often the gateway was used.
    #[must_use]
    pub const fn counts(&self) -> GatewayCounts {
        self.0.gateway.counts
    }

    /// Sessions that are connected now.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.gateway.sessions.values().filter(|session| session.connection.is_some()).count()
    }

    /// Answers with 401, 403 or 429 so far.
    #[must_use]
    pub const fn invalid_requests(&self) -> u64 {
        self.0.limits.invalid
    }

    /// A channel as text, a line for each line of a message.
    #[must_use]
    pub fn transcript(&self, channel: Id) -> String {
        let mut text = String::new();
        for message in self.messages(channel) {
            let edited = if message.edited { " (edited)" } else { "" };
            let only = if message.only_for.is_some() { " (only you see this)" } else { "" };
            let mut lines = message.content.lines();
            let _ = writeln!(text, "{}: {}{edited}{only}", message.author, lines.next().unwrap_or_default());
            for line in lines {
                let _ = writeln!(text, "    {line}");
            }
            for (name, body) in &message.files {
                let _ = writeln!(text, "    📎 {name} ({} bytes)", body.len());
            }
            if !message.controls.is_empty() {
                let _ = writeln!(text, "    [{}]", message.controls.join("] ["));
            }
            for over in components(&message.components).into_iter().filter(|one| one["disabled"] == true) {
                let _ = writeln!(text, "    ({})", over["label"].as_str().unwrap_or_default());
            }
            if !message.reactions.is_empty() {
                let shown = message.reactions.iter().map(|(emoji, count)| format!("{emoji} {count}"));
                let _ = writeln!(text, "    {}", shown.collect::<Vec<_>>().join("  "));
            }
        }
        text
    }

    fn shown(&self, message: &Message) -> ShownMessage {
        let name = self.0.users.get(&message.author).map_or("somebody", |user| user.name.as_str());
        let controls = components(&message.components).into_iter().filter(|one| one["disabled"] != true);
        let controls = controls.filter_map(|one| one["label"].as_str().or(one["placeholder"].as_str()));
        let files = message.attachments.iter().map(|file| {
            let text = |field: &str| file[field].as_str().unwrap_or_default().to_owned();
            (text("filename"), text("text"))
        });
        let mut content = message.content.clone();
        texts(&message.components, &mut content);
        ShownMessage {
            id: message.id,
            author: name.into(),
            is_ours: message.author == self.0.bot,
            content,
            controls: controls.map(String::from).collect(),
            components: message.components.clone(),
            embeds: message.embeds.clone(),
            reactions: message.reactions.iter().map(|(emoji, who)| (emoji.clone(), who.len())).collect(),
            files: files.collect(),
            edited: message.edited.is_some(),
            pinged: message.mentions.pinged.iter().copied().collect(),
            reply_to: message.reply_to.map(|(_, message)| message),
            only_for: message.ephemeral_for,
        }
    }
}

/// The texts of a layout of components, a line for each.
fn texts(components: &[Value], into: &mut String) {
    for component in components {
        if component["type"] == 10 {
            if !into.is_empty() {
                into.push('\n');
            }
            into.push_str(component["content"].as_str().unwrap_or_default());
        }
        texts(component["components"].as_array().map(Vec::as_slice).unwrap_or_default(), into);
    }
}
