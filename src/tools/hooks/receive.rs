//! Writes down what a webhook said, once for each delivery.

use serde_json::json;

use crate::actors::HubRef;
use crate::actors::journal::AppendError;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::journal::{Append, Entry, HubRecord, Idempotency, WriteError};
use crate::tools::people::fault;
use crate::tools::{Refusal, blame};
use crate::webhooks::Received;

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

/// As whom a source acts: what it says is no person's word.
///
/// # Errors
/// Never for the name of a source.
pub(super) fn source_principal(source: &str) -> Result<PrincipalId, Refusal> {
    PrincipalId::parse(&format!("hook:{source}")).map_err(|error| Refusal::new("INVALID_ARGUMENTS", error.to_string()))
}

/// Writes down what a verified delivery said; durable when it returns.
///
/// The same delivery within 72 hours, and the same body under another id where ids are not signed, are repeats.
///
/// # Errors
/// When the journal cannot be read or written: then the sender is to send it again.
pub async fn receive_hook(
    hub: &HubRef,
    request: &str,
    received: Received,
    digest: &str,
) -> Result<HookReceipt, Refusal> {
    let Received { source, id, id_is_signed, heard } = received;
    let Some(heard) = heard else { return Ok(HookReceipt::Unused) };
    let principal = source_principal(&source)?;
    let by_id = format!("id:{id}");
    // What is signed is claimed by the append itself, so that of two at once one is kept.
    let (signed, other) = if id_is_signed { (by_id, None) } else { (format!("body:{digest}"), Some(by_id)) };
    if let Some(key) = other.clone() {
        let (now, whose) = (hub.clock.now(), principal.clone());
        let known = hub.journal.read(move |reader| reader.recall(now, &whose, &key)).await;
        if known.map_err(|error| blame::read(&error))?.is_some() {
            return Ok(HookReceipt::Repeated);
        }
    }
    let record = HubRecord::HookReceived { source, delivery: id, heard };
    match keep(hub, request, &principal, signed, vec![Entry::of_hub(record)]).await? {
        HookReceipt::Kept => {}
        other @ (HookReceipt::Repeated | HookReceipt::Unused) => return Ok(other),
    }
    if let Some(key) = other
        && let Err(refusal) = keep(hub, request, &principal, key, Vec::new()).await
    {
        tracing::warn!("a delivery of `{principal}` is kept, and its id could not be remembered: {}", refusal.message);
    }
    Ok(HookReceipt::Kept)
}

async fn keep(
    hub: &HubRef,
    request: &str,
    principal: &PrincipalId,
    key: String,
    entries: Vec<Entry>,
) -> Result<HookReceipt, Refusal> {
    let by = By { principal: principal.clone(), surface: Surface::Tracker };
    // What is under one key is one delivery, whatever else a repeat of it says.
    let idempotency =
        Some(Idempotency { principal: principal.clone(), key, digest: String::new(), receipt: json!({}) });
    let request = Some(request.to_owned());
    let append = Append { request, idempotency, ..Append::new(hub.clock.now(), by, entries) };
    match hub.journal.append(append).await {
        Ok(_) => Ok(HookReceipt::Kept),
        Err(AppendError::Write(WriteError::Repeated { .. } | WriteError::KeyReused)) => Ok(HookReceipt::Repeated),
        Err(error) => Err(fault(error.into())),
    }
}
