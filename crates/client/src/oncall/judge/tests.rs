//! What `judge` does, tried.

use rstest::rstest;

use super::*;
use crate::oncall::output::ClientError;

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
    let error = error.map(|(status, message)| ClientError { status, kind: None, message: Some(message.to_owned()) });
    let reading = Reading { error, ..Reading::default() };
    let preset = Preset::named("claude").unwrap();
    assert_eq!(judge(&preset, &reading, exit, killed, WallClock { now: NOON, ahead: 0 }).0, reason);
}
