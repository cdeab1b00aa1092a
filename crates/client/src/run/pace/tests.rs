//! What `pace` does, tried.

use super::*;

#[test]
fn looks_become_rarer_and_begin_anew() {
    let began = Instant::now();
    let mut pace = Pace::new(began);
    let mut looks = Vec::new();
    for _ in 0..9 {
        let now = pace.next();
        looks.push((now - began).as_millis());
        assert!(pace.looked(now, Reader::Busy));
    }
    assert_eq!(looks, [4, 15, 40, 120, 400, 800, 1_500, 3_500, 5_500]);
    let later = began + Duration::from_secs(60);
    pace.restart(later);
    assert_eq!(pace.next() - later, Duration::from_millis(4));
    pace.looked(pace.next(), Reader::Reads);
    assert_eq!(pace.next() - later, Duration::from_millis(20_004));
}

#[test]
fn a_look_is_put_off_for_a_while_and_not_for_ever() {
    let mut pace = Pace::new(Instant::now());
    let began = pace.next();
    while pace.puts_off(pace.next()) {}
    assert_eq!((pace.next() - began).as_millis(), 63, "then it is looked all the same");
    pace.looked(pace.next(), Reader::Unknown);
    assert!(pace.puts_off(pace.next()), "the next one anew");
}

#[test]
fn who_waited_is_not_believed_to_be_busy_at_one_look() {
    let mut pace = Pace::new(Instant::now());
    assert!(pace.looked(pace.next(), Reader::Polls));
    let mut pauses = Vec::new();
    let mut last = pace.next();
    while !pace.looked(last, Reader::Busy) {
        pauses.push((pace.next() - last).as_millis());
        last = pace.next();
    }
    assert_eq!(pauses, [5, 15, 40, 100]);
    assert!(pace.looked(pace.next(), Reader::Busy), "it is known to be busy now");

    assert!(pace.looked(pace.next(), Reader::Polls));
    assert!(!pace.looked(pace.next(), Reader::Busy));
    assert!(pace.looked(pace.next(), Reader::Polls), "it was a moment");
    assert!(!pace.looked(pace.next(), Reader::Busy), "and so is the next");

    assert!(pace.looked(pace.next(), Reader::Reads));
    assert!(!pace.looked(pace.next(), Reader::Unknown), "it may be about to end");
    assert!(pace.looked(pace.next(), Reader::Gone), "it did");

    assert!(pace.looked(pace.next(), Reader::Polls));
    pace.restart(pace.next());
    assert!(pace.looked(pace.next(), Reader::Busy), "something happened");
}
