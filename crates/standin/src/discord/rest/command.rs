//! Commands of the application in a server: one PUT replaces all of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::call::{Call, Outcome, Reply};
use super::error::ApiError;
use super::{check, component};
use crate::discord::model::world::World;
use crate::discord::render;

/// Commands of one kind: slash commands, and 5 (later 15) of those on a message.
const AT_MOST: [(u64, usize); 3] = [(1, 100), (2, 15), (3, 15)];

pub(crate) fn replace(world: &mut World, call: &Call) -> Outcome {
    let guild = call.id("guild")?;
    if call.id("application")? != world.bot {
        return Err(ApiError::known(20_012).with_status(403));
    }
    check::guild(world, guild).map_err(|_| ApiError::known(50_001))?;
    let Some(list) = call.body.as_array() else {
        return Err(ApiError::form("commands", "BASE_TYPE_INVALID", "Only a list is allowed here."));
    };
    let mut names = BTreeSet::new();
    for (at, command) in list.iter().enumerate() {
        check_command(command, &at.to_string())?;
        if !names.insert((kind(command), command["name"].as_str().unwrap_or_default())) {
            let path = format!("{at}.name");
            return Err(ApiError::form(&path, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Names must be unique."));
        }
    }
    for (of, most) in AT_MOST {
        if list.iter().filter(|command| kind(command) == of).count() > most {
            return Err(ApiError::known(30_032));
        }
    }
    let mut commands = Vec::new();
    for command in list {
        let (mut kept, id, version) = (command.clone(), world.id(), world.id());
        kept["type"] = json!(kind(command));
        kept["id"] = render::id(id);
        kept["version"] = render::id(version);
        kept["application_id"] = render::id(world.bot);
        kept["guild_id"] = render::id(guild);
        for (field, default) in [("description", json!("")), ("default_member_permissions", Value::Null)] {
            if kept.get(field).is_none() {
                kept[field] = default;
            }
        }
        commands.push(kept);
    }
    if let Some(known) = world.guilds.get_mut(&guild) {
        known.commands.clone_from(&commands);
    }
    Ok(Reply::ok(Value::Array(commands)))
}

pub(crate) fn list(world: &mut World, call: &Call) -> Outcome {
    let guild = call.id("guild")?;
    check::guild(world, guild).map_err(|_| ApiError::known(50_001))?;
    let commands = world.guilds.get(&guild).map(|guild| guild.commands.clone()).unwrap_or_default();
    Ok(Reply::ok(Value::Array(commands)))
}

fn kind(command: &Value) -> u64 {
    command["type"].as_u64().unwrap_or(1)
}

fn check_command(command: &Value, path: &str) -> Result<(), ApiError> {
    component::text(command, path, "name", 1, 32)?;
    if kind(command) == 1 {
        check_name(command, path)?;
        component::text(command, path, "description", 1, 100)?;
        check_options(&command["options"], path)
    } else if command["description"].as_str().is_some_and(|text| !text.is_empty()) {
        let sentence = "Context menu commands cannot have description";
        Err(ApiError::form(&format!("{path}.description"), "APPLICATION_COMMAND_CONTEXT_MENU", sentence))
    } else {
        Ok(())
    }
}

fn check_name(named: &Value, path: &str) -> Result<(), ApiError> {
    let name = named["name"].as_str().unwrap_or_default();
    let fits = |letter: char| letter.is_alphanumeric() && letter.to_lowercase().eq([letter]) || "-_'".contains(letter);
    if name.chars().all(fits) {
        return Ok(());
    }
    Err(ApiError::form(&format!("{path}.name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"))
}

fn check_options(options: &Value, path: &str) -> Result<(), ApiError> {
    let list = options.as_array().map(Vec::as_slice).unwrap_or_default();
    if list.len() > 25 {
        return Err(ApiError::form(
            &format!("{path}.options"),
            "BASE_TYPE_MAX_LENGTH",
            "Must be 25 or fewer in length.",
        ));
    }
    let mut optional_before = false;
    for (at, option) in list.iter().enumerate() {
        let path = format!("{path}.options.{at}");
        component::text(option, &path, "name", 1, 32)?;
        check_name(option, &path)?;
        component::text(option, &path, "description", 1, 100)?;
        if !option["type"].as_u64().is_some_and(|kind| (1..=11).contains(&kind)) {
            return Err(ApiError::form(&format!("{path}.type"), "BASE_TYPE_CHOICES", "Not a type of an option."));
        }
        let required = option["required"] == json!(true);
        if required && optional_before {
            let sentence = "Required options must be placed before non-required options";
            return Err(ApiError::form(&path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", sentence));
        }
        optional_before |= !required;
        let choices = option["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        if choices.len() > 25 || (!choices.is_empty() && option["autocomplete"] == json!(true)) {
            let sentence = "At most 25, and none beside autocomplete.";
            return Err(ApiError::form(&format!("{path}.choices"), "BASE_TYPE_MAX_LENGTH", sentence));
        }
        for (at, choice) in choices.iter().enumerate() {
            component::text(choice, &format!("{path}.choices.{at}"), "name", 1, 100)?;
        }
    }
    Ok(())
}
