//! A message.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::snowflake::Id;
use crate::discord::people::write::Extra;
use crate::time::Timestamp;

/// What kind of message it is, by Discord's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Default = 0,
    MemberJoined = 7,
    ThreadCreated = 18,
    Reply = 19,
    Command = 20,
}

/// Only who used the command sees it.
pub(crate) const EPHEMERAL: u64 = 1 << 6;
/// The answer of an interaction that is still to come.
pub(crate) const LOADING: u64 = 1 << 7;
/// A thread hangs on the message.
pub(crate) const HAS_THREAD: u64 = 1 << 5;
pub(crate) const IS_VOICE: u64 = 1 << 13;
/// Made of components only.
pub(crate) const COMPONENTS_V2: u64 = 1 << 15;

#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: Id,
    pub(crate) channel: Id,
    pub(crate) author: Id,
    pub(crate) content: String,
    pub(crate) sent: Timestamp,
    pub(crate) edited: Option<Timestamp>,
    pub(crate) kind: MessageKind,
    pub(crate) flags: u64,
    pub(crate) mentions: Mentions,
    pub(crate) attachments: Vec<Value>,
    pub(crate) embeds: Vec<Value>,
    pub(crate) components: Vec<Value>,
    /// The message that it answers: channel and message.
    pub(crate) reply_to: Option<(Id, Id)>,
    /// The message that it forwards: channel, message, and the copy of it.
    pub(crate) forward: Option<(Id, Id, Value)>,
    pub(crate) nonce: Option<Value>,
    pub(crate) extra: Option<Extra>,
    /// Who reacted, by emoji.
    pub(crate) reactions: BTreeMap<String, BTreeSet<Id>>,
    pub(crate) webhook: Option<Id>,
    /// Who alone sees it.
    pub(crate) ephemeral_for: Option<Id>,
    pub(crate) interaction: Option<Id>,
}

/// Whom a message mentions. `users` and `roles` are what Discord lists; `pinged` hears a sound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    pub(crate) users: Vec<Id>,
    pub(crate) roles: Vec<Id>,
    pub(crate) everyone: bool,
    pub(crate) pinged: BTreeSet<Id>,
}

impl Message {
    pub(crate) fn new(id: Id, channel: Id, author: Id, content: &str, sent: Timestamp) -> Self {
        Self {
            id,
            channel,
            author,
            content: content.into(),
            sent,
            edited: None,
            kind: MessageKind::Default,
            flags: 0,
            mentions: Mentions::default(),
            attachments: Vec::new(),
            embeds: Vec::new(),
            components: Vec::new(),
            reply_to: None,
            forward: None,
            nonce: None,
            extra: None,
            reactions: BTreeMap::new(),
            webhook: None,
            ephemeral_for: None,
            interaction: None,
        }
    }

    /// Whether `author` may edit it; system messages nobody may.
    pub(crate) const fn is_system(&self) -> bool {
        match self.kind {
            MessageKind::Default | MessageKind::Reply | MessageKind::Command => false,
            MessageKind::MemberJoined | MessageKind::ThreadCreated => true,
        }
    }
}
