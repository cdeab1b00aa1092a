//! A journal that changes its engine: what is carried beside the records, in which order, and whether two journals hold
//! the same records.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::domain::agent::Notice;
use super::domain::ids::{AgentId, QuestionId};
use super::domain::session::Session;
use super::domain::session::question::Question;
use super::domain::time::Timestamp;
use super::entry::{Record, Row, Seq};
use super::inspect::difference;
use super::page::{DeliveryFilter, Page, QuestionFilter, ReviewFilter, TaskFilter, WorkflowFilter};
use super::raw::RawRecord;
use super::store::{ReadError, Reader};

/// Records that are read at one go.
pub(crate) const STRIDE: usize = 1_000;

/// Principal, key, digest, receipt, and when it was used.
pub(crate) type KeptKey = (String, String, String, String, Timestamp);

/// A journal that is carried into another engine: what no [`Reader`] lists.
pub(crate) trait Source: Reader {
    /// Records after `after` as they lie there, oldest first.
    fn raw_records(&self, after: Seq, limit: usize) -> Result<Vec<RawRecord>, ReadError>;
    fn keys(&self) -> Result<Vec<KeptKey>, ReadError>;
    /// Comments of reviews, and the task of each.
    fn comments(&self) -> Result<Vec<(String, String)>, ReadError>;
    /// Long texts by their ids.
    fn blobs(&self) -> Result<Vec<(String, String)>, ReadError>;
}

/// What is carried beside the records and the base.
pub(crate) enum Item {
    Row(Row),
    Session(Box<Session>),
    /// With the number of its last record.
    Question(Box<Question>, Seq),
    Notice(AgentId, Box<Notice>),
    Key(KeptKey),
    Comment(String, String),
    Blob(String, String),
}

/// The number of the last record of each question.
pub(crate) type LastOf = BTreeMap<QuestionId, Seq>;

/// One more record, which may be a question's. Fails where that one cannot be read.
pub(crate) fn note(last_of: &mut LastOf, record: &RawRecord) -> Result<(), ReadError> {
    if record.kind.starts_with("question.")
        && let Record::Question(of) = record.clone().read().map_err(ReadError::Fault)?.record
    {
        last_of.insert(of.id().clone(), record.seq);
    }
    Ok(())
}

/// Hands everything to `put` that a journal holds beside its records and its base.
pub(crate) fn items<E: From<ReadError>>(
    source: &dyn Source,
    last_of: &LastOf,
    mut put: impl FnMut(Item) -> Result<(), E>,
) -> Result<(), E> {
    for task in Page::all(|page| source.tasks(&TaskFilter::default(), page))? {
        put(Item::Row(Row::Task(Arc::new(task))))?;
    }
    for session in source.sessions()? {
        put(Item::Session(Box::new(session)))?;
    }
    for question in Page::all(|page| source.questions(&QuestionFilter::default(), page))? {
        let last = last_of.get(&question.spec.id).copied().unwrap_or_default();
        put(Item::Question(Box::new(question), last))?;
    }
    for agent in source.agents()? {
        for notice in agent.notices.values() {
            put(Item::Notice(agent.id.clone(), Box::new(notice.clone())))?;
        }
        put(Item::Row(Row::Agent(Box::new(agent))))?;
    }
    let deliveries = Page::all(|page| source.deliveries(&DeliveryFilter::default(), page))?;
    let rows = Page::all(|page| source.reviews(&ReviewFilter::default(), page))?;
    let rows = rows.into_iter().map(|review| Row::Review(Box::new(review)));
    let runs = source.workflows(&WorkflowFilter::default(), usize::MAX)?;
    let rows = rows.chain(runs.into_iter().map(|run| Row::Workflow(Box::new(run))));
    let rows = rows.chain(deliveries.into_iter().map(|delivery| Row::Delivery(Box::new(delivery))));
    let rows = rows.chain(source.patterns()?.into_iter().map(|kept| Row::Pattern(Box::new(kept))));
    let rows = rows.chain(source.webhooks()?.into_iter().map(|webhook| Row::Webhook(Box::new(webhook))));
    let rows = rows.chain(source.schedules()?.into_iter().map(|schedule| Row::Schedule(Box::new(schedule))));
    for row in rows {
        put(Item::Row(row))?;
    }
    for ticket in source.tickets()? {
        let answer = source.ticket_answer(&ticket.id)?;
        put(Item::Row(Row::Ticket(Box::new(ticket), answer)))?;
    }
    source.keys()?.into_iter().try_for_each(|key| put(Item::Key(key)))?;
    source.comments()?.into_iter().try_for_each(|(comment, task)| put(Item::Comment(comment, task)))?;
    source.blobs()?.into_iter().try_for_each(|(id, text)| put(Item::Blob(id, text)))
}

/// Where a file and a database differ first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Error)]
#[error("record {at} {what}")]
pub struct Difference {
    pub at: Seq,
    /// What is different there. Never what stands in the record: that may be anybody's text.
    pub what: String,
}

/// What a comparison of a file and a database came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// How many records are the same in both, and the number of the last of them.
    pub records: u64,
    pub up_to: Seq,
    /// SHA-256 of these, in hexadecimal.
    pub digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// Compares the records behind `from` and up to `up_to`, to the first that differs.
pub(crate) fn compare(
    file: &dyn Source,
    database: &dyn Source,
    (from, up_to): (Seq, Seq),
    mut progress: impl FnMut(u64),
) -> Result<Compared, ReadError> {
    let (mut at, mut records, mut digest) = (from, 0, Sha256::new());
    let difference = 'all: loop {
        let [here, there] = [file.raw_records(at, STRIDE)?, database.raw_records(at, STRIDE)?];
        let mut pairs = (0..here.len().max(there.len())).map(|n| (here.get(n), there.get(n))).peekable();
        if pairs.peek().is_none() || at >= up_to {
            break None;
        }
        for pair in pairs {
            let (Some(one), Some(other)) = pair else { break 'all only(pair, up_to) };
            if one.seq.min(other.seq) > up_to {
                break 'all None;
            }
            if one.seq != other.seq {
                break 'all only(pair, up_to);
            }
            if one != other {
                break 'all Some(Difference {
                    at: one.seq,
                    what: format!("is not the same: {}", difference(one, other)),
                });
            }
            digest.update(serde_json::to_vec(one).map_err(|error| ReadError::Fault(error.to_string()))?);
            (at, records) = (one.seq, records + 1);
        }
        progress(at.0);
    };
    let digest = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Compared { records, up_to: at, digest, difference })
}

/// A record that only one of them has.
fn only((here, there): (Option<&RawRecord>, Option<&RawRecord>), up_to: Seq) -> Option<Difference> {
    let number = |record: Option<&RawRecord>| record.map_or(Seq(u64::MAX), |record| record.seq);
    let (here, there) = (number(here), number(there));
    let which = if here < there { "file" } else { "database" };
    let at = here.min(there);
    (at <= up_to).then(|| Difference { at, what: format!("is only in the {which}") })
}
