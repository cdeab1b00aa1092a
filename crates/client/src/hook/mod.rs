//! The two commands that hooks of a client run: `callboard wake` at the end of a turn, and `callboard permission` where
//! the client would ask its user.
//!
//! Both speak for one agent, print what that client's hook reads (`client`), and keep out of the way whenever the hub
//! is away, refuses, or has nothing to say: then they end with code 0 and no output, and the client does what it does
//! without a hook.
//!
//! - `client`: what the hooks of each client read, and what bounds them;
//! - `wake`: waits, and ends with the one sentence that makes the client go on;
//! - `record`: which `wake` of an agent is the newest, and what it came to;
//! - `permission`: asks people in the place of the client's own prompt.

mod client;
mod permission;
mod record;
#[cfg(test)]
mod tests;
mod wake;

use serde_json::Value;

use crate::client::{HubCalls, HubClient, HubPlace};
use crate::credential::{Bearer, Credential};
use crate::domain::ids::AgentId;
use crate::place::GlobalArgs;
use crate::problem::Problem;

pub use client::HookClient;
pub use permission::{PermissionArgs, run as run_permission};
pub(crate) use record::Record;
pub use wake::{WakeArgs, is_nudge, run as run_wake};

/// What a client is told, and nothing else: the work stays in the hub.
pub const NUDGE: &str = "callboard has something for you. Call wait_for_prompt.";

/// The tools of a hub, called as one agent.
pub(crate) struct AgentTools {
    hub: HubClient,
    token: secrecy::SecretString,
}

/// Why a tool did not answer.
pub(crate) enum Unanswered {
    /// The hub is away, or goes down.
    Away,
    Refused,
}

impl AgentTools {
    async fn of(agent: &AgentId, globals: &GlobalArgs) -> Result<Self, Problem> {
        let place = HubPlace::find(globals)?;
        let token = Credential::of(&place, globals, Bearer::Agent(agent.clone()))?.token(&place).await?;
        Ok(Self { hub: place.client()?, token })
    }

    /// As whom the token speaks that was given, which may be good for one run alone.
    pub(crate) fn given(globals: &GlobalArgs) -> Result<Self, Problem> {
        let place = HubPlace::find(globals)?;
        Ok(Self { hub: place.client()?, token: place.token() })
    }

    fn tool(&self, name: &str) -> HubCalls {
        self.hub.calls(&["api", "v1", "tools", name], &self.token)
    }

    /// Calls a tool, and waits `within` for its answer.
    pub(crate) async fn call(
        &self,
        name: &str,
        body: &Value,
        within: std::time::Duration,
    ) -> Result<Value, Unanswered> {
        let answered = async {
            let response = self.tool(name).post().json(body).timeout(within).send().await?;
            Ok::<_, reqwest::Error>((response.status().as_u16(), response.json::<Value>().await?))
        };
        match answered.await {
            Ok((200, answer)) => Ok(answer),
            Ok((429 | 500.., _)) | Err(_) => {
                self.hub.looks_elsewhere();
                Err(Unanswered::Away)
            }
            Ok(_) => Err(Unanswered::Refused),
        }
    }
}
