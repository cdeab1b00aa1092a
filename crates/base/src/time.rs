//! Moments and deadlines. Time is an argument everywhere but in the hub's own `clock`, which reads it.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::as_text;

/// A moment: milliseconds since 1970-01-01T00:00:00Z. Written and read as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    const DAY: u64 = 86_400_000;

    /// How long this moment lies after `earlier`; zero when it does not.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The midnight before this moment, in UTC.
    #[must_use]
    pub const fn day(self) -> Self {
        Self(self.0 - self.0 % Self::DAY)
    }

    /// The midnight after it, in UTC.
    #[must_use]
    pub const fn next_day(self) -> Self {
        Self(self.day().0.saturating_add(Self::DAY))
    }

    /// The time of day of a moment within a day of `now`, `10:40 UTC`; of any other one, all of it.
    pub fn near(self, now: Self) -> String {
        let text = self.to_string();
        let is_near = self.since(now).max(now.since(self)) < Duration::from_secs(24 * 60 * 60);
        text.get(11..16).filter(|_| is_near).map_or_else(|| text.clone(), |time| format!("{time} UTC"))
    }

    /// Reads RFC 3339: in UTC, or with how far its clock is from UTC, as `+02:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, ahead) = match offset(text) {
            Some((local, minutes)) => (humantime::parse_rfc3339(&format!("{local}Z")), minutes),
            None => (humantime::parse_rfc3339(text), 0),
        };
        let millis = i64::try_from(time.ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()?;
        u64::try_from(millis.checked_sub(ahead * 60_000)?).ok().map(Self)
    }
}

/// A time without the offset at its end, and by how many minutes its clock is ahead of UTC.
fn offset(text: &str) -> Option<(&str, i64)> {
    let (local, offset) = text.split_at_checked(text.len().checked_sub("+00:00".len())?)?;
    let sign = match offset.as_bytes() {
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return None,
    };
    let number = |digits: &str| match digits.as_bytes() {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0')),
        _ => None,
    };
    let (hours, minutes) = offset[1..].split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some((local, sign * (hours * 60 + minutes)))
}

impl Timestamp {
    /// RFC 3339 with milliseconds. Written here by hand: each record and row has several of them.
    fn written(self) -> [u8; 24] {
        // Years past 9999 have no such form: a moment that far off is shown as the last one that has.
        let millis = self.0.min(253_402_300_799_999);
        let (days, of_day) = (millis / 86_400_000, millis % 86_400_000);
        let (year, month, day) = date(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |from: usize, digits: usize, mut number: u64| {
            for at in (from..from + digits).rev() {
                text[at] = b'0' + u8::try_from(number % 10).unwrap_or_default();
                number /= 10;
            }
        };
        put(0, 4, year);
        put(5, 2, month);
        put(8, 2, day);
        put(11, 2, of_day / 3_600_000);
        put(14, 2, of_day / 60_000 % 60);
        put(17, 2, of_day / 1_000 % 60);
        put(20, 3, of_day % 1_000);
        text
    }
}

/// The date so many days after 1970-01-01. The year is taken to begin in March, so that the leap day is its last.
const fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097; // days of 400 years
    let since_march_0000 = days + 719_468;
    let (era, of_era) = (since_march_0000 / ERA, since_march_0000 % ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;
    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.written()).unwrap_or_default())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

as_text!(Timestamp, "an RFC 3339 time");

/// When a state ends by itself, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deadline {
    pub at: Timestamp,
    /// What happens then, for the person who looks at `/admin/timers`.
    pub reason: &'static str,
}

/// A span in milliseconds, as records and settings keep it. Written as a number of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    pub const fn span(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl From<Duration> for Millis {
    fn from(span: Duration) -> Self {
        Self(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests;
