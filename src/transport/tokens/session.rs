//! Sessions of the page: a token that a person's browser holds for half a day, opened by a one-time code.
//!
//! ```text
//!   callboard open ─► code (a minute, once) ─► POST /api/v1/login ─► session (12 hours at most)
//! ```
//!
//! It acts as the principal of the token that it was opened with, never with a broader scope or for longer: it ends
//! with that token or its secret, by logging out, or after [`SESSION_LASTS`].

use std::time::Duration;

use thiserror::Error;

use super::format::{self, TokenKind};
use super::login::{CodeRefusal, Pending};
use super::store::{Changed, Result, TokenError, TokenRefusal, TokenStore};
use super::table::{Credential, Good};
use super::view::{TokenView, view};
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;

pub const SESSION_LASTS: Duration = Duration::from_secs(12 * 60 * 60);
/// The most sessions of one token at once; one more ends the oldest.
const MOST_SESSIONS: usize = 50;

#[derive(Debug)]
pub struct LoginCode {
    pub code: String,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A session, told once.
#[derive(Debug)]
pub struct Opened {
    /// The token that the page keeps.
    pub token: String,
    pub view: TokenView,
}

/// A code that was taken, for a session that is not opened yet.
#[derive(Debug)]
pub struct Redeemed(Pending);

impl Redeemed {
    pub const fn maker(&self) -> &Credential {
        &self.0.maker
    }
}

#[derive(Debug, Error)]
pub enum LoginError {
    #[error("this code opens nothing: it was used, has expired, or was never made")]
    Code(CodeRefusal),
    /// The session could not be written down.
    #[error(transparent)]
    Tokens(#[from] TokenError),
}

impl TokenStore {
    /// A code for one session of this caller. The door checks that the caller has the scope.
    pub fn login_code(&self, maker: &Credential, scope: Scope, now: Timestamp) -> Result<LoginCode> {
        let code = format::new_secret()?;
        let expires_at = self.codes.keep(&code, maker.clone(), scope, now);
        Ok(LoginCode { code, expires_at })
    }

    /// Takes a code, spent in any case. Fails when it opens nothing, also because its maker's token ended.
    pub fn redeem(&self, code: &str, now: Timestamp) -> Result<Redeemed, LoginError> {
        let pending = self.codes.take(code, now).map_err(LoginError::Code)?;
        self.ends(&pending.maker, now).map_err(|_| LoginError::Code(CodeRefusal::Invalid))?;
        Ok(Redeemed(pending))
    }

    /// Opens the session under this public id. Fails when its maker's token ended, or it could not be written.
    pub fn open_session(&self, redeemed: Redeemed, id: &str, now: Timestamp) -> Result<Opened, LoginError> {
        let Redeemed(pending) = redeemed;
        let ends = self.ends(&pending.maker, now).map_err(|_| LoginError::Code(CodeRefusal::Invalid))?;
        let expires_at = ends.map_or(now + SESSION_LASTS, |ends| ends.min(now + SESSION_LASTS));
        let secret = format::new_secret().map_err(TokenError::from)?;
        let (view, _ended) = self.change(|table| {
            let Some(mut known) = table.tokens.get(&pending.maker.id).cloned() else {
                return Err(TokenError::Unknown(pending.maker.id.clone()));
            };
            table.tokens.retain(|_, known| {
                known.opened_by.is_none() || known.expires_at.is_none_or(|expires_at| expires_at > now)
            });
            known.becomes_session(table.kept(&secret), &pending.maker.id, pending.scope, now, expires_at);
            let siblings = table.tokens.iter().filter(|(_, other)| other.opened_by == known.opened_by);
            let mut siblings: Vec<_> = siblings.map(|(id, other)| (other.created_at, id.clone())).collect();
            siblings.sort();
            let too_many = siblings.iter().rev().skip(MOST_SESSIONS - 1);
            let ended = too_many.filter_map(|(_, id)| table.tokens.remove(id)).map(|ended| ended.changed).collect();
            let view = view(id, &known);
            table.tokens.insert(id.to_owned(), known);
            Ok((view, Changed(ended)))
        })?;
        Ok(Opened { token: format::write(TokenKind::Service, id, &secret), view })
    }

    /// When a credential ends; none: as far as is known, never.
    pub fn ends(&self, credential: &Credential, now: Timestamp) -> Result<Option<Timestamp>, TokenRefusal> {
        let good = self.table.borrow().good(&credential.id, &credential.hmac);
        match good {
            Good::Always => Ok(None),
            Good::Until(at) if at > now => Ok(Some(at)),
            Good::Until(_) | Good::NoMore => Err(TokenRefusal),
        }
    }
}
