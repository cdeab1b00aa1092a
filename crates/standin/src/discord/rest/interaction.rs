//! The first answer of an interaction: within three seconds, once, and of a kind that fits.

use std::time::Duration;

use serde_json::{Value, json};

use super::call::{Call, Outcome, Reply};
use super::error::ApiError;
use super::{component, form, modal, post};
use crate::discord::model::interaction::{Answer, Interaction, InteractionKind};
use crate::discord::model::message::{EPHEMERAL, LOADING, Message, MessageKind};
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::render;

/// How long an interaction waits for its first answer.
const FIRST_WITHIN: Duration = Duration::from_secs(3);

pub(crate) fn callback(world: &mut World, call: &Call) -> Outcome {
    let id = call.id("interaction")?;
    let known = world.interactions.get(&id).filter(|known| known.token == call.param("token"));
    let known = known.ok_or_else(|| ApiError::known(10_062))?;
    if known.answer.is_some() {
        return Err(ApiError::known(40_060));
    }
    if world.now.since(known.made) > FIRST_WITHIN {
        return Err(ApiError::known(10_062));
    }
    let kind = call.body["type"].as_u64().unwrap_or_default();
    if !fits(known, kind) {
        let sentence = format!("Value must be one of the types that fit; {kind} does not.");
        return Err(ApiError::form("type", "BASE_TYPE_CHOICES", sentence));
    }
    let ephemeral = call.body["data"]["flags"].as_u64().unwrap_or_default() & EPHEMERAL != 0;
    let answer = match kind {
        4 => Answer::Message { id: say(world, id, call)?, ephemeral },
        5 => {
            let thinking = thinking(world, id, ephemeral);
            remember(world, id, thinking);
            Answer::Deferred { ephemeral }
        }
        6 => Answer::DeferredUpdate,
        7 => {
            update(world, id, call)?;
            Answer::Update
        }
        8 => Answer::Choices(choices(&call.body["data"]["choices"])?),
        _ => {
            modal::check(&call.body["data"])?;
            Answer::Modal(call.body["data"].clone())
        }
    };
    let known = world.interactions.get_mut(&id).ok_or_else(|| ApiError::known(10_062))?;
    known.answer = Some(answer);
    let original = known.original;
    if call.query.get("with_response").is_none_or(|with| with != "true") {
        return Ok(Reply::nothing());
    }
    let interaction = json!({
        "id": render::id(id), "type": known.kind as u8, "response_message_id": original.map(render::id),
        "response_message_loading": kind == 5, "response_message_ephemeral": ephemeral,
    });
    Ok(Reply::ok(json!({ "interaction": interaction })))
}

/// Which types of answers fit which interaction.
fn fits(known: &Interaction, kind: u64) -> bool {
    match known.kind {
        InteractionKind::Command => matches!(kind, 4 | 5 | 9),
        InteractionKind::Component => matches!(kind, 4..=7 | 9),
        InteractionKind::Autocomplete => kind == 8,
        InteractionKind::Modal => matches!(kind, 4 | 5) || (matches!(kind, 6 | 7) && known.message.is_some()),
    }
}

fn say(world: &mut World, interaction: Id, call: &Call) -> Result<Id, ApiError> {
    let draft = form::read(call, "data")?;
    let message = put(world, interaction, draft)?;
    remember(world, interaction, message);
    Ok(message)
}

/// A message that comes from an interaction.
pub(crate) fn put(world: &mut World, interaction: Id, draft: form::Draft) -> Result<Id, ApiError> {
    let known = world.interactions.get(&interaction).ok_or_else(|| ApiError::known(10_062))?;
    let (channel, user, is_command) = (known.channel, known.user, known.kind == InteractionKind::Command);
    let message = post::put_as(world, channel, draft, |message| {
        message.interaction = Some(interaction);
        message.kind = if is_command { MessageKind::Command } else { message.kind };
        message.ephemeral_for = (message.flags & EPHEMERAL != 0).then_some(user);
    })?;
    if let Some(known) = world.interactions.get_mut(&interaction) {
        known.messages.push(message);
    }
    Ok(message)
}

/// "Callboard is thinking…", which has no text until it is edited.
fn thinking(world: &mut World, interaction: Id, ephemeral: bool) -> Id {
    let (id, bot, now) = (world.id(), world.bot, world.now);
    let known = world.interactions.get(&interaction).map(|known| (known.channel, known.user));
    let (channel, user) = known.unwrap_or_default();
    let mut message = Message::new(id, channel, bot, "", now);
    message.flags = LOADING | if ephemeral { EPHEMERAL } else { 0 };
    message.ephemeral_for = ephemeral.then_some(user);
    (message.kind, message.interaction) = (MessageKind::Command, Some(interaction));
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.insert(id, message);
    }
    if let Some(known) = world.interactions.get_mut(&interaction) {
        known.messages.push(id);
    }
    crate::discord::dispatch::message(world, "MESSAGE_CREATE", channel, id);
    id
}

fn remember(world: &mut World, interaction: Id, original: Id) {
    if let Some(known) = world.interactions.get_mut(&interaction) {
        known.original = Some(original);
    }
}

/// Type 7: the message whose component was used changes.
fn update(world: &mut World, interaction: Id, call: &Call) -> Result<(), ApiError> {
    let draft = form::read(call, "data")?;
    let known = world.interactions.get(&interaction).ok_or_else(|| ApiError::known(10_062))?;
    let (channel, message) = (known.channel, known.message.ok_or_else(|| ApiError::known(10_008))?);
    post::change(world, channel, message, &call.body["data"], draft)?;
    remember(world, interaction, message);
    Ok(())
}

fn choices(given: &Value) -> Result<Vec<Value>, ApiError> {
    let list = given
        .as_array()
        .ok_or_else(|| ApiError::form("data.choices", "BASE_TYPE_REQUIRED", "This field is required"))?;
    if list.len() > 25 {
        return Err(ApiError::form("data.choices", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length."));
    }
    for (at, choice) in list.iter().enumerate() {
        let path = format!("data.choices.{at}");
        component::text(choice, &path, "name", 1, 100)?;
        if choice["value"].is_string() {
            component::text(choice, &path, "value", 1, 100)?;
        }
    }
    Ok(list.clone())
}
