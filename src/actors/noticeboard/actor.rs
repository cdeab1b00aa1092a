//! The noticeboard's actor: its subscribers, and the events that are buffered for each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ractor::{Actor, ActorCell, ActorRef, SpawnErr};

use super::buffer::Buffer;
use super::event::Event;
use super::handle::NoticeboardRef;
use super::message::{NoticeboardMessage, SubscriberId};
use super::state::{State, Subscriber};
use super::subject::{is_meant, subject_of};
use super::subscription::READ;
use super::view::{NoticeboardView, SubscriberView};
use crate::actors::common::{ActorResult, respond};
use crate::actors::journal::JournalReads;
use crate::broken::{self, Break};
use crate::journal::{EventFilter, Kept, ReadError, Seq};

#[derive(Debug)]
pub struct NoticeboardActor;

#[derive(Debug)]
pub struct NoticeboardArgs {
    pub reads: JournalReads,
    /// `limits.eventBuffer`: the most events that may lie in a subscriber's buffer.
    pub event_buffer: usize,
}

impl NoticeboardActor {
    /// Starts the noticeboard below `supervisor`, or alone, before the journal writes. Fails when a read does.
    pub async fn start(args: NoticeboardArgs, supervisor: Option<ActorCell>) -> Result<NoticeboardRef, SpawnErr> {
        let reads = args.reads.clone();
        let backlog = Arc::new(AtomicUsize::new(0));
        let args = (args, Arc::clone(&backlog));
        let (actor, _) = match supervisor {
            Some(supervisor) => Actor::spawn_linked(None, Self, args, supervisor).await?,
            None => Actor::spawn(None, Self, args).await?,
        };
        Ok(NoticeboardRef::new(actor, reads, backlog))
    }
}

impl State {
    /// Takes in records that are next, or reads what lies between first.
    async fn publish(&mut self, kept: &[Kept]) {
        let Some(first) = kept.first() else { return };
        if first.seq == self.position.next() || self.catch_up(Seq(first.seq.0 - 1)).await {
            self.post(kept);
        }
    }

    /// Reads what was not sent. What cannot be read now is read with what comes next: nothing is left out, it is late.
    async fn catch_up(&mut self, up_to: Seq) -> bool {
        let read = self.read_on(up_to).await;
        if let Err(error) = &read {
            tracing::warn!(%error, "the noticeboard waits at {} for the journal: {error}", self.position);
        }
        read.is_ok()
    }

    async fn read_on(&mut self, up_to: Seq) -> Result<(), ReadError> {
        while self.position < up_to {
            let after = self.position;
            let kept = self.reads.read(move |reader| reader.records(after, READ)).await?;
            if kept.is_empty() {
                return Ok(());
            }
            self.post(&kept);
        }
        Ok(())
    }

    /// Puts what is new into the buffers. Rendered once, and only if somebody listens for it.
    fn post(&mut self, kept: &[Kept]) {
        for kept in kept {
            if kept.seq <= self.position {
                continue;
            }
            self.position = kept.seq;
            // All of them, unless the hub is broken on purpose.
            let dropped = broken::by(Break::DropsEvents) && kept.seq.0 % 100 == 99;
            if self.subscribers.is_empty() || dropped {
                continue;
            }
            let (kind, subject) = (kept.record.kind(), subject_of(kept));
            let mut event = None;
            for subscriber in self.subscribers.values_mut() {
                if is_meant(&subject, &subscriber.filter, kind.name) {
                    let event = event.get_or_insert_with(|| Arc::new(Event::of(kept)));
                    self.dropped += u64::from(!subscriber.buffer.push(Arc::clone(event)));
                }
            }
        }
        self.subscribers.values_mut().for_each(Subscriber::settle);
    }

    fn join(&mut self, filter: EventFilter) -> (SubscriberId, Seq) {
        let id = self.next_id;
        self.next_id += 1;
        let buffer = Buffer::new(self.buffer_limit);
        self.subscribers.insert(id, Subscriber { filter, buffer, fetching: None });
        (id, self.position)
    }

    fn view(&self) -> NoticeboardView {
        let subscribers = self.subscribers.iter().map(|(id, subscriber)| SubscriberView {
            id: *id,
            types: subscriber.filter.types.clone(),
            depth: subscriber.buffer.depth(),
            missed: subscriber.buffer.missed_in_all(),
            waits: subscriber.fetching.is_some(),
        });
        NoticeboardView {
            position: self.position,
            buffer_limit: self.buffer_limit,
            dropped: self.dropped,
            subscribers: subscribers.collect(),
        }
    }
}

impl Actor for NoticeboardActor {
    type Msg = NoticeboardMessage;
    type State = State;
    type Arguments = (NoticeboardArgs, Arc<AtomicUsize>);

    async fn pre_start(&self, _: ActorRef<Self::Msg>, (args, backlog): Self::Arguments) -> ActorResult<State> {
        let position = args.reads.read(|reader| reader.position()).await?;
        Ok(State {
            reads: args.reads,
            buffer_limit: args.event_buffer,
            backlog,
            position,
            next_id: 1,
            dropped: 0,
            subscribers: BTreeMap::new(),
        })
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: NoticeboardMessage, state: &mut State) -> ActorResult {
        match message {
            NoticeboardMessage::Publish(kept) => {
                state.backlog.fetch_sub(kept.len(), Ordering::AcqRel);
                state.publish(&kept).await;
            }
            NoticeboardMessage::CatchUp(up_to) => {
                state.catch_up(up_to).await;
            }
            NoticeboardMessage::Join { filter, reply } => {
                let joined = state.join(filter);
                if reply.send(joined).is_err() {
                    state.subscribers.remove(&joined.0);
                }
            }
            NoticeboardMessage::Fetch { subscriber, reply } => {
                // One who is not known hears that the line is cut.
                if let Some(subscriber) = state.subscribers.get_mut(&subscriber) {
                    subscriber.fetching = Some(reply);
                    subscriber.settle();
                }
            }
            NoticeboardMessage::Leave { subscriber } => {
                state.subscribers.remove(&subscriber);
            }
            NoticeboardMessage::View { reply } => respond(reply, state.view()),
        }
        Ok(())
    }

    /// Whoever waits for an event hears now that none comes: the state itself lives until the supervisor has taken
    /// notice of the end, and at the end of the hub the supervisor waits for the followers before it does.
    async fn post_stop(&self, _: ActorRef<Self::Msg>, state: &mut State) -> ActorResult {
        state.subscribers.clear();
        Ok(())
    }
}
