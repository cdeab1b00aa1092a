//! Discord's permission bits, and what everybody may in a new server.

/// All permissions, whatever overwrites say.
pub const ADMINISTRATOR: u64 = 1 << 3;
/// React with an emoji that is not there yet.
pub const ADD_REACTIONS: u64 = 1 << 6;
/// See the channel at all.
pub const VIEW_CHANNEL: u64 = 1 << 10;
/// Write in a channel that is no thread.
pub const SEND_MESSAGES: u64 = 1 << 11;
/// Delete what others wrote.
pub const MANAGE_MESSAGES: u64 = 1 << 13;
pub const EMBED_LINKS: u64 = 1 << 14;
pub const ATTACH_FILES: u64 = 1 << 15;
/// Read what was written before.
pub const READ_MESSAGE_HISTORY: u64 = 1 << 16;
/// Ping everyone, and roles that are not mentionable.
pub const MENTION_EVERYONE: u64 = 1 << 17;
pub const USE_APPLICATION_COMMANDS: u64 = 1 << 31;
/// Rename, lock and reopen threads.
pub const MANAGE_THREADS: u64 = 1 << 34;
/// Begin a thread.
pub const CREATE_PUBLIC_THREADS: u64 = 1 << 35;
/// Write in threads.
pub const SEND_MESSAGES_IN_THREADS: u64 = 1 << 38;

/// What `@everyone` may in a new server.
pub(crate) const BY_DEFAULT: u64 = ADD_REACTIONS
    | VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_MESSAGE_HISTORY
    | USE_APPLICATION_COMMANDS
    | CREATE_PUBLIC_THREADS
    | SEND_MESSAGES_IN_THREADS;
