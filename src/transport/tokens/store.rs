//! The store of tokens: create, list, rotate, revoke, and tell who is calling.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Notify, watch};

use super::format::{self, TokenKind};
use super::login::LoginCodes;
use super::table::{Credential, Good, KeptSecret, Table, TokenEntry};
use super::view::{TokenView, view};
use crate::clock::Clock;
use crate::domain::ids::{AgentId, IdError, PrincipalId, RoleId};
use crate::domain::principal::{PrincipalKind, Scope};
use crate::domain::time::Timestamp;
use crate::journal::vault::{Folder, TOKENS, Vault};
use crate::private_file;

/// The operator's token, in the data directory: each machine has its own.
const OPERATOR_FILE: &str = "operator.token";

/// Whether a credential expired is looked at so often, at least.
const LOOK_AGAIN: Duration = Duration::from_mins(1);

/// A token's clock may have been ahead by this; a machine that starts in 1970 is behind by more.
const AHEAD: Duration = Duration::from_hours(24);

/// The tokens of one hub. Clones share them. Every request reads `table`, whose lock is held only to swap a pointer.
/// Changes take turns by `changes`; each is in the vault before the table shows it.
#[derive(Debug, Clone)]
pub struct TokenStore {
    vault: Arc<dyn Vault>,
    /// Where the command line of this machine finds the operator's token.
    operator: Arc<PathBuf>,
    pub(super) table: watch::Sender<Arc<Table>>,
    changes: watch::Sender<()>,
    pub(super) codes: LoginCodes,
}

/// Whatever holds a token open that was changed: it looks again how long that is good when this is dropped.
#[derive(Debug)]
pub(super) struct Changed(pub(super) Vec<Arc<Notify>>);

impl Drop for Changed {
    fn drop(&mut self) {
        self.0.iter().for_each(|changed| changed.notify_waiters());
    }
}

/// A new secret, or why the operator's file does not have it, and what is to hear of the change.
pub(super) type Rotated = (Result<(String, TokenView)>, Changed);

/// A token is not accepted. All reasons look alike from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this token is not valid here")]
pub struct TokenRefusal;

/// What a change of the tokens comes to.
pub(super) type Result<T, E = TokenError> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("failed to use `{path}`: {error}")]
    File { path: String, error: std::io::Error },
    #[error("`{path}` is not a file of tokens: {error}")]
    Unreadable { path: String, error: String },
    #[error("there is no token `{0}`: `callboard token list` shows them")]
    Unknown(String),
    /// The name does not make a principal.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The machine gives no randomness.
    #[error("failed to draw a secret: {0}")]
    Randomness(#[from] getrandom::Error),
}

#[derive(Debug, Clone)]
pub enum NewToken {
    /// For an agent; scope `agent`.
    Agent(AgentId),
    /// For a host of agents on call, by its name, for one role; scope `host`.
    Host { name: String, role: RoleId },
    /// For a person or a program, by its name.
    Named { name: String, scope: Scope, service: bool },
}

impl NewToken {
    /// Whether it can be made. Fails when the name makes no principal.
    pub fn check(&self) -> Result<()> {
        described(self).map(drop)
    }
}

impl TokenStore {
    /// Makes an empty file where there is none. Fails when it is unreadable, readable by others, or no file of tokens.
    pub fn open(data_dir: &Path) -> Result<Self> {
        Self::open_in(Folder::at(data_dir), data_dir)
    }

    /// The same with the tokens of a vault, for a hub with this data directory.
    pub fn open_in(vault: Arc<dyn Vault>, data_dir: &Path) -> Result<Self> {
        let table = match vault.read(TOKENS).map_err(|error| not_kept(&*vault, error))? {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| TokenError::Unreadable { path: vault.shown(TOKENS), error: error.to_string() })?,
            None => {
                let table = Table { version: Table::VERSION, pepper: format::new_secret()?, tokens: BTreeMap::new() };
                write(&*vault, &table)?;
                table
            }
        };
        let (table, changes, codes) =
            (watch::Sender::new(Arc::new(table)), watch::Sender::default(), LoginCodes::default());
        Ok(Self { vault, operator: Arc::new(data_dir.join(OPERATOR_FILE)), table, changes, codes })
    }

    /// Restarts the lifetime of tokens from a clock that was ahead, unless by more than [`AHEAD`].
    pub fn recount(&self, now: Timestamp) -> Result<()> {
        let is_early = |known: &TokenEntry| known.created_at > now && known.created_at.since(now) <= AHEAD;
        if !self.table.borrow().tokens.values().any(is_early) {
            return Ok(());
        }
        self.change(|table| {
            for known in table.tokens.values_mut().filter(|known| is_early(known)) {
                let made = std::mem::replace(&mut known.created_at, now);
                known.expires_at = known.expires_at.map(|end| now + end.since(made));
            }
            Ok(())
        })
    }

    /// Who is calling. Fails when this token is not valid: mistyped, unknown, wrong, expired or revoked all look alike.
    pub fn authenticate(&self, token: &str, now: Timestamp) -> Result<Credential, TokenRefusal> {
        let table = Arc::clone(&self.table.borrow());
        let parts = format::read(token);
        // The same work is done for what is not a token at all.
        let (id, kind, secret) =
            parts.map_or(("", TokenKind::Service, token), |parts| (parts.id, parts.kind, parts.secret));
        table.find(id, kind, secret, now).ok_or(TokenRefusal)
    }

    /// The token is shown only here. Fails when the name makes no principal, or the file cannot be written.
    pub fn create(&self, new: &NewToken, expires_in: Option<Duration>, now: Timestamp) -> Result<(String, TokenView)> {
        self.create_as(&Self::draw_id()?, new, expires_in, now)
    }

    /// Under a public id that was drawn before.
    pub fn create_as(
        &self,
        id: &str,
        new: &NewToken,
        expires_in: Option<Duration>,
        now: Timestamp,
    ) -> Result<(String, TokenView)> {
        self.change(|table| add(table, id.to_owned(), new, expires_in, now))
    }

    pub fn draw_id() -> Result<String> {
        Ok(format::new_id()?)
    }

    pub fn draw_secret() -> Result<String> {
        Ok(format::new_secret()?)
    }

    pub fn is_page(&self, id: &str) -> bool {
        self.table.borrow().tokens.get(id).is_some_and(|known| known.opened_by.is_some())
    }

    /// Tokens that do not end, with one write: all or none. Fails when a name makes no principal, or on writing.
    pub fn create_all(&self, new: &[NewToken], now: Timestamp) -> Result<Vec<String>> {
        self.change(|table| {
            new.iter().map(|new| add(table, Self::draw_id()?, new, None, now).map(|(token, _)| token)).collect()
        })
    }

    pub fn list(&self) -> Vec<TokenView> {
        self.table.borrow().tokens.iter().map(|(id, known)| view(id, known)).collect()
    }

    pub fn find(&self, id: &str) -> Option<TokenView> {
        self.table.borrow().tokens.get(id).map(|known| view(id, known))
    }

    /// What all tokens of a principal that are good now let it do; none where it has none.
    pub fn scopes_of(&self, principal: &PrincipalId, now: Timestamp) -> Option<BTreeSet<Scope>> {
        let table = self.table.borrow();
        let mut own = table.tokens.values().filter(|known| known.principal == *principal).peekable();
        own.peek()?;
        let good = own.filter(|known| known.expires_at.is_none_or(|end| now < end));
        Some(good.flat_map(|known| known.scopes.iter().copied()).collect())
    }

    /// Agents that have a token: known by name before they register.
    pub fn agents(&self) -> BTreeSet<AgentId> {
        let table = self.table.borrow();
        table.tokens.values().filter_map(|known| known.principal().agent().cloned()).collect()
    }

    /// The old secret, and its page sessions, last for `overlap`. Fails when there is no such token, or on writing.
    pub fn rotate(&self, id: &str, overlap: Duration, now: Timestamp) -> Result<(String, TokenView)> {
        self.rotated(id, overlap, now).and_then(|(done, _changed)| done)
    }

    /// The same, with what is to hear of it: also where the new secret could not be put where the operator finds it.
    pub(super) fn rotated(&self, id: &str, overlap: Duration, now: Timestamp) -> Result<Rotated> {
        let secret = format::new_secret()?;
        let (kind, view, changed) = self.change(|table| {
            let hmac = table.hmac(&secret);
            let known = table.tokens.get_mut(id).ok_or_else(|| TokenError::Unknown(id.to_owned()))?;
            // Of earlier secrets only the newest overlaps.
            let until = Some(now + overlap);
            known.secrets = known.secrets.pop().into_iter().map(|old| KeptSecret { until, ..old }).collect();
            known.secrets.push(KeptSecret { hmac, until: None });
            let told = (known.kind, view(id, known));
            let mut changed = vec![Arc::clone(&known.changed)];
            for session in table.sessions_of(id) {
                if let Some(session) = table.tokens.get_mut(&session) {
                    session.expires_at = session.expires_at.min(until).or(until);
                    changed.push(Arc::clone(&session.changed));
                }
            }
            Ok((told.0, told.1, changed))
        })?;
        let token = format::write(kind, id, &secret);
        let renewed = self.renew_operator(id, &token);
        Ok((renewed.map(|()| (token, view)), Changed(changed)))
    }

    /// Where the command line finds the operator's token, it finds the new secret of it.
    fn renew_operator(&self, id: &str, token: &str) -> Result<()> {
        let path = &*self.operator;
        let kept = private_file::read_own(path).map_err(|error| cannot_use(path, error))?;
        if kept.is_some_and(|kept| format::read(kept.trim()).is_some_and(|known| known.id == id)) {
            private_file::replace(path, format!("{token}\n").as_bytes()).map_err(|error| cannot_use(path, error))?;
        }
        Ok(())
    }

    /// Ends a token at once, with its page sessions and whatever they hold open. Returns the agent that has no token
    /// left. Fails when there is no such token, or the file cannot be written.
    pub fn revoke(&self, id: &str) -> Result<Option<AgentId>> {
        self.revoked(id).map(|(left_alone, _changed)| left_alone)
    }

    /// The same, with what is to hear of it.
    pub(super) fn revoked(&self, id: &str) -> Result<(Option<AgentId>, Changed)> {
        self.change(|table| {
            let known = table.tokens.remove(id).ok_or_else(|| TokenError::Unknown(id.to_owned()))?;
            let sessions = table.sessions_of(id);
            let ended = sessions.iter().filter_map(|session| table.tokens.remove(session)).map(|ended| ended.changed);
            let mut changed: Vec<_> = ended.collect();
            changed.push(known.changed);
            let left = table.tokens.values().any(|other| other.principal == known.principal);
            let left_alone = match known.acts_as {
                PrincipalKind::Agent { agent } if !left => Some(agent),
                PrincipalKind::Agent { .. }
                | PrincipalKind::Run { .. }
                | PrincipalKind::Host { .. }
                | PrincipalKind::Person
                | PrincipalKind::Service => None,
            };
            Ok((left_alone, Changed(changed)))
        })
    }

    /// Waits until a credential is good no more: revoked, expired, or its secret rotated away.
    pub async fn end_of(&self, credential: &Credential, clock: &Clock) {
        if let Some(run) = &credential.run {
            return run.ended().await;
        }
        loop {
            // Listens before it looks, so that no change falls between.
            let mut changed = pin!(credential.changed.notified());
            changed.as_mut().enable();
            let good = self.table.borrow().good(&credential.id, &credential.hmac);
            match good {
                Good::NoMore => return,
                Good::Always => changed.await,
                Good::Until(at) => {
                    let left = at.since(clock.machine_now());
                    if left.is_zero() {
                        return;
                    }
                    // Not for longer: the machine may sleep meanwhile, and no timer counts that.
                    drop(tokio::time::timeout(left.min(LOOK_AGAIN), changed).await);
                }
            }
        }
    }

    /// Makes the operator's token on the first start, and puts it where the command line finds it.
    pub fn ensure_operator(&self, data_dir: &Path, now: Timestamp) -> Result<PathBuf> {
        let path = data_dir.join(OPERATOR_FILE);
        let kept = private_file::read_own(&path).map_err(|error| cannot_use(&path, error))?;
        if kept.is_some_and(|token| self.authenticate(token.trim(), now).is_ok()) {
            return Ok(path);
        }
        let new = NewToken::Named { name: "operator".to_owned(), scope: Scope::Admin, service: false };
        let (token, _) = self.create(&new, None, now)?;
        private_file::replace(&path, format!("{token}\n").as_bytes()).map_err(|error| cannot_use(&path, error))?;
        Ok(path)
    }

    pub fn flush(&self) -> Result<()> {
        self.change(|_| Ok(()))
    }

    /// Changes the vault and then the table, or neither. Listeners are told after this returned.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Table) -> Result<T>) -> Result<T> {
        self.change_by(change, |table| write(&*self.vault, table))
    }

    /// The same with `keep` in the place of the vault.
    pub(super) fn change_by<T>(
        &self,
        change: impl FnOnce(&mut Table) -> Result<T>,
        keep: impl FnOnce(&Table) -> Result<()>,
    ) -> Result<T> {
        let mut outcome = None;
        self.changes.send_modify(|()| {
            let mut next = Table::clone(&self.table.borrow());
            let changed = change(&mut next).and_then(|value| keep(&next).map(|()| value));
            if changed.is_ok() {
                self.table.send_replace(Arc::new(next));
            }
            outcome = Some(changed);
        });
        outcome.unwrap_or_else(|| Err(TokenError::Unknown("nothing".to_owned())))
    }
}

fn add(
    table: &mut Table,
    id: String,
    new: &NewToken,
    expires_in: Option<Duration>,
    now: Timestamp,
) -> Result<(String, TokenView)> {
    let (kind, principal, acts_as, display_name, scopes) = described(new)?;
    let secret = format::new_secret()?;
    let known = TokenEntry {
        kind,
        principal,
        acts_as,
        display_name,
        scopes,
        created_at: now,
        expires_at: expires_in.map(|span| now + span),
        secrets: vec![KeptSecret { hmac: table.hmac(&secret), until: None }],
        opened_by: None,
        last_used: Arc::new(AtomicU64::new(0)),
        changed: Arc::new(Notify::new()),
    };
    let token = format::write(kind, &id, &secret);
    let view = view(&id, &known);
    table.tokens.insert(id, known);
    Ok((token, view))
}

type Described = (TokenKind, PrincipalId, PrincipalKind, String, BTreeSet<Scope>);

fn described(new: &NewToken) -> Result<Described> {
    Ok(match new {
        NewToken::Agent(agent) => (
            TokenKind::Agent,
            PrincipalId::parse(&format!("agent:{agent}"))?,
            PrincipalKind::Agent { agent: agent.clone() },
            agent.to_string(),
            BTreeSet::from([Scope::Agent]),
        ),
        NewToken::Host { name, role } => (
            TokenKind::Host,
            named("host", name)?,
            PrincipalKind::Host { role: role.clone() },
            name.clone(),
            BTreeSet::from([Scope::Host]),
        ),
        NewToken::Named { name, scope, service } => {
            let (kind, acts_as) = if *service {
                (TokenKind::Service, PrincipalKind::Service)
            } else {
                (TokenKind::Person, PrincipalKind::Person)
            };
            let id = match (name.as_str(), service) {
                ("operator", false) => PrincipalId::parse("operator")?,
                (name, true) => named("service", name)?,
                (name, false) => named("person", name)?,
            };
            (kind, id, acts_as, name.clone(), BTreeSet::from([*scope]))
        }
    })
}

fn named(kind: &str, name: &str) -> Result<PrincipalId> {
    if name.is_empty() {
        let rule = "^[a-z0-9.:_-]{1,88}$";
        return Err(IdError { given: String::new(), what: "a name", rule }.into());
    }
    Ok(PrincipalId::parse(&format!("{kind}:{name}"))?)
}

fn write(vault: &dyn Vault, table: &Table) -> Result<()> {
    let text = serde_json::to_string_pretty(table)
        .map_err(|error| TokenError::Unreadable { path: vault.shown(TOKENS), error: error.to_string() })?;
    vault.write(TOKENS, &text).map_err(|error| not_kept(vault, error))
}

fn not_kept(vault: &dyn Vault, error: std::io::Error) -> TokenError {
    TokenError::File { path: vault.shown(TOKENS), error }
}

fn cannot_use(path: &Path, error: std::io::Error) -> TokenError {
    TokenError::File { path: path.display().to_string(), error }
}
