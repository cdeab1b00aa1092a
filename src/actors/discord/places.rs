//! Which tasks were asked for on Discord, and where. Kept in memory, and read from the journal at the start.

use std::collections::BTreeMap;
use std::iter::successors;
use std::sync::Arc;

use tokio::sync::watch;

use crate::actors::journal::JournalRef;
use crate::domain::discord::DiscordOrigin;
use crate::domain::ids::{QuestionId, TaskId};
use crate::domain::task::{Task, TaskSpec};
use crate::journal::{PageRequest, QuestionFilter, ReadError, Reader, TaskFilter};

/// The most tasks that are known; of older ones a reply in their thread is no follow-up any more.
const KEPT: usize = 10_000;
/// How many tasks are looked through at the start, newest first, beside the open ones; older ones while the hub serves.
const LOOKED_THROUGH: usize = 500;
/// The most tasks of a line of delegation that are looked at; the hub's limit is far below.
pub const LONGEST_LINE: usize = 64;
/// How many pages of older tasks are looked through.
const PAGES: usize = 400;

#[derive(Debug, Clone, Default)]
pub struct Places(Arc<watch::Sender<OriginTable>>);

#[derive(Debug, Default)]
struct OriginTable {
    tasks: BTreeMap<TaskId, DiscordOrigin>,
    /// Of a task that an agent handed out in the course of another: that other one.
    parents: BTreeMap<TaskId, TaskId>,
    questions: BTreeMap<QuestionId, TaskId>,
    /// Where the tasks begin that were not looked through yet; none when all were.
    older: Option<String>,
}

impl Places {
    pub fn read(reader: &dyn Reader) -> Result<Self, ReadError> {
        let places = Self::default();
        let newest = PageRequest { limit: LOOKED_THROUGH, ..PageRequest::default() };
        let closed = reader.tasks(&TaskFilter::default(), &newest)?;
        places.0.send_modify(|known| known.older = closed.next_cursor);
        let open = reader.open_tasks()?;
        closed.items.iter().chain(&open).for_each(|task: &Task| {
            let _ = places.take(&task.spec);
        });
        // A part may be open when the whole has been over for long.
        for task in open {
            let mut parent = task.spec.parent.clone();
            while let Some(whole) = parent.map(|id| reader.task(&id)).transpose()?.flatten() {
                let _ = places.take(&whole.spec);
                parent = whole.spec.parent.clone();
            }
        }
        for question in reader.questions(&QuestionFilter::default(), &newest)?.items {
            if let Some(task) = &question.spec.task_id {
                places.asked(&question.spec.id, task);
            }
        }
        Ok(places)
    }

    /// Looks through older tasks as well, so that a word in the thread of one is still understood after a restart.
    pub async fn read_older(&self, journal: &JournalRef) -> Result<(), ReadError> {
        for _ in 0..PAGES {
            let (cursor, full) = (self.0.borrow().older.clone(), self.0.borrow().tasks.len() >= KEPT);
            let Some(cursor) = cursor.filter(|_| !full) else { return Ok(()) };
            let page = PageRequest { limit: LOOKED_THROUGH, cursor: Some(cursor) };
            let found = journal.read(move |reader| reader.tasks(&TaskFilter::default(), &page)).await?;
            for task in &found.items {
                let _ = self.take(&task.spec);
            }
            self.0.send_modify(|known| known.older = found.next_cursor);
        }
        Ok(())
    }

    /// Takes a task in, where it was asked for on Discord; of another one, in whose course it is.
    pub fn take(&self, spec: &TaskSpec) -> Option<DiscordOrigin> {
        if let Some(parent) = &spec.parent {
            self.0.send_if_modified(|known| {
                let new = known.parents.insert(spec.id.clone(), parent.clone()).is_none();
                while known.parents.len() > KEPT {
                    known.parents.pop_first();
                }
                new
            });
        }
        let place = DiscordOrigin::of_task(spec)?;
        self.0.send_if_modified(|known| {
            let new = known.tasks.insert(spec.id.clone(), place).is_none();
            while known.tasks.len() > KEPT {
                known.tasks.pop_first();
            }
            new
        });
        Some(place)
    }

    pub fn of(&self, task: &TaskId) -> Option<DiscordOrigin> {
        self.0.borrow().tasks.get(task).copied()
    }

    /// The tasks of a request, or of the thread that began at it.
    pub fn at(&self, message: u64) -> Vec<TaskId> {
        let known = self.0.borrow();
        known.tasks.iter().filter(|(_, place)| place.message == message).map(|(task, _)| task.clone()).collect()
    }

    /// The tasks of which everything is said in this room: those of the thread, and those that were asked for in it.
    pub fn in_room(&self, room: u64) -> Vec<TaskId> {
        let known = self.0.borrow();
        let there = known.tasks.iter().filter(|(_, place)| place.message == room || place.room() == room);
        there.map(|(task, _)| task.clone()).collect()
    }

    /// The newest request of each channel, and each thread that began at a request, with that request.
    pub fn newest(&self) -> BTreeMap<u64, u64> {
        let mut newest = BTreeMap::new();
        for place in self.0.borrow().tasks.values() {
            let last = newest.entry(place.channel).or_insert(place.message);
            *last = place.message.max(*last);
            if place.thread {
                newest.entry(place.message).or_insert(place.message);
            }
        }
        newest
    }

    /// The task on Discord that this one is, or is a part of, and where it was asked for: people are told there.
    pub fn whole_of(&self, task: &TaskId) -> Option<(TaskId, DiscordOrigin)> {
        let known = self.0.borrow();
        known.line(task).find_map(|task| known.tasks.get(task).map(|place| (task.clone(), *place)))
    }

    /// These tasks, and those that are in the course of one of them.
    pub fn with_parts(&self, mut tasks: Vec<TaskId>) -> Vec<TaskId> {
        let known = self.0.borrow();
        let parts = known.parents.keys().filter(|part| known.line(part).skip(1).any(|whole| tasks.contains(whole)));
        let parts: Vec<_> = parts.cloned().collect();
        tasks.extend(parts);
        tasks
    }

    /// A question is asked for the sake of a task; where it is shown, if on Discord.
    pub fn asked(&self, question: &QuestionId, task: &TaskId) -> Option<DiscordOrigin> {
        let (_, place) = self.whole_of(task)?;
        self.0.send_modify(|known| {
            known.questions.insert(question.clone(), task.clone());
            while known.questions.len() > KEPT {
                known.questions.pop_first();
            }
        });
        Some(place)
    }

    /// Where a question is shown, and with which task.
    pub fn of_question(&self, question: &QuestionId) -> Option<(TaskId, DiscordOrigin)> {
        let task = self.0.borrow().questions.get(question)?.clone();
        self.whole_of(&task)
    }
}

impl OriginTable {
    /// A task, the one in whose course it is, and so on.
    fn line<'a>(&'a self, task: &'a TaskId) -> impl Iterator<Item = &'a TaskId> {
        successors(Some(task), |task| self.parents.get(*task)).take(LONGEST_LINE)
    }
}
