//! Idempotency of an agent's calls: a call that is repeated under its key is not executed twice.

use ractor::RpcReplyPort;
use serde_json::json;

use super::message::{AgentError, EvictRequest};
use super::state::State;
use crate::domain::agent::{AgentCommand, Eviction};
use crate::journal::{Idempotency, IdempotencyKey};

impl State {
    /// Sends it away: whatever it holds goes back at once.
    pub(super) async fn evict(&mut self, request: EvictRequest, reply: RpcReplyPort<Result<Eviction, AgentError>>) {
        let _ = reply.send(self.evict_once(request).await);
    }

    async fn evict_once(&mut self, request: EvictRequest) -> Result<Eviction, AgentError> {
        let EvictRequest { eviction, by, request, key } = request;
        // Before anything is decided: it may have registered again since, and must not be sent away twice by one word.
        if let Some(receipt) = self.journal.recall(self.clock.now(), key.as_ref()).await? {
            return serde_json::from_value(receipt).map_err(|_| AgentError::KeyReused);
        }
        let idempotency = key.map(|key| key.keeps(json!(eviction)));
        self.decide_and_write_once(AgentCommand::Evict(eviction.clone()), by, request, idempotency).await?;
        self.told = None;
        self.release_all();
        Ok(eviction)
    }

    /// The key of a registration, unless it was used for the same one before: to register again is carried out.
    pub(super) async fn key_of_registration(
        &self,
        key: Option<IdempotencyKey>,
    ) -> Result<Option<Idempotency>, AgentError> {
        let repeats = self.journal.recall(self.clock.now(), key.as_ref()).await?.is_some();
        Ok(key.filter(|_| !repeats).map(|key| key.keeps(json!({ "registered": self.agent.id }))))
    }
}
