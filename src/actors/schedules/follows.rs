//! The ends of tasks, on their way to the schedules that wait for them.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::handle::SchedulesRef;
use super::message::EndedTask;
use crate::actors::follower::{Consumer, Outcome};
use crate::actors::noticeboard::Event;
use crate::domain::schedule::Ended;
use crate::domain::task::TaskStateName;
use crate::journal::{EventFilter, Seq};

/// The events by which a task ends, and the state in which it is then.
const ENDS: [(&str, TaskStateName); 4] = [
    ("task.completed", TaskStateName::Completed),
    ("task.failed", TaskStateName::Failed),
    ("task.cancelled", TaskStateName::Cancelled),
    ("task.dead_lettered", TaskStateName::DeadLetter),
];

/// Its place is the last event that a schedule decided on. Later ones may come again; each is decided once.
#[derive(Debug)]
pub struct Follows(pub SchedulesRef);

impl Consumer for Follows {
    fn wants(&self) -> EventFilter {
        EventFilter { types: ENDS.map(|(kind, _)| kind.to_owned()).to_vec(), ..EventFilter::default() }
    }

    fn place(&mut self) -> BoxFuture<'_, Outcome<Seq>> {
        async move { self.0.place().await.map_err(|fault| fault.to_string()) }.boxed()
    }

    fn take<'a>(&'a mut self, event: &'a Event) -> BoxFuture<'a, Outcome> {
        async move {
            let state = ENDS.iter().find(|(kind, _)| *kind == event.kind).map(|(_, state)| *state);
            let (Some(state), Some(task)) = (state, event.subject.task.clone()) else { return Ok(()) };
            let ended = Ended { seq: event.seq.0, task, state };
            let told = self.0.task_ended(EndedTask { ended, at: event.time }).await;
            told.map_err(|fault| fault.to_string())
        }
        .boxed()
    }

    fn missed(&mut self, count: u64, _: Seq) -> BoxFuture<'_, Outcome> {
        async move {
            tracing::warn!("{count} events were let go of before schedules could see whether a task ended in them");
            Ok(())
        }
        .boxed()
    }
}
