//! What is kept, and for how long.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{History, HistorySpan, SERIES, SeriesKind, SeriesName};
use crate::domain::time::Timestamp;

fn name(label: &str) -> SeriesName {
    let labels = BTreeMap::from([("state".to_owned(), label.to_owned())]);
    SeriesName { name: "callboard_tasks".to_owned(), labels, kind: SeriesKind::Gauge, help: String::new() }
}

#[test]
fn an_hour_is_kept_finely_and_a_day_coarsely() {
    let history = History::default();
    assert_eq!(history.view(HistorySpan::Hour, None).since, None);
    for n in 0..9_000_u32 {
        history.take(Timestamp(u64::from(n) * 10_000), vec![(name("QUEUED"), f64::from(n))]);
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
    history.take(Timestamp(1), vec![(name("a"), 1.0)]);
    history.take(Timestamp(2), vec![(name("b"), 2.0), (name("a"), 3.0)]);
    history.take(Timestamp(3), vec![(name("b"), 4.0)]);
    let values = history.view(HistorySpan::Hour, None).series.into_iter().map(|one| one.values);
    assert_eq!(values.collect::<Vec<_>>(), [vec![Some(1.0), Some(3.0), None], vec![None, Some(2.0), Some(4.0)]]);
}

proptest! {
    #[test]
    fn whatever_comes_is_bounded(labels in proptest::collection::vec(0..600_u32, 0..1200)) {
        let history = History::default();
        for (n, chunk) in labels.chunks(40).enumerate() {
            let sample = chunk.iter().map(|n| (name(&n.to_string()), f64::from(*n))).collect();
            history.take(Timestamp(n as u64), sample);
        }
        let view = history.view(HistorySpan::Hour, None);
        prop_assert!(view.series.len() <= SERIES);
        prop_assert!(view.series.iter().all(|one| one.values.len() == view.times.len()));
    }
}
