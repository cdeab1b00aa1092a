//! What `recent` does, tried.

use super::*;

fn text(extract: &Extract) -> &str {
    std::str::from_utf8(&extract.bytes).unwrap()
}

#[test]
fn each_reader_reads_on_from_its_own_place_and_takes_nothing_away() {
    let mut recent = Recent::at(100);
    recent.push(b"one two ", 8);
    let first = recent.since(0, 5);
    assert_eq!((text(&first), first.position, first.more, first.missed), ("one t", 105, true, 100));
    let rest = recent.since(first.position, 100);
    assert_eq!((text(&rest), rest.position, rest.more), ("wo ", 108, false));
    assert_eq!(text(&recent.since(100, 100)), "one two ");
    recent.push(b"three", 5);
    assert_eq!(text(&recent.since(rest.position, 100)), "three");
    assert_eq!(recent.since(9_999, 100), Extract { position: 113, ..Extract::default() });
}

#[test]
fn a_character_is_never_cut() {
    let mut recent = Recent::at(0);
    recent.push("aß".as_bytes(), 3);
    assert_eq!((text(&recent.since(0, 2)), recent.since(0, 2).more), ("a", true));
    recent.push(&"日".as_bytes()[..2], 2);
    let open = recent.since(0, 100);
    assert_eq!((text(&open), open.position, open.more), ("aß", 3, false), "its rest is still to come");
    recent.push(&"日".as_bytes()[2..], 1);
    assert_eq!(text(&recent.since(open.position, 100)), "日");
}

#[test]
fn where_a_secret_was_taken_out_places_go_on_as_in_the_stream() {
    let mut recent = Recent::at(0);
    recent.push(b"Password: [REDACTED]\n", 18);
    recent.push(b"ok\n", 3);
    let all = recent.since(0, 1_000);
    assert_eq!((text(&all), all.position), ("Password: [REDACTED]\nok\n", 21));
    assert_eq!(text(&recent.since(18, 1_000)), "ok\n");
}

#[test]
fn the_oldest_goes_when_there_is_no_more_room() {
    let mut recent = Recent::at(0);
    let block = vec![b'x'; 100_000];
    (0..5).for_each(|_| recent.push(&block, 100_000));
    let all = recent.since(0, usize::MAX);
    assert!(all.bytes.len() <= Recent::MOST && all.missed > 0, "{} kept, {} missed", all.bytes.len(), all.missed);
    assert_eq!(all.missed + u64::try_from(all.bytes.len()).unwrap(), 500_000);
}
