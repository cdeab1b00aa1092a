//! An event: a record as the world outside sees it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data;
use super::subject::subject_of;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::Surface;
use crate::domain::text::nearest;
use crate::domain::time::Timestamp;
use crate::journal::{KINDS, Kept, Seq, Stream, Subject};

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

/// A name that is no type of event, nor a family of types as `task`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no type of event{}", .given.escape_debug(), meant(.nearest))]
pub struct UnknownType {
    pub given: String,
    pub nearest: Vec<&'static str>,
}

/// Passes names of types and of families of types. The error is the first one that there is not.
pub fn check_types(names: &[String]) -> Result<(), UnknownType> {
    let family = |kind: &'static str| kind.split_once('.').map_or(kind, |(family, _)| family);
    let is_known = |name: &str| EVENT_TYPES.iter().any(|kind| *kind == name || family(kind) == name);
    let Some(unknown) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let families: std::collections::BTreeSet<&'static str> = EVENT_TYPES.into_iter().map(family).collect();
    let nearest = nearest(unknown, EVENT_TYPES.into_iter().chain(families));
    Err(UnknownType { given: unknown.chars().take(64).collect(), nearest })
}

fn meant(nearest: &[&str]) -> String {
    match nearest {
        [] => "; a type is as `task.created`, a family of types as `task`".to_owned(),
        names => {
            format!("; did you mean {}?", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "))
        }
    }
}

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
    #[schemars(with = "String")]
    pub principal: PrincipalId,
    /// Where: `agent`, `discord`, `page`, `cli`, `api`, `tracker`, `timer`, `workflow`, `hub`.
    #[schemars(with = "String")]
    pub surface: Surface,
}

impl Event {
    pub fn of(kept: &Kept) -> Self {
        Self {
            seq: kept.seq,
            id: name(kept.seq),
            kind: kept.record.kind().name.to_owned(),
            time: kept.at,
            subject: subject_of(kept),
            actor: EventActor { principal: kept.by.principal.clone(), surface: kept.by.surface },
            cause: kept.cause.map(name),
            request_id: kept.request.clone(),
            data: with_workflow(&kept.stream, data::of(&kept.record)),
        }
    }
}

/// The data, with the run of a workflow that it is about.
fn with_workflow(stream: &Stream, mut data: Value) -> Value {
    if let (Stream::Workflow(id), Value::Object(fields)) = (stream, &mut data) {
        fields.insert("workflowId".to_owned(), Value::from(id.as_str()));
    }
    data
}

fn name(seq: Seq) -> String {
    format!("ev_{seq}")
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Posted {
    Event(Arc<Event>),
    /// The reader was too slow: here so many events are missing that it had asked for. Or it came too late: so many
    /// events, of every kind, were let go of by `journal.retention`.
    Gap {
        missed: u64,
        /// The number after which events go on, where those before it were let go of; none where the reader was slow.
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<Seq>,
    },
}
