//! Reviews: one row for each task that was handed in, and where each comment stands.

use super::TestStore;
use crate::domain::review::{Review, ReviewRecord, ReviewState, VerdictKind};
use crate::samples::*;
use crate::{Append, Counted, PageRequest, ReadError, ReviewFilter, Row};

fn keeps(review: &Review) -> Append {
    Append { rows: vec![Row::Review(Box::new(review.clone()))], ..Append::new(at(1), by(), Vec::new()) }
}

fn found(bench: &impl TestStore, filter: &ReviewFilter) -> Vec<String> {
    let page = bench.reader().reviews(filter, &PageRequest::default()).unwrap();
    assert_eq!(bench.reader().count(Counted::Reviews(filter)), Ok(page.items.len() as u64));
    page.items.into_iter().map(|review| review.task.to_string()).collect()
}

/// The verdicts among the samples.
fn verdict(kind: VerdictKind) -> ReviewRecord {
    let wanted = |record: &ReviewRecord| match kind {
        VerdictKind::Approved => matches!(record, ReviewRecord::Approved { .. }),
        VerdictKind::ChangesRequested => matches!(record, ReviewRecord::ChangesRequested { .. }),
    };
    review_records().into_iter().find(wanted).unwrap()
}

pub(super) fn a_review_takes_the_place_of_the_one_before_and_is_there_after_a_restart(mut bench: impl TestStore) {
    assert_eq!(bench.reader().review(&task_id(1)).unwrap(), None);
    let mut known = review(1, 5);
    bench.write(keeps(&known));
    bench.write(judged(&mut known, vec![verdict(VerdictKind::ChangesRequested)]));
    let bench = bench.reopen();
    assert_eq!(bench.reader().review(&task_id(1)).unwrap(), Some(known));
    assert_eq!(found(&bench, &ReviewFilter::default()), ["task0001"]);
}

pub(super) fn reviews_are_listed_newest_first_and_filtered(mut bench: impl TestStore) {
    for (n, seconds) in [(1, 5), (2, 7), (3, 6), (4, 7)] {
        bench.write(keeps(&review(n, seconds)));
    }
    let mut agreed = review(3, 6);
    bench.write(judged(&mut agreed, vec![verdict(VerdictKind::Approved)]));
    let filter = ReviewFilter::default;
    assert_eq!(found(&bench, &filter()), ["task0004", "task0002", "task0003", "task0001"]);
    let open = ReviewFilter { states: vec![ReviewState::Open], ..filter() };
    assert_eq!(found(&bench, &open), ["task0004", "task0002", "task0001"]);
    let two = ReviewFilter { states: vec![ReviewState::Approved, ReviewState::Withdrawn], ..filter() };
    assert_eq!(found(&bench, &two), ["task0003"]);
    assert_eq!(found(&bench, &ReviewFilter { agent: Some(agent_id("fullstack-1")), ..filter() }).len(), 4);
    assert_eq!(found(&bench, &ReviewFilter { agent: Some(agent_id("nobody-1")), ..filter() }), [""; 0]);
    let (mut pages, mut cursor) = (Vec::new(), None);
    loop {
        let page = bench.reader().reviews(&filter(), &PageRequest { limit: 2, cursor }).unwrap();
        pages.push(page.items.len());
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [2, 2]);
    let refused = bench.reader().reviews(&filter(), &PageRequest { limit: 2, cursor: Some("x".to_owned()) });
    assert_eq!(refused, Err(ReadError::Cursor { given: "x".to_owned() }));
}

pub(super) fn a_comment_leads_to_its_task(mut bench: impl TestStore) {
    let mut known = review(2, 5);
    bench.write(keeps(&known));
    bench.write(judged(&mut known, review_records().into_iter().skip(1).take(1).collect()));
    bench.write(judged(&mut known, vec![verdict(VerdictKind::ChangesRequested)]));
    let of = |n| bench.reader().task_of_comment(&comment_id(n)).unwrap();
    assert_eq!((of(1), of(2), of(3)), (Some(task_id(2)), Some(task_id(2)), None));
}
