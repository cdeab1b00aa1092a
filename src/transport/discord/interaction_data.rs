//! One interaction, read from what came as it is.

use serde_json::Value;

use crate::domain::discord::{Author, Press};

/// One interaction, read.
#[derive(Debug)]
pub(super) struct Interaction {
    /// Its id.
    pub(super) id: u64,
    /// By which it is answered.
    pub(super) token: String,
    /// Where.
    pub(super) channel: u64,
    /// In which guild.
    pub(super) guild: Option<u64>,
    /// Who.
    pub(super) author: Author,
    /// What was pressed, chosen, typed.
    pub(super) data: Value,
}

impl Interaction {
    /// Reads one, with its kind; none where it has no ids.
    pub(super) fn read(data: &Value) -> Option<(u64, Self)> {
        let id = |key: &str| data.get(key).and_then(Value::as_str).and_then(|id| id.parse().ok());
        let member = data.get("member");
        let user = member.and_then(|member| member.get("user")).or_else(|| data.get("user"))?;
        let read = Self {
            id: id("id")?,
            token: data.get("token")?.as_str()?.to_owned(),
            channel: id("channel_id").unwrap_or_default(),
            guild: id("guild_id"),
            author: Author::read(user, member)?,
            data: data.get("data").cloned().unwrap_or_default(),
        };
        Some((data.get("type")?.as_u64()?, read))
    }

    /// The `custom_id` of what was pressed.
    pub(super) fn press(&self) -> Option<Press> {
        Press::parse(self.data.get("custom_id")?.as_str()?)
    }
}
