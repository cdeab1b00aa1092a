//! How long a failed delivery waits: exponential backoff with full jitter, so that those that failed together spread.

use std::time::Duration;

/// The bound of the pause after the first failure; twice as long after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The bound of every pause.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// The pause after so many failures in a row, 1 after the first.
///
/// It is a share of the bound. `jitter` comes from outside, evenly spread over all its values. A destination that named
/// a pause (`after`) is not asked earlier.
pub fn pause(failures: u32, jitter: u32, after: Option<Duration>) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1).min(30));
    let bound = FIRST_PAUSE.saturating_mul(doubled).min(LONGEST_PAUSE);
    let share = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX).saturating_mul(u64::from(jitter)) >> 32;
    Duration::from_millis(share).max(after.unwrap_or_default())
}
