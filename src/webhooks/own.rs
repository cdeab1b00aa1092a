//! Which comments on work items the hub wrote itself, maybe with a person's token: they are no word of that person.
//!
//! *By id and by whole text, never by a mark*, which a quotation repeats. The text is remembered before it goes out,
//! the id after, so one of the two is known however fast the webhook is.
//!
//! Both are keys of the journal, kept as long as deliveries ([`HOOK_KEY_LIFETIME`](crate::journal)).

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::inbound::comment_text;
use crate::actors::HubRef;
use crate::actors::journal::{AppendError, RecallError};
use crate::domain::hook::ItemComment;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::work_item::WorkItem;
use crate::journal::{Append, IdempotencyKey, ReadError, WriteError};

/// Whose keys these are; no source can have the name.
const OWNER: &str = "hook:own.comments";

#[derive(Debug, Clone, Copy)]
pub enum OwnKey<'a> {
    /// What it says, on which item.
    Text(&'a WorkItem, &'a str),
    /// What its forge or tracker calls it.
    Id(&'a str),
    /// Where the one with this mark stands.
    Place(&'a str),
}

impl OwnKey<'_> {
    fn key(self) -> IdempotencyKey {
        let digest = |parts: [&str; 2]| {
            let digest = Sha256::digest(parts.join("\0"));
            digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let key = match self {
            Self::Text(item, body) => {
                format!("text:{}", digest([&item.as_str().to_lowercase(), &comment_text(body)]))
            }
            Self::Id(id) => format!("id:{}", digest(["", id])),
            Self::Place(mark) => format!("place:{}", digest(["", mark])),
        };
        IdempotencyKey { principal: owner(), key, digest: String::new() }
    }
}

/// Remembers it; whether it was not known before. Durable when it returns.
pub async fn remember_own(hub: &HubRef, key: OwnKey<'_>, place: Option<u64>) -> Result<bool, AppendError> {
    let by = By { principal: owner(), surface: Surface::Hub };
    let idempotency = Some(key.key().keeps(json!({ "id": place })));
    match hub.journal.append(Append { idempotency, ..Append::new(hub.clock.now(), by, Vec::new()) }).await {
        Ok(_) => Ok(true),
        Err(AppendError::Write(WriteError::Repeated { .. } | WriteError::KeyReused)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The id of the comment with a mark, where it was remembered.
pub async fn place_of(hub: &HubRef, mark: &str) -> Result<Option<u64>, ReadError> {
    Ok(recall(hub, OwnKey::Place(mark)).await?.and_then(|receipt| receipt["id"].as_u64()))
}

pub async fn is_own(hub: &HubRef, comment: &ItemComment) -> Result<bool, ReadError> {
    if let Some(id) = &comment.id
        && recall(hub, OwnKey::Id(id)).await?.is_some()
    {
        return Ok(true);
    }
    Ok(recall(hub, OwnKey::Text(&comment.item, &comment.text)).await?.is_some())
}

async fn recall(hub: &HubRef, key: OwnKey<'_>) -> Result<Option<Value>, ReadError> {
    match hub.journal.recall(hub.clock.now(), Some(&key.key())).await {
        Ok(found) => Ok(found),
        Err(RecallError::Read(error)) => Err(error),
        // What is asked is in the key itself, and no digest tells one from another.
        Err(RecallError::KeyReused) => Ok(None),
    }
}

#[expect(clippy::expect_used, reason = "the name is written above, and tests read it")]
fn owner() -> PrincipalId {
    PrincipalId::parse(OWNER).expect("a principal")
}
