//! A call that may block: it shows that it lives, and ends when nobody listens any more.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Runs `call` to its end. Nothing when the client went away before: the call is dropped, and with it goes whatever it
/// waited for.
pub(super) async fn listened<T>(
    context: &RequestContext<RoleServer>,
    every: Duration,
    call: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => None,
        outcome = call => Some(outcome),
        () = show_progress(context, every) => None,
    }
}

/// Progress at once and then `every`, to a client that asked for it. Never ends.
async fn show_progress(context: &RequestContext<RoleServer>, every: Duration) {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let begun = Instant::now();
    let mut ticks = interval(every.max(Duration::from_secs(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = 0_u32;
    loop {
        ticks.tick().await;
        told += 1;
        let note = progress(token.clone(), told, begun.elapsed());
        if context.peer.notify_progress(note).await.is_err() {
            // Whether the client is gone is for its token to say; this only stays silent.
            return std::future::pending().await;
        }
    }
}

/// Each note counts one more than the one before, as the protocol asks.
fn progress(token: ProgressToken, told: u32, waited: Duration) -> ProgressNotificationParam {
    let message = match waited.as_secs() {
        0 => "Waiting.".to_owned(),
        seconds => format!("Waiting for {seconds} s."),
    };
    ProgressNotificationParam::new(token, f64::from(told)).with_message(message)
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn progress_grows_with_each_note_and_says_how_long_it_has_been() {
        let token = || ProgressToken(NumberOrString::Number(1));
        let first = progress(token(), 1, Duration::ZERO);
        let second = progress(token(), 2, Duration::from_secs(10));
        assert!(first.progress < second.progress);
        assert_eq!(second.message.as_deref(), Some("Waiting for 10 s."));
    }
}
