//! Retries what somebody asked for on Discord while the hub is briefly unable to do it.

use std::time::Duration;

use tokio::time::sleep;

use crate::tools::Refusal;

/// How long to wait before the hub is asked again, in seconds.
const PAUSES: [u64; 8] = [1, 2, 4, 8, 15, 30, 60, 60];
/// Codes of what passes by itself: the hub could not do it just now.
const PASSING: [&str; 4] = ["BUSY", "STORAGE_FAILED", "STORAGE_FULL", "UNAVAILABLE"];

/// Does something again while the hub cannot do it just now: nobody who writes into a channel repeats it by themselves.
/// It is done once, under the key of its message; and until then the message is not behind the watermark.
pub(super) async fn until_taken<T, F>(mut done: impl FnMut() -> F) -> Result<T, Refusal>
where
    F: Future<Output = Result<T, Refusal>>,
{
    let mut pauses = PAUSES.into_iter();
    loop {
        match (done().await, pauses.next()) {
            (Err(refusal), Some(seconds)) if PASSING.contains(&refusal.code) => {
                tracing::warn!("what was asked on Discord is tried again in {seconds} s: {}", refusal.message);
                sleep(Duration::from_secs(seconds)).await;
            }
            (outcome, _) => return outcome,
        }
    }
}
