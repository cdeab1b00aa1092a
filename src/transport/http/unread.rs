//! How long a connection stays for an answer that may lie there unread.
//!
//! Only an open connection tells that its peer died. So while an answer is at stake, ours stays open until the peer
//! ends.
//!
//! That ends after five minutes, when an offer goes back by itself, and two seconds after the hub is to end. Deaths
//! that nobody can see are left to `ackBy`: a hung program, a machine without power or network, a buffering proxy.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::transport::web::LastAnswer;

/// Until then a death is waited for: as long as `leases.ackWithin` as shipped, when an offer goes back by itself.
const AT_MOST: Duration = Duration::from_secs(5 * 60);

/// The same once the hub is to end.
const AT_THE_END: Duration = Duration::from_secs(2);

/// After what pause it is looked at again whether an answer is at stake.
const AGAIN: Duration = Duration::from_secs(5);

/// The library's keep-alive timer, lengthened while the answer before may not have been read.
#[derive(Debug, Clone)]
pub(super) struct Unhurried {
    timer: TokioTimer,
    last: LastAnswer,
}

impl Unhurried {
    /// Of the connection with this last answer.
    pub(super) fn new(last: LastAnswer) -> Self {
        Self { timer: TokioTimer::new(), last }
    }
}

impl Timer for Unhurried {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let sleep = self.timer.sleep_until(deadline);
        Box::pin(LingerTimer { timer: self.timer.clone(), last: self.last.clone(), sleep, over: deadline + AT_MOST })
    }

    fn now(&self) -> Instant {
        self.timer.now()
    }
}

struct LingerTimer {
    timer: TokioTimer,
    last: LastAnswer,
    sleep: Pin<Box<dyn Sleep>>,
    over: Instant,
}

impl Sleep for LingerTimer {}

impl Future for LingerTimer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.sleep.as_mut().poll(cx));
            let now = self.timer.now();
            if !self.last.is_at_stake() || now >= self.over {
                return Poll::Ready(());
            }
            self.sleep = self.timer.sleep_until(self.over.min(now + AGAIN));
        }
    }
}

pub(super) struct Linger {
    over: Pin<Box<tokio::time::Sleep>>,
    end: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl Linger {
    /// From now on; not so long once `end` was announced.
    pub(super) fn new(end: &CancellationToken) -> Self {
        Self { over: Box::pin(tokio::time::sleep(AT_MOST)), end: Some(Box::pin(end.clone().cancelled_owned())) }
    }

    pub(super) fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.end.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_ready()) {
            self.end = None;
            self.over = Box::pin(tokio::time::sleep(AT_THE_END));
        }
        self.over.as_mut().poll(cx)
    }
}

impl std::fmt::Debug for Linger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Linger").finish_non_exhaustive()
    }
}
