//! What people write, and the moments of patterns where clocks change.

use rstest::rstest;

use super::*;

#[rstest]
#[case::no_such_day(json!({"at": "2027-02-30T09:00:00Z"}), "`at`: `2027-02-30T09:00:00Z` is no moment that exists")]
#[case::thirtieth_of_february(json!({"cron": "0 9 30 2 *", "timezone": "UTC"}), "never comes: no month has that day")]
#[case::the_hour_that_is_skipped(
    json!({"at": "2027-03-28T02:30:00", "timezone": "Europe/Berlin"}),
    "`at`: 2027-03-28T02:30:00 does not exist in Europe/Berlin, where the clock skips that hour"
)]
#[case::the_hour_that_is_repeated(
    json!({"at": "2027-10-31 02:30:00", "timezone": "Europe/Berlin"}),
    "`2027-10-31T02:30:00+02:00` or `2027-10-31T02:30:00+01:00`"
)]
#[case::every_second(json!({"every": "1s"}), "`every`: 60 s is the smallest span")]
#[case::each_second_by_cron(json!({"cron": "* * * * * *", "timezone": "UTC"}), "a task is made each minute at most")]
#[case::a_span_of_years(json!({"every": "10years"}), "366 days is the longest span")]
#[case::no_span(json!({"every": "often"}), "`every`: is no span")]
#[case::an_unknown_zone(json!({"cron": "0 9 * * *", "timezone": "Mars/Base"}), "`Mars/Base` is no time zone")]
#[case::no_zone(json!({"cron": "0 9 * * *"}), "`timezone`: belongs to `cron`")]
#[case::a_zone_for_nothing(json!({"every": "1h", "timezone": "UTC"}), "`timezone`: belongs to `cron` or `at`")]
#[case::no_pattern(json!({"cron": "0 25 * * *", "timezone": "UTC"}), "is no pattern of minute, hour, day")]
#[case::no_distance(json!({"at": "2027-01-31T09:00:00"}), "names no distance from UTC")]
#[case::in_the_past(json!({"at": "2026-11-27T09:00:00Z"}), "`at`: has passed")]
#[case::over_at_once(json!({"every": "2h", "until": "2026-11-28T01:00:00Z"}), "`until`: lies before the first")]
#[case::no_end(json!({"every": "2h", "until": "soon"}), "`until`: `soon` is no moment")]
#[case::nothing_says_when(json!({}), "give exactly one of")]
#[case::two_say_when(json!({"every": "1h", "at": "2027-01-31T09:00:00Z"}), "give exactly one of")]
#[case::after_what_goes_on(json!({"after": {"state": "BLOCKED"}}), "`BLOCKED` is no end of a task")]
#[case::a_name_with_spaces(json!({"every": "1h", "name": "every night"}), "`name`: a name has 1 to 40")]
#[case::no_text(json!({"every": "1h", "prompt": "  "}), "`prompt`: must say what is to be done")]
#[case::too_long(json!({"every": "1h", "prompt": "a".repeat(65_537)}), "has 65537 bytes, and 65536 is the most")]
#[case::for_nobody(json!({"every": "1h", "target": " "}), "`target`: must say for whom")]
fn what_cannot_be_says_why(#[case] fields: Value, #[case] said: &str) {
    let refused = draft(&fields).parse(Some(NOW)).expect_err("a refusal").to_string();
    assert!(refused.contains(said), "{refused}");
}

#[rstest]
#[case::skipped("Europe/Berlin", "30 2 * * *", "2027-03-28T00:00:00Z", ["28T01:00", "29T00:30", "30T00:30"])]
#[case::hours_of_a_gap("Europe/Berlin", "0 * * * *", "2027-03-28T00:00:00Z", ["28T01:00", "28T02:00", "28T03:00"])]
#[case::repeated("Europe/Berlin", "30 2 * * *", "2027-10-30T23:00:00Z", ["31T00:30", "01T01:30", "02T01:30"])]
#[case::hours_of_a_fold("Europe/Berlin", "0 * * * *", "2027-10-30T23:00:00Z", ["31T00:00", "31T01:00", "31T02:00"])]
#[case::half_an_hour("Australia/Lord_Howe", "45 1 * * *", "2027-04-03T13:00:00Z", ["03T14:45", "04T15:15", "05T15:15"])]
#[case::midnight_is_skipped("Asia/Beirut", "0 0 * * *", "2027-03-27T21:00:00Z", ["27T22:00", "28T21:00", "29T21:00"])]
#[case::a_leap_day("UTC", "0 0 29 2 *", "2027-01-01T00:00:00Z", ["29T00:00", "29T00:00", "29T00:00"])]
fn moments_of_a_pattern_where_clocks_change(
    #[case] timezone: &str,
    #[case] cron: &str,
    #[case] from: &str,
    #[case] expected: [&str; 3],
) {
    let trigger = Trigger::Cron { cron: cron.to_owned(), timezone: timezone.to_owned() };
    let mut after = at(from);
    for wanted in expected {
        after = trigger.after(NOW, after).expect("a next moment");
        assert!(after.to_string().contains(wanted), "{after} is not {wanted}");
    }
}

#[test]
fn a_draft_is_the_same_after_it_was_read() {
    for fields in [
        json!({"at": "2027-01-31T08:00:00.000Z"}),
        json!({"every": "1h 30m", "overlap": "queue", "catchUp": "all", "until": "2027-01-31T08:00:00.000Z"}),
        json!({"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin", "title": "tests", "priority": "high"}),
        json!({"after": {"role": "fullstack", "state": "FAILED"}, "catchUp": "none"}),
    ] {
        let given = draft(&fields);
        assert_eq!(ScheduleDraft::of(&given.parse(Some(NOW)).expect("a schedule"), false), given);
    }
}

#[test]
fn a_moment_is_shown_in_the_zone_of_its_schedule() {
    let (cron, _) = schedule(&json!({"cron": "0 9 * * *", "timezone": "Europe/Berlin"}));
    assert_eq!(cron.spec.trigger.local(cron.next().expect("a moment")), "2026-11-28 09:00 Europe/Berlin");
    let (every, _) = schedule(&json!({"every": "1h"}));
    assert_eq!(every.spec.trigger.local(every.next().expect("a moment")), "2026-11-28 01:00 UTC");
}
