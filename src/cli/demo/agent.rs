//! An agent of the round: a client of rmcp over Streamable HTTP, as any other program would be one.

use std::cell::RefCell;

use rmcp::model::{CallToolRequestParams, ClientConfig, GetPromptRequestParams, Implementation, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use super::scene::Part;
use crate::cli::output::cell::str_at;
use crate::cli::problem::Problem;
use crate::web_client;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, and a session.
    Session,
    /// 2026-07-28: every request stands alone.
    Stateless,
}

#[derive(Debug)]
pub struct Agent {
    pub part: Part,
    service: RunningService<RoleClient, ClientConfig>,
    heard: RefCell<Vec<Value>>,
}

impl Agent {
    pub async fn connect(part: Part, url: &str, token: &str, era: Era) -> Result<Self, Problem> {
        let config = StreamableHttpClientTransportConfig::with_uri(format!("{url}/mcp")).auth_header(token);
        let http = web_client::plain_builder().build().map_err(|error| broken(part, "connect", &error))?;
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let me = Implementation::new("callboard-demo", env!("CARGO_PKG_VERSION"));
        let info = ClientConfig::new(rmcp::model::ClientCapabilities::default(), me);
        let lifecycle = match era {
            Era::Session => ClientLifecycleMode::Initialize,
            Era::Stateless => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        };
        let connected = info.serve_with_lifecycle(transport, lifecycle).await;
        let service = connected.map_err(|error| broken(part, "connect", &error))?;
        Ok(Self { part, service, heard: RefCell::default() })
    }

    pub fn version(&self) -> String {
        self.service.peer_info().map_or_else(|| "unknown".to_owned(), |peer| peer.protocol_version.to_string())
    }

    /// Calls a tool that has to succeed, and gives its structured result.
    pub async fn calls(&self, tool: &'static str, arguments: Value) -> Result<Value, Problem> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = arguments.as_object().cloned();
        let result = self.service.call_tool(params).await.map_err(|error| broken(self.part, tool, &error))?;
        let content = result.structured_content.unwrap_or(Value::Null);
        if content.get("success") != Some(&json!(true)) {
            let code = str_at(&content, "code").unwrap_or("no code");
            let message = str_at(&content, "message").unwrap_or("no message");
            return Err(broken(self.part, tool, &format!("{code}: {message}")));
        }
        if let Some(notices) = content.get("notices").and_then(Value::as_array) {
            self.heard.borrow_mut().extend(notices.iter().cloned());
        }
        Ok(content)
    }

    /// Makes itself known, with every capability of its role.
    pub async fn registers(&self) -> Result<Value, Problem> {
        let Part { id, role, name } = self.part;
        self.calls("register_agent", json!({ "agentId": id, "role": role, "displayName": name })).await
    }

    /// Asks for a prompt. That of a workflow answers when the hub has carried out what it can.
    pub async fn prompts(&self, name: &str, arguments: Value) -> Result<(), Problem> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = arguments.as_object().cloned();
        self.service.get_prompt(params).await.map(drop).map_err(|error| broken(self.part, name, &error))
    }

    /// Whether a notice about this task was heard that holds these words.
    pub fn has_heard(&self, task: &str, words: &str) -> bool {
        let about = |notice: &Value| {
            let text = str_at(notice, "text").unwrap_or_default();
            str_at(notice, "taskId").is_none_or(|id| id == task) && text.contains(task) && text.contains(words)
        };
        self.heard.borrow().iter().any(about)
    }

    pub async fn leaves(self) {
        // The round is over, whatever comes of it.
        drop(self.service.cancel().await);
    }
}

fn broken(part: Part, what: &str, error: &dyn std::fmt::Display) -> Problem {
    Problem::failed(format!("`{}` failed at `{what}`", part.id)).because(error.to_string())
}
