//! As whom the proxy speaks. Who an agent is follows from its token alone, so the proxy needs the agent's own: the one
//! that it was given, or one that it has made with an operator's token and keeps for the next time.

use std::path::PathBuf;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::client::HubPlace;
use crate::domain::ids::AgentId;
use crate::place::{GlobalArgs, write_private};
use crate::private_file;
use crate::problem::Problem;

/// Below the data directory: one file for each agent that a proxy spoke for.
const FOLDER: &str = "agents";

/// How the token of an agent begins.
const OF_AN_AGENT: &str = "cb_a_";

/// Where the token comes from.
#[derive(Debug)]
pub(super) enum Credential {
    /// The agent's own was given.
    Given,
    /// An operator's was given: the agent's is made with it, and kept in this file.
    Kept { file: PathBuf, agent: AgentId },
}

impl Credential {
    /// What the token makes of it that the hub was found with.
    pub(super) fn of(hub: &HubPlace, globals: &GlobalArgs, agent: &AgentId) -> Result<Self, Problem> {
        let given = hub.token();
        if given.expose_secret().starts_with(OF_AN_AGENT) {
            return Ok(Self::Given);
        }
        let file = globals.own_data_dir()?.join(FOLDER).join(format!("{agent}.token"));
        Ok(Self::Kept { file, agent: agent.clone() })
    }

    /// The agent's token; made now where there is none.
    pub(super) async fn token(&self, hub: &HubPlace) -> Result<SecretString, Problem> {
        let (file, agent) = match self {
            Self::Given => return Ok(hub.token()),
            Self::Kept { file, agent } => (file, agent),
        };
        let kept = private_file::read_own(file).map_err(|error| {
            Problem::configuration(format!("failed to read the token of `{agent}` in `{}`", file.display()))
                .because(error.to_string())
        })?;
        if let Some(kept) = kept {
            return Ok(SecretString::from(kept.trim()));
        }
        let client = hub.client()?;
        let made = client.post(&["api", "v1", "tokens"], &json!({ "agent": agent })).await?;
        let Some(token) = made.get("token").and_then(Value::as_str) else {
            return Err(client.not_a_hub("a token without its secret"));
        };
        if let Some(folder) = file.parent() {
            private_file::make_folder(folder)?;
        }
        write_private(file, &format!("{token}\n"))?;
        Ok(SecretString::from(token))
    }

    /// Whether there is another token than this, which the hub refused: somebody has rotated it.
    pub(super) fn has_other(&self, refused: &SecretString, hub: &HubPlace) -> bool {
        let now = match self {
            Self::Given => Some(hub.token()),
            // Where the file is gone, another one is made.
            Self::Kept { file, .. } => match private_file::read_own(file) {
                Ok(kept) => Some(SecretString::from(kept.unwrap_or_default())),
                Err(_) => None,
            },
        };
        now.is_some_and(|now| now.expose_secret().trim() != refused.expose_secret())
    }

    /// Why the hub lets nobody in by it, and what to do.
    pub(super) fn refused(&self, why: Problem, agent: &AgentId) -> Problem {
        match self {
            Self::Given => why.next(format!(
                "set CALLBOARD_TOKEN_FILE to a file that holds a token of `{agent}`, or give --agent as whom it is"
            )),
            Self::Kept { file, .. } => why.next(format!(
                "remove `{}` to have a new token made, unless the old one was revoked on purpose",
                file.display()
            )),
        }
    }
}
