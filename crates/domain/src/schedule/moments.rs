//! When moments come: spans, patterns of cron, and local times in their zones.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::bad_field::BadField;
use super::spec::Trigger;
use crate::time::Timestamp;

impl Trigger {
    /// The first moment after `after`, where spans are counted from `anchor`.
    pub(super) fn after(&self, anchor: Timestamp, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At { at } => (*at > after).then_some(*at),
            Self::Every { every } => {
                let span = every.0.max(1);
                let times = after.0.saturating_sub(anchor.0) / span + 1;
                anchor.0.checked_add(times.checked_mul(span)?).map(Timestamp)
            }
            Self::Cron { cron, timezone } => next_of(&pattern(cron).ok()?, &zone(timezone).ok()?, after),
            Self::After(_) => None,
        }
    }

    /// A moment as people read it in the schedule's own zone, with the zone's name; in UTC without one.
    pub fn local(&self, moment: Timestamp) -> String {
        let name: &str = match self {
            Self::Cron { timezone, .. } => timezone,
            Self::At { .. } | Self::Every { .. } | Self::After(_) => "UTC",
        };
        let zoned = zone(name).ok().zip(instant(moment)).map(|(zone, at)| at.to_zoned(zone));
        zoned.map_or_else(|| moment.to_string(), |at| format!("{} {name}", at.strftime("%Y-%m-%d %H:%M")))
    }
}

/// A pattern of five fields, or one of the words as `@daily`.
pub(super) fn pattern(cron: &str) -> Result<Cron, BadField> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    let fields = cron.split_whitespace().count();
    if fields == 6 {
        let said = "has six fields, and seconds are not counted: give minute, hour, day, month and weekday, so that \
                    a task is made each minute at most";
        return Err(BadField::new("cron", said));
    }
    parser.parse(cron).map_err(|error| {
        BadField::new("cron", format!("is no pattern of minute, hour, day, month and weekday: {error}"))
    })
}

/// A time zone by its name, from the data that is compiled in.
pub(super) fn zone(name: &str) -> Result<TimeZone, BadField> {
    TimeZone::get(name).map_err(|_| {
        let said = format!("`{}` is no time zone: give a name as `Europe/Berlin` or `UTC`", crate::text::shown(name));
        BadField::new("timezone", said)
    })
}

/// The first moment of a pattern after `after`; none where no day ever fits, as 30 February.
pub(super) fn next_of(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let from = instant(after)?.to_zoned(zone.clone());
    let next = cron.find_next_occurrence(&from, false).ok()?;
    let next = u64::try_from(next.timestamp().as_millisecond()).ok().map(Timestamp)?;
    // Whatever the library says, time goes on.
    (next > after).then_some(next)
}

/// A moment as it is written: with its distance from UTC, or as a local time of `timezone`.
pub(super) fn moment(text: &str, timezone: Option<&str>) -> Result<Timestamp, BadField> {
    if let Some(moment) = Timestamp::parse(text) {
        return Ok(moment);
    }
    let wrong = |said: String| BadField::new("at", said);
    let local: DateTime = text.trim().replacen(' ', "T", 1).parse().map_err(|_| {
        let given = crate::text::shown(text);
        wrong(format!("`{given}` is no moment that exists: write it as `2027-01-31T09:00:00+01:00`"))
    })?;
    let Some(name) = timezone else {
        return Err(wrong("names no distance from UTC: add one as `+01:00`, or give `timezone`".to_owned()));
    };
    let ambiguous = zone(name)?.to_ambiguous_timestamp(local);
    match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } => {}
        AmbiguousOffset::Gap { .. } => {
            let said =
                format!("{local} does not exist in {name}, where the clock skips that hour: choose another time");
            return Err(wrong(said));
        }
        AmbiguousOffset::Fold { before, after } => {
            let said = format!(
                "{local} comes twice in {name}, where the clock repeats that hour: say which by its distance from \
                 UTC, `{local}{}` or `{local}{}`",
                distance(before),
                distance(after)
            );
            return Err(wrong(said));
        }
    }
    let at = ambiguous.unambiguous().ok().and_then(|at| u64::try_from(at.as_millisecond()).ok());
    at.map(Timestamp).ok_or_else(|| wrong("lies too far away".to_owned()))
}

/// How far a clock is from UTC, as RFC 3339 has it.
fn distance(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

fn instant(moment: Timestamp) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_millisecond(i64::try_from(moment.0).ok()?).ok()
}
