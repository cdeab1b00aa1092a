//! The alarm's shell: an ordered table of deadlines, and one sleeping task that wakes it for the earliest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorRef};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::message::{AlarmKey, AlarmMessage, ArmedTimer, Ring};
use crate::actors::common::{ActorResult, ActorView, MailboxMetrics, respond};
use crate::clock::{Clock, LOOK_EVERY};
use crate::domain::time::{Deadline, Timestamp};

/// After what pause a ring that nobody heard comes again.
const AGAIN: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct AlarmActor;

#[derive(Debug)]
pub struct AlarmArgs {
    pub clock: Clock,
    pub mailbox_metrics: Arc<MailboxMetrics>,
}

pub struct Wheel {
    clock: Clock,
    mailbox_metrics: Arc<MailboxMetrics>,
    started_at: Timestamp,
    by_key: BTreeMap<AlarmKey, (Deadline, Ring)>,
    by_time: BTreeMap<(Timestamp, AlarmKey), ()>,
    earliest: watch::Sender<Option<Instant>>,
}

impl std::fmt::Debug for Wheel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wheel").field("armed", &self.by_key.len()).finish_non_exhaustive()
    }
}

impl Wheel {
    fn set(&mut self, key: AlarmKey, deadline: Deadline, ring: Ring) {
        self.clear(&key);
        self.by_time.insert((deadline.at, Arc::clone(&key)), ());
        self.by_key.insert(key, (deadline, ring));
    }

    fn clear(&mut self, key: &AlarmKey) {
        if let Some((old, _)) = self.by_key.remove(key) {
            self.by_time.remove(&(old.at, Arc::clone(key)));
        }
    }

    /// Rings whatever is due. A ring that nobody heard comes again: an actor may set its deadline too early.
    fn turn(&mut self) {
        let now = self.clock.now();
        while let Some(((at, _), ())) = self.by_time.first_key_value() {
            if *at > now {
                break;
            }
            let Some(((_, key), ())) = self.by_time.pop_first() else { break };
            if let Some((deadline, ring)) = self.by_key.remove(&key)
                && !ring()
            {
                self.set(key, Deadline { at: now + AGAIN, ..deadline }, ring);
            }
        }
    }

    fn ring_all(&mut self) {
        self.by_time.clear();
        for (key, (deadline, ring)) in std::mem::take(&mut self.by_key) {
            if !ring() {
                self.set(key, Deadline { at: self.clock.now() + AGAIN, ..deadline }, ring);
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        self.by_time.first_key_value().map(|((at, _), ())| self.clock.instant(*at))
    }

    fn settle(&self) {
        let next = self.next();
        self.earliest.send_if_modified(|current| {
            let changed = *current != next;
            *current = next;
            changed
        });
    }

    fn list(&self, limit: usize) -> Vec<ArmedTimer> {
        self.by_time
            .keys()
            .take(limit)
            .filter_map(|(at, key)| {
                let (deadline, _) = self.by_key.get(key)?;
                Some(ArmedTimer { actor: key.to_string(), at: *at, reason: deadline.reason })
            })
            .collect()
    }
}

impl Actor for AlarmActor {
    type Msg = AlarmMessage;
    type State = Wheel;
    type Arguments = AlarmArgs;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, args: AlarmArgs) -> ActorResult<Wheel> {
        let (earliest, watcher) = watch::channel(None);
        // Ends by itself when the wheel, and with it the sender, is dropped.
        #[expect(clippy::disallowed_methods, reason = "the sleeper is a part of this actor and dies with its state")]
        tokio::spawn(wake(watcher, args.clock.clone(), myself));
        Ok(Wheel {
            started_at: args.clock.now(),
            clock: args.clock,
            mailbox_metrics: args.mailbox_metrics,
            by_key: BTreeMap::new(),
            by_time: BTreeMap::new(),
            earliest,
        })
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: AlarmMessage, wheel: &mut Wheel) -> ActorResult {
        match message {
            AlarmMessage::Set { key, deadline, ring } => wheel.set(key, deadline, ring),
            AlarmMessage::Clear { key } => wheel.clear(&key),
            turn @ (AlarmMessage::Turn | AlarmMessage::ClockMoved) => {
                if matches!(turn, AlarmMessage::ClockMoved) {
                    wheel.ring_all();
                } else {
                    wheel.turn();
                }
                // The sleeper waits for an answer to each turn, also when the moment is the same.
                wheel.earliest.send_replace(wheel.next());
                return Ok(());
            }
            AlarmMessage::List { limit, reply } => respond(reply, wheel.list(limit)),
            AlarmMessage::ActorView { reply } => {
                let mut actor_view = ActorView::of("alarm", "alarm", &wheel.mailbox_metrics, wheel.started_at);
                actor_view.state = format!("{} armed", wheel.by_key.len());
                let _ = reply.send(actor_view);
            }
        }
        wheel.mailbox_metrics.took();
        wheel.settle();
        Ok(())
    }
}

/// Sleeps until the earliest deadline and says `Turn`; in between has the clock compare itself with the machine's.
async fn wake(mut earliest: watch::Receiver<Option<Instant>>, clock: Clock, wheel: ActorRef<AlarmMessage>) {
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let next = *earliest.borrow_and_update();
        let turn = tokio::select! {
            biased;
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => AlarmMessage::Turn,
            changed = earliest.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return,
            },
            _ = looks.tick(), if clock.has_machine() => match clock.look() {
                true => AlarmMessage::ClockMoved,
                false => continue,
            },
        };
        // The wheel answers with another moment, or with none.
        if wheel.send_message(turn).is_err() || earliest.changed().await.is_err() {
            return;
        }
    }
}
