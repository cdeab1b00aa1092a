//! Users, roles, servers and channels.

use std::collections::{BTreeMap, BTreeSet};

use super::message::Message;
use super::snowflake::Id;

#[derive(Debug)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) bot: bool,
    /// Refuses direct messages (50007).
    pub(crate) closed: bool,
}

#[derive(Debug)]
pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) permissions: u64,
    pub(crate) mentionable: bool,
}

#[derive(Debug)]
pub(crate) struct Guild {
    pub(crate) name: String,
    pub(crate) owner: Id,
    pub(crate) roles: BTreeMap<Id, Role>,
    /// The roles of each member, without `@everyone`.
    pub(crate) members: BTreeMap<Id, BTreeSet<Id>>,
    /// Commands of the application, as the last PUT left them.
    pub(crate) commands: Vec<serde_json::Value>,
}

/// What a channel is, by Discord's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    Text = 0,
    Direct = 1,
    Category = 4,
    Thread = 11,
}

#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) id: Id,
    pub(crate) guild: Option<Id>,
    pub(crate) kind: ChannelKind,
    pub(crate) name: String,
    pub(crate) parent: Option<Id>,
    pub(crate) owner: Id,
    pub(crate) overwrites: Vec<Overwrite>,
    pub(crate) recipients: BTreeSet<Id>,
    pub(crate) archived: bool,
    pub(crate) locked: bool,
    pub(crate) auto_archive: u64,
    pub(crate) messages: BTreeMap<Id, Message>,
}

/// What a channel changes for one role or member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overwrite {
    /// A role (`@everyone` has the server's id) or a user.
    pub(crate) whom: Id,
    /// `true` for a user.
    pub(crate) is_member: bool,
    pub(crate) allow: u64,
    pub(crate) deny: u64,
}

impl Channel {
    pub(crate) fn new(id: Id, kind: ChannelKind, name: &str, guild: Option<Id>) -> Self {
        Self {
            id,
            guild,
            kind,
            name: name.into(),
            parent: None,
            owner: 0,
            overwrites: Vec::new(),
            recipients: BTreeSet::new(),
            archived: false,
            locked: false,
            auto_archive: 1_440,
            messages: BTreeMap::new(),
        }
    }

    /// Whether messages can stand in it.
    pub(crate) const fn holds_text(&self) -> bool {
        match self.kind {
            ChannelKind::Text | ChannelKind::Direct | ChannelKind::Thread => true,
            ChannelKind::Category => false,
        }
    }
}
