//! Requests that the library could not parse: an unknown method, or a known one whose parameters do not fit. Here the
//! second kind is answered with "invalid params".

use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::{Value, json};

/// The protocol's methods with parameters that this hub serves in both eras. Those of the older one alone are the
/// library's to answer, which knows what a client speaks.
const SERVED: [&str; 15] = [
    "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list",
    "resources/templates/list", "resources/read", "completion/complete", "subscriptions/listen", "tasks/get",
    "tasks/cancel", "tasks/update", "skills/list", "skills/get",
];

/// The longest name of a method that is said back, in bytes.
const LONGEST: usize = 100;

/// The no that it deserves.
pub(in crate::transport::mcp) fn error_data(request: &CustomRequest) -> ErrorData {
    let method = crate::domain::text::cut(&request.method, LONGEST);
    if !SERVED.contains(&method) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
    }
    let what = match method {
        "tools/call" => tool_call(request.params.as_ref()),
        _ => "its `params` are not what the protocol says",
    };
    let data = json!({"code": "INVALID_ARGUMENTS", "prompt": "Mend the request, and send it again."});
    ErrorData::invalid_params(format!("{method}: {what}"), Some(data))
}

fn tool_call(params: Option<&Value>) -> &'static str {
    let field = |name: &str| params.and_then(|params| params.get(name));
    if !field("name").is_some_and(Value::is_string) {
        "`params.name` must be the name of a tool, as `tools/list` has it"
    } else if field("arguments").is_some_and(|arguments| !arguments.is_object()) {
        "`params.arguments` must be an object"
    } else {
        "its `params` are not what the protocol says"
    }
}

#[cfg(test)]
mod tests;
