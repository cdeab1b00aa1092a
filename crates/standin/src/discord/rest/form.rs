//! The body of a message: which are good, and what they say.

use serde_json::{Value, json};

use super::call::Call;
use super::component;
use super::error::ApiError;
use crate::discord::mention::Allowed;
use crate::discord::model::message::{COMPONENTS_V2, EPHEMERAL};
use crate::discord::model::snowflake::Id;

const CONTENT_AT_MOST: usize = 2_000;
const EMBEDS_AT_MOST: usize = 10;
/// Characters of all embeds of a message.
const EMBED_TEXT_AT_MOST: usize = 6_000;
const FILES_AT_MOST: usize = 10;
/// A file of a bot on a server without boosts.
const FILE_AT_MOST: usize = 10 * 1024 * 1024;
const NONCE_AT_MOST: usize = 25;
/// `EPHEMERAL`, `SUPPRESS_EMBEDS`, `SUPPRESS_NOTIFICATIONS`, `IS_COMPONENTS_V2`.
const FLAGS: u64 = EPHEMERAL | (1 << 2) | (1 << 12) | COMPONENTS_V2;

/// A message that may be sent.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) content: String,
    pub(crate) embeds: Vec<Value>,
    pub(crate) components: Vec<Value>,
    pub(crate) attachments: Vec<Value>,
    pub(crate) flags: u64,
    pub(crate) allowed: Allowed,
    pub(crate) nonce: Option<Value>,
    pub(crate) enforce_nonce: bool,
    /// The message that it answers, and whether it fails when that is gone.
    pub(crate) reply_to: Option<(Id, bool)>,
}

/// Reads the body of a message; `at` is where it stands: empty, or `data` in the answer of an interaction.
pub(crate) fn read(call: &Call, at: &str) -> Result<Draft, ApiError> {
    let body = if at.is_empty() { &call.body } else { &call.body[at] };
    if !body.is_object() {
        return Err(ApiError::form(at, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a model."));
    }
    let flags = body["flags"].as_u64().unwrap_or_default();
    if flags & !FLAGS != 0 {
        return Err(ApiError::form("flags", "BASE_TYPE_CHOICES", "Not a flag that a message may be sent with."));
    }
    let is_v2 = flags & COMPONENTS_V2 != 0;
    component::text(body, "", "content", 0, CONTENT_AT_MOST)?;
    let content = body["content"].as_str().unwrap_or_default();
    let embeds = list(body, "embeds", EMBEDS_AT_MOST)?;
    if is_v2 && (!content.is_empty() || !embeds.is_empty()) {
        let sentence = "The 'content' and 'embeds' fields cannot be used with MessageFlags.IS_COMPONENTS_V2";
        return Err(ApiError::form("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", sentence));
    }
    check_embeds(&embeds)?;
    component::check(&body["components"], is_v2)?;
    let components = body["components"].as_array().cloned().unwrap_or_default();
    let attachments = attachments(call, body)?;
    Ok(Draft {
        content: content.into(),
        embeds,
        components,
        attachments,
        flags,
        allowed: allowed(&body["allowed_mentions"])?,
        nonce: nonce(&body["nonce"])?,
        enforce_nonce: body["enforce_nonce"] == json!(true),
        reply_to: reply(&body["message_reference"])?,
    })
}

impl Draft {
    /// Discord trims a text; one that is empty then, with nothing beside it, is refused.
    pub(crate) fn is_empty(&self) -> bool {
        let beside = [&self.embeds, &self.components, &self.attachments];
        self.content.trim().is_empty() && beside.iter().all(|list| list.is_empty())
    }
}

fn list(body: &Value, field: &'static str, most: usize) -> Result<Vec<Value>, ApiError> {
    let list = match &body[field] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            return Err(ApiError::form(field, "BASE_TYPE_INVALID", "Only a list is allowed here."));
        }
    };
    if list.len() > most {
        return Err(ApiError::form(field, "BASE_TYPE_MAX_LENGTH", format!("Must be {most} or fewer in length.")));
    }
    Ok(list.clone())
}

fn check_embeds(embeds: &[Value]) -> Result<(), ApiError> {
    let mut characters = 0;
    for (at, embed) in embeds.iter().enumerate() {
        let path = format!("embeds.{at}");
        component::text(embed, &path, "title", 0, 256)?;
        component::text(embed, &path, "description", 0, 4_096)?;
        let fields = embed["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        if fields.len() > 25 {
            return Err(ApiError::form(
                &format!("{path}.fields"),
                "BASE_TYPE_MAX_LENGTH",
                "Must be 25 or fewer in length.",
            ));
        }
        for (at, field) in fields.iter().enumerate() {
            let path = format!("{path}.fields.{at}");
            component::text(field, &path, "name", 1, 256)?;
            component::text(field, &path, "value", 1, 1_024)?;
        }
        component::text(&embed["footer"], &format!("{path}.footer"), "text", 0, 2_048)?;
        component::text(&embed["author"], &format!("{path}.author"), "name", 0, 256)?;
        let texts = [&embed["title"], &embed["description"], &embed["footer"]["text"], &embed["author"]["name"]];
        let of_fields = fields.iter().flat_map(|field| [&field["name"], &field["value"]]);
        let lengths = texts.into_iter().chain(of_fields).filter_map(Value::as_str).map(|text| text.chars().count());
        characters += lengths.sum::<usize>();
    }
    if characters > EMBED_TEXT_AT_MOST {
        return Err(ApiError::form("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000"));
    }
    Ok(())
}

fn attachments(call: &Call, body: &Value) -> Result<Vec<Value>, ApiError> {
    let named = body["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    if call.files.len() > FILES_AT_MOST {
        return Err(ApiError::form("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length."));
    }
    for (at, name) in named.iter().enumerate() {
        let number = name["id"].as_u64().or_else(|| name["id"].as_str()?.parse().ok());
        if !number.is_some_and(|number| call.files.iter().any(|file| file.number == number)) {
            let path = format!("attachments.{at}.id");
            return Err(ApiError::form(&path, "ATTACHMENT_NOT_FOUND", "No file of the form has this id."));
        }
    }
    if call.files.iter().any(|file| file.bytes.len() > FILE_AT_MOST) {
        return Err(ApiError::known(40_005).with_status(413));
    }
    let shown = call.files.iter().map(|file| {
        let content = String::from_utf8_lossy(&file.bytes);
        json!({ "filename": file.name, "size": file.bytes.len(), "number": file.number, "text": content })
    });
    Ok(shown.collect())
}

fn allowed(given: &Value) -> Result<Allowed, ApiError> {
    if given.is_null() {
        return Ok(Allowed::everything());
    }
    let texts = |field: &str| -> Vec<String> {
        given[field].as_array().into_iter().flatten().filter_map(Value::as_str).map(String::from).collect()
    };
    let parse = texts("parse");
    let [users, roles] = ["users", "roles"].map(|field| {
        let ids: Vec<Id> = texts(field).iter().filter_map(|id| id.parse().ok()).collect();
        let all = given[field].as_array().map_or(0, Vec::len);
        let path = format!("allowed_mentions.{field}");
        if ids.len() != all {
            return Err(ApiError::form(&path, "NUMBER_TYPE_COERCE", "Value is not snowflake."));
        }
        if all > 0 && parse.iter().any(|kind| kind == field) {
            let sentence = format!("parse:[\"{field}\"] and {field}: [ids...] are mutually exclusive.");
            return Err(ApiError::form("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", sentence));
        }
        if all > 100 {
            return Err(ApiError::form(&path, "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length."));
        }
        Ok(ids)
    });
    if let Some(wrong) = parse.iter().find(|kind| !["users", "roles", "everyone"].contains(&kind.as_str())) {
        return Err(ApiError::form(
            "allowed_mentions.parse.0",
            "BASE_TYPE_CHOICES",
            format!("Value \"{wrong}\" is unknown."),
        ));
    }
    Ok(Allowed { parse, users: users?, roles: roles?, replied_user: given["replied_user"] == json!(true) })
}

fn nonce(given: &Value) -> Result<Option<Value>, ApiError> {
    match given {
        Value::Null => Ok(None),
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(Some(given.clone())),
        Value::String(text) if text.chars().count() <= NONCE_AT_MOST => Ok(Some(given.clone())),
        Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(ApiError::form("nonce", "BASE_TYPE_MAX_LENGTH", "Must be an integer, or 25 or fewer in length."))
        }
    }
}

fn reply(reference: &Value) -> Result<Option<(Id, bool)>, ApiError> {
    if reference.is_null() {
        return Ok(None);
    }
    let id = reference["message_id"].as_str().and_then(|id| id.parse().ok());
    let wrong = || ApiError::form("message_reference.message_id", "NUMBER_TYPE_COERCE", "Value is not snowflake.");
    Ok(Some((id.ok_or_else(wrong)?, reference["fail_if_not_exists"] != json!(false))))
}
