//! What `time` does, tried.

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
fn days_of_every_year_are_written_as_the_calendar_has_them() {
    // Every thirteenth day up to the last of 9999, each at another time of it; first and last days of all months
    // are among them.
    for day in (0..=2_932_896_u64).step_by(13) {
        let moment = Timestamp(day * 86_400_000 + day * 7_919_777 % 86_400_000);
        let known = humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(moment.0)).to_string();
        assert_eq!(moment.to_string(), known);
    }
}

#[test]
fn a_moment_is_written_and_read_as_rfc_3339() {
    let moment = Timestamp(1_780_000_000_123);
    assert_eq!(format!("{moment} {moment:?}"), "2026-05-28T20:26:40.123Z 2026-05-28T20:26:40.123Z");
    assert_eq!(Timestamp::parse("2026-05-28T20:26:40.123Z"), Some(moment));
    for same in ["2026-05-28T20:26:40.123+00:00", "2026-05-28T22:26:40.123+02:00", "2026-05-28T10:56:40.123-09:30"] {
        assert_eq!(Timestamp::parse(same), Some(moment), "{same}");
    }
    let soonest = "1970-01-01T00:00:00+00:01";
    for wrong in ["yesterday", "", "+02:00", "2026-05-28T20:26:40+24:00", "2026-05-28T20:26:40+02:60", soonest] {
        assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
    }
    for wrong in ["2026-05-28T20:26:40+2:000", "2026-05-28T20:26:40 02:00", "2026-05-28T20:26:4ü+02:00"] {
        assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
    }
    assert_eq!(serde_json::from_value::<Timestamp>(serde_json::json!(moment)).unwrap(), moment);
    assert!(serde_json::from_str::<Timestamp>("\"soon\"").unwrap_err().to_string().contains("`soon`"));
    assert_eq!(Timestamp(u64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
}
