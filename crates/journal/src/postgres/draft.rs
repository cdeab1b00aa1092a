//! A batch in the making: each append is checked against what was there before it, and its changes are added.

use std::collections::BTreeMap;

use super::batch::Batch;
use super::row::{RowKind, StateRow, delivery_id, key_id, number, storable, unsigned};
use super::words;
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{AgentId, BlobId, QuestionId, SessionId, TaskId};
use crate::domain::review::ReviewRecord;
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::entry::{Append, Record, Row, Seq, Stream, Written};
use crate::fold;
use crate::later::Rows;
use crate::raw::RawRecord;
use crate::search::{SearchText, said};
use crate::store::{WriteError, key_lifetime};

/// A row that was looked up before the batch began.
#[derive(Debug, Clone)]
pub(super) struct KnownRow {
    pub(super) state: Option<String>,
    pub(super) begun: i64,
    pub(super) body: String,
}

pub(super) type KnownRows = BTreeMap<(RowKind, String), KnownRow>;

/// What is written later than its records.
#[derive(Debug, Clone, Default)]
pub(super) struct Later {
    pub(super) rows: Rows,
    pub(super) words: Vec<(Seq, String, String)>,
}

impl Later {
    pub(super) fn add(&mut self, newer: Self) {
        self.rows.add(newer.rows);
        self.words.extend(newer.words);
    }

    /// The words of a record; `blob` finds a text that is kept apart.
    pub(super) fn put_words(&mut self, kept: &crate::entry::Kept, blob: impl Fn(&BlobId) -> Option<String>) {
        self.words.extend(words_of(kept, blob));
    }

    /// All of it becomes part of a batch.
    pub(super) fn into_batch(self, batch: &mut Batch) -> Result<(), WriteError> {
        for task in self.rows.tasks.values() {
            put_task(batch, task)?;
        }
        for session in self.rows.sessions.values() {
            put_session(batch, session)?;
        }
        batch.rows_up_to = self.rows.streams.last().map(|(_, seq)| *seq);
        batch.streams = self.rows.streams.into_iter().map(|(stream, seq)| (stream.to_string(), seq)).collect();
        batch.words = self.words;
        Ok(())
    }
}

pub(super) fn words_of(
    kept: &crate::entry::Kept,
    blob: impl Fn(&BlobId) -> Option<String>,
) -> Option<(Seq, String, String)> {
    let text = SearchText::of(kept, said(&kept.record, blob))?;
    Some((text.seq, text.whose, words::vector(&text.text)?))
}

pub(super) fn put_task(batch: &mut Batch, task: &Task) -> Result<(), WriteError> {
    batch.put(RowKind::TASK, task.spec.id.as_str(), StateRow::of_task(task)?);
    Ok(())
}

pub(super) fn put_session(batch: &mut Batch, session: &Session) -> Result<(), WriteError> {
    batch.put(RowKind::SESSION, session.id.as_str(), StateRow::of_session(session)?);
    for tie in session.ties() {
        let id = format!("{}/{}", session.id, tie.as_str());
        batch.put(RowKind::TIE, &id, StateRow::of_tie(session, tie.as_str()));
    }
    Ok(())
}

/// The rows that the checks of these appends and their changes need.
pub(super) fn asks(batch: &[Append]) -> Vec<(RowKind, String)> {
    let mut asked = Vec::new();
    for append in batch {
        for (session, _) in &append.expects {
            asked.push((RowKind::SESSION, session.as_str().to_owned()));
        }
        if let Some(key) = &append.idempotency {
            asked.push((RowKind::KEY, key_id(key.principal.as_str(), &key.key)));
        }
        for entry in &append.entries {
            match (&entry.stream, &entry.record) {
                (Stream::Agent(agent), Record::Agent(_)) => asked.push((RowKind::AGENT, agent.as_str().to_owned())),
                (Stream::Session(session), record) => {
                    asked.push((RowKind::SESSION, session.as_str().to_owned()));
                    if let Record::Question(record) = record {
                        asked.push((RowKind::QUESTION, record.id().as_str().to_owned()));
                    }
                }
                (_, _) => {}
            }
        }
    }
    asked
}

/// The long texts that records of these appends mention, and none of them brings.
pub(super) fn texts_before(batch: &[Append]) -> Vec<String> {
    let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
    for entry in batch.iter().flat_map(|append| &append.entries) {
        said(&entry.record, |id| {
            asked.borrow_mut().insert(id.as_str().to_owned());
            None
        });
    }
    let brought = |id: &str| batch.iter().flat_map(|append| &append.blobs).any(|blob| blob.id.as_str() == id);
    asked.into_inner().into_iter().filter(|id| !brought(id)).collect()
}

/// A batch in the making.
pub(super) struct Draft<'a> {
    pub(super) batch: Batch,
    /// What follows from it, and is written later.
    pub(super) fresh: Later,
    pub(super) position: Seq,
    known: KnownRows,
    /// Long texts that records of the batch mention, and that came before it.
    texts: &'a BTreeMap<String, String>,
    pending: &'a Later,
    questions: BTreeMap<QuestionId, Question>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        position: Seq,
        known: KnownRows,
        texts: &'a BTreeMap<String, String>,
        pending: &'a Later,
    ) -> Self {
        let (batch, fresh, questions) = (Batch::default(), Later::default(), BTreeMap::new());
        Self { batch, fresh, position, known, texts, pending, questions }
    }

    /// One more append, which is kept or refused by itself.
    pub(super) fn take(&mut self, append: &Append) -> Result<Result<Written, WriteError>, WriteError> {
        for (id, expected) in &append.expects {
            let version = self.session(id)?.map(|session| session.version);
            let mut gone = false;
            for question in append.answered_in(id) {
                gone |= self.question(question)?.is_none();
            }
            if version != Some(*expected) || gone {
                return Ok(Err(WriteError::Moved(id.clone())));
            }
        }
        if let Some(refused) = self.claim(append)? {
            return Ok(Err(refused));
        }
        self.write(append).map(Ok)
    }

    /// Takes the append's key; says so when it is taken.
    fn claim(&mut self, append: &Append) -> Result<Option<WriteError>, WriteError> {
        let Some(key) = &append.idempotency else { return Ok(None) };
        let id = key_id(key.principal.as_str(), &key.key);
        let place = (RowKind::KEY, storable(&id));
        let first = match self.batch.rows.get(&place) {
            Some(Some(row)) => {
                let state = row.state.as_deref().map(storable);
                Some(KnownRow { state, begun: row.begun, body: row.body.clone() })
            }
            Some(None) | None => self.known.get(&place).cloned(),
        };
        if let Some(first) = first
            && append.at.since(Timestamp(unsigned(first.begun))) < key_lifetime(&key.principal)
        {
            return Ok(Some(if first.state.as_deref() == Some(&storable(&key.digest)) {
                WriteError::Repeated { receipt: serde_json::from_str(&first.body)? }
            } else {
                WriteError::KeyReused
            }));
        }
        let (state, body) = (Some(key.digest.clone()), key.receipt.to_string());
        let row = StateRow { state, begun: number(append.at.0), body, ..StateRow::default() };
        self.batch.put(RowKind::KEY, &id, row);
        Ok(None)
    }

    fn write(&mut self, append: &Append) -> Result<Written, WriteError> {
        for row in &append.rows {
            if let Row::Task(task) = row {
                self.fresh.rows.put_task(task);
                // What no record says cannot be made again from the records.
                if append.entries.is_empty() {
                    put_task(&mut self.batch, task)?;
                }
            }
            put_row(&mut self.batch, row)?;
        }
        for blob in &append.blobs {
            self.batch.blobs.insert(blob.id.as_str().to_owned(), blob.text.clone());
        }
        let first = self.position.next();
        for delivery in append.deliveries(first) {
            self.batch.put(RowKind::DELIVERY, &delivery_id(delivery.id), StateRow::of_delivery(&delivery)?);
        }
        for (entry, kept) in append.entries.iter().zip(append.clone().into_kept(first)) {
            self.position = kept.seq;
            self.batch.records.push(RawRecord::of(append, kept.seq, kept.cause, entry)?);
            self.fresh.rows.put_stream(&entry.stream, kept.seq);
            let (new, old) = (&self.batch.blobs, self.texts);
            self.fresh.put_words(&kept, |id| new.get(id.as_str()).or_else(|| old.get(id.as_str())).cloned());
            match (&entry.stream, &entry.record) {
                (Stream::Task(task), Record::Review(record)) => self.comments(task, record),
                (Stream::Agent(agent), Record::Agent(record)) => self.notices(agent, append.at, record)?,
                (Stream::Session(session), record) => self.fold(session, (kept.seq, append.at), record)?,
                (_, _) => {}
            }
        }
        Ok(Written { first, last: self.position })
    }

    /// A session as this batch has left it so far.
    fn session(&self, id: &SessionId) -> Result<Option<Session>, WriteError> {
        match self.fresh.rows.session(id).or_else(|| self.pending.rows.session(id)) {
            None => self.looked_up(RowKind::SESSION, id.as_str()),
            known => Ok(known.cloned()),
        }
    }

    fn question(&self, id: &QuestionId) -> Result<Option<Question>, WriteError> {
        match self.questions.get(id) {
            None => self.looked_up(RowKind::QUESTION, id.as_str()),
            known => Ok(known.cloned()),
        }
    }

    fn looked_up<T: serde::de::DeserializeOwned>(&self, kind: RowKind, id: &str) -> Result<Option<T>, WriteError> {
        let found = self.known.get(&(kind, id.to_owned()));
        Ok(found.map(|row| serde_json::from_str(&row.body)).transpose()?)
    }

    fn fold(&mut self, id: &SessionId, (seq, at): (Seq, Timestamp), record: &Record) -> Result<(), WriteError> {
        if let Some(after) = fold::session_after(self.session(id)?, id, at, record) {
            self.fresh.rows.put_session(after);
        }
        let Record::Question(record) = record else { return Ok(()) };
        if let Some(question) = fold::question_after(self.question(record.id())?, at, record) {
            let row = StateRow::of_question(&question, seq)?;
            self.batch.put(RowKind::QUESTION, record.id().as_str(), row);
            self.questions.insert(record.id().clone(), question);
        }
        Ok(())
    }

    /// Where each comment stands: who settles one names nothing else.
    fn comments(&mut self, task: &TaskId, record: &ReviewRecord) {
        for known in fold::comments(record) {
            self.batch.put(RowKind::COMMENT, known.comment.id.as_str(), StateRow::of_comment(task));
        }
    }

    /// Notices are kept one by one: an agent with many unheard ones would otherwise rewrite them all with each.
    fn notices(&mut self, agent: &AgentId, at: Timestamp, record: &AgentRecord) -> Result<(), WriteError> {
        let place = (RowKind::AGENT, agent.as_str().to_owned());
        let row = match (self.batch.rows.get(&place), self.known.get(&place)) {
            (Some(Some(row)), _) => row.clone(),
            (_, Some(known)) => StateRow::plain(known.body.clone()),
            (_, None) => StateRow::of_agent(&Agent::unknown(agent.clone()))?,
        };
        self.batch.rows.insert(place, Some(StateRow { moved: number(at.0), ..row }));
        let id = |notice: &str| format!("{agent}/{notice}");
        match record {
            AgentRecord::NoticePosted { notice } => {
                self.batch.put(RowKind::NOTICE, &id(notice.id.as_str()), StateRow::of_notice(agent, notice)?);
            }
            AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => {
                ids.iter().for_each(|heard| self.batch.forget(RowKind::NOTICE, &id(heard.as_str())));
            }
            AgentRecord::Registered { .. }
            | AgentRecord::NoticeMoved { .. }
            | AgentRecord::Evicted { .. }
            | AgentRecord::EvictionHeard => {}
        }
        Ok(())
    }
}

/// The row of a machine that is written with its append.
pub(super) fn put_row(batch: &mut Batch, row: &Row) -> Result<(), WriteError> {
    match row {
        // It is written later.
        Row::Task(_) => {}
        // It has its name from its append, which puts it itself.
        Row::Outgoing(_) => {}
        Row::Review(review) => batch.put(RowKind::REVIEW, review.task.as_str(), StateRow::of_review(review)?),
        Row::Agent(agent) => batch.put(RowKind::AGENT, agent.id.as_str(), StateRow::of_agent(agent)?),
        Row::Pattern(kept) => {
            batch.put(RowKind::PATTERN, kept.id.as_str(), StateRow::plain(serde_json::to_string(kept)?));
        }
        Row::Forgotten(id) => batch.forget(RowKind::PATTERN, id.as_str()),
        Row::Ticket(ticket, answer) => {
            batch.put(RowKind::TICKET, ticket.id.as_str(), StateRow::plain(serde_json::to_string(ticket)?));
            if let Some(answer) = answer {
                batch.put(RowKind::ANSWER, ticket.id.as_str(), StateRow::plain(answer.clone()));
            }
        }
        Row::TicketGone(id) => {
            batch.forget(RowKind::TICKET, id.as_str());
            batch.forget(RowKind::ANSWER, id.as_str());
        }
        Row::Workflow(run) => batch.put(RowKind::WORKFLOW, run.id.as_str(), StateRow::of_workflow(run)?),
        Row::Webhook(webhook) => {
            batch.put(RowKind::WEBHOOK, &webhook.name, StateRow::plain(serde_json::to_string(webhook)?));
        }
        Row::WebhookGone(name) => batch.forget(RowKind::WEBHOOK, name),
        Row::Schedule(schedule) => {
            batch.put(RowKind::SCHEDULE, &schedule.spec.name, StateRow::plain(serde_json::to_string(schedule)?));
        }
        Row::ScheduleGone(name) => batch.forget(RowKind::SCHEDULE, name),
        Row::Delivery(delivery) => {
            batch.put(RowKind::DELIVERY, &delivery_id(delivery.id), StateRow::of_delivery(delivery)?);
        }
    }
    Ok(())
}
