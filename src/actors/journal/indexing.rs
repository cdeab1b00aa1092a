//! The search index, kept up behind the journal and never in its way.
//!
//! A short lag after a write lets writes share a transaction; whoever is about to search asks for it at once.

use std::time::Duration;

use ractor::{ActorRef, RpcReplyPort};

use super::message::{Indexed, JournalMessage};
use crate::domain::time::{Deadline, Timestamp};
use crate::journal::search::{SearchBatch, SearchIndex};
use crate::journal::{Kept, Seq};

/// How long the index waits after a write: what comes meanwhile shares its transaction.
const LAG: Duration = Duration::from_millis(200);

/// Records taken in at one go, so that the thread is given back now and then.
const STRIDE: usize = 5_000;

/// How many batches may wait for the index in memory; what comes beyond is read from the journal.
const HEARD: usize = 512;

#[derive(Debug)]
pub(super) struct Indexing {
    place: IndexLocation,
    /// What was written lately, so that it need not be read again.
    heard: Vec<SearchBatch>,
    /// Since when something lies there that is not taken in. None when all is.
    behind_since: Option<Timestamp>,
    /// Nobody waits for the lag to pass: at the start, while somebody asks, after a full stride.
    at_once: bool,
    asked: Vec<(Seq, RpcReplyPort<()>)>,
}

#[derive(Debug)]
enum IndexLocation {
    Here(Box<SearchIndex>),
    /// With a thread that takes in what was written up to there, at least.
    Away {
        up_to: Seq,
    },
    Lost,
}

impl Indexing {
    /// What was written while no hub ran is taken in at once.
    pub(super) fn new(index: SearchIndex) -> Self {
        let place = IndexLocation::Here(Box::new(index));
        Self { place, heard: Vec::new(), behind_since: Some(Timestamp::default()), at_once: true, asked: Vec::new() }
    }

    pub(super) fn hear(&mut self, now: Timestamp, records: &[Kept]) {
        // Where there is no room, the index reads what it did not hear.
        if self.heard.len() < HEARD {
            self.heard.extend(SearchBatch::of(records));
        }
        self.behind_since.get_or_insert(now);
    }

    /// Somebody is about to search, and wants all that is written up to `position`.
    pub(super) fn ask(&mut self, position: Seq, reply: RpcReplyPort<()>) {
        match &self.place {
            IndexLocation::Here(_) if self.behind_since.is_none() => drop(reply.send(())),
            IndexLocation::Lost => drop(reply.send(())),
            IndexLocation::Here(_) => {
                self.asked.push((position, reply));
                self.at_once = true;
            }
            // Whether another step is needed shows when this one ended.
            IndexLocation::Away { .. } => self.asked.push((position, reply)),
        }
    }

    /// When it begins by itself; nothing while it is under way.
    pub(super) fn next_deadline(&self) -> Option<Deadline> {
        let IndexLocation::Here(_) = &self.place else { return None };
        let since = self.behind_since?;
        let at = if self.at_once { since } else { since + LAG };
        Some(Deadline { at, reason: "what was written is taken into the search index" })
    }

    /// Begins, if it is time: what is written up to `position` will be in the index.
    pub(super) fn begin(&mut self, now: Timestamp, position: Seq, myself: &ActorRef<JournalMessage>) {
        let due = self.at_once || self.next_deadline().is_some_and(|deadline| deadline.at <= now);
        if !due || self.behind_since.is_none() {
            return;
        }
        match std::mem::replace(&mut self.place, IndexLocation::Away { up_to: position }) {
            IndexLocation::Here(index) => {
                (self.behind_since, self.at_once) = (None, false);
                step_aside(index, std::mem::take(&mut self.heard), myself.clone());
            }
            away @ (IndexLocation::Away { .. } | IndexLocation::Lost) => self.place = away,
        }
    }

    /// A step ended; none when it panicked.
    pub(super) fn ended(&mut self, now: Timestamp, ended: Option<Indexed>) {
        let up_to = match &self.place {
            IndexLocation::Away { up_to } => *up_to,
            IndexLocation::Here(_) | IndexLocation::Lost => Seq::default(),
        };
        let Some(Indexed { index, taken }) = ended else {
            tracing::error!("the search index is lost until the next start: its writer panicked");
            (self.place, self.behind_since) = (IndexLocation::Lost, None);
            self.asked.drain(..).for_each(|(_, reply)| drop(reply.send(())));
            return;
        };
        self.place = IndexLocation::Here(index);
        let mut more = false;
        match taken {
            Ok(STRIDE) => more = true,
            Ok(_) => self.answer(|position| position <= up_to),
            Err(error) => {
                tracing::warn!(%error, "search lags behind: {error}");
                // They search in what there is; the next write is the next attempt.
                self.answer(|_| true);
            }
        }
        self.at_once = more || !self.asked.is_empty();
        if self.at_once {
            self.behind_since.get_or_insert(now);
        }
    }

    fn answer(&mut self, may: impl Fn(Seq) -> bool) {
        for (position, reply) in std::mem::take(&mut self.asked) {
            if may(position) {
                let _ = reply.send(());
            } else {
                self.asked.push((position, reply));
            }
        }
    }
}

/// One step on a thread for blocking work; the actor is told when it ended, also when it panicked.
fn step_aside(mut index: Box<SearchIndex>, heard: Vec<SearchBatch>, actor: ActorRef<JournalMessage>) {
    let step = tokio::task::spawn_blocking(move || {
        // Whatever is in its way is in that of the next line, too, which says so or mends it.
        drop(index.take_in(heard));
        let taken = index.catch_up(STRIDE);
        Indexed { index, taken }
    });
    #[expect(clippy::disallowed_methods, reason = "waits for the thread, tells the actor, and ends")]
    drop(tokio::spawn(async move {
        // An actor that is gone searches no more.
        let _ = actor.send_message(JournalMessage::Indexed(step.await.ok()));
    }));
}
