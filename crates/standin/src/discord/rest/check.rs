//! What every channel route asks first: does the channel exist, and may the bot do that there.

use super::error::ApiError;
use crate::discord::model::permission_bits::{SEND_MESSAGES, SEND_MESSAGES_IN_THREADS, VIEW_CHANNEL};
use crate::discord::model::place::{Channel, ChannelKind};
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::permission;

/// The channel, if the bot sees it and has all permissions of `needed`.
pub(crate) fn channel(world: &World, channel: Id, needed: u64) -> Result<&Channel, ApiError> {
    let known = world.channels.get(&channel).ok_or_else(|| ApiError::known(10_003))?;
    let permissions = permission::in_channel(world, world.bot, channel);
    if permissions & VIEW_CHANNEL == 0 {
        return Err(ApiError::known(50_001));
    }
    if permissions & needed != needed {
        return Err(ApiError::known(50_013));
    }
    Ok(known)
}

/// The channel, if the bot may write in it.
pub(crate) fn writable(world: &World, id: Id) -> Result<&Channel, ApiError> {
    let is_thread = world.channels.get(&id).is_some_and(|known| known.kind == ChannelKind::Thread);
    let known = channel(world, id, if is_thread { SEND_MESSAGES_IN_THREADS } else { SEND_MESSAGES })?;
    if !known.holds_text() {
        return Err(ApiError::known(50_008));
    }
    if known.recipients.iter().any(|whom| world.users.get(whom).is_some_and(|user| user.closed)) {
        return Err(ApiError::known(50_007));
    }
    if known.locked && known.archived {
        return Err(ApiError::known(50_083));
    }
    Ok(known)
}

/// A thread that is archived takes no edits and no reactions.
pub(crate) fn not_archived(known: &Channel) -> Result<(), ApiError> {
    if known.archived { Err(ApiError::known(50_083)) } else { Ok(()) }
}

/// The server, if the bot is in it.
pub(crate) fn guild(world: &World, guild: Id) -> Result<(), ApiError> {
    if world.bot_is_in(guild) { Ok(()) } else { Err(ApiError::known(10_004)) }
}
