//! Messages in both directions, with bounds, and with pings that notice who is gone.
//!
//! What is said goes into a queue and leaves as fast as the peer reads. A peer that reads nothing between two pings, or
//! lets the queue grow past its bound, is sent away: its messages cost nobody else anything.
//!
//! A message may carry a mark. A ping follows it, and its answer says that the peer has read up to there: frames keep
//! their order, and whoever answers a ping has read what came before it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{Sink as _, SinkExt as _, StreamExt as _};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

use super::ending::Ending;
use crate::domain::wire::PING_EVERY;

/// How long a peer that is sent away may take to say that it heard.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

/// How many messages may wait to be read by the peer.
const QUEUE: usize = 1024;

/// One end of a WebSocket.
#[derive(Debug)]
pub struct Socket {
    inner: WebSocket,
    queue: VecDeque<Message>,
    queued: usize,
    at_most: usize,
    unflushed: bool,
    /// The clock of a door, not of the hub: it decides nothing that is kept.
    pulse: Interval,
    heard: bool,
    /// Whether anything was written to the peer since the last ping.
    wrote: bool,
}

/// What a peer sent, or how its connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketEvent {
    /// It says this.
    Text(Utf8Bytes),
    /// It sends this.
    Bytes(Bytes),
    /// It has read everything up to this mark.
    Read(u64),
    Alive,
    /// That was all.
    Ended(Ending),
}

impl Socket {
    /// Around a socket; the queue holds two of the largest messages.
    pub(super) fn new(inner: WebSocket, largest: usize) -> Self {
        let mut pulse = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let at_most = largest.saturating_mul(2);
        Self { inner, queue: VecDeque::new(), queued: 0, at_most, unflushed: false, pulse, heard: true, wrote: false }
    }

    /// Says this, some time after everything that was said before. Marked: tells when it was read.
    pub fn say(&mut self, text: Utf8Bytes, mark: Option<u64>) {
        self.queued += text.len();
        self.queue.push_back(Message::Text(text));
        if let Some(mark) = mark {
            self.queue.push_back(Message::Ping(Bytes::copy_from_slice(&mark.to_be_bytes())));
        }
    }

    /// Whether all that was said has left.
    pub fn is_silent(&self) -> bool {
        self.queue.is_empty() && !self.unflushed
    }

    /// Writes what was said, and hears what comes; nothing comes while the door is too busy to `listen`.
    pub fn poll_heard(&mut self, cx: &mut Context<'_>, listen: bool) -> Poll<SocketEvent> {
        if let Err(ending) = self.write(cx) {
            return Poll::Ready(SocketEvent::Ended(ending));
        }
        while self.pulse.poll_tick(cx).is_ready() {
            if let Err(ending) = self.ping().and_then(|()| self.write(cx)) {
                return Poll::Ready(SocketEvent::Ended(ending));
            }
        }
        if !listen {
            // Who is not listened to is not to blame for silence.
            self.heard = true;
            return Poll::Pending;
        }
        let heard = loop {
            let Poll::Ready(message) = self.inner.poll_next_unpin(cx) else { return Poll::Pending };
            self.heard = true;
            break match message {
                Some(Ok(Message::Text(text))) => SocketEvent::Text(text),
                Some(Ok(Message::Pong(mark))) => <[u8; 8]>::try_from(mark.as_ref())
                    .map_or(SocketEvent::Alive, |mark| SocketEvent::Read(u64::from_be_bytes(mark))),
                // The library answers it.
                Some(Ok(Message::Ping(_))) => continue,
                Some(Ok(Message::Binary(bytes))) => SocketEvent::Bytes(bytes),
                Some(Ok(Message::Close(_))) => SocketEvent::Ended(Ending::Closed),
                None => SocketEvent::Ended(Ending::Lost("the connection ended".to_owned())),
                Some(Err(error)) => SocketEvent::Ended(Ending::of(error)),
            };
        };
        Poll::Ready(heard)
    }

    /// Tells the peer why it ends, where it can hear it, and ends.
    pub async fn end(mut self, ending: &Ending) {
        let close = async {
            if let Some(frame) = ending.frame() {
                self.inner.send(Message::Close(Some(frame))).await?;
            } else {
                // The library's answer to the peer's own end.
                self.inner.flush().await?;
            }
            if ending.is_unreadable() {
                // What is left of it cannot be read. The peer has this moment to read why, before it is cut off.
                std::future::pending::<()>().await;
            }
            while let Some(message) = self.inner.recv().await {
                message?;
            }
            Ok::<(), axum::Error>(())
        };
        // Whether it heard changes nothing: the connection ends with this.
        drop(timeout(CLOSE_WITHIN, close).await);
    }

    /// One more ping, unless the last one told enough.
    fn ping(&mut self) -> Result<(), Ending> {
        if !self.heard {
            return Err(Ending::Silent);
        }
        if !self.is_silent() && !self.wrote {
            return Err(Ending::Slow);
        }
        (self.heard, self.wrote) = (false, false);
        self.queue.push_back(Message::Ping(Bytes::new()));
        Ok(())
    }

    fn write(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        while !self.queue.is_empty() && Pin::new(&mut self.inner).poll_ready(cx).map_err(Ending::of)?.is_ready() {
            let Some(message) = self.queue.pop_front() else { break };
            if let Message::Text(text) = &message {
                self.queued = self.queued.saturating_sub(text.len());
            }
            Pin::new(&mut self.inner).start_send(message).map_err(Ending::of)?;
            (self.unflushed, self.wrote) = (true, true);
        }
        if self.unflushed && Pin::new(&mut self.inner).poll_flush(cx).map_err(Ending::of)?.is_ready() {
            (self.unflushed, self.wrote) = (false, true);
        }
        // What waits here is beyond what the kernel took already.
        if self.queued > self.at_most || self.queue.len() > QUEUE { Err(Ending::Slow) } else { Ok(()) }
    }
}
