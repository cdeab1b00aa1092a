//! Somebody clicks, chooses, fills in a form, or uses a command.

use serde_json::{Value, json};
use thiserror::Error;

use crate::discord::model::interaction::{Answer, Interaction, InteractionKind};
use crate::discord::model::permission_bits::USE_APPLICATION_COMMANDS;
use crate::discord::model::snowflake::Id;
use crate::discord::model::world::World;
use crate::discord::rest::modal;
use crate::discord::{dispatch, permission, render};

/// Why a person cannot do what the test wants: Discord's own client would not let them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Impossible {
    /// No such message, or it is not seen.
    #[error("there is no message {0}")]
    NoMessage(Id),
    /// No such button, select, option or field.
    #[error("there is no `{wanted}` here, but: {found}")]
    NoComponent {
        /// What was looked for.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// The button cannot be pressed.
    #[error("`{0}` is disabled")]
    Disabled(String),
    /// The application did not register it, or it is used wrongly.
    #[error("the command cannot be used: {0}")]
    Command(String),
    /// The interaction was not answered with a form.
    #[error("interaction {0} shows no form")]
    NoForm(Id),
}

/// Every button and select of a message, wherever it lies.
pub(crate) fn components(list: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    for component in list {
        if component["type"].as_u64().is_some_and(|kind| kind == 2 || kind == 3 || (5..=8).contains(&kind)) {
            found.push(component);
        }
        found.extend(components(component["components"].as_array().map(Vec::as_slice).unwrap_or_default()));
        if component["accessory"].is_object() {
            found.extend(components(std::slice::from_ref(&component["accessory"])));
        }
    }
    found
}

/// The component of `message` whose label, placeholder or id is `wanted`.
fn component(world: &World, message: Id, wanted: &str) -> Result<(Id, Value), Impossible> {
    let channel = world.place_of(message).ok_or(Impossible::NoMessage(message))?;
    let known = world.message(channel, message).ok_or(Impossible::NoMessage(message))?;
    let all = components(&known.components);
    let name = |one: &&&Value| ["label", "placeholder", "custom_id"].iter().any(|field| one[*field] == wanted);
    let Some(found) = all.iter().find(name) else {
        let labels = all.iter().map(|one| one["label"].as_str().or(one["placeholder"].as_str()).unwrap_or("?"));
        return Err(Impossible::NoComponent { wanted: wanted.into(), found: labels.collect::<Vec<_>>().join(", ") });
    };
    if found["disabled"] == json!(true) {
        return Err(Impossible::Disabled(wanted.into()));
    }
    Ok((channel, (*found).clone()))
}

pub(crate) fn click(world: &mut World, whom: Id, message: Id, button: &str) -> Result<Id, Impossible> {
    let (channel, found) = component(world, message, button)?;
    let data = json!({ "custom_id": found["custom_id"], "component_type": 2, "id": 2 });
    Ok(interact(world, InteractionKind::Component, whom, channel, Some(message), data))
}

/// A click on a button that the message has no more: the client of whoever clicks shows it as it was.
pub(crate) fn click_unseen(world: &mut World, whom: Id, message: Id, custom_id: &str) -> Result<Id, Impossible> {
    let channel = world.place_of(message).ok_or(Impossible::NoMessage(message))?;
    let data = json!({ "custom_id": custom_id, "component_type": 2, "id": 2 });
    Ok(interact(world, InteractionKind::Component, whom, channel, Some(message), data))
}

pub(crate) fn pick(world: &mut World, whom: Id, message: Id, select: &str, wanted: &[&str]) -> Result<Id, Impossible> {
    let (channel, found) = component(world, message, select)?;
    let options = found["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut values = Vec::new();
    for wanted in wanted {
        let option = options.iter().find(|option| option["label"] == *wanted || option["value"] == *wanted);
        let labels = || options.iter().filter_map(|option| option["label"].as_str()).collect::<Vec<_>>().join(", ");
        let none = || Impossible::NoComponent { wanted: (*wanted).into(), found: labels() };
        values.push(option.ok_or_else(none)?["value"].clone());
    }
    let data = json!({ "custom_id": found["custom_id"], "component_type": found["type"], "values": values, "id": 2 });
    Ok(interact(world, InteractionKind::Component, whom, channel, Some(message), data))
}

/// Fills in the form that `shown` was answered with; fields by id or label, the others keep what they held.
pub(crate) fn submit(world: &mut World, shown: Id, fields: &[(&str, &str)]) -> Result<Id, Impossible> {
    let known = world.interactions.get(&shown).ok_or(Impossible::NoForm(shown))?;
    let Some(Answer::Modal(form)) = &known.answer else { return Err(Impossible::NoForm(shown)) };
    let (whom, channel, message) = (known.user, known.channel, known.message);
    let mut filled = Vec::new();
    let mut named = Vec::new();
    for field in form["components"].as_array().into_iter().flatten() {
        let Some(input) = modal::inside(field) else { continue };
        let label = field["label"].as_str().or(input["label"].as_str()).unwrap_or_default();
        let id = input["custom_id"].as_str().unwrap_or_default();
        let given = fields.iter().find(|(name, _)| *name == id || *name == label).map(|(_, value)| *value);
        let value = given.or(input["value"].as_str()).unwrap_or_default();
        let required = input["required"] != json!(false) && input["type"] == 4;
        let length = value.chars().count() as u64;
        let fits = length <= input["max_length"].as_u64().unwrap_or(4_000)
            && (length >= input["min_length"].as_u64().unwrap_or(0) || (length == 0 && !required));
        if (required && value.is_empty()) || !fits {
            return Err(Impossible::NoComponent { wanted: format!("a text that fits `{label}`"), found: value.into() });
        }
        named.extend([id, label]);
        let inside = match input["type"].as_u64() {
            Some(3) => json!({ "type": 3, "custom_id": id, "values": [value], "id": 3 }),
            _ => json!({ "type": input["type"], "custom_id": id, "value": value, "id": 3 }),
        };
        filled.push(match field["type"].as_u64() {
            Some(1) => json!({ "type": 1, "id": 2, "components": [inside] }),
            _ => json!({ "type": field["type"], "id": 2, "component": inside }),
        });
    }
    if let Some((wanted, _)) = fields.iter().find(|(name, _)| !named.contains(name)) {
        return Err(Impossible::NoComponent { wanted: (*wanted).into(), found: named.join(", ") });
    }
    let data = json!({ "custom_id": form["custom_id"], "components": filled });
    Ok(interact(world, InteractionKind::Modal, whom, channel, message, data))
}

/// A slash command; `focused` makes it the question for choices of that option.
pub(crate) fn command(
    world: &mut World,
    whom: Id,
    channel: Id,
    name: &str,
    given: &[(&str, &str)],
    focused: Option<&str>,
) -> Result<Id, Impossible> {
    let command = registered(world, whom, channel, name, 1)?;
    let known = command["options"].as_array().cloned().unwrap_or_default();
    let mut options = Vec::new();
    for (option, value) in given {
        let of = known.iter().find(|known| known["name"] == *option);
        let of = of.ok_or_else(|| Impossible::Command(format!("`/{name}` has no option `{option}`")))?;
        let typed = match of["type"].as_u64() {
            Some(4) => value.parse::<i64>().map(|number| json!(number)).ok(),
            Some(5) => value.parse::<bool>().map(|truth| json!(truth)).ok(),
            Some(10) => value.parse::<f64>().map(|number| json!(number)).ok(),
            _ => Some(json!(value)),
        };
        let typed = typed.ok_or_else(|| Impossible::Command(format!("`{value}` does not fit `{option}`")))?;
        let choices = of["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        if focused.is_none() && !choices.is_empty() && !choices.iter().any(|choice| choice["value"] == typed) {
            return Err(Impossible::Command(format!("`{value}` is no choice of `{option}`")));
        }
        let mut shown = json!({ "name": option, "type": of["type"], "value": typed });
        if focused == Some(option) {
            if of["autocomplete"] != json!(true) {
                return Err(Impossible::Command(format!("`{option}` has no autocomplete")));
            }
            shown["focused"] = json!(true);
        }
        options.push(shown);
    }
    let needed = known
        .iter()
        .find(|known| known["required"] == json!(true) && !given.iter().any(|(option, _)| known["name"] == *option));
    if let Some(needed) = needed.filter(|_| focused.is_none()) {
        return Err(Impossible::Command(format!("`{}` is required", needed["name"].as_str().unwrap_or_default())));
    }
    let data =
        json!({ "id": command["id"], "name": name, "type": 1, "options": options, "guild_id": command["guild_id"] });
    let kind = if focused.is_some() { InteractionKind::Autocomplete } else { InteractionKind::Command };
    Ok(interact(world, kind, whom, channel, None, data))
}

/// A command from the menu of a message.
pub(crate) fn use_on(world: &mut World, whom: Id, message: Id, name: &str) -> Result<Id, Impossible> {
    let channel = world.place_of(message).ok_or(Impossible::NoMessage(message))?;
    let command = registered(world, whom, channel, name, 3)?;
    let known = world.message(channel, message).ok_or(Impossible::NoMessage(message))?;
    let shown = render::message(world, known, true);
    let data = json!({
        "id": command["id"], "name": name, "type": 3, "target_id": render::id(message),
        "guild_id": command["guild_id"], "resolved": { "messages": { message.to_string(): shown } },
    });
    Ok(interact(world, InteractionKind::Command, whom, channel, None, data))
}

fn registered(world: &World, whom: Id, channel: Id, name: &str, kind: u64) -> Result<Value, Impossible> {
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let guild = guild.filter(|guild| world.bot_is_in(*guild));
    let commands = guild.and_then(|guild| world.guilds.get(&guild)).map(|guild| guild.commands.as_slice());
    let found = commands.into_iter().flatten().find(|known| known["name"] == name && known["type"] == kind);
    let found = found.ok_or_else(|| Impossible::Command(format!("`{name}` is not registered here")))?;
    if permission::in_channel(world, whom, channel) & USE_APPLICATION_COMMANDS == 0 {
        return Err(Impossible::Command("commands may not be used in this channel".into()));
    }
    Ok(found.clone())
}

fn interact(world: &mut World, kind: InteractionKind, whom: Id, channel: Id, message: Option<Id>, data: Value) -> Id {
    let (id, made) = (world.id(), world.now);
    let token = format!("interaction-token-{id}");
    let mut event = json!({
        "id": render::id(id), "application_id": render::id(world.bot), "type": kind as u8, "token": token, "version": 1,
        "data": data, "channel_id": render::id(channel), "locale": "en-US", "entitlements": [],
        "attachment_size_limit": 10_485_760, "context": 0,
        "app_permissions": permission::in_channel(world, world.bot, channel).to_string(),
    });
    let place = world.channels.get(&channel);
    if let Some(place) = place {
        event["channel"] = render::channel(world, place);
    }
    match place.and_then(|place| place.guild) {
        Some(guild) => {
            event["guild_id"] = render::id(guild);
            event["guild"] = json!({ "id": render::id(guild), "locale": "en-US", "features": [] });
            event["guild_locale"] = json!("en-US");
            event["member"] = render::member(world, guild, whom);
            event["member"]["permissions"] = json!(permission::in_channel(world, whom, channel).to_string());
            event["authorizing_integration_owners"] = json!({ "0": render::id(guild) });
        }
        None => {
            event["user"] = render::user(world, whom);
            event["context"] = json!(1);
            event["authorizing_integration_owners"] = json!({});
        }
    }
    if let Some(known) = message.and_then(|message| world.message(channel, message)) {
        event["message"] = render::message(world, known, true);
    }
    let (answer, original, messages) = (None, None, Vec::new());
    world
        .interactions
        .insert(id, Interaction { id, token, kind, user: whom, channel, message, made, answer, original, messages });
    dispatch::to_everybody(world, "INTERACTION_CREATE", &event);
    id
}
