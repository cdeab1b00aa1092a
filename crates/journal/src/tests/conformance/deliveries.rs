//! The outbox: what must reach the outside.

use serde_json::json;

use super::TestStore;
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryRecord, DeliveryState, DeliveryStateName, NewDelivery};
use crate::samples::*;
use crate::{Append, Counted, DeliveryFilter, Entry, HubRecord, Page, PageRequest, ReadError, Reader, Row};

fn new(destination: &str, lane: &str) -> Row {
    let (destination, lane) = (destination.to_owned(), lane.to_owned());
    Row::Outgoing(Box::new(NewDelivery { destination, lane, summary: "told".to_owned(), body: json!({"n": 1}) }))
}

/// One record, and these rows with it.
fn with(rows: Vec<Row>) -> Append {
    let started = HubRecord::Started { version: "1".to_owned() };
    Append { rows, ..Append::new(DAWN, by(), vec![Entry::of_hub(started)]) }
}

fn id(seq: u64, part: u32) -> DeliveryId {
    DeliveryId { seq, part }
}

fn ids(found: &[Delivery]) -> Vec<DeliveryId> {
    found.iter().map(|delivery| delivery.id).collect()
}

/// This happened to a delivery, at so many seconds after dawn.
fn happens(bench: &mut impl TestStore, id: DeliveryId, seconds: u64, records: &[DeliveryRecord]) -> Delivery {
    let mut delivery = bench.reader().delivery(id).unwrap().unwrap();
    records.iter().for_each(|record| delivery.apply(at(seconds), record));
    let rows = vec![Row::Delivery(Box::new(delivery.clone()))];
    bench.write(Append { rows, ..Append::new(at(seconds), by(), Vec::new()) });
    delivery
}

pub(super) fn a_delivery_comes_with_its_append_or_not_at_all(mut bench: impl TestStore) {
    bench.write(with(Vec::new()));
    let written = bench.write(with(vec![new("chat", "a"), new("hook", "b")]));
    let first = Delivery::new(
        id(written.first.0, 0),
        DAWN,
        NewDelivery {
            destination: "chat".to_owned(),
            lane: "a".to_owned(),
            summary: "told".to_owned(),
            body: json!({"n": 1}),
        },
    );
    bench.break_disk();
    let failed = Append { entries: vec![Entry::of_hub(HubRecord::Stopped)], ..with(vec![new("chat", "a")]) };
    bench.store().write(&[failed]).remove(0).unwrap_err();
    bench.mend_disk();
    let mut bench = bench.reopen();
    let waiting = bench.reader().waiting_deliveries(None, 9).unwrap();
    assert_eq!(ids(&waiting), [id(2, 0), id(2, 1)]);
    assert_eq!(waiting[0], first);
    assert_eq!(ids(&bench.reader().waiting_deliveries(Some(id(2, 0)), 9).unwrap()), [id(2, 1)]);
    assert_eq!(ids(&bench.reader().waiting_deliveries(None, 1).unwrap()), [id(2, 0)]);
    // What came of it takes the place of what was.
    let postponed = DeliveryRecord::Postponed { not_before: at(70), error: "refused".to_owned() };
    let kept = happens(&mut bench, id(2, 0), 60, &[DeliveryRecord::Begun, postponed]);
    happens(&mut bench, id(2, 1), 61, &[DeliveryRecord::Begun, DeliveryRecord::Delivered { receipt: None }]);
    let mut bench = bench.reopen();
    assert_eq!(bench.reader().waiting_deliveries(None, 9).unwrap(), std::slice::from_ref(&kept));
    assert_eq!((kept.key(), kept.attempts), ("chat.d_2_0".to_owned(), 1));
    assert_eq!(bench.reader().delivery(id(9, 9)).unwrap(), None);
    let counts = bench.reader().delivery_counts().unwrap();
    let expected =
        [(("chat".to_owned(), DeliveryStateName::Pending), 1), (("hook".to_owned(), DeliveryStateName::Delivered), 1)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    // An append without records has no number that a name could be made of.
    bench.write(Append { rows: vec![new("chat", "a")], ..Append::new(at(9), by(), Vec::new()) });
    assert_eq!(bench.reader().waiting_deliveries(None, 9).unwrap().len(), 1);
}

pub(super) fn deliveries_are_listed_newest_first_and_filtered(mut bench: impl TestStore) {
    for number in 1..=4 {
        bench.write(with(vec![new("chat", if number % 2 == 0 { "even" } else { "odd" }), new("hook", "h")]));
    }
    let refused = DeliveryRecord::DeadLettered { reason: "gone".to_owned() };
    happens(&mut bench, id(3, 0), 60, &[DeliveryRecord::Begun, refused]);
    let found = |bench: &dyn Reader, filter: &DeliveryFilter, limit, cursor| {
        let page = bench.deliveries(filter, &PageRequest { limit, cursor }).unwrap();
        let all = Page::all(|page| bench.deliveries(filter, page)).unwrap().len();
        assert_eq!(bench.count(Counted::Deliveries(filter)), Ok(all as u64));
        (ids(&page.items), page.next_cursor)
    };
    let chat = DeliveryFilter { destination: Some("chat".to_owned()), ..DeliveryFilter::default() };
    let (first, cursor) = found(bench.reader(), &chat, 3, None);
    assert_eq!(first, [id(4, 0), id(3, 0), id(2, 0)]);
    assert_eq!(found(bench.reader(), &chat, 3, cursor), (vec![id(1, 0)], None));
    let odd = DeliveryFilter { lane: Some("odd".to_owned()), states: vec![DeliveryStateName::Pending], ..chat };
    assert_eq!(found(bench.reader(), &odd, 9, None), (vec![id(1, 0)], None));
    let dead = DeliveryFilter { states: vec![DeliveryStateName::DeadLetter], ..DeliveryFilter::default() };
    assert_eq!(found(bench.reader(), &dead, 9, None), (vec![id(3, 0)], None));
    let foreign = PageRequest { limit: 3, cursor: Some("q_12345678".to_owned()) };
    assert!(matches!(bench.reader().deliveries(&dead, &foreign), Err(ReadError::Cursor { .. })));
}

pub(super) fn deliveries_that_came_to_their_end_are_let_go_of_in_small_steps(mut bench: impl TestStore) {
    bench.write(with((0..6).map(|_| new("chat", "a")).collect()));
    let delivered = [DeliveryRecord::Begun, DeliveryRecord::Delivered { receipt: Some("m1".to_owned()) }];
    for (part, seconds) in [(0, 10), (1, 20), (2, 30), (3, 9_000)] {
        happens(&mut bench, id(1, part), seconds, &delivered);
    }
    happens(&mut bench, id(1, 4), 10, &[DeliveryRecord::DeadLettered { reason: "gone".to_owned() }]);
    let pruned: Vec<usize> = (0..3).map(|_| bench.store().prune(at(60), 2).unwrap().deliveries).collect();
    assert_eq!(pruned, [2, 1, 0]);
    let left = bench.reader().deliveries(&DeliveryFilter::default(), &PageRequest::default()).unwrap().items;
    assert_eq!(ids(&left), [id(1, 5), id(1, 4), id(1, 3)], "what waits, or waits for a person, stays");
    assert!(matches!(&left[2].state, DeliveryState::Delivered { receipt: Some(_), .. }));
}
