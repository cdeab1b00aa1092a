//! The stand-in in one's hand: it is started, played on, broken, looked at, and ends when it is dropped.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::AbortHandle;

use super::gateway::fault;
use super::listener;
use super::model::options::Options;
use super::model::place::ChannelKind;
use super::model::rest_fault::{RestFault, RestRule};
use super::model::session::GatewayFault;
use super::model::snowflake::Id;
use super::model::world::World;
use super::people::at_servers;
use super::people::interact::{self, Impossible};
use super::people::look::View;
use super::people::write::{self, NewMessage};
use super::rest::message;
use super::stage::Stage;
use crate::time::Clock;

/// A running stand-in.
#[derive(Debug)]
pub struct Discord {
    pub(super) stage: Stage,
    /// The listener; none in memory.
    serving: Option<AbortHandle>,
}

impl Drop for Discord {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

/// Starting, and where it is.
impl Discord {
    /// Starts one on a free port of loopback.
    ///
    /// # Errors
    ///
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Options::default()).await
    }

    /// Starts one with options.
    ///
    /// # Errors
    ///
    /// No port could be bound.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let (listener, address) = listener::bind().await?;
        let clock = Clock::system();
        let stage = Stage::new(World::new(clock.now(), options, address), clock);
        #[expect(clippy::disallowed_methods, reason = "it stands for another machine, and ends with its handle")]
        let serving = tokio::spawn(listener::serve(listener, stage.clone())).abort_handle();
        Ok(Self { stage, serving: Some(serving) })
    }

    pub(super) const fn behind_no_listener(stage: Stage) -> Self {
        Self { stage, serving: None }
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.stage.look(|world| world.address)
    }

    /// The base of REST: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn api_base(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The gateway: `ws://127.0.0.1:PORT`.
    #[must_use]
    pub fn gateway_url(&self) -> String {
        format!("ws://{}", self.address())
    }

    /// The bot's token, as it is now.
    #[must_use]
    pub fn token(&self) -> String {
        self.stage.look(|world| world.options.token.clone())
    }

    /// The bot's user, which is the application's id as well.
    #[must_use]
    pub fn bot(&self) -> Id {
        self.stage.look(|world| world.bot)
    }
}

impl Discord {
    /// A server with the bot in it.
    #[must_use]
    pub fn guild(&self, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_guild(world, name))
    }

    /// A role that everybody may mention.
    #[must_use]
    pub fn role(&self, guild: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_role(world, guild, name, true))
    }

    /// A role that only those with a permission may mention.
    #[must_use]
    pub fn unmentionable_role(&self, guild: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_role(world, guild, name, false))
    }

    /// A role gets another name.
    pub fn renames_role(&self, role: Id, name: &str) {
        self.stage.change(|world| at_servers::change_role(world, role, |role| role.name = name.into()));
    }

    /// A role is deleted.
    pub fn deletes_role(&self, role: Id) {
        self.stage.change(|world| at_servers::delete_role(world, role));
    }

    /// A text channel.
    #[must_use]
    pub fn channel(&self, guild: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_channel(world, guild, name, ChannelKind::Text))
    }

    /// A category, in which nobody can write.
    #[must_use]
    pub fn category(&self, guild: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_channel(world, guild, name, ChannelKind::Category))
    }

    /// A thread that people begin in a channel.
    #[must_use]
    pub fn begins_thread(&self, channel: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_thread(world, channel, name))
    }

    /// A channel or a thread is deleted.
    pub fn deletes_channel(&self, channel: Id) {
        self.stage.change(|world| at_servers::delete_channel(world, channel));
    }

    /// A thread is archived, and locked if `locked`.
    pub fn archives(&self, thread: Id, locked: bool) {
        self.stage.change(|world| at_servers::set_thread(world, thread, true, locked));
    }

    /// The bot may not do this in a channel any more; 0 allows all again. Bits: [`super::bits`].
    pub fn denies(&self, channel: Id, permissions: u64) {
        self.stage.change(|world| at_servers::deny(world, channel, world.bot, permissions));
    }

    /// Somebody, or who has this role, may not do this in a channel any more; 0 allows all again.
    pub fn denies_to(&self, channel: Id, whom: Id, permissions: u64) {
        self.stage.change(|world| at_servers::deny(world, channel, whom, permissions));
    }

    /// Nobody may do this in a server any more, unless a channel says so; 0 allows all again.
    pub fn denies_everywhere(&self, guild: Id, permissions: u64) {
        self.stage.change(|world| at_servers::deny_everyone(world, guild, permissions));
    }

    /// Somebody who joins a server.
    #[must_use]
    pub fn member(&self, guild: Id, name: &str, roles: &[Id]) -> Id {
        self.stage.change(|world| at_servers::add_member(world, guild, name, roles, false))
    }

    #[must_use]
    pub fn other_bot(&self, guild: Id, name: &str) -> Id {
        self.stage.change(|world| at_servers::add_member(world, guild, name, &[], true))
    }

    /// Somebody gets a role.
    pub fn grants(&self, guild: Id, whom: Id, role: Id) {
        self.stage.change(|world| at_servers::set_roles(world, guild, whom, |roles| _ = roles.insert(role)));
    }

    /// Somebody loses a role.
    pub fn takes(&self, guild: Id, whom: Id, role: Id) {
        self.stage.change(|world| at_servers::set_roles(world, guild, whom, |roles| _ = roles.remove(&role)));
    }

    /// Somebody leaves a server.
    pub fn leaves(&self, guild: Id, whom: Id) {
        self.stage.change(|world| at_servers::leave(world, guild, whom));
    }

    /// The bot is removed from a server.
    pub fn kicks_bot(&self, guild: Id) {
        self.stage.change(|world| at_servers::kick_bot(world, guild));
    }

    /// The bot is invited again.
    pub fn invites_bot(&self, guild: Id) {
        self.stage.change(|world| at_servers::invite_bot(world, guild));
    }

    /// A server is out of order, or is back.
    pub fn outage(&self, guild: Id, is_over: bool) {
        self.stage.change(|world| at_servers::outage(world, guild, is_over));
    }

    /// Somebody takes no direct messages of the bot any more.
    pub fn closes_direct(&self, whom: Id) {
        self.stage.change(|world| {
            if let Some(user) = world.users.get_mut(&whom) {
                user.closed = true;
            }
        });
    }
}

impl Discord {
    /// Somebody writes a text. Mentions stand in it as Discord writes them: `<@&role>`, `<@user>`.
    pub fn says(&self, whom: Id, channel: Id, content: &str) -> Id {
        self.posts(whom, channel, NewMessage { content: content.into(), ..NewMessage::default() })
    }

    /// Somebody writes a message with all that one can have.
    pub fn posts(&self, whom: Id, channel: Id, post: NewMessage) -> Id {
        self.stage.change(|world| write::post(world, whom, channel, post))
    }

    /// Somebody answers a message, which pings its author.
    pub fn replies(&self, whom: Id, message: Id, content: &str) -> Result<Id, Impossible> {
        self.stage.change(|world| {
            let channel = world.place_of(message).ok_or(Impossible::NoMessage(message))?;
            let post = NewMessage { content: content.into(), reply_to: Some(message), ..NewMessage::default() };
            Ok(write::post(world, whom, channel, post))
        })
    }

    /// Somebody writes to the bot directly.
    pub fn direct(&self, whom: Id, content: &str) -> Id {
        let post = NewMessage { content: content.into(), ..NewMessage::default() };
        self.stage.change(|world| {
            let channel = world.direct(whom);
            write::post(world, whom, channel, post)
        })
    }

    /// The author edits a message.
    pub fn edits(&self, message: Id, content: &str) {
        self.stage.change(|world| write::edit(world, message, content));
    }

    /// Discord shows a preview of a link in a message.
    pub fn unfurls(&self, message: Id) {
        self.stage.change(|world| write::unfurl(world, message));
    }

    /// A message is deleted.
    pub fn deletes(&self, message: Id) {
        self.stage.change(|world| write::delete(world, message));
    }

    /// A moderator purges messages of one channel.
    pub fn purges(&self, messages: &[Id]) {
        self.stage.change(|world| write::purge(world, messages));
    }

    pub fn reacts(&self, whom: Id, message: Id, emoji: &str) {
        self.stage.change(|world| {
            if let Some(channel) = world.place_of(message) {
                message::set_reaction(world, channel, message, emoji, whom, true);
            }
        });
    }

    pub fn types(&self, whom: Id, channel: Id) {
        self.stage.change(|world| write::type_in(world, whom, channel));
    }

    /// Somebody presses a button, named by its label or id. Returns the interaction.
    ///
    /// # Errors
    ///
    /// There is no such button, or it is disabled.
    pub fn clicks(&self, whom: Id, message: Id, button: &str) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::click(world, whom, message, button))
    }

    /// Somebody clicks a button by its `custom_id` that the message may have no more.
    ///
    /// # Errors
    /// When there is no such message: [`Impossible::NoMessage`].
    pub fn presses_unseen(&self, whom: Id, message: Id, custom_id: &str) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::click_unseen(world, whom, message, custom_id))
    }

    /// Somebody chooses from a select, named by its placeholder or id; options by label or value.
    ///
    /// # Errors
    ///
    /// There is no such select or option.
    pub fn picks(&self, whom: Id, message: Id, select: &str, options: &[&str]) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::pick(world, whom, message, select, options))
    }

    /// Whoever got a form as the answer of an interaction sends it; fields by id or label.
    ///
    /// # Errors
    ///
    /// There is no form, no such field, or a text does not fit.
    pub fn submits(&self, shown: Id, fields: &[(&str, &str)]) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::submit(world, shown, fields))
    }

    /// Somebody uses a slash command.
    ///
    /// # Errors
    ///
    /// It is not registered, or its options do not fit.
    pub fn commands(&self, whom: Id, channel: Id, name: &str, options: &[(&str, &str)]) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::command(world, whom, channel, name, options, None))
    }

    /// Somebody has typed a part of an option and sees choices.
    ///
    /// # Errors
    ///
    /// It is not registered, or the option has no autocomplete.
    pub fn autocompletes(
        &self,
        whom: Id,
        channel: Id,
        name: &str,
        options: &[(&str, &str)],
        focused: &str,
    ) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::command(world, whom, channel, name, options, Some(focused)))
    }

    /// Somebody uses a command from the menu of a message.
    ///
    /// # Errors
    ///
    /// It is not registered, or there is no such message.
    pub fn uses_on(&self, whom: Id, message: Id, name: &str) -> Result<Id, Impossible> {
        self.stage.change(|world| interact::use_on(world, whom, message, name))
    }
}

/// Faults, time, and what is seen.
impl Discord {
    /// Requests of `rule` meet a fault. The rule that was added first counts first.
    pub fn fault(&self, rule: RestRule, fault: RestFault) {
        self.stage.change(|world| world.rest_faults.rules.push((rule, fault)));
    }

    pub fn gateway_fault(&self, fault: GatewayFault) {
        self.stage.change(|world| fault::set_off(world, fault));
    }

    /// No fault waits any more.
    pub fn heals(&self) {
        self.stage.change(|world| {
            world.rest_faults.rules.clear();
            fault::clear(world);
        });
    }

    /// The intent `MESSAGE_CONTENT` is switched on or off for the application.
    pub fn switches_message_content(&self, on: bool) {
        self.stage.change(|world| world.options.message_content = on);
    }

    /// The world's clock is moved ahead: messages get older, interactions expire.
    pub fn later(&self, by: Duration) {
        self.stage.change(|world| world.ahead += by);
    }

    /// Looks at the world as it is now.
    pub fn view<T>(&self, look: impl FnOnce(View<'_>) -> T) -> T {
        self.stage.look(|world| look(View(world)))
    }

    /// Waits until `look` finds something; it looks again after each change, and waits for ever.
    pub async fn until<T>(&self, mut look: impl FnMut(View<'_>) -> Option<T>) -> T {
        self.stage.until(|world| look(View(world))).await
    }
}
