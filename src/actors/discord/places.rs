//! Which tasks were asked for on Discord, and where. Kept in memory, and read from the journal at the start.

use std::collections::BTreeMap;
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
/// How many pages of older tasks are looked through.
const PAGES: usize = 400;

/// Which tasks were asked for on Discord. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Places(Arc<watch::Sender<OriginTable>>);

#[derive(Debug, Default)]
struct OriginTable {
    tasks: BTreeMap<TaskId, DiscordOrigin>,
    questions: BTreeMap<QuestionId, TaskId>,
    /// Where the tasks begin that were not looked through yet; none when all were.
    older: Option<String>,
}

impl Places {
    /// Those that the journal has.
    pub fn read(reader: &dyn Reader) -> Result<Self, ReadError> {
        let places = Self::default();
        let newest = PageRequest { limit: LOOKED_THROUGH, ..PageRequest::default() };
        let closed = reader.tasks(&TaskFilter::default(), &newest)?;
        places.0.send_modify(|known| known.older = closed.next_cursor);
        closed.items.iter().chain(&reader.open_tasks()?).for_each(|task: &Task| {
            let _ = places.take(&task.spec);
        });
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

    /// Takes a task in, where it was asked for on Discord.
    pub fn take(&self, spec: &TaskSpec) -> Option<DiscordOrigin> {
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

    /// Where a task was asked for.
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

    /// A question is asked for the sake of a task; where that was asked for, if on Discord.
    pub fn asked(&self, question: &QuestionId, task: &TaskId) -> Option<DiscordOrigin> {
        let place = self.of(task)?;
        self.0.send_modify(|known| {
            known.questions.insert(question.clone(), task.clone());
            while known.questions.len() > KEPT {
                known.questions.pop_first();
            }
        });
        Some(place)
    }

    /// Where a question is shown.
    pub fn of_question(&self, question: &QuestionId) -> Option<(TaskId, DiscordOrigin)> {
        let task = self.0.borrow().questions.get(question)?.clone();
        let place = self.of(&task)?;
        Some((task, place))
    }
}
