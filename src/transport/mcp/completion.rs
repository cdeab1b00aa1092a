//! Completion: names of roles and agents, and ids that the caller may know, while somebody types them.

use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData, Reference};
use serde_json::json;

use super::prompts::{AGENT, PREFIX, roles};
use super::resources::{skills, uri};
use crate::actors::HubRef;
use crate::settings::SystemPrompts;
use crate::tools::{self, Caller, Refusal, ViewTarget};

/// What the argument may be, by what was typed so far; nothing for free ones. Fails when the caller may not know it.
pub(super) async fn complete(
    hub: &HubRef,
    prompts: &SystemPrompts,
    caller: &Caller,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo, ErrorData> {
    let argument = request.argument.name.as_str();
    let all = match &request.r#ref {
        Reference::Prompt(prompt) if prompt.name.starts_with(PREFIX) && argument == AGENT => {
            agents(hub, caller).await?
        }
        Reference::Resource(template) if template.uri == skills::TEMPLATE && argument == "role" => {
            roles(&hub.settings(), prompts)
        }
        Reference::Resource(template) if template.uri == uri::SESSIONS && argument == "id" => {
            let own = tools::session_of(hub, &caller.principal).await.map_err(|refusal| error_data(&refusal))?;
            own.iter().map(ToString::to_string).collect()
        }
        // What else a client asks about has no names that are known beforehand.
        Reference::Prompt(_) | Reference::Resource(_) | _ => Vec::new(),
    };
    Ok(fitting(all, &request.argument.value))
}

/// Those that begin with what was typed; by name, as many as the protocol lets.
fn fitting(mut all: Vec<String>, typed: &str) -> CompletionInfo {
    all.retain(|name| name.starts_with(typed));
    all.sort();
    let total = all.len();
    all.truncate(CompletionInfo::MAX_VALUES);
    let more = total > all.len();
    CompletionInfo::with_pagination(all, u32::try_from(total).ok(), more).unwrap_or_default()
}

/// Everybody whom `list_agents` shows to the caller.
async fn agents(hub: &HubRef, caller: &Caller) -> Result<Vec<String>, ErrorData> {
    let shown = tools::look(hub, caller, &ViewTarget::Agents).await.map_err(|refusal| error_data(&refusal))?;
    let names = shown["agents"].as_array().into_iter().flatten().filter_map(|agent| agent["agentId"].as_str());
    Ok(names.map(str::to_owned).collect())
}

fn error_data(refusal: &Refusal) -> ErrorData {
    ErrorData::invalid_request(refusal.message.clone(), Some(json!({"code": refusal.code})))
}

#[cfg(test)]
mod tests;
