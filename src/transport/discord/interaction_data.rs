//! One interaction, read from what came as it is.

use serde_json::Value;

use crate::domain::discord::{Author, Press};

#[derive(Debug)]
pub(super) struct Interaction {
    pub(super) id: u64,
    /// By which it is answered.
    pub(super) token: String,
    pub(super) channel: u64,
    pub(super) guild: Option<u64>,
    pub(super) author: Author,
    /// The message that what was pressed stands below.
    pub(super) on: Option<u64>,
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
            on: data.pointer("/message/id").and_then(Value::as_str).and_then(|id| id.parse().ok()),
            data: data.get("data").cloned().unwrap_or_default(),
        };
        Some((data.get("type")?.as_u64()?, read))
    }

    pub(super) fn press(&self) -> Option<Press> {
        Press::parse(self.data.get("custom_id")?.as_str()?)
    }

    /// The message that a command was used on, and what it says.
    pub(super) fn message(&self) -> Option<(u64, String)> {
        let id = self.data.get("target_id")?.as_str()?;
        let text = self.data.pointer(&format!("/resolved/messages/{id}/content")).and_then(Value::as_str);
        Some((id.parse().ok()?, text.unwrap_or_default().to_owned()))
    }

    /// What was typed into this field of a modal; empty where nothing was.
    pub(super) fn entered(&self, field: &str) -> String {
        let rows = self.data.get("components").and_then(Value::as_array);
        let rows = || rows.into_iter().flatten();
        let inputs = rows().filter_map(|row| row.get("components")?.as_array()).flatten();
        // A label around an input holds it in `component`.
        let mut inputs = inputs.chain(rows().filter_map(|row| row.get("component")));
        let of_field = |input: &&Value| input.get("custom_id").and_then(Value::as_str) == Some(field);
        let found = inputs.find(of_field).and_then(|input| input.get("value")?.as_str());
        found.unwrap_or_default().to_owned()
    }
}
