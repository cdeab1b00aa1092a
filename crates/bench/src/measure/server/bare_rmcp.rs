//! The MCP library without a hub: a tool that keeps a row, and one that blocks.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};

use super::writer::Writer;
use crate::measure::error::BenchError;

/// `/mcp`, set as the hub sets it.
pub(super) fn router(dir: &Path, append_bytes: usize) -> Result<Router, BenchError> {
    let handler = Bare { writer: Writer::start(&dir.join("bare.db"))?, bytes: append_bytes };
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
    let sessions = Arc::new(LocalSessionManager::default());
    Ok(Router::new().route_service("/mcp", StreamableHttpService::new(move || Ok(handler.clone()), sessions, config)))
}

#[derive(Debug, Clone)]
struct Bare {
    writer: Writer,
    bytes: usize,
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "append" => {
                self.writer.append(self.bytes).await.map_err(|error| ErrorData::internal_error(error, None))?;
            }
            // What nobody cancels is parked until the process ends.
            _ => context.ct.cancelled().await,
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("kept")]).into())
    }
}
