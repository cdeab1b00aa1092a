//! Changes of tokens by whoever must not wait for the disk: the doors, on whose threads others are served.
//!
//! What a changed token holds open is told on the caller's side, when its work is done: who logs out or rotates the
//! calling token still gets the answer. If the caller is gone, dropping the answer tells it.

use std::time::Duration;

use super::session::{LoginError, Opened, Redeemed};
use super::store::{NewToken, Result, TokenStore};
use super::view::TokenView;
use crate::domain::ids::AgentId;
use crate::domain::time::Timestamp;

impl TokenStore {
    pub async fn create_aside(
        &self,
        id: &str,
        new: NewToken,
        expires_in: Option<Duration>,
        now: Timestamp,
    ) -> Result<(String, TokenView)> {
        let id = id.to_owned();
        self.aside(move |store| store.create_as(&id, &new, expires_in, now)).await
    }

    pub async fn rotate_aside(&self, id: &str, overlap: Duration, now: Timestamp) -> Result<(String, TokenView)> {
        let id = id.to_owned();
        let (done, _changed) = self.aside(move |store| store.rotated(&id, overlap, now)).await?;
        done
    }

    pub async fn revoke_aside(&self, id: &str) -> Result<Option<AgentId>> {
        let id = id.to_owned();
        let (left_alone, _changed) = self.aside(move |store| store.revoked(&id)).await?;
        Ok(left_alone)
    }

    pub async fn open_session_aside(&self, redeemed: Redeemed, id: &str, now: Timestamp) -> Result<Opened, LoginError> {
        let id = id.to_owned();
        self.aside(move |store| store.open_session(redeemed, &id, now)).await
    }

    async fn aside<T: Send + 'static>(&self, work: impl FnOnce(&Self) -> T + Send + 'static) -> T {
        let store = self.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(done) => done,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The hub ends, and whoever waits here with it.
                Err(_) => std::future::pending().await,
            },
        }
    }
}
