//! Moments and deadlines. Time is an argument everywhere in `domain`; only `crate::clock` reads it.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment: milliseconds since 1970-01-01T00:00:00Z. Written and read as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// How long this moment lies after `earlier`; zero when it does not.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// Reads RFC 3339.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let time = humantime::parse_rfc3339(text).ok()?;
        let millis = time.duration_since(UNIX_EPOCH).ok()?.as_millis();
        u64::try_from(millis).ok().map(Self)
    }
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
        // The formatter refuses years past 9999: a moment that far off is shown as the last one it can show.
        let time: SystemTime = UNIX_EPOCH + Duration::from_millis(self.0.min(253_402_300_799_999));
        humantime::format_rfc3339_millis(time).fmt(f)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not an RFC 3339 time")))
    }
}

/// When a state ends by itself, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deadline {
    /// The moment.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// What happens then, for the person who looks at `/admin/timers`.
    pub reason: &'static str,
}

/// A span in milliseconds, as records and settings keep it. Written as a number of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// As the standard library's span.
    #[must_use]
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
mod tests {
    use super::*;

    #[test]
    fn moments_and_spans_are_added_and_end_at_their_limits() {
        let (noon, minute) = (Timestamp(3_600_000), Duration::from_secs(60));
        assert_eq!((noon + minute, noon - minute), (Timestamp(3_660_000), Timestamp(3_540_000)));
        assert_eq!((noon + minute).since(noon), minute);
        assert_eq!(noon.since(noon + minute), Duration::ZERO);
        assert_eq!(Timestamp(1) - minute, Timestamp(0));
        assert_eq!(Timestamp(1) + Duration::MAX, Timestamp(u64::MAX));
        assert_eq!(Timestamp(1) - Duration::MAX, Timestamp(0));
        assert_eq!((Millis::from(minute), Millis(7).span()), (Millis(60_000), Duration::from_millis(7)));
        assert_eq!(Millis::from(Duration::MAX), Millis(u64::MAX));
    }

    #[test]
    fn a_moment_is_written_and_read_as_rfc_3339() {
        let moment = Timestamp(1_780_000_000_123);
        assert_eq!(format!("{moment} {moment:?}"), "2026-05-28T20:26:40.123Z 2026-05-28T20:26:40.123Z");
        assert_eq!(Timestamp::parse("2026-05-28T20:26:40.123Z"), Some(moment));
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(serde_json::from_value::<Timestamp>(serde_json::json!(moment)).unwrap(), moment);
        assert!(serde_json::from_str::<Timestamp>("\"soon\"").unwrap_err().to_string().contains("`soon`"));
        assert_eq!(Timestamp(u64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    }
}
