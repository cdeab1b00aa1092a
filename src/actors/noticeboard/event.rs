//! An event: a record as the world outside sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data;
use super::subject::Subject;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::Surface;
use crate::domain::time::Timestamp;
use crate::journal::{KINDS, Kept, Seq};

/// Every type of event, in the order of `journal::KINDS`: an event is called what its record is.
pub const EVENT_TYPES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = KINDS[i].name;
        i += 1;
    }
    names
};

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Its place among all events, from 1, without gaps.
    #[schemars(with = "u64")]
    pub seq: Seq,
    /// The same as a name: `ev_<seq>`.
    pub id: String,
    /// Its type: `<thing>.<past participle or state>`, one of [`EVENT_TYPES`].
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was decided, RFC 3339.
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// What it is about.
    pub subject: Subject,
    /// Who caused it.
    pub actor: EventActor,
    /// The event that it came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The request that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// More, by type. Long texts are given as their length alone.
    pub data: Value,
}

/// Who caused an event, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventActor {
    /// The caller.
    #[schemars(with = "String")]
    pub principal: PrincipalId,
    /// Where: `agent`, `discord`, `page`, `cli`, `api`, `tracker`, `timer`, `workflow`, `hub`.
    #[schemars(with = "String")]
    pub surface: Surface,
}

impl Event {
    /// The event of a record.
    #[must_use]
    pub fn of(kept: &Kept) -> Self {
        Self {
            seq: kept.seq,
            id: name(kept.seq),
            kind: kept.record.kind().name.to_owned(),
            time: kept.at,
            subject: Subject::of(kept),
            actor: EventActor { principal: kept.by.principal.clone(), surface: kept.by.surface },
            cause: kept.cause.map(name),
            request_id: kept.request.clone(),
            data: data::of(&kept.record),
        }
    }
}

fn name(seq: Seq) -> String {
    format!("ev_{seq}")
}
