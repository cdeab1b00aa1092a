//! How a process of a client ended: by what its output says, then by its exit code.
//!
//! An exit code alone is not believed. A client that goes in a loop or gives up may end with 0, and one at a limit may
//! call that a success. Whether the task was reported is the hub's to say, so an end in order is `no_report` here.

use super::output::Reading;
use super::presets::{EndRules, Preset};
use crate::domain::task::{Limited, RunEnd};
use crate::domain::time::Timestamp;

const HOUR: u64 = 60 * 60 * 1000;
const DAY: u64 = 24 * 60 * 60 * 1000;

/// The host's wall clock, by which clients tell times of day.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallClock {
    pub(super) now: Timestamp,
    /// By how many minutes it is ahead of UTC.
    pub(super) ahead: i32,
}

/// How it ended, and the limit that it met. `killed`: whether the host ended it.
pub(super) fn judge(
    preset: &Preset,
    reading: &Reading,
    exit: Option<i32>,
    killed: bool,
    clock: WallClock,
) -> (RunEnd, Option<Limited>) {
    let error = reading.error.as_ref();
    let status = error.and_then(|error| error.status);
    let kind = error.and_then(|error| error.kind.as_ref());
    let said = error.map_or(Some(&reading.last_words), |error| error.message.as_ref());
    let is_known_by = |rules: &EndRules| {
        exit.is_some_and(|exit| rules.exits.contains(&exit))
            || kind.is_some_and(|kind| rules.kinds.contains(kind))
            || said.is_some_and(|said| rules.words.iter().any(|part| said.contains(part.as_str())))
    };
    if status == Some(429) || is_known_by(&preset.limits) {
        let until = said.and_then(|said| limit_end(said, preset.limits.clock.as_deref()?, clock));
        return (RunEnd::Limited, Some(Limited { until, account: None }));
    }
    let reason = match (killed, status, exit) {
        (_, Some(401 | 403), _) => RunEnd::Auth,
        _ if is_known_by(&preset.auth) => RunEnd::Auth,
        _ if is_known_by(&preset.context) => RunEnd::Context,
        (true, _, _) => RunEnd::Killed,
        (false, _, Some(0)) if error.is_none() => RunEnd::NoReport,
        (false, _, _) => RunEnd::Crashed,
    };
    (reason, None)
}

/// The next moment at which the host's clock shows the time of day behind `before`, as `4:24 PM` or `16:24`.
fn limit_end(message: &str, before: &str, clock: WallClock) -> Option<Timestamp> {
    let minutes = time_of_day(message.split_once(before)?.1)?;
    let ahead = i64::from(clock.ahead) * 60_000;
    let local = u64::try_from(i64::try_from(clock.now.0).ok()?.checked_add(ahead)?).ok()?;
    let midnight = local - local % DAY;
    let today = midnight + minutes * 60_000;
    let local = match local.checked_sub(today) {
        None => today,
        // Told to the minute, which may have begun: not a day later.
        Some(past) if past < HOUR => local + 60_000,
        Some(_) => today + DAY,
    };
    u64::try_from(i64::try_from(local).ok()?.checked_sub(ahead)?).ok().map(Timestamp)
}

/// Minutes since midnight.
fn time_of_day(text: &str) -> Option<u64> {
    let (hours, rest) = text.trim_start().split_once(':')?;
    let (minutes, rest) = rest.split_at_checked(2)?;
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes).filter(|minutes| *minutes < 60)?);
    let half = rest.trim_start().get(..2).unwrap_or_default().to_ascii_uppercase();
    let hours = match half.as_str() {
        "AM" | "PM" if !(1..=12).contains(&hours) => return None,
        "AM" => hours % 12,
        "PM" => hours % 12 + 12,
        _ => hours,
    };
    (hours < 24).then_some(hours * 60 + minutes)
}

fn two_digits(text: &str) -> Option<u64> {
    ((1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests;
