//! One reader of events: first from the journal, then live.
//!
//! It may stop waiting at any moment (`next` in a `select!`) and go on later: what was on its way to it is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::Stream;
use tokio::sync::oneshot;

use super::event::{Event, Posted};
use super::handle::{NoticeboardEnded, NoticeboardRef};
use super::message::{NoticeboardMessage, SubscriberId};
use super::subject::{is_meant, subject_of};
use crate::actors::journal::JournalReads;
use crate::journal::{EventFilter, ReadError, Seq};

/// Records read from the journal at one go.
pub(super) const READ: usize = 500;

#[derive(Debug)]
pub struct Subscription {
    board: NoticeboardRef,
    reads: JournalReads,
    filter: EventFilter,
    /// The last record that was looked at; none: from the live edge.
    after: Option<Seq>,
    joining: Option<oneshot::Receiver<(SubscriberId, Seq)>>,
    member: Option<Member>,
    ready: VecDeque<Posted>,
}

/// The half of a subscription that the board knows.
#[derive(Debug)]
struct Member {
    id: SubscriberId,
    /// The last record before the live ones.
    joined_at: Seq,
    fetching: Option<oneshot::Receiver<Vec<Posted>>>,
}

impl NoticeboardRef {
    /// Subscribes to what happens from now on, or to all after `after`, from the journal; a number to come means now.
    pub async fn subscribe(&self, filter: EventFilter, after: Option<Seq>) -> Result<Subscription, NoticeboardEnded> {
        let mut subscription = Subscription::new(self.clone(), self.reads.clone(), filter, after);
        if after.is_none() {
            subscription.join().await?;
        }
        Ok(subscription)
    }
}

impl Subscription {
    pub(super) fn new(board: NoticeboardRef, reads: JournalReads, filter: EventFilter, after: Option<Seq>) -> Self {
        Self { board, reads, filter, after, joining: None, member: None, ready: VecDeque::new() }
    }

    /// The next event or gap, in order; none when the hub ends or a read fails: then subscribe behind the last event.
    pub async fn next(&mut self) -> Option<Posted> {
        loop {
            if let Some(posted) = self.ready.pop_front() {
                return Some(posted);
            }
            match self.step().await {
                Ok(()) => {}
                Err(Ended::Board) => return None,
                Err(Ended::Read(error)) => {
                    tracing::warn!(%error, "an event stream ends: {error}");
                    return None;
                }
            }
        }
    }

    pub fn into_stream(self) -> impl Stream<Item = Posted> + Send {
        futures_util::stream::unfold(self, |mut subscription| async move {
            let posted = subscription.next().await?;
            Some((posted, subscription))
        })
    }

    /// Takes a place at the live edge.
    pub(super) async fn join(&mut self) -> Result<(), NoticeboardEnded> {
        if self.joining.is_none() {
            let (reply, answer) = oneshot::channel();
            self.board.tell(NoticeboardMessage::Join { filter: self.filter.clone(), reply: reply.into() })?;
            self.joining = Some(answer);
        }
        if let Some(answer) = &mut self.joining {
            let (id, joined_at) = answer.await.map_err(|_| NoticeboardEnded)?;
            self.joining = None;
            self.member = Some(Member { id, joined_at, fetching: None });
        }
        Ok(())
    }

    /// Brings more into `ready`, or comes nearer to the live edge.
    async fn step(&mut self) -> Result<(), Ended> {
        let (after, joined_at) = (self.after, self.member.as_ref().map(|member| member.joined_at));
        match (after, joined_at) {
            // Joining while there is something to hand on would only fill the buffer meanwhile.
            (Some(after), None) => {
                let read = self.read(after, READ).await?;
                if read < READ && self.ready.is_empty() {
                    self.join().await?;
                }
                Ok(())
            }
            (Some(after), Some(edge)) if after < edge => {
                let missing = usize::try_from(edge.0 - after.0).unwrap_or(READ).min(READ);
                self.read(after, missing).await.map(drop)
            }
            (None, None) => Ok(self.join().await?),
            (Some(_) | None, Some(_)) => self.fetch().await,
        }
    }

    /// Reads records from the journal; says how many there were. Those that were let go of leave a gap: nobody can say
    /// any more how many of them would have been asked for, so all of them are counted.
    async fn read(&mut self, after: Seq, limit: usize) -> Result<usize, Ended> {
        let mut kept = self.reads.read(move |reader| reader.records(after, limit)).await.map_err(Ended::Read)?;
        let count = kept.len();
        let edge = self.member.as_ref().map(|member| member.joined_at);
        let mut reached = None;
        if let Some(first) = kept.first() {
            let gone = Seq(first.seq.0.saturating_sub(1));
            let gone = edge.map_or(gone, |edge| gone.min(edge));
            if gone > after {
                self.ready.push_back(Posted::Gap { missed: gone.0 - after.0, after: Some(gone) });
                reached = Some(gone);
            }
        }
        // Behind a gap so many records reach beyond the live edge, where they come a second time.
        kept.retain(|kept| edge.is_none_or(|edge| kept.seq <= edge));
        match kept.last().map(|last| last.seq).or(reached) {
            Some(seq) => self.after = Some(seq),
            None if edge.is_some() => {
                return Err(Ended::Read(ReadError::Fault(format!("no record after {after} is to be found"))));
            }
            None => {}
        }
        for kept in &kept {
            if is_meant(&subject_of(kept), &self.filter, kept.record.kind().name) {
                self.ready.push_back(Posted::Event(Arc::new(Event::of(kept))));
            }
        }
        Ok(count)
    }

    async fn fetch(&mut self) -> Result<(), Ended> {
        let Some(member) = &mut self.member else { return Ok(()) };
        if member.fetching.is_none() {
            let (reply, answer) = oneshot::channel();
            self.board.tell(NoticeboardMessage::Fetch { subscriber: member.id, reply })?;
            member.fetching = Some(answer);
        }
        if let Some(answer) = &mut member.fetching {
            let posted = answer.await.map_err(|_| Ended::Board)?;
            member.fetching = None;
            self.ready.extend(posted);
        }
        Ok(())
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let joined = self.joining.as_mut().and_then(|answer| {
            answer.close();
            answer.try_recv().ok()
        });
        let member = self.member.as_ref().map(|member| member.id);
        if let Some(subscriber) = member.or(joined.map(|(id, _)| id)) {
            // A board that ended has forgotten this reader already.
            let _ = self.board.tell(NoticeboardMessage::Leave { subscriber });
        }
    }
}

enum Ended {
    Board,
    Read(ReadError),
}

impl From<NoticeboardEnded> for Ended {
    fn from(_: NoticeboardEnded) -> Self {
        Self::Board
    }
}
