//! As whom a proxy or a host of agents on call speaks. That follows from its token alone, so each needs its own: the
//! one that it was given, or one that it has made with an operator's token and keeps for the next time.

use std::fmt;
use std::path::PathBuf;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::client::HubPlace;
use crate::domain::ids::{AgentId, RoleId};
use crate::place::{GlobalArgs, write_private};
use crate::private_file;
use crate::problem::Problem;

/// Whose token is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bearer {
    Agent(AgentId),
    /// A host of agents on call, by what the ids of its agents begin with.
    Host {
        name: AgentId,
        role: RoleId,
    },
}

impl Bearer {
    const fn begin(&self) -> &'static str {
        match self {
            Self::Agent(_) => "cb_a_",
            Self::Host { .. } => "cb_h_",
        }
    }

    /// The file of its token, below the data directory.
    fn file(&self) -> String {
        match self {
            Self::Agent(agent) => format!("agents/{agent}.token"),
            Self::Host { name, role } => format!("hosts/{name}@{role}.token"),
        }
    }

    /// What a new token is asked for with.
    fn request(&self) -> Value {
        match self {
            Self::Agent(agent) => json!({ "agent": agent }),
            Self::Host { name, role } => json!({ "host": name, "role": role }),
        }
    }
}

impl fmt::Display for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(agent) => write!(f, "`{agent}`"),
            Self::Host { name, role } => write!(f, "the host `{name}` of `{role}`"),
        }
    }
}

/// Where the token comes from.
#[derive(Debug)]
pub(crate) enum Credential {
    Given,
    /// An operator's was given: its own is made with it, and kept in this file.
    Kept {
        file: PathBuf,
        bearer: Bearer,
    },
}

impl Credential {
    /// What the token makes of it that the hub was found with.
    pub(crate) fn of(hub: &HubPlace, globals: &GlobalArgs, bearer: Bearer) -> Result<Self, Problem> {
        let given = hub.token();
        if given.expose_secret().starts_with(bearer.begin()) {
            return Ok(Self::Given);
        }
        Ok(Self::Kept { file: globals.own_data_dir()?.join(bearer.file()), bearer })
    }

    /// The token; made now where there is none.
    pub(crate) async fn token(&self, hub: &HubPlace) -> Result<SecretString, Problem> {
        let (file, bearer) = match self {
            Self::Given => return Ok(hub.token()),
            Self::Kept { file, bearer } => (file, bearer),
        };
        let kept = private_file::read_own(file).map_err(|error| {
            Problem::configuration(format!("failed to read the token of {bearer} in `{}`", file.display()))
                .because(error.to_string())
        })?;
        if let Some(kept) = kept {
            return Ok(SecretString::from(kept.trim()));
        }
        let client = hub.client()?;
        let made = client.post(&["api", "v1", "tokens"], &bearer.request()).await?;
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
    pub(crate) fn has_other(&self, refused: &SecretString, hub: &HubPlace) -> bool {
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
    pub(crate) fn refused(&self, why: Problem, bearer: &Bearer) -> Problem {
        match self {
            Self::Given => why.next(format!(
                "set CALLBOARD_TOKEN_FILE to a file that holds a token of {bearer}, or give --agent as whom it is"
            )),
            Self::Kept { file, .. } => why.next(format!(
                "remove `{}` to have a new token made, unless the old one was revoked on purpose",
                file.display()
            )),
        }
    }
}
