//! What the door has, and the small things that it says by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::interaction_data::Interaction;
use super::turn::{Turn, Turns};
use crate::actors::HubRef;
use crate::actors::discord::{Call, DiscordRest, Fail, GatewayEvent, Guild, Pending, Places, Shared, called};
use crate::domain::discord::{Author, DiscordMessage, DiscordOrigin, Hint, MentionKind, with_names};
use crate::domain::ids::QuestionId;
use crate::domain::time::Timestamp;
use crate::settings::DiscordSettings;
use crate::tools::Refusal;
use crate::tools::people::{DiscordUser, OnDiscord, find_task};

const TOLD_AGAIN: Duration = Duration::from_secs(60);

/// When a user was told last, by what.
type Hints = BTreeMap<(u64, Option<Hint>), Timestamp>;

#[derive(Debug, Clone)]
pub struct DiscordDoor {
    pub hub: HubRef,
    pub rest: DiscordRest,
    pub shared: Shared,
    pub places: Places,
    pub events: Pending<GatewayEvent>,
    /// Who was told lately how something is done, or that they may not do it.
    pub told: Arc<watch::Sender<Hints>>,
    /// By channel: how many of its messages are under way, and the newest of them.
    pub under_way: Arc<watch::Sender<BTreeMap<u64, (usize, u64)>>>,
    /// The newest messages that this process took, done or under way.
    pub lately: Arc<watch::Sender<BTreeSet<u64>>>,
    pub gone: Arc<watch::Sender<BTreeSet<u64>>>,
    /// Who is before whom, by channel.
    pub turns: Turns,
    /// Told that something may have been decided about rights.
    pub decided: Arc<Notify>,
}

impl DiscordDoor {
    pub(super) fn settings(&self) -> DiscordSettings {
        self.hub.settings().hub.discord.clone()
    }

    /// Who this is, with the roles of this event.
    pub(super) fn person(&self, author: &Author, guild: Option<u64>) -> Result<OnDiscord, Refusal> {
        let roles = self.shared.roles_of(author, guild, &self.hub.settings());
        OnDiscord::new(&self.hub, DiscordUser { id: author.id, name: author.name.clone(), roles })
    }

    /// A thread counts as its channel, and a channel as its category; an unknown one is not heard where any is denied.
    pub(super) fn listens(&self, guild: Option<u64>, channel: u64) -> bool {
        let settings = self.settings();
        let Some(guild) = guild else { return true };
        let has = |list: &[crate::settings::Snowflake], id: u64| list.iter().any(|one| one.0 == id);
        let (allow, deny) = (&settings.channels.allow, &settings.channels.deny);
        let memory = self.shared.memory.borrow();
        let known = memory.guilds.get(&guild);
        let of_task = self.places.at(channel).first().and_then(|task| self.places.of(task)).map(|place| place.channel);
        let parent_of = |place: u64| known.and_then(|known| known.parents.get(&place)).copied();
        let parent = parent_of(channel).or(of_task);
        let places = [Some(channel), parent, parent.and_then(parent_of)];
        let any = |list: &[crate::settings::Snowflake]| places.iter().flatten().any(|place| has(list, *place));
        let is_known = parent.is_some() || known.is_some_and(|known| known.channels.contains_key(&channel));
        (settings.guilds.is_empty() || has(&settings.guilds, guild))
            && (deny.is_empty() || (is_known && !any(deny)))
            && (allow.is_empty() || any(allow))
    }

    /// Whether what was asked for there is shown to who did this: of a channel that they cannot see, nothing is.
    pub(super) fn shows(&self, place: DiscordOrigin, to: &Interaction) -> bool {
        let (user, memory) = (&to.author, self.shared.memory.borrow());
        let known = to.guild.filter(|_| !place.direct).and_then(|guild| Some((guild, memory.guilds.get(&guild)?)));
        let is_seen = |(id, guild): (u64, &Guild)| guild.shows(id, place.channel, (user.id, &user.roles));
        place.author == user.id || [place.channel, place.message].contains(&to.channel) || known.is_some_and(is_seen)
    }

    /// Whom a task calls, as people call them.
    pub(super) async fn who(&self, task: &str) -> String {
        let found = find_task(&self.hub, task).await;
        found.map_or_else(|_| "the agent".to_owned(), |task| called(&task, Some(&self.hub.settings())))
    }

    /// The next turn of a channel.
    pub(super) fn turn(&self, channel: u64) -> Turn {
        Turn::take(&self.turns, channel)
    }

    pub(super) fn is_gone(&self, message: u64) -> bool {
        self.gone.borrow().contains(&message)
    }

    /// A message with the names of whom it mentions, as people read it.
    pub(super) fn with_names(&self, heard: &DiscordMessage) -> DiscordMessage {
        DiscordMessage { text: self.named(&heard.text, heard), ..heard.clone() }
    }

    pub(super) fn named(&self, text: &str, heard: &DiscordMessage) -> String {
        let memory = self.shared.memory.borrow();
        let guild = heard.guild.and_then(|guild| memory.guilds.get(&guild));
        with_names(text, |kind, id| match kind {
            MentionKind::User => heard.users.iter().find(|(user, _)| *user == id).map(|(_, name)| name.clone()),
            MentionKind::Role => guild.and_then(|guild| guild.roles.get(&id)).cloned(),
        })
    }

    /// Answers a message in its place. Nobody is pinged.
    pub(super) async fn reply(&self, channel: u64, message: u64, text: &str) {
        self.reply_as('r', channel, message, text).await;
    }

    /// The same where a message has several answers: each once.
    pub(super) async fn reply_as(&self, which: char, channel: u64, message: u64, text: &str) {
        self.note(self.answers_with(format!("{which}{message}"), (channel, message), text, &json!([])).await);
    }

    /// Answers what a message was edited to, each time anew.
    pub(super) async fn reply_to_edit(&self, heard: &DiscordMessage, text: &str) {
        let nonce = format!("w{}", heard.id.wrapping_add(heard.edited.unwrap_or_default().0));
        self.note(self.answers_with(nonce, (heard.channel, heard.id), text, &json!([])).await);
    }

    /// Says where a task is talked about that its request was deleted in vain.
    pub(super) async fn says_that_it_goes_on(&self, room: u64, message: u64) {
        let text = "The request was deleted, and the work goes on. To call it off, press Cancel.";
        let body = json!({
            "content": text, "allowed_mentions": {"parse": []}, "nonce": format!("d{message}"), "enforce_nonce": true,
        });
        self.note(self.rest.call(Call::Post { channel: room, file: None }, &body).await);
    }

    /// Answers a message by a question with a button. It goes, as those of the hub's question, with that one's answer.
    pub(super) async fn ask_back(&self, of: &QuestionId, heard: &DiscordMessage, text: &str, components: &Value) {
        let (channel, nonce) = (heard.channel, format!("q{}", heard.id));
        let posted = self.answers_with(nonce, (channel, heard.id), text, components).await;
        let id = posted.as_ref().ok().and_then(|it| it.get("id")?.as_str()?.parse().ok());
        if let Some(id) = id {
            self.shared.keep_message(format!("question:{of}/{id}"), channel, id);
        }
        self.note(posted);
    }

    async fn answers_with(
        &self,
        nonce: String,
        (channel, message): (u64, u64),
        text: &str,
        components: &Value,
    ) -> Result<Value, Fail> {
        let body = json!({
            "content": text,
            "components": components,
            "allowed_mentions": {"parse": [], "replied_user": false},
            "message_reference": {"message_id": message.to_string(), "fail_if_not_exists": false},
            "nonce": nonce,
            "enforce_nonce": true,
        });
        self.rest.call(Call::Post { channel, file: None }, &body).await
    }

    pub(super) async fn sign(&self, channel: u64, message: u64, sign: &str) {
        let call = Call::React { channel, message, sign, there: true };
        self.note(self.rest.call(call, &Value::Null).await);
    }

    /// Says to who wrote a message how it is done, or without a hint that they may not do it; the same once a minute.
    pub(super) async fn tell_seldom(&self, hint: Option<Hint>, heard: &DiscordMessage, text: &str) {
        let (now, about) = (self.hub.clock.now(), (heard.author.id, hint));
        let first = self.told.send_if_modified(|told| {
            told.retain(|_, at| now.since(*at) < TOLD_AGAIN);
            let first = !told.contains_key(&about);
            if first {
                told.insert(about, now);
            }
            first
        });
        if first {
            self.reply(heard.channel, heard.id, text).await;
        } else {
            self.sign(heard.channel, heard.id, if hint.is_some() { "❔" } else { "⛔" }).await;
        }
    }

    /// What came of a request that nothing depends on.
    pub(super) fn note(&self, outcome: Result<Value, Fail>) {
        if let Err(fail) = outcome {
            tracing::debug!("something that nothing depends on did not reach Discord: {fail}");
            self.shared.failed(fail.to_string());
        }
    }
}
