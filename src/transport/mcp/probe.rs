//! `dev.callboard/probe`: holds a request open for as long as it asks and answers, so that `callboard doctor` can
//! measure a client's way to the hub. It is no tool: it registers nobody, opens no session and takes no offer.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CustomRequest, CustomResult, ErrorData};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::caller::caller;
use crate::actors::HubRef;
use crate::domain::tool_call;

pub(super) const PROBE: &str = "dev.callboard/probe";

const LONGEST: Duration = Duration::from_secs(5);

/// Answers after `timeout` seconds with the credential's principal. Fails when there was no credential.
pub(super) async fn hold(
    hub: &HubRef,
    request: &CustomRequest,
    context: &RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    let who = caller(hub, context)?.principal.id;
    let asked = request.params.as_ref().and_then(|params: &Value| tool_call::seconds(params)).unwrap_or_default();
    tokio::time::sleep(Duration::try_from_secs_f64(asked).unwrap_or_default().min(LONGEST)).await;
    Ok(CustomResult::new(json!({ "principal": who })))
}
