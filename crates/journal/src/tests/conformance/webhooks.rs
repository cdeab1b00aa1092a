//! Webhooks that were added while a hub ran, and how much happened of what they hear.

use std::collections::BTreeMap;

use super::TestStore;
use crate::domain::schedule::ScheduleRecord;
use crate::samples::*;
use crate::{Append, Entry, HubRecord, Row, Seq};

fn says(record: HubRecord, row: Row) -> Append {
    Append { rows: vec![row], ..Append::new(at(1), by(), vec![Entry::of_hub(record)]) }
}

pub(super) fn a_webhook_is_kept_until_it_is_removed(mut bench: impl TestStore) {
    let (first, second) = (webhook("builds", 0), webhook("alerts", 0));
    for one in [&first, &second] {
        let added = HubRecord::WebhookAdded { webhook: Box::new(one.clone()) };
        bench.write(says(added, Row::Webhook(Box::new(one.clone()))));
    }
    let changed = webhook("builds", 1);
    let record = HubRecord::WebhookChanged { webhook: Box::new(changed.clone()) };
    bench.write(says(record, Row::Webhook(Box::new(changed.clone()))));
    let mut bench = bench.reopen();
    assert_eq!(bench.reader().webhooks().unwrap(), [second.clone(), changed]);
    let record = HubRecord::WebhookRemoved { name: "builds".to_owned(), generation: 41 };
    bench.write(says(record, Row::WebhookGone("builds".to_owned())));
    assert_eq!(bench.reader().webhooks().unwrap(), [second]);
}

pub(super) fn a_schedule_is_kept_until_it_is_removed(mut bench: impl TestStore) {
    let (first, mut second) = (schedule("nightly"), schedule("alerts"));
    let has = |record: ScheduleRecord, row: Row| Append {
        rows: vec![row],
        ..Append::new(at(1), by(), vec![Entry::of_schedule(record)])
    };
    let named = |name: &str| ScheduleRecord::Removed { name: name.to_owned() };
    for one in [&first, &second] {
        bench.write(has(named(&one.spec.name), Row::Schedule(Box::new(one.clone()))));
    }
    second.paused = true;
    bench.write(has(named("alerts"), Row::Schedule(Box::new(second.clone()))));
    let mut bench = bench.reopen();
    assert_eq!(bench.reader().schedules().unwrap(), [second.clone(), first]);
    bench.write(has(named("nightly"), Row::ScheduleGone("nightly".to_owned())));
    assert_eq!(bench.reader().schedules().unwrap(), [second]);
}

pub(super) fn records_are_counted_by_their_kind(mut bench: impl TestStore) {
    for _ in 0..3 {
        bench.write(Append::new(at(1), by(), vec![Entry::of_hub(HubRecord::Stopped)]));
    }
    bench.write(registers("fullstack-1", 1, at(2)));
    let after = bench.reader().kinds_after(Seq(1)).unwrap();
    let expected = [("hub.stopped", 2), ("agent.registered", 1), ("session.opened", 1)];
    assert_eq!(after, BTreeMap::from(expected.map(|(kind, count)| (kind.to_owned(), count))));
    assert_eq!(bench.reader().kinds_after(Seq(99)).unwrap(), BTreeMap::new());
}
