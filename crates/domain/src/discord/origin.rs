//! Where a task was asked for on Discord, and so where everything about it is said. It stands in the task's context
//! before the task is offered to anybody.

use serde_json::{Value, json};

use crate::task::{OriginKind, TaskSpec};

/// Where a task was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscordOrigin {
    pub channel: u64,
    /// The message of the request. A thread that begins at a message has the message's id.
    pub message: u64,
    pub author: u64,
    /// Whether a thread begins at the message; otherwise everything is said in the channel, as a reply.
    pub thread: bool,
    /// Whether it was asked for by direct message: then it is listed for nobody else.
    pub direct: bool,
    /// Who wrote the message, where it is not the request itself: that was made by a command, in its own words.
    pub written_by: Option<u64>,
}

impl DiscordOrigin {
    /// As it stands in a task's context.
    pub fn to_context(self) -> Value {
        let mut context = json!({
            "channel": self.channel.to_string(),
            "message": self.message.to_string(),
            "author": self.author.to_string(),
            "thread": self.thread,
        });
        if self.direct {
            context["direct"] = json!(true);
        }
        if let Some(writer) = self.written_by {
            context["writtenBy"] = json!(writer.to_string());
        }
        context
    }

    /// Where a task was asked for; none where nobody asked on Discord. Of what others write into a context
    /// nothing is believed.
    pub fn of_task(spec: &TaskSpec) -> Option<Self> {
        if spec.from.kind != OriginKind::Discord {
            return None;
        }
        Self::read(spec.context.as_ref()?.get("discord")?)
    }

    /// Reads what [`Self::to_context`] wrote.
    pub fn read(place: &Value) -> Option<Self> {
        let id = |key: &str| place.get(key)?.as_str()?.parse().ok();
        let thread = place.get("thread")?.as_bool()?;
        // Older hubs did not write it down.
        let direct = place.get("direct").and_then(Value::as_bool).unwrap_or(false);
        let (channel, message, author) = (id("channel")?, id("message")?, id("author")?);
        Some(Self { channel, message, author, thread, direct, written_by: id("writtenBy") })
    }

    /// Whether the author's request is gone with the message: nobody else's word takes it back.
    pub fn goes_with_message(self) -> bool {
        self.written_by.is_none_or(|writer| writer == self.author)
    }

    /// The channel in which everything is said: the thread, where there is one.
    pub const fn room(self) -> u64 {
        if self.thread { self.message } else { self.channel }
    }
}
