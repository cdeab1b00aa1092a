//! A connection that notes when the other side has reset it: the library takes that for any end of an idle one.
//!
//! A client that dies before an answer arrives ends its connection, and resets it when the answer comes; a live client
//! that has read its answer only ends it. So where something is at stake, our end waits a moment for the reset.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

use super::listen::Connection;
use super::unread::Linger;
use crate::transport::web::LastAnswer;

/// How long after the end of a connection its reset may come: longer than any way there and back.
const MOMENT: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Noting<C> {
    inner: C,
    last: LastAnswer,
    ending: Option<Pin<Box<Sleep>>>,
    ended: bool,
    lingering: Option<Linger>,
    end: CancellationToken,
}

impl<C: Connection> Noting<C> {
    /// `last` is told of a reset. After `end` nothing is waited for that need not be.
    ///
    pub(super) const fn new(inner: C, last: LastAnswer, end: CancellationToken) -> Self {
        Self { inner, last, ending: None, ended: false, lingering: None, end }
    }

    fn note(&self, error: &io::Error) {
        // The second is how a reset reads after the other side's end.
        if matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) {
            self.last.was_reset();
        }
    }

    fn noted<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &outcome {
            self.note(error);
        }
        outcome
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ending = self.ending.get_or_insert_with(|| Box::pin(sleep(MOMENT)));
        ready!(ending.as_mut().poll(cx));
        self.ending = None;
        self.ended = true;
        if let Ok(Some(error)) | Err(error) = self.inner.trouble() {
            self.note(&error);
        }
        Poll::Ready(Ok(()))
    }

    /// Lets the other side end, or the time pass. What it still says is not heard.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let lingering = self.lingering.get_or_insert_with(|| Linger::new(&self.end));
        if lingering.poll_over(cx).is_ready() {
            return Poll::Ready(());
        }
        while !self.ended {
            let mut unheard = [0; 64];
            if ready!(Pin::new(&mut *self).poll_read(cx, &mut ReadBuf::new(&mut unheard))).is_err() {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl<C: Connection> AsyncRead for Noting<C> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ending.is_some() {
            return self.poll_end(cx);
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.inner).poll_read(cx, buffer);
        let is_end = matches!(outcome, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        if is_end && !self.ended && buffer.remaining() > 0 && self.last.is_at_stake() {
            return self.poll_end(cx);
        }
        self.noted(outcome)
    }
}

impl<C: Connection> AsyncWrite for Noting<C> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.noted(outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.inner).poll_shutdown(cx))?;
        }
        if self.last.is_at_stake() && !self.ended {
            ready!(self.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
        self.noted(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}
