//! What `presence` does, tried.

use super::*;

#[test]
fn silence_reads_offline_only_for_who_neither_waits_nor_was_heard() {
    let (now, span) = (Timestamp(100_000), Duration::from_secs(10));
    let seen = |millis| Presence { last_seen: Some(Timestamp(millis)), ..Presence::default() };
    let waits = Presence { waiting_since: Some(Timestamp(1)), ..Presence::default() };
    let table = [
        (Presence::default(), false, Availability::Offline),
        (seen(90_001), false, Availability::Working),
        (seen(90_000), false, Availability::Offline),
        (waits, false, Availability::Waiting),
        (waits, true, Availability::Evicted),
        (seen(100_000), true, Availability::Evicted),
    ];
    for (presence, evicted, expected) in table {
        assert_eq!(presence.availability(now, span, evicted), expected, "{presence:?}");
    }
}

#[test]
fn a_client_that_ended_reads_offline_at_once_and_a_broken_connection_after_a_while() {
    let (span, at) = (Duration::from_secs(300), Timestamp(100_000));
    let mut presence = Presence::default();
    presence.heard(at);
    let is = |presence: &Presence, millis| presence.availability(Timestamp(millis), span, false);
    presence.departs(Departure { at, how: DepartureKind::Lost });
    assert_eq!((is(&presence, 109_999), presence.departed(Timestamp(109_999))), (Availability::Working, None));
    assert_eq!(is(&presence, 110_000), Availability::Offline);
    assert!(presence.departed(Timestamp(110_000)).is_some());
    presence.heard(Timestamp(111_000));
    assert_eq!(is(&presence, 150_000), Availability::Working, "it came back");
    presence.departs(Departure { at: Timestamp(150_000), how: DepartureKind::Ended });
    presence.departs(Departure { at: Timestamp(151_000), how: DepartureKind::Lost });
    assert_eq!(presence.departed(Timestamp(150_000)).map(|gone| gone.at), Some(Timestamp(150_000)));
    assert_eq!(is(&presence, 150_000), Availability::Offline);
    presence.waiting_since = Some(Timestamp(152_000));
    assert_eq!((is(&presence, 152_000), presence.departed(Timestamp(152_000))), (Availability::Waiting, None));
}

#[test]
fn a_departure_is_told_with_how_long_ago_it_was_and_until_when_the_lease_goes_on() {
    let at = Timestamp::parse("2026-11-25T10:00:00Z").expect("a time");
    let until = Timestamp::parse("2026-11-25T10:40:00Z");
    let (ended, lost) = (Departure { at, how: DepartureKind::Ended }, Departure { at, how: DepartureKind::Lost });
    let after = |seconds| at + Duration::from_secs(seconds);
    assert_eq!(ended.told(after(3), until), "its client ended 3 s ago; lease until 10:40 UTC");
    assert_eq!(ended.told(after(150), None), "its client ended 2 min ago");
    let week = Timestamp::parse("2026-12-02T10:40:00Z");
    let told = "the connection to its client broke 3 h ago; lease until 2026-12-02T10:40:00.000Z";
    assert_eq!(lost.told(after(3 * 3_600 + 59), week), told);
}
