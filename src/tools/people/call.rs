//! A person's call of a verb: who calls, under which idempotency key.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::refused;
use crate::actors::HubRef;
use crate::domain::principal::{Principal, Scope};
use crate::domain::review::Grounds;
use crate::journal::IdempotencyKey;
use crate::tools::author::Author;
use crate::tools::key::{digest, keep, used};
use crate::tools::{Caller, Result};

/// A verb of people. Its own fields are the request, as a person's program writes it.
pub trait PersonVerb: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Its name in the digest of an idempotency key. Digests are on disk: a name never changes.
    const NAME: &'static str;
    /// The scope that a credential needs; `people.yaml` may narrow it further.
    const SCOPE: Scope = Scope::Operate;
    type Reply: Serialize + JsonSchema + Send + 'static;

    /// Does it to the subject, an id as it was given. [`PersonCall::run`] has checked the scope.
    fn act(&self, call: &PersonCall, subject: &str) -> impl Future<Output = Result<Self::Reply>> + Send;
}

/// Who calls, and under which key. Knows nothing of the door that it came through but the surface's name.
#[derive(Debug, Clone)]
pub struct PersonCall {
    pub hub: HubRef,
    /// Who calls, as the credential says, and by which request.
    pub caller: Caller,
    /// The idempotency key, 1 to 256 bytes: under it a repeat within 24 hours is answered as the first time.
    key: Option<String>,
    /// By what the person may approve, where the door has rules of its own.
    pub(super) grounds: Option<Grounds>,
    /// What is asked, for the key's digest, where that is not the verb's own request.
    asked: Option<Value>,
}

impl PersonCall {
    pub const fn new(hub: HubRef, caller: Caller, key: Option<String>) -> Self {
        Self { hub, caller, key, grounds: None, asked: None }
    }

    /// The same call by somebody who may approve by these rules of the door.
    pub(in crate::tools) fn approving(self, grounds: Grounds) -> Self {
        Self { grounds: Some(grounds), ..self }
    }

    /// Runs a verb. Fails with `INSUFFICIENT_SCOPE`, and the verb's refusals.
    pub async fn run<V: PersonVerb>(&self, subject: &str, request: &V) -> Result<V::Reply> {
        self.require(V::SCOPE)?;
        request.act(self, subject).await
    }

    /// Passes only callers with this scope. Fails with `INSUFFICIENT_SCOPE`.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.who().may(scope) { Ok(()) } else { Err(refused::scope(scope)) }
    }

    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub(super) const fn who(&self) -> &Principal {
        &self.caller.principal
    }

    pub(super) fn author(&self) -> Author<'_> {
        Author::operator(&self.hub, &self.caller)
    }

    /// The same call for the `n`th of several acts in one request, from 0: each has a key of its own.
    pub(super) fn nth(&self, n: usize) -> Self {
        // The first act has the request's own key: whoever repeats the whole request repeats that one, too.
        let key = self.key.clone().map(|key| if n == 0 { key } else { format!("{key}#{n}") });
        Self { key, ..self.clone() }
    }

    /// The same call with this in the key's digest in place of the verb's request.
    pub(super) fn asked_as(&self, asked: Value) -> Self {
        Self { asked: Some(asked), ..self.clone() }
    }

    /// The key with a digest of what is asked of the subject: the same key for something else is refused.
    pub(super) fn key_of<V: PersonVerb>(&self, subject: &str, request: &V) -> Option<IdempotencyKey> {
        self.key.as_ref()?;
        let request = || serde_json::to_value(request).unwrap_or_default();
        self.keyed(&[V::NAME, subject, &self.asked.clone().unwrap_or_else(request).to_string()])
    }

    /// The same with a digest of these parts.
    pub(super) fn keyed(&self, asked: &[&str]) -> Option<IdempotencyKey> {
        let key = self.key.clone()?;
        let digest = digest(asked.iter().flat_map(|part| [part.as_bytes(), &[0]]));
        Some(IdempotencyKey { principal: self.who().id.clone(), key, digest })
    }

    /// Takes the call's key before an act that is no record of the journal, so it is never done twice; if the hub is
    /// cut off in between, it is not done. Gives the first call's receipt for a repeat; none else, or without a key.
    /// Fails with `IDEMPOTENCY_KEY_REUSED`, or a fault when the key could not be written down.
    pub async fn claim(&self, asked: &[&str], receipt: Value) -> Result<Option<Value>> {
        let Some(key) = self.keyed(asked) else { return Ok(None) };
        keep(&self.hub, &self.caller, key, receipt, refused::fault).await
    }

    /// None when nothing was done under the key, or there is no key. Fails as [`PersonCall::claim`] does.
    pub async fn recalled(&self, asked: &[&str]) -> Result<Option<Value>> {
        used(&self.hub, self.keyed(asked).as_ref(), refused::read).await?.transpose()
    }
}
