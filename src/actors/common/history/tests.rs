//! What is kept, and for how long.

use proptest::prelude::*;

use super::{History, HistorySpan, SERIES, SeriesKind};
use crate::domain::time::Timestamp;

/// What `/metrics` says of tasks in these states.
fn text(counts: &[(&str, u32)]) -> String {
    let lines = counts.iter().map(|(state, count)| format!("callboard_tasks{{state=\"{state}\"}} {count}\n"));
    format!("# HELP callboard_tasks Tasks.\n# TYPE callboard_tasks gauge\n{}# EOF\n", lines.collect::<String>())
}

#[test]
fn gauges_and_counters_are_read_and_the_rest_is_not() {
    let history = History::default();
    let said = "# HELP a_seconds How long.\n# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n\
        a_seconds{quantile=\"0.99\",of=\"x\"} 0.25\n# HELP b Times.\n# TYPE b counter\nb_total 7\n\
        # TYPE c histogram\nc_bucket{le=\"1.0\"} 3\nno number\n# EOF\n";
    history.take(Timestamp(1), said);
    let [a, b] = history.view(HistorySpan::Hour, None).series.try_into().unwrap();
    assert_eq!((a.name.name.as_str(), a.name.kind, a.name.help.as_str()), ("a_seconds", SeriesKind::Gauge, "How long"));
    assert_eq!((a.name.labels["quantile"].as_str(), a.name.labels["of"].as_str()), ("0.99", "x"));
    assert_eq!((b.name.name.as_str(), b.name.kind, b.values), ("b", SeriesKind::Counter, vec![Some(7.0)]));
}

#[test]
fn an_hour_is_kept_finely_and_a_day_coarsely() {
    let history = History::default();
    assert_eq!(history.view(HistorySpan::Hour, None).since, None);
    for n in 0..9_000_u32 {
        history.take(Timestamp(u64::from(n) * 10_000), &text(&[("QUEUED", n)]));
    }
    let hour = history.view(HistorySpan::Hour, None);
    assert_eq!((hour.every_seconds, hour.times.len(), hour.since), (10, 360, Some(Timestamp(0))));
    assert_eq!(hour.times[0], Timestamp(8_640 * 10_000), "the oldest are gone");
    assert_eq!(hour.series[0].values.last(), Some(&Some(8_999.0)));
    let day = history.view(HistorySpan::Day, None);
    assert_eq!((day.every_seconds, day.times.len()), (300, 288));
    assert_eq!(day.series[0].values.last(), Some(&Some(8_970.0)));
    let newer = history.view(HistorySpan::Hour, Some(Timestamp(8_997 * 10_000)));
    assert_eq!(newer.series[0].values, [Some(8_998.0), Some(8_999.0)]);
}

#[test]
fn a_series_that_begins_later_or_goes_away_has_no_value_then() {
    let history = History::default();
    history.take(Timestamp(1), &text(&[("a", 1)]));
    history.take(Timestamp(2), &text(&[("b", 2), ("a", 3)]));
    history.take(Timestamp(3), &text(&[("b", 4)]));
    let values = history.view(HistorySpan::Hour, None).series.into_iter().map(|one| one.values);
    assert_eq!(values.collect::<Vec<_>>(), [vec![Some(1.0), Some(3.0), None], vec![None, Some(2.0), Some(4.0)]]);
}

proptest! {
    #[test]
    fn whatever_comes_is_bounded(labels in proptest::collection::vec(0..600_u32, 0..1200)) {
        let history = History::default();
        for (n, chunk) in labels.chunks(40).enumerate() {
            let names: Vec<_> = chunk.iter().map(u32::to_string).collect();
            let counts: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
            history.take(Timestamp(n as u64), &text(&counts));
        }
        let view = history.view(HistorySpan::Hour, None);
        prop_assert!(view.series.len() <= SERIES);
        prop_assert!(view.series.iter().all(|one| one.values.len() == view.times.len()));
    }
}
