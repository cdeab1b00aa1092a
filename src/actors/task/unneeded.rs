//! Open questions that nobody needs any more when their task moves: their end goes into the task's own append.
//!
//! The append names the versions of the sessions that were read: when one moves meanwhile, the task looks again.

use super::message::{ActError, TaskAct};
use super::state::State;
use crate::actors::common::Fault;
use crate::domain::agent::Notice;
use crate::domain::ids::{AgentId, SessionId};
use crate::domain::session::question::Answerer;
use crate::domain::session::{self, Happened, Session};
use crate::domain::task::{Task, TaskRecord, TaskRefusal};
use crate::domain::time::Timestamp;
use crate::journal::{Entry, Record};

#[derive(Debug, Default)]
pub(super) struct Unneeded {
    pub(super) entries: Vec<Entry>,
    pub(super) notices: Vec<(AgentId, Notice)>,
    /// The sessions, and the versions of them that were read.
    pub(super) read: Vec<(SessionId, u64)>,
}

impl State {
    /// The questions that end with these records, which lead to `next`. Fails with `QUESTION_OPEN` when its asker
    /// completes the task while the default of what it asks could do harm.
    pub(super) async fn unneeded(
        &self,
        now: Timestamp,
        act: &TaskAct,
        records: &[TaskRecord],
        next: &Task,
    ) -> Result<Unneeded, ActError> {
        let mut all = Unneeded::default();
        if records.is_empty() || next.asked_in.is_empty() {
            return Ok(all);
        }
        let (by, display_name) = (act.cause.by.clone(), act.cause.who.display_name.clone());
        let by = Answerer { principal: by.principal, display_name, surface: by.surface };
        for session in self.sessions(next).await? {
            if let Some(question) = session::in_the_way(&session, next, records) {
                let (task, question) = (next.id().clone(), question.spec.id.clone());
                return Err(TaskRefusal::QuestionOpen { task, question }.into());
            }
            let mut any = false;
            for question in session::unneeded(&session, next, records) {
                if act.part.as_ref().is_some_and(|part| part.resolves(&question.spec.id)) {
                    continue;
                }
                let (ended, told) = session::lapsed(question, next, by.clone(), self.ids.notice(), now);
                let record = match ended {
                    Happened::Question(record) => Record::Question(record),
                    Happened::Session(record) => Record::Session(record),
                    Happened::Pull(record) => Record::Pull(record),
                };
                all.entries.push(Entry::of_session(&session.id, Some(&session.agent), Some(next.id()), record));
                all.notices.push((session.agent.clone(), told));
                any = true;
            }
            if any {
                all.read.push((session.id, session.version));
            }
        }
        Ok(all)
    }

    async fn sessions(&self, task: &Task) -> Result<Vec<Session>, ActError> {
        let asked_in = task.asked_in.clone();
        let read = self.journal.read(move |reader| {
            let found = asked_in.iter().map(|id| reader.session(id)).collect::<Result<Vec<_>, _>>()?;
            Ok(found.into_iter().flatten().collect())
        });
        Ok(read.await.map_err(Fault::from)?)
    }
}
