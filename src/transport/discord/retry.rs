//! Retries what somebody asked for on Discord while the hub is briefly unable to do it.

use std::time::Duration;

use tokio::time::sleep;

use crate::tools::Refusal;

/// How long to wait before the hub is asked again, in seconds.
const PAUSES: [u64; 8] = [1, 2, 4, 8, 15, 30, 60, 60];
/// Codes of what passes by itself: the hub could not do it just now.
const PASSING: [&str; 4] = ["BUSY", "STORAGE_FAILED", "STORAGE_FULL", "UNAVAILABLE"];

/// Repeats it under its message's key while the hub cannot do it; the watermark stays before the message until then.
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
