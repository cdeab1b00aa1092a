//! A record as its columns, the same in each engine: what is written, read back, exported and carried from one engine
//! into another.

use super::codec::{self, CodecError};
use super::domain::ids::PrincipalId;
use super::domain::principal::{By, Surface};
use super::domain::time::Timestamp;
use super::entry::{Append, Entry, Kept, Seq, Stream, Subject};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct RawRecord {
    pub(crate) seq: Seq,
    pub(crate) at: Timestamp,
    pub(crate) principal: String,
    pub(crate) surface: String,
    pub(crate) request: Option<String>,
    pub(crate) cause: Option<Seq>,
    pub(crate) stream: String,
    pub(crate) kind: String,
    pub(crate) version: u16,
    pub(crate) body: String,
    pub(crate) subject: Option<String>,
}

impl RawRecord {
    /// A record that is about to be written.
    pub(crate) fn of(append: &Append, seq: Seq, cause: Option<Seq>, entry: &Entry) -> Result<Self, CodecError> {
        let encoded = codec::encode(&entry.record)?;
        let subject = if entry.about.is_nothing() { None } else { codec::text(&entry.about).ok() };
        Ok(Self {
            seq,
            at: append.at,
            principal: append.by.principal.as_str().to_owned(),
            surface: append.by.surface.as_str().to_owned(),
            request: append.request.clone(),
            cause,
            stream: entry.stream.to_string(),
            kind: encoded.kind.name.to_owned(),
            version: encoded.kind.version,
            body: encoded.body,
            subject,
        })
    }

    /// What it says; or what is wrong with it.
    pub(crate) fn read(self) -> Result<Kept, String> {
        let Self { seq, at, principal, surface, request, cause, stream, kind, version, body, subject } = self;
        let read = || -> Result<Kept, String> {
            Ok(Kept {
                seq,
                at,
                by: By {
                    principal: PrincipalId::parse(&principal).map_err(|error| error.to_string())?,
                    surface: Surface::parse(&surface).ok_or_else(|| format!("`{surface}` is not a surface"))?,
                },
                request,
                cause,
                stream: Stream::parse(&stream).ok_or_else(|| format!("`{stream}` is not a stream"))?,
                record: codec::decode(&kind, version, &body).map_err(|error| error.to_string())?,
                about: match &subject {
                    Some(text) => serde_json::from_str(text).map_err(|error| format!("its subject: {error}"))?,
                    None => Subject::NOTHING,
                },
            })
        };
        read().map_err(|detail| format!("record {seq}: {detail}"))
    }
}
