//! A hub whose outbox sends to a chat of many moods, and the judge of what the chat saw.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::{Destination, Destinations, OrderError, OrderKey, OrderRequest, Ordered, OutboxOrder};
use crate::actors::journal::JournalReads;
use crate::actors::{Backstage, BackstageArgs};
use crate::clock::Clock;
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName, NewDelivery, SendOutcome};
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::memory::{self, MemoryFaults, MemoryReader, MemoryStore};
use crate::journal::samples::by;
use crate::journal::{Append, DeliveryFilter, Entry, HubRecord, IdempotencyKey, PageRequest, Reader as _, Record, Seq};

/// What the world saw, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Seen {
    Began { hub: u64, lane: String, id: DeliveryId, state: DeliveryStateName },
    Arrived { lane: String, id: DeliveryId, key: String },
    Refused { id: DeliveryId },
    Ended { hub: u64, lane: String },
}

/// The same numbers for the same seed.
#[derive(Debug, Clone)]
struct Chance(Arc<AtomicU64>);

impl Chance {
    fn below(&self, bound: u64) -> u64 {
        let step = |x: u64| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 7);
            x ^ (x << 17)
        };
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(step(x))).unwrap();
        (step(before) >> 33) % bound
    }
}

/// How the destination behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Takes,
    Fails,
    Hangs,
    Refuses,
    ByChance,
}

struct Chat {
    hub: u64,
    alive: Arc<AtomicBool>,
    mood: Arc<AtomicU64>,
    chance: Chance,
    rows: MemoryReader,
    seen: UnboundedSender<Seen>,
}

/// Says that a send ended, also where it was given up.
struct Ends(UnboundedSender<Seen>, Seen);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.send(self.1.clone());
    }
}

impl Chat {
    fn arrives(&self, delivery: &Delivery) {
        let (lane, id, key) = (delivery.lane.clone(), delivery.id, delivery.key());
        let _ = self.seen.send(Seen::Arrived { lane, id, key });
    }

    async fn take(&self, delivery: &Delivery) -> SendOutcome {
        let failed = SendOutcome::Retry { error: "503".to_owned(), after: None };
        if !self.alive.load(Ordering::Relaxed) {
            return std::future::pending().await;
        }
        let state = self.rows.delivery(delivery.id).unwrap().unwrap().state.name();
        let (hub, lane, id) = (self.hub, delivery.lane.clone(), delivery.id);
        let _ = self.seen.send(Seen::Began { hub, lane: lane.clone(), id, state });
        let _ends = Ends(self.seen.clone(), Seen::Ended { hub, lane });
        let turns = self.chance.below(3);
        tokio::time::sleep(Duration::from_millis(turns * 400)).await;
        let act = match self.mood.load(Ordering::Relaxed) {
            mood if mood == Mood::ByChance as u64 => self.chance.below(10),
            mood if mood == Mood::Takes as u64 => 0,
            mood if mood == Mood::Fails as u64 => 5,
            mood if mood == Mood::Hangs as u64 => 8,
            _ => 9,
        };
        match act {
            0..=4 => {
                self.arrives(delivery);
                SendOutcome::Delivered { receipt: Some(format!("m{}", delivery.id)) }
            }
            5 => failed,
            // It took it, and the answer is lost.
            6 => {
                self.arrives(delivery);
                failed
            }
            7 => {
                self.arrives(delivery);
                std::future::pending().await
            }
            8 => std::future::pending().await,
            _ => {
                let _ = self.seen.send(Seen::Refused { id: delivery.id });
                SendOutcome::Refused { reason: "400".to_owned() }
            }
        }
    }
}

impl Destination for Chat {
    fn name(&self) -> &str {
        "chat"
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        let wanted = append.entries.iter().filter_map(|entry| {
            let Record::Hub(HubRecord::Started { version }) = &entry.record else { return None };
            let (lane, _) = version.split_once(':')?;
            let (destination, lane, summary) = (String::new(), lane.to_owned(), version.clone());
            Some(NewDelivery { destination, lane, summary, body: json!({ "text": version }) })
        });
        wanted.collect()
    }

    fn give_up_after(&self) -> Option<Duration> {
        None
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.take(delivery).boxed()
    }
}

pub(super) struct World {
    pub(super) backstage: Backstage,
    pub(super) reader: MemoryReader,
    pub(super) faults: MemoryFaults,
    alive: Arc<AtomicBool>,
    mood: Arc<AtomicU64>,
    chance: Chance,
    hubs: u64,
    tell: UnboundedSender<Seen>,
    pub(super) seen: UnboundedReceiver<Seen>,
    written: u64,
    ordered: BTreeSet<DeliveryId>,
}

async fn hub(
    (store, reader): (MemoryStore, MemoryReader),
    chat: Chat,
    now: Timestamp,
) -> (Backstage, MemoryReader, MemoryFaults) {
    let faults = store.faults();
    let args = BackstageArgs {
        destinations: Destinations::new(vec![Arc::new(chat)]),
        ..BackstageArgs::alone(
            Box::new(store),
            JournalReads::new(reader.clone()),
            Clock::starting_at(now),
            Ids::seeded(7),
        )
    };
    (Backstage::start(args).await.unwrap(), reader, faults)
}

impl World {
    pub(super) async fn of(seed: u64, mood: Mood) -> Self {
        let (tell, seen) = unbounded_channel();
        let (alive, mood) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicU64::new(mood as u64)));
        let chance = Chance(Arc::new(AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)));
        let (store, reader) = memory::open();
        let (alive_too, mood_too) = (Arc::clone(&alive), Arc::clone(&mood));
        let rows = reader.clone();
        let chat = Chat { hub: 0, alive: alive_too, mood: mood_too, chance: chance.clone(), rows, seen: tell.clone() };
        let (backstage, reader, faults) = hub((store, reader), chat, Timestamp(1_800_000_000_000)).await;
        let (hubs, written, ordered) = (0, 0, BTreeSet::new());
        Self { backstage, reader, faults, alive, mood, chance, hubs, tell, seen, written, ordered }
    }

    pub(super) fn is(&self, mood: Mood) {
        self.mood.store(mood as u64, Ordering::Relaxed);
    }

    /// Something happens that the chat is to hear of, in this lane; none where it was not written.
    pub(super) async fn happens(&mut self, lane: &str) -> Option<DeliveryId> {
        self.written += 1;
        let version = format!("{lane}:{}", self.written);
        let now = self.backstage.hub.clock.now();
        let append = Append::new(now, by(), vec![Entry::of_hub(HubRecord::Started { version })]);
        let written = self.backstage.hub.journal.append(append).await.ok()?;
        Some(DeliveryId { seq: written.first.0, part: 0 })
    }

    pub(super) async fn dies(&mut self) {
        let left = self.reader.reopened();
        self.alive.store(false, Ordering::Relaxed);
        self.faults.break_down("it is dead");
        self.alive = Arc::new(AtomicBool::new(true));
        self.hubs += 1;
        let now = self.backstage.hub.clock.now();
        let (alive, mood, rows) = (Arc::clone(&self.alive), Arc::clone(&self.mood), left.1.clone());
        let (chance, seen) = (self.chance.clone(), self.tell.clone());
        let chat = Chat { hub: self.hubs, alive, mood, chance, rows, seen };
        let (next, reader, faults) = hub(left, chat, now).await;
        (self.reader, self.faults) = (reader, faults);
        std::mem::replace(&mut self.backstage, next).end(Duration::from_millis(10)).await;
    }

    pub(super) async fn orders(&mut self, id: DeliveryId, order: OutboxOrder) -> Result<Delivery, OrderError> {
        match self.orders_under(None, id, order).await? {
            Ordered::Now(after) => Ok(after),
            Ordered::Before(receipt) => panic!("without a key nothing is a repeat: {receipt}"),
        }
    }

    /// The same under this key, with what is ordered as its digest.
    pub(super) async fn orders_under(
        &mut self,
        key: Option<&str>,
        id: DeliveryId,
        order: OutboxOrder,
    ) -> Result<Ordered, OrderError> {
        let (by, digest) = (by(), format!("{id} {order:?}"));
        let key = key.map(|key| IdempotencyKey { principal: by.principal.clone(), key: key.to_owned(), digest });
        let key = key.map(|key| OrderKey { key, receipt: |after| json!(after.state.name()) });
        let done = self.backstage.hub.outbox.order(OrderRequest { id, order, by, request: None, key }).await;
        if done.is_ok() {
            self.ordered.insert(id);
        }
        done
    }

    fn rows(&self) -> Vec<Delivery> {
        let (mut all, mut page) = (Vec::new(), PageRequest { limit: 500, cursor: None });
        loop {
            let found = self.reader.deliveries(&DeliveryFilter::default(), &page).unwrap();
            all.extend(found.items);
            page.cursor = found.next_cursor;
            if page.cursor.is_none() {
                return all;
            }
        }
    }

    pub(super) fn state(&self, id: DeliveryId) -> DeliveryStateName {
        self.reader.delivery(id).unwrap().unwrap().state.name()
    }

    /// One thing happens by chance.
    pub(super) async fn goes_on(&mut self) {
        match self.chance.below(14) {
            0..=5 => {
                let lane = ["a", "b", "c"][usize::try_from(self.chance.below(3)).unwrap()];
                self.happens(lane).await;
            }
            6..=8 => tokio::time::sleep(Duration::from_secs(self.chance.below(40))).await,
            9 => self.dies().await,
            10 => {
                self.faults.break_down("the disk broke");
                tokio::time::sleep(Duration::from_secs(self.chance.below(4))).await;
                self.faults.mend();
            }
            deed => {
                let rows = self.rows();
                if let Ok(count @ 1..) = u64::try_from(rows.len()) {
                    let id = rows[usize::try_from(self.chance.below(count)).unwrap()].id;
                    let drops = deed == 13;
                    let order =
                        if drops { OutboxOrder::Drop { reason: "stale".to_owned() } } else { OutboxOrder::Retry };
                    let _ = self.orders(id, order).await;
                }
            }
        }
    }

    /// The world becomes kind, people retry what is dead, and everything goes out. Then it is judged.
    pub(super) async fn end(mut self) -> Result<(), String> {
        self.is(Mood::Takes);
        self.faults.mend();
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_secs(3 * 60 * 60)).await;
            for row in self.rows() {
                if row.state.name() == DeliveryStateName::DeadLetter {
                    self.orders(row.id, OutboxOrder::Retry).await.unwrap();
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        let mut seen = Vec::new();
        while let Ok(one) = self.seen.try_recv() {
            seen.push(one);
        }
        let rows = self.rows();
        let events = self.reader.records(Seq(0), 10_000).unwrap();
        let told = events.iter().filter(
            |kept| matches!(&kept.record, Record::Hub(HubRecord::Started { version }) if version.contains(':')),
        );
        let told: BTreeSet<u64> = told.map(|kept| kept.seq.0).collect();
        let kept: BTreeSet<u64> = rows.iter().map(|row| row.id.seq).collect();
        if told != kept {
            return Err(format!("a change has no delivery, or the other way round: {told:?}, {kept:?}"));
        }
        judge(&seen, &rows, &self.ordered)
    }
}

fn judge(seen: &[Seen], rows: &[Delivery], ordered: &BTreeSet<DeliveryId>) -> Result<(), String> {
    let mut keys: BTreeMap<DeliveryId, &String> = BTreeMap::new();
    let mut first: BTreeMap<&String, Vec<DeliveryId>> = BTreeMap::new();
    let mut under_way: BTreeSet<(u64, &String)> = BTreeSet::new();
    let mut out_of_order = ordered.clone();
    for one in seen {
        match one {
            Seen::Began { hub, lane, id, state } => {
                if *state != DeliveryStateName::Pending {
                    return Err(format!("{id} is sent although it is {state:?}"));
                }
                if !under_way.insert((*hub, lane)) {
                    return Err(format!("{id} is sent while another one is under way in lane {lane}"));
                }
            }
            Seen::Ended { hub, lane } => {
                under_way.remove(&(*hub, lane));
            }
            Seen::Arrived { lane, id, key } => match keys.insert(*id, key) {
                None => first.entry(lane).or_default().push(*id),
                Some(before) if before != key => return Err(format!("{id} has two keys: {before}, {key}")),
                Some(_) => {}
            },
            Seen::Refused { id } => {
                out_of_order.insert(*id);
            }
        }
    }
    if keys.values().collect::<BTreeSet<_>>().len() != keys.len() {
        return Err("two deliveries share a key".to_owned());
    }
    for (lane, ids) in first {
        let in_order: Vec<_> = ids.into_iter().filter(|id| !out_of_order.contains(id)).collect();
        if !in_order.is_sorted() {
            return Err(format!("lane {lane} is out of order: {in_order:?}"));
        }
    }
    for row in rows {
        let (state, arrived) = (row.state.name(), keys.contains_key(&row.id));
        if state == DeliveryStateName::Delivered && !arrived {
            return Err(format!("{} is called delivered and never arrived", row.id));
        }
        let dropped = state == DeliveryStateName::Dropped && ordered.contains(&row.id);
        if state != DeliveryStateName::Delivered && !dropped {
            return Err(format!("{} is lost: it is {state:?} at the end", row.id));
        }
    }
    Ok(())
}
