//! How a process of a client ended: by what its output says, then by its exit code.
//!
//! An exit code alone is not believed. A client that goes in a loop or gives up may end with 0, and one at a limit may
//! call that a success. Whether the task was reported is the hub's to say, so an end in order is `no_report` here.

use super::output::{ClientError, Reading};
use super::presets::Preset;
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
#[must_use]
pub(super) fn judge(
    preset: &Preset,
    reading: &Reading,
    exit: Option<i32>,
    killed: bool,
    clock: WallClock,
) -> (RunEnd, Option<Limited>) {
    let rules = &preset.limits;
    let error = reading.error.as_ref();
    let has = |list: &[String], text: &Option<String>| {
        text.as_ref().is_some_and(|text| list.iter().any(|part| text.contains(part.as_str())))
    };
    let status = error.and_then(|error| error.status);
    let by_exit = exit.is_some_and(|exit| rules.exits.contains(&exit));
    let is_limit = |error: &ClientError| {
        error.kind.as_ref().is_some_and(|kind| rules.kinds.contains(kind)) || has(&rules.words, &error.message)
    };
    if status == Some(429) || by_exit || error.is_some_and(is_limit) {
        let until = error.and_then(|error| limit_end(error.message.as_deref()?, rules.clock.as_deref()?, clock));
        return (RunEnd::Limited, Some(Limited { until, account: None }));
    }
    let reason = match (killed, status, exit) {
        (_, Some(401 | 403), _) => RunEnd::Auth,
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
mod tests {
    use rstest::rstest;

    use super::*;

    const NOON: Timestamp = Timestamp(1_764_331_200_000);

    #[rstest]
    #[case::later_today("try again at 4:24 PM.", 0, Some("2025-11-28T16:24:00.000Z"))]
    #[case::tomorrow("try again at 10:05 AM.", 0, Some("2025-11-29T10:05:00.000Z"))]
    #[case::in_this_minute("try again at 12:00 PM.", 0, Some("2025-11-28T12:01:00.000Z"))]
    #[case::midnight("try again at 12:00 AM.", 0, Some("2025-11-29T00:00:00.000Z"))]
    #[case::in_another_zone("try again at 4:24 PM.", 120, Some("2025-11-28T14:24:00.000Z"))]
    #[case::behind_utc("try again at 8:00 AM.", -480, Some("2025-11-28T16:00:00.000Z"))]
    #[case::of_24_hours("try again at 16:24", 0, Some("2025-11-28T16:24:00.000Z"))]
    #[case::no_hour("try again at 25:10", 0, None)]
    #[case::no_half("try again at 13:10 PM", 0, None)]
    #[case::no_minutes("try again at 4:7é", 0, None)]
    #[case::a_date("try again at Nov 30th, 2026 4:24 PM.", 0, None)]
    #[case::nothing("try later", 0, None)]
    fn the_end_of_a_limit_is_read(#[case] message: &str, #[case] ahead: i32, #[case] until: Option<&str>) {
        let until = until.map(|until| Timestamp::parse(until).unwrap());
        assert_eq!(limit_end(message, "try again at ", WallClock { now: NOON, ahead }), until);
    }

    #[rstest]
    #[case::in_order(None, Some(0), false, RunEnd::NoReport)]
    #[case::a_lie(Some((None, "gave up")), Some(0), false, RunEnd::Crashed)]
    #[case::an_error(None, Some(2), false, RunEnd::Crashed)]
    #[case::a_signal(None, None, false, RunEnd::Crashed)]
    #[case::ended_by_the_host(None, None, true, RunEnd::Killed)]
    #[case::ended_after_a_limit(Some((Some(429), "")), None, true, RunEnd::Limited)]
    #[case::a_key(Some((Some(401), "")), Some(1), false, RunEnd::Auth)]
    #[case::a_limit(Some((Some(429), "")), Some(0), false, RunEnd::Limited)]
    fn ends_are_judged(
        #[case] error: Option<(Option<u64>, &str)>,
        #[case] exit: Option<i32>,
        #[case] killed: bool,
        #[case] reason: RunEnd,
    ) {
        let error =
            error.map(|(status, message)| ClientError { status, kind: None, message: Some(message.to_owned()) });
        let reading = Reading { error, ..Reading::default() };
        let preset = Preset::named("claude").unwrap();
        assert_eq!(judge(&preset, &reading, exit, killed, WallClock { now: NOON, ahead: 0 }).0, reason);
    }
}
