//! What `story` does, tried.

use super::*;

const fn at(minutes: u64) -> Timestamp {
    Timestamp(minutes * 60_000)
}

fn spent(happened: &[(u64, &str)], until: u64) -> (u64, u64) {
    let spent = Spent::of(happened.iter().map(|(minutes, kind)| (at(*minutes), *kind)), at(until));
    (spent.waited.as_secs() / 60, spent.worked.as_secs() / 60)
}

#[test]
fn time_waits_until_somebody_works_and_ends_with_the_task() {
    let mut happened = vec![(0, "task.created"), (2, "task.offered"), (3, "task.acknowledged")];
    assert_eq!(spent(&happened, 5), (3, 2));
    // It waits until both questions are answered; a renewal changes nothing, an unknown event neither.
    happened.extend([(5, "question.asked"), (6, "question.asked"), (7, "question.resolved")]);
    assert_eq!(spent(&happened, 8), (3 + 3, 2));
    happened.extend([(7, "task.lease_extended"), (8, "question.resolved"), (9, "task.sung")]);
    assert_eq!(spent(&happened, 10), (6, 4));
    happened.extend([(12, "review.submitted"), (20, "review.changes_requested"), (21, "task.acknowledged")]);
    happened.push((30, "task.completed"));
    assert_eq!(spent(&happened, 1_000), (6 + 9, 6 + 9));
    // The process of its run ends later.
    happened.push((31, "run.ended"));
    assert_eq!(spent(&happened, 1_000), (15, 15));
    happened.extend([(40, "task.retried"), (40, "task.requeued")]);
    assert_eq!(spent(&happened, 45), (20, 15));
}

#[test]
fn in_short_it_is_one_line_or_nothing() {
    let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
    let spent = Spent { waited: minutes(3), worked: minutes(14) };
    let line = "Asked 1 question, 2 rounds of review, 14 min at work, 3 min waiting";
    assert_eq!(in_short(1, 2, spent).as_deref(), Some(line));
    assert_eq!(in_short(0, 0, Spent { worked: minutes(190), ..spent }).as_deref(), Some("3 h at work, 3 min waiting"));
    assert_eq!(in_short(0, 1, Spent::default()).as_deref(), Some("1 round of review"));
    assert_eq!(in_short(0, 0, Spent { waited: Duration::from_secs(20), ..Spent::default() }), None);
}

#[test]
fn every_row_stands_once_and_its_word_fits_its_column() {
    for (kind, word, ..) in ROWS {
        assert_eq!(ROWS.iter().filter(|row| row.0 == *kind).count(), 1, "{kind}");
        assert!(word.len() <= 12, "{word}");
    }
    assert_eq!((word("task.sung_of").as_str(), pace("task.sung_of"), folds("task.sung_of")), ("sung of", Stays, None));
}
