//! `GET /api/v1/connect`: the command that connects each client to this hub, to be run on the client's machine.

use super::prelude::*;

/// A client that `callboard connect` knows: its name there, and what is to be known beside the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectableClient {
    pub name: &'static str,
    /// What its user has to do or know besides; empty where nothing.
    note: &'static str,
}

/// Every client that `callboard connect` knows, in its order.
pub const CLIENTS: [ConnectableClient; 8] = [
    ConnectableClient { name: "claude", note: "" },
    ConnectableClient { name: "codex", note: "" },
    ConnectableClient { name: "gemini", note: "" },
    ConnectableClient { name: "qwen", note: "" },
    ConnectableClient { name: "cursor", note: "Cursor reads its file when it starts: start it again" },
    ConnectableClient { name: "vscode", note: "" },
    ConnectableClient { name: "opencode", note: "" },
    ConnectableClient { name: "json", note: "for any other client: prints the entry, and writes no file" },
];

/// Whom the client is to speak for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ConnectParams {
    /// The agent; `NAME` stands in its place when left out.
    agent: Option<String>,
}

/// How one client is connected.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Connection {
    client: &'static str,
    /// What to run on its machine.
    command: String,
    /// What its user has to do or know besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

pub(super) fn routes() -> Routes {
    let row = Route::get::<List<Connection>>("/api/v1/connect", "the command that connects each client to this hub");
    Routes::new().add(row.query::<ConnectParams>(), show)
}

async fn show(State(hub): State<HubRef>, Params(params): Params<ConnectParams>) -> Listed<Connection> {
    let agent = params.agent.as_deref().map(AgentId::parse).transpose();
    let agent = agent.map_err(|error| ApiError::query("agent", error))?;
    let settings = hub.settings();
    // Who has a role by the settings is registered in it.
    let role = agent.as_ref().and_then(|id| settings.roles.agents.get(id)).map(|known| known.role.to_string());
    let name = agent.as_ref().map_or("NAME", |id| id.as_str());
    let role = role.map(|role| format!(" --role {role}")).unwrap_or_default();
    let items = CLIENTS.iter().map(|client| Connection {
        client: client.name,
        command: format!("callboard connect {} --agent {name}{role}", client.name),
        note: Some(client.note).filter(|note| !note.is_empty()),
    });
    Ok(Json(List::whole(items.collect())))
}
