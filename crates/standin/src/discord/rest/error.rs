//! Refusals as Discord writes them: a status, a number, a sentence, and where the body was wrong.

use serde_json::{Map, Value, json};

/// A refusal of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) code: u32,
    message: String,
    /// `(path, code, message)`: each place in the body that is wrong.
    errors: Vec<(String, &'static str, String)>,
}

/// Every refusal that the stand-in knows: code, status, sentence.
const KNOWN: &[(u32, u16, &str)] = &[
    (10_003, 404, "Unknown Channel"),
    (10_004, 404, "Unknown Guild"),
    (10_007, 404, "Unknown Member"),
    (10_008, 404, "Unknown Message"),
    (10_013, 404, "Unknown User"),
    (10_014, 400, "Unknown Emoji"),
    (10_015, 404, "Unknown Webhook"),
    (10_062, 404, "Unknown interaction"),
    (30_046, 400, "Maximum number of edits to messages older than 1 hour reached. Try again later."),
    (40_060, 400, "Interaction has already been acknowledged."),
    (50_001, 403, "Missing Access"),
    (50_005, 403, "Cannot edit a message authored by another user"),
    (50_006, 400, "Cannot send an empty message"),
    (50_007, 403, "Cannot send messages to this user"),
    (50_008, 400, "Cannot send messages in a non-text channel"),
    (50_013, 403, "Missing Permissions"),
    (50_021, 403, "Cannot execute action on a system message"),
    (50_024, 400, "Cannot execute action on this channel type"),
    (50_027, 401, "Invalid Webhook Token"),
    (50_035, 400, "Invalid Form Body"),
    (50_083, 400, "Thread is archived"),
    (50_109, 400, "The request body contains invalid JSON."),
    (160_004, 400, "A thread has already been created for this message"),
];

impl ApiError {
    /// The refusal with this code; status 400 for one that the stand-in does not know.
    pub(crate) fn known(code: u32) -> Self {
        let (_, status, message) =
            KNOWN.iter().find(|(known, ..)| *known == code).copied().unwrap_or((code, 400, "Unknown error"));
        Self { status, code, message: message.into(), errors: Vec::new() }
    }

    /// A refusal without a code of its own: `401: Unauthorized`, `404: Not Found`.
    pub(crate) fn plain(status: u16, sentence: &str) -> Self {
        Self { status, code: 0, message: format!("{status}: {sentence}"), errors: Vec::new() }
    }

    /// 50035 with one place that is wrong.
    pub(crate) fn form(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self { errors: vec![(path.into(), code, message.into())], ..Self::known(50_035) }
    }

    /// With another status, as a fault on demand may want it.
    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The body: `errors` is a tree along the path, with `_errors` at its leaf.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({ "message": self.message, "code": self.code });
        if self.errors.is_empty() {
            return body;
        }
        let mut tree = Value::Object(Map::new());
        for (path, code, message) in &self.errors {
            let leaf = path.split('.').fold(&mut tree, |node, step| &mut node[step]);
            leaf["_errors"] = json!([{ "code": code, "message": message }]);
        }
        body["errors"] = tree;
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_place_in_the_body_is_a_path_through_a_tree() {
        let body =
            ApiError::form("components.0.label", "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length.").body();
        assert_eq!(body["code"], 50_035);
        assert_eq!(body["errors"]["components"]["0"]["label"]["_errors"][0]["code"], "BASE_TYPE_MAX_LENGTH");
    }
}
