//! A call that may block: it shows that it lives, and ends when nobody listens any more.

use std::sync::LazyLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::poll_fn;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use crate::actors::HubRef;
use crate::tools::{Caller, Reports, ToolEntry};

/// How far apart the moments are at which silent streams speak: each at its own would wake the hub all the time.
const BEAT: Duration = Duration::from_secs(1);

/// Begins with the process.
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The next tick, when its time has come; the one after it comes up to [`BEAT`] early, at a common moment.
pub(super) fn poll_beat(ticks: &mut Interval, context: &mut Context<'_>) -> Poll<()> {
    ready!(ticks.poll_tick(context));
    ticks.reset_at(next_beat(ticks.period()));
    Poll::Ready(())
}

/// The last of the common moments before `every` is over.
pub(super) fn next_beat(every: Duration) -> Instant {
    let due = Instant::now() + every;
    let since = due.saturating_duration_since(*BEGUN);
    due.checked_sub(since - BEAT * u32::try_from(since.as_secs() / BEAT.as_secs()).unwrap_or_default()).unwrap_or(due)
}

/// Runs `call` to its end. Nothing when the client went away before: then the call is dropped.
pub(super) async fn listened<T>(
    context: &RequestContext<RoleServer>,
    notes: Option<Notes>,
    call: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => None,
        outcome = call => Some(outcome),
        () = show_progress(context, notes) => None,
    }
}

/// Progress to a client that asked for it. Never ends.
async fn show_progress(context: &RequestContext<RoleServer>, notes: Option<Notes>) {
    let Some(mut notes) = notes else { return std::future::pending().await };
    loop {
        let note = poll_fn(|waker| notes.poll_next(waker)).await;
        // Boxed: between two notes there is no room to keep for it.
        if Box::pin(context.peer.notify_progress(note)).await.is_err() {
            // Whether the client is gone is for its token to say; this only stays silent.
            return std::future::pending().await;
        }
    }
}

/// What is to be shown of a call that goes on: a note at once, one after each span, and reports as they come.
pub(super) struct Notes {
    token: ProgressToken,
    begun: Instant,
    ticks: Interval,
    told: u32,
    reports: Option<mpsc::Receiver<String>>,
}

impl Notes {
    /// Of a call of `entry` that may wait, with what it hears meanwhile; none where its client gave no token for them.
    pub(super) fn of_call(
        hub: &HubRef,
        entry: &ToolEntry,
        caller: &mut Caller,
        token: Option<ProgressToken>,
    ) -> Option<Self> {
        let notes = Self::new(hub, token.filter(|_| entry.blocks)?);
        Some(if entry.reports { notes.with_reports(caller) } else { notes })
    }

    /// Under the token that the client gave.
    pub(super) fn new(hub: &HubRef, token: ProgressToken) -> Self {
        let mut ticks = interval(hub.settings().hub.waits.progress_every.max(BEAT));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { token, begun: Instant::now(), ticks, told: 0, reports: None }
    }

    /// With what `caller` shows meanwhile.
    pub(super) fn with_reports(self, caller: &mut Caller) -> Self {
        let (tell, told) = Reports::channel();
        caller.reports = Some(tell);
        Self { reports: Some(told), ..self }
    }

    /// The next one, when its time has come.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<ProgressNotificationParam> {
        let report = match self.reports.as_mut().map(|reports| reports.poll_recv(context)) {
            Some(Poll::Ready(Some(report))) => Some(report),
            Some(Poll::Ready(None) | Poll::Pending) | None => {
                ready!(poll_beat(&mut self.ticks, context));
                None
            }
        };
        self.told += 1;
        let message = report.unwrap_or_else(|| waiting(self.begun.elapsed()));
        Poll::Ready(progress(self.token.clone(), self.told, message))
    }
}

fn waiting(waited: Duration) -> String {
    match waited.as_secs() {
        0 => "Waiting.".to_owned(),
        seconds => format!("Waiting for {seconds} s."),
    }
}

/// Each note counts one more than the one before, as the protocol asks.
fn progress(token: ProgressToken, told: u32, message: String) -> ProgressNotificationParam {
    ProgressNotificationParam::new(token, f64::from(told)).with_message(message)
}

#[cfg(test)]
mod tests;
