//! The system prompts as MCP prompts: `role/<role>`, with the agent's id as an optional argument.

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

use crate::domain::ids::AgentId;
use crate::domain::text::shown;
use crate::settings::{Settings, SystemPrompts};
use crate::tools::is_left_out;

/// What the name of every role's prompt begins with.
pub(super) const PREFIX: &str = "role/";

/// The argument that names the agent.
pub(super) const AGENT: &str = "agentId";

/// Every prompt, by name: one for each role that has a prompt or is configured.
pub(super) fn list(settings: &Settings, prompts: &SystemPrompts) -> Vec<Prompt> {
    roles(settings, prompts).iter().map(|role| prompt(settings, role)).collect()
}

/// One prompt, rendered. Fails when there is no such prompt, an argument is unknown, or its template fails.
pub(super) fn get(
    settings: &Settings,
    prompts: &SystemPrompts,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = || {
        let data = json!({"code": "UNKNOWN_PROMPT", "prompt": "List the prompts to see their names."});
        ErrorData::invalid_params("there is no such prompt: list the prompts to see their names", Some(data))
    };
    let role = name.strip_prefix(PREFIX).ok_or_else(unknown)?;
    let all = roles(settings, prompts);
    let role = settings.roles.find(role).map_or(role, |(id, _)| id.as_str());
    if !all.iter().any(|known| known == role) {
        return Err(unknown());
    }
    let agent = agent(arguments)?;
    let text = text(settings, prompts, role, agent.as_ref())?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(describe(settings, role)))
}

/// How a role works, in words; for one agent, where it is given. Fails when the role's template fails.
pub(super) fn text(
    settings: &Settings,
    prompts: &SystemPrompts,
    role: &str,
    agent: Option<&AgentId>,
) -> Result<String, ErrorData> {
    let rendered = prompts.render(role, &settings.prompt_vars(role, agent));
    rendered.map_err(|fault| ErrorData::internal_error(fault.to_string(), None))
}

fn agent(arguments: Option<&JsonObject>) -> Result<Option<AgentId>, ErrorData> {
    let Some(arguments) = arguments else { return Ok(None) };
    if let Some(other) = arguments.keys().find(|name| !matches!(name.as_str(), AGENT | "agent_id")) {
        let message = format!("`{}` is not an argument of this prompt: it takes `{AGENT}`", shown(other));
        return Err(ErrorData::invalid_params(message, None));
    }
    let given = arguments.get(AGENT).or_else(|| arguments.get("agent_id")).filter(|given| !is_left_out(given));
    match given {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => AgentId::parse(text)
            .map(Some)
            .map_err(|error| ErrorData::invalid_params(format!("`{AGENT}`: {error}"), None)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(ErrorData::invalid_params(format!("`{AGENT}` must be a string"), None))
        }
    }
}

/// Every role that has a prompt or is configured, by name.
pub(super) fn roles(settings: &Settings, prompts: &SystemPrompts) -> Vec<String> {
    let mut roles: Vec<String> = settings.roles.roles.keys().map(ToString::to_string).collect();
    roles.extend(prompts.roles().map(ToOwned::to_owned));
    roles.sort();
    roles.dedup();
    roles
}

fn prompt(settings: &Settings, role: &str) -> Prompt {
    let argument =
        PromptArgument::new(AGENT).with_description("The id of the agent that the prompt is for.").with_required(false);
    Prompt::new(format!("{PREFIX}{role}"), Some(describe(settings, role)), Some(vec![argument])).with_title(role)
}

/// What a role's prompt is about, in a sentence.
pub(super) fn describe(settings: &Settings, role: &str) -> String {
    let called = settings.roles.find(role).map_or(role, |(_, config)| config.display_name.as_str());
    format!("How to work as {called}: the start-up sequence, the rules, and how to report.")
}

#[cfg(test)]
mod tests;
