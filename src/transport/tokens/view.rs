//! A token as it is shown to who may list tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::TokenEntry;

/// A token, as others may see it: never its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// The public id: names it in `rotate` and `revoke`.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// What it allows.
    pub scopes: Vec<String>,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it ends, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Until when the secret before the last rotation is accepted beside the new one, RFC 3339; the moment
    /// may have passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_until: Option<String>,
    /// When it was last used, to the minute, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<String>,
    /// The public id of the token that it was opened with, where it is a session of the page: it ends with that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<String>,
}

pub(super) fn view(id: &str, known: &TokenEntry) -> TokenView {
    TokenView {
        id: id.to_owned(),
        principal: known.principal.to_string(),
        scopes: known.scopes.iter().map(ToString::to_string).collect(),
        created_at: known.created_at.to_string(),
        expires_at: known.expires_at.map(|at| at.to_string()),
        old_until: known.secrets.iter().find_map(|secret| secret.until).map(|at| at.to_string()),
        // Kept to the minute, which may begin before the token was made.
        last_used: known.last_used().map(|at| at.max(known.created_at).to_string()),
        opened_by: known.opened_by.clone(),
    }
}
