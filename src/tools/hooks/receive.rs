//! Writes down what a webhook said, once for each delivery.

use serde_json::json;

use crate::actors::HubRef;
use crate::actors::journal::{AppendError, RecallError};
use crate::domain::hook::HookEvent;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::journal::{Append, Entry, HubRecord, IdempotencyKey, WriteError};
use crate::tools::key::digest;
use crate::tools::people::fault;
use crate::tools::{Refusal, Result, refuse};
use crate::webhooks::{DeliverySubject, Received, is_own};

/// In the place of a source's name, for what means the same whichever source it comes from; no source can have it.
const EVERY_SOURCE: &str = "every.source";

/// What the sender is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookReceipt {
    /// It is written down, and will be done.
    Kept,
    /// It came before: nothing is done.
    Repeated,
    /// Nobody here acts on that.
    Unused,
}

/// As whom a source acts: what it says is no person's word. Never fails for the name of a source.
pub(super) fn source_principal(source: &str) -> Result<PrincipalId> {
    PrincipalId::parse(&format!("hook:{source}")).map_err(|error| Refusal::new("INVALID_ARGUMENTS", error.to_string()))
}

/// A key under which a delivery is claimed. It has no digest: a repeat is one, whatever else it says.
const fn claim(whose: PrincipalId, key: String) -> IdempotencyKey {
    IdempotencyKey { principal: whose, key, digest: String::new() }
}

/// Writes down what a verified delivery said; durable when it returns.
///
/// Repeats, for 72 hours, are: the same delivery; the same body under another id, where ids are not signed; and another
/// delivery that tells the same of the same comment or review, from this source or, where both name its forge, from
/// another. The same is what has the same words of the same person here: so no source takes away what another one says.
///
/// What the hub wrote itself is no news, and the forge's times are put into the hub's own. Fails when the journal
/// cannot be read or written: then the sender is to send it again.
pub async fn receive_hook(hub: &HubRef, request: &str, received: Received, body: &str) -> Result<HookReceipt> {
    let Received { source, id, id_is_signed, told, heard } = received;
    let Some(mut heard) = heard else { return Ok(HookReceipt::Unused) };
    let principal = source_principal(&source)?;
    let own = |key: String| claim(principal.clone(), key);
    let by_id = own(format!("id:{id}"));
    // One key is claimed by the append itself, so that of two at once one is kept: the one that no repeat can change.
    let (first, other) = match told {
        Some(told) => {
            let named = named(hub, &told, &source, &heard)?;
            heard.redate(|at| told.host.as_ref().map_or(at, |host| hub.forge.clocks().ours(host, at)));
            (named, Some(by_id))
        }
        None if id_is_signed => (by_id, None),
        None => (own(format!("body:{body}")), Some(by_id)),
    };
    heard.redate(|at| hub.clock.of_machine(at));
    if let HookEvent::Comment { comment } = &heard
        && is_own(hub, comment).await.map_err(|error| refuse::read(&error))?
    {
        return Ok(HookReceipt::Unused);
    }
    match hub.journal.recall(hub.clock.now(), other.as_ref()).await {
        Ok(None) => {}
        Ok(Some(_)) | Err(RecallError::KeyReused) => return Ok(HookReceipt::Repeated),
        Err(RecallError::Read(error)) => return Err(refuse::read(&error)),
    }
    let record = HubRecord::HookReceived { source, delivery: id, heard };
    match keep(hub, request, &principal, first, vec![Entry::of_hub(record)]).await? {
        HookReceipt::Kept => {}
        other @ (HookReceipt::Repeated | HookReceipt::Unused) => return Ok(other),
    }
    if let Some(claim) = other
        && let Err(refusal) = keep(hub, request, &principal, claim, Vec::new()).await
    {
        tracing::warn!("a delivery of `{principal}` is kept, and its id could not be remembered: {}", refusal.message);
    }
    Ok(HookReceipt::Kept)
}

/// The claim of what its forge gave a name: the same for every source that says the same, where the forge is known.
fn named(hub: &HubRef, told: &DeliverySubject, source: &str, heard: &HookEvent) -> Result<IdempotencyKey> {
    let settings = hub.settings();
    let person = heard.author().and_then(|author| settings.person_at(source, author));
    let person = person.map_or("", |(name, _)| name);
    let words = json!(heard).to_string();
    let parts = [told.host.as_deref().unwrap_or_default(), &told.name, person, &words];
    let key = format!("told:{}", digest(parts.iter().flat_map(|part| [*part, "\0"])));
    let whose = source_principal(if told.host.is_some() { EVERY_SOURCE } else { source })?;
    Ok(claim(whose, key))
}

/// Writes these entries down once under a key that every source shares; whether it was now.
pub(super) async fn once(
    hub: &HubRef,
    request: &str,
    by: &PrincipalId,
    key: String,
    entry: Entry,
) -> Result<HookReceipt> {
    let claim = claim(source_principal(EVERY_SOURCE)?, key);
    keep(hub, request, by, claim, vec![entry]).await
}

async fn keep(
    hub: &HubRef,
    request: &str,
    principal: &PrincipalId,
    claim: IdempotencyKey,
    entries: Vec<Entry>,
) -> Result<HookReceipt> {
    let by = By { principal: principal.clone(), surface: Surface::Tracker };
    let idempotency = Some(claim.keeps(json!({})));
    let request = Some(request.to_owned());
    let append = Append { request, idempotency, ..Append::new(hub.clock.now(), by, entries) };
    match hub.journal.append(append).await {
        Ok(_) => Ok(HookReceipt::Kept),
        Err(AppendError::Write(WriteError::Repeated { .. } | WriteError::KeyReused)) => Ok(HookReceipt::Repeated),
        Err(error) => Err(fault(error.into())),
    }
}
