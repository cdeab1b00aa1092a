//! What the stand-in knows: servers, channels, people, interactions, sessions, and the faults to come.
//!
//! The world reads no clock and opens no socket. Whoever changes it sets `now` first, so that everything here can be
//! tried without a network.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use super::interaction::Interaction;
use super::limits::Limits;
use super::message::Message;
use super::options::Options;
use super::permission_bits::BY_DEFAULT;
use super::place::{Channel, ChannelKind, Guild, Role, User};
use super::rest_fault::RestFaults;
use super::session::Gateway;
use super::snowflake::{Id, id_at};
use crate::time::Timestamp;

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    /// How far the world's clock was moved ahead of the machine's.
    pub(crate) ahead: Duration,
    pub(crate) options: Options,
    pub(crate) address: SocketAddr,
    made: u64,
    /// The bot's user, which is also the id of the application.
    pub(crate) bot: Id,
    pub(crate) users: BTreeMap<Id, User>,
    pub(crate) guilds: BTreeMap<Id, Guild>,
    pub(crate) channels: BTreeMap<Id, Channel>,
    pub(crate) interactions: BTreeMap<Id, Interaction>,
    pub(crate) gateway: Gateway,
    pub(crate) rest_faults: RestFaults,
    pub(crate) limits: Limits,
}

impl World {
    pub(crate) fn new(now: Timestamp, options: Options, address: SocketAddr) -> Self {
        let mut world = Self {
            now,
            ahead: Duration::ZERO,
            address,
            made: 0,
            bot: 0,
            users: BTreeMap::new(),
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            interactions: BTreeMap::new(),
            gateway: Gateway::new(&options),
            rest_faults: RestFaults::default(),
            limits: Limits::new(options.usual_limits),
            options,
        };
        world.bot = world.add_user("Callboard", true);
        world
    }

    /// A new id.
    pub(crate) const fn id(&mut self) -> Id {
        self.made += 1;
        id_at(self.now, self.made)
    }

    pub(crate) fn add_user(&mut self, name: &str, bot: bool) -> Id {
        let id = self.id();
        self.users.insert(id, User { name: name.into(), bot, closed: false });
        id
    }

    /// A server in which the bot is, with nobody else but its owner.
    pub(crate) fn add_guild(&mut self, name: &str) -> Id {
        let (owner, id) = (self.add_user("owner", false), self.id());
        let everyone = Role { name: "@everyone".into(), permissions: BY_DEFAULT, mentionable: false };
        let members = [owner, self.bot].map(|user| (user, BTreeSet::new())).into();
        let roles = [(id, everyone)].into();
        self.guilds.insert(id, Guild { name: name.into(), owner, roles, members, commands: Vec::new() });
        id
    }

    pub(crate) fn add_channel(&mut self, kind: ChannelKind, name: &str, guild: Option<Id>) -> Id {
        let id = self.id();
        self.channels.insert(id, Channel::new(id, kind, name, guild));
        id
    }

    /// The direct channel between the bot and `user`, made when it is first needed.
    pub(crate) fn direct(&mut self, user: Id) -> Id {
        let of = |channel: &&Channel| channel.kind == ChannelKind::Direct && channel.recipients.contains(&user);
        if let Some(known) = self.channels.values().find(of) {
            return known.id;
        }
        let id = self.add_channel(ChannelKind::Direct, "", None);
        let bot = self.bot;
        if let Some(channel) = self.channels.get_mut(&id) {
            channel.recipients = [bot, user].into();
        }
        id
    }

    /// Whether the bot is in `guild`.
    pub(crate) fn bot_is_in(&self, guild: Id) -> bool {
        self.guilds.get(&guild).is_some_and(|guild| guild.members.contains_key(&self.bot))
    }

    pub(crate) fn message(&self, channel: Id, message: Id) -> Option<&Message> {
        self.channels.get(&channel)?.messages.get(&message)
    }

    pub(crate) fn message_mut(&mut self, channel: Id, message: Id) -> Option<&mut Message> {
        self.channels.get_mut(&channel)?.messages.get_mut(&message)
    }

    /// The channel in which `message` stands.
    pub(crate) fn place_of(&self, message: Id) -> Option<Id> {
        self.channels.values().find(|channel| channel.messages.contains_key(&message)).map(|channel| channel.id)
    }
}
