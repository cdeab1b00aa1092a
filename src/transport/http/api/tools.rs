//! `POST /api/v1/tools/{name}`: every verb, with its arguments as the body.

use axum::extract::{Path, Request};

use super::prelude::*;
use crate::tools;
use crate::transport::web::{delivered, idempotency_key, parse, read_body};

pub(super) fn routes() -> Routes {
    // Who may call a verb is the verb's to say: it knows agents and scopes alike.
    let row = Route::post::<Value, Value>("/api/v1/tools/{name}", "calls a tool").needs(Scope::Agent);
    Routes::new().add(row, call)
}

async fn call(State(hub): State<HubRef>, who: Who, Path(name): Path<String>, request: Request) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let arguments = parse(&read_body(&parts.headers, body).await?)?;
    let arguments = with_key(&name, arguments, &parts.headers)?;
    // A wait may be long, and headers are slices of the connection's read buffer: held, they would keep 8 KiB of it.
    drop(parts);
    match tools::call(&hub, &who.caller(), &name, arguments).await {
        Ok(reply) => Ok(delivered(Json(reply.structured()).into_response(), reply.guard)),
        Err(refusal) => Err(refusal.into()),
    }
}

/// The header `Idempotency-Key` as the argument of that name, where the verb takes one and the body has none.
pub(super) fn with_key(name: &str, mut arguments: Value, headers: &HeaderMap) -> ApiResult<Value> {
    let takes_one = tools::find(name).is_some_and(|tool| tool.mutating);
    if takes_one
        && let Some(key) = idempotency_key(headers)?
        && let Value::Object(fields) = &mut arguments
    {
        let given = fields.entry("idempotencyKey").or_insert(Value::Null);
        if tools::is_left_out(given) {
            *given = Value::String(key);
        }
    }
    Ok(arguments)
}
