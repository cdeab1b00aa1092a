//! Rows that are written later than their records: what some records come to, kept in memory by the writer of a store
//! until it writes them together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::ids::{SessionId, TaskId};
use super::domain::session::Session;
use super::domain::task::Task;
use super::entry::{Kept, Record, Seq, Stream};
use super::fold;
use super::store::ReadError;

/// What some records come to, and in which streams they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) tasks: BTreeMap<TaskId, Arc<Task>>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    /// In the order of the records.
    pub(crate) streams: Vec<(Stream, Seq)>,
}

impl Rows {
    /// The row of a task after its last record.
    pub(crate) fn put_task(&mut self, task: &Arc<Task>) {
        self.tasks.insert(task.spec.id.clone(), Arc::clone(task));
    }

    /// The row of a session after its last record.
    pub(crate) fn put_session(&mut self, session: Session) {
        self.sessions.insert(session.id.clone(), session);
    }

    /// In which stream a record is.
    pub(crate) fn put_stream(&mut self, stream: &Stream, seq: Seq) {
        self.streams.push((stream.clone(), seq));
    }

    /// A session as these rows know it.
    pub(crate) fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.get(id)
    }

    pub(crate) fn add(&mut self, newer: Self) {
        self.tasks.extend(newer.tasks);
        self.sessions.extend(newer.sessions);
        self.streams.extend(newer.streams);
    }

    /// One more record, as a replay takes it; rows that are not known yet come from the store.
    pub(crate) fn apply(
        &mut self,
        kept: &Kept,
        task: impl FnOnce(&TaskId) -> Result<Option<Task>, ReadError>,
        session: impl FnOnce(&SessionId) -> Result<Option<Session>, ReadError>,
    ) -> Result<(), ReadError> {
        self.put_stream(&kept.stream, kept.seq);
        match (&kept.stream, &kept.record) {
            (Stream::Task(id), Record::Task(record)) => {
                let before = match self.tasks.remove(id) {
                    None => task(id)?,
                    known => known.map(Arc::unwrap_or_clone),
                };
                let after = match before {
                    None => Task::from_created(kept.at, record),
                    Some(mut task) => {
                        task.apply(kept.at, record);
                        Some(task)
                    }
                };
                after.into_iter().for_each(|task| self.put_task(&Arc::new(task)));
            }
            (Stream::Session(id), record) => {
                let before = match self.sessions.remove(id) {
                    None => session(id)?,
                    known => known,
                };
                fold::session_after(before, id, kept.at, record).into_iter().for_each(|after| self.put_session(after));
            }
            (_, _) => {}
        }
        Ok(())
    }
}
