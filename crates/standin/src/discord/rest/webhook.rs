//! What follows the first answer of an interaction: for fifteen minutes, by its token.

use std::time::Duration;

use super::call::{Call, Outcome, Reply};
use super::error::ApiError;
use super::{form, interaction, post};
use crate::discord::model::interaction::{Answer, Interaction};
use crate::discord::model::message::LOADING;
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::{dispatch, render};

/// How long the token of an interaction lives.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60);

/// The interaction of the token in the path.
fn known<'a>(world: &'a World, call: &Call) -> Result<&'a Interaction, ApiError> {
    if call.id("application")? != world.bot {
        return Err(ApiError::known(10_015));
    }
    let found = world.interactions.values().find(|known| known.token == call.param("token"));
    let found = found.ok_or_else(|| ApiError::known(10_015))?;
    if world.now.since(found.made) > TOKEN_LIVES {
        return Err(ApiError::known(50_027));
    }
    // Until the first answer there is no webhook.
    found.answer.as_ref().map(|_| found).ok_or_else(|| ApiError::known(10_015))
}

/// The message that the path means: `@original`, or one that came from the interaction.
fn meant(world: &World, call: &Call) -> Result<(Id, Id), ApiError> {
    let known = known(world, call)?;
    let message = if call.param("message") == "@original" {
        known.original.or(known.message.filter(|_| known.answer == Some(Answer::DeferredUpdate)))
    } else {
        Some(call.id("message")?).filter(|id| known.messages.contains(id) || known.message == Some(*id))
    };
    let message = message.ok_or_else(|| ApiError::known(10_008))?;
    world.message(known.channel, message).ok_or_else(|| ApiError::known(10_008))?;
    Ok((known.channel, message))
}

/// POST: a further message; the first one after "is thinking" takes its place.
pub(crate) fn follow_up(world: &mut World, call: &Call) -> Outcome {
    let found = known(world, call)?;
    let (id, channel, original) = (found.id, found.channel, found.original);
    let draft = form::read(call, "")?;
    let loading = original.filter(|id| world.message(channel, *id).is_some_and(|message| message.flags & LOADING != 0));
    let message = match loading {
        Some(loading) => {
            post::change(world, channel, loading, &call.body, draft)?;
            done_loading(world, channel, loading);
            loading
        }
        None => interaction::put(world, id, draft)?,
    };
    shown(world, channel, message)
}

pub(crate) fn get(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = meant(world, call)?;
    shown(world, channel, message)
}

pub(crate) fn edit(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = meant(world, call)?;
    let draft = form::read(call, "")?;
    post::change(world, channel, message, &call.body, draft)?;
    done_loading(world, channel, message);
    shown(world, channel, message)
}

pub(crate) fn delete(world: &mut World, call: &Call) -> Outcome {
    let (channel, message) = meant(world, call)?;
    if let Some(place) = world.channels.get_mut(&channel) {
        place.messages.remove(&message);
    }
    dispatch::deleted(world, channel, message);
    Ok(Reply::nothing())
}

fn done_loading(world: &mut World, channel: Id, message: Id) {
    if let Some(known) = world.message_mut(channel, message) {
        known.flags &= !LOADING;
    }
}

fn shown(world: &World, channel: Id, message: Id) -> Outcome {
    let known = world.message(channel, message).ok_or_else(|| ApiError::known(10_008))?;
    Ok(Reply::ok(render::message(world, known, true)))
}
