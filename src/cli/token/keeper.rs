//! Who keeps the tokens: the hub that serves, or the store in the data directory when none does.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Map;

use crate::audit::{AuditFile, Decision, Note};
use crate::cli::id::among;
use crate::cli::place::variable;
use crate::cli::prelude::*;
use crate::domain::ids::RoleId;
use crate::domain::principal::{Scope, Surface};
use crate::journal::is_in_database;
use crate::private_file;
use crate::transport::tokens::{NewToken, TokenError, TokenStore, TokenView};

const TOKENS: [&str; 3] = ["api", "v1", "tokens"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Agent(AgentId),
    /// For a host of agents on call, by its name, for one role.
    Host {
        name: String,
        role: RoleId,
    },
    Named {
        name: String,
        scope: Scope,
        service: bool,
    },
}

pub(super) enum Keeper {
    /// The hub: it knows of a revocation at once.
    Hub(HubClient),
    /// The store itself; nobody else uses it.
    Store { store: TokenStore, dir: PathBuf },
}

impl Keeper {
    /// The hub when it answers, else the store in the data directory.
    pub(super) async fn find(globals: &GlobalArgs) -> Result<Self, Problem> {
        let unheard = match HubClient::find(globals) {
            Ok(hub) => match hub.get(&["healthz"], &[]).await {
                Err(problem) if problem.exit() == Exit::Unreachable => problem,
                Ok(_) | Err(_) => return Ok(Self::Hub(hub)),
            },
            Err(problem) => problem,
        };
        // Whoever named a hub means that one, and not what lies in a directory here.
        let named = globals.url.is_some() || (globals.data_dir.is_none() && variable("CALLBOARD_URL").is_some());
        if named || unheard.exit() != Exit::Unreachable {
            return Err(unheard);
        }
        let dir = globals.own_data_dir()?;
        if is_in_database(&dir) || globals.settings().is_ok_and(|known| known.settings.hub.store.is_some()) {
            return Err(Problem::configuration("the tokens are in the database that holds the journal")
                .because("only the hub that serves from it changes them, and none answers here")
                .next("callboard serve, or CALLBOARD_URL to where the hub is; then the same command again"));
        }
        private_file::make_folder(&dir)?;
        let store = TokenStore::open(&dir).map_err(|error| problem(&error))?;
        Ok(Self::Store { store, dir })
    }

    /// A new token: `{token, id, principal, …}`.
    pub(super) async fn create(&self, wanted: &Wanted, expires: Option<Duration>) -> Result<Value, Problem> {
        match self {
            Self::Hub(hub) => hub.post(&TOKENS, &body(wanted, expires)).await,
            Self::Store { store, dir } => {
                let id = TokenStore::draw_id().map_err(|error| problem(&error))?;
                written_down(dir, "token.create", &id)?;
                shown(store.create_as(&id, &new_token(wanted), expires, Clock::system().now()))
            }
        }
    }

    /// Every token, without its secret.
    pub(super) async fn list(&self) -> Result<Vec<Value>, Problem> {
        match self {
            Self::Hub(hub) => Ok(hub.list(&TOKENS, &[], 0).await?.items),
            Self::Store { store, .. } => Ok(store.list().iter().map(|view| json!(view)).collect()),
        }
    }

    /// The public id that is meant: it, or how it begins. Whoever may not list the tokens names whole ids alone.
    pub(super) async fn whole_id(&self, given: &str) -> Result<String, Problem> {
        let known = self.list().await.unwrap_or_default();
        let ids = known.iter().filter_map(|token| token.get("id")?.as_str().map(str::to_owned));
        among(NamedKind::Token, given, ids)
    }

    /// A new secret; the old one is good for `overlap` more.
    pub(super) async fn rotate(&self, id: &str, overlap: Duration) -> Result<Value, Problem> {
        match self {
            Self::Hub(hub) => {
                let body = json!({ "overlap": humantime::format_duration(overlap).to_string() });
                hub.post(&["api", "v1", "tokens", id, "rotate"], &body).await
            }
            Self::Store { store, dir } => {
                written_down(dir, "token.rotate", id)?;
                shown(store.rotate(id, overlap, Clock::system().now()))
            }
        }
    }

    /// Nobody may use it any more.
    pub(super) async fn revoke(&self, id: &str) -> Result<(), Problem> {
        match self {
            Self::Hub(hub) => hub.delete(&["api", "v1", "tokens", id]).await.map(drop),
            Self::Store { store, dir } => {
                written_down(dir, "token.revoke", id)?;
                store.revoke(id).map(drop).map_err(|error| problem(&error))
            }
        }
    }
}

/// A line of the audit stands before the deed, as it does when the hub serves.
fn written_down(dir: &Path, action: &str, id: &str) -> Result<(), Problem> {
    let at = Clock::system().now();
    let user = fs::metadata(dir)?.uid();
    let note = Note {
        who: format!("user:{user}"),
        through: Surface::Cli.as_str().to_owned(),
        rule: Some("no hub serves, and the files are this user's".to_owned()),
        target: Some(format!("token:{id}")),
        ..Note::of_hub(at, action, Decision::Allowed)
    };
    let written = AuditFile::open(dir, at).and_then(|mut file| {
        file.append(&note, None)?;
        file.sync()
    });
    written
        .map_err(|fault| Problem::failed("no token is changed: the audit cannot be written").because(fault.to_string()))
}

fn body(wanted: &Wanted, expires: Option<Duration>) -> Value {
    let mut body = match wanted {
        Wanted::Agent(agent) => Map::from_iter([("agent".to_owned(), json!(agent))]),
        Wanted::Host { name, role } => {
            Map::from_iter([("host".to_owned(), json!(name)), ("role".to_owned(), json!(role))])
        }
        Wanted::Named { name, scope, service } => Map::from_iter([
            ("scope".to_owned(), json!(scope)),
            ("name".to_owned(), json!(name)),
            ("service".to_owned(), json!(service)),
        ]),
    };
    let expires = expires.map(|expires| humantime::format_duration(expires).to_string());
    body.extend(expires.map(|expires| ("expires".to_owned(), json!(expires))));
    Value::Object(body)
}

fn new_token(wanted: &Wanted) -> NewToken {
    match wanted.clone() {
        Wanted::Agent(agent) => NewToken::Agent(agent),
        Wanted::Host { name, role } => NewToken::Host { name, role },
        Wanted::Named { name, scope, service } => NewToken::Named { name, scope, service },
    }
}

fn shown(made: Result<(String, TokenView), TokenError>) -> Result<Value, Problem> {
    let (token, view) = made.map_err(|error| problem(&error))?;
    let mut shown = json!(view);
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("token".to_owned(), json!(token));
    }
    Ok(shown)
}

fn problem(error: &TokenError) -> Problem {
    let exit = match error {
        TokenError::Unknown(_) => Exit::NotFound,
        TokenError::Name(_) | TokenError::Unreadable { .. } => Exit::Configuration,
        TokenError::File { .. } | TokenError::Randomness(_) => Exit::Failed,
    };
    Problem::new(exit, error.to_string())
}
