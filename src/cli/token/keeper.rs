//! Who keeps the tokens: the hub that serves.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::client::HubClient;
use crate::cli::problem::Problem;

/// The routes of the tokens.
const TOKENS: [&str; 3] = ["api", "v1", "tokens"];

/// The keeper of the tokens.
pub(super) struct Keeper {
    hub: HubClient,
}

impl Keeper {
    /// The hub that serves.
    #[expect(clippy::unused_async, reason = "asking whether a hub serves will be")]
    pub(super) async fn find(data_dir: Option<&Path>) -> Result<Self, Problem> {
        Ok(Self { hub: HubClient::find(data_dir)? })
    }

    /// A new token.
    pub(super) async fn create(&mut self, body: &Value) -> Result<Value, Problem> {
        self.hub.post(&TOKENS, body).await
    }

    /// Every token, without its secret.
    pub(super) async fn list(&mut self) -> Result<Vec<Value>, Problem> {
        self.hub.list(&TOKENS, &[], usize::MAX).await
    }

    /// A new secret; the old one is good for `overlap` more.
    pub(super) async fn rotate(&mut self, id: &str, overlap: Duration) -> Result<Value, Problem> {
        let overlap = humantime::format_duration(overlap).to_string();
        self.hub.post(&["api", "v1", "tokens", id, "rotate"], &json!({ "overlap": overlap })).await
    }

    /// Nobody may use it any more.
    pub(super) async fn revoke(&mut self, id: &str) -> Result<(), Problem> {
        self.hub.delete(&["api", "v1", "tokens", id]).await.map(drop)
    }
}
