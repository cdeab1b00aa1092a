//! What `client` does, tried.

use super::*;

const CAP: u64 = 45;

/// Plays `waits` waits of a client that gives up after `bears` seconds; how long each was.
fn plays(bears: u64, waits: usize) -> Vec<u64> {
    let mut known = WaitTolerance::default();
    let mut spans = Vec::new();
    for _ in 0..waits {
        let span = known.limit().map_or(CAP, |limit| limit.as_secs().min(CAP));
        spans.push(span);
        if span < bears {
            known.answered(Duration::from_secs(span));
        } else {
            known.gave_up(Duration::from_secs(span));
        }
    }
    spans
}

#[test]
fn who_gave_up_twice_is_given_less_and_less_until_an_answer_arrives() {
    assert_eq!(plays(5, 8), [45, 45, 23, 12, 6, 3, 3, 3]);
    assert_eq!(plays(20, 6), [45, 45, 23, 12, 12, 12]);
    assert_eq!(plays(60, 40), [45; 40], "whoever gets its answers is left alone");
    assert_eq!(plays(0, 9), [45, 45, 23, 12, 6, 3, 2, 2, 2], "never below the floor");
}

#[test]
fn a_longer_wait_is_tried_ever_more_seldom_and_never_beyond_the_cap() {
    let spans = plays(5, 400);
    let tried: Vec<usize> = (5..400).filter(|at| spans[*at] > spans[at - 1]).collect();
    // 3 becomes 6, which it does not bear, after 16 answers, then after 32, 64, 128.
    let gaps: Vec<usize> = tried.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!((tried[0], &gaps[..3]), (5 + 16, &[33, 65, 129][..]), "{spans:?}");
    assert!(spans[5..].iter().all(|span| [3, 6].contains(span)), "{spans:?}");
    let mut known = WaitTolerance::default();
    for _ in 0..2 {
        known.gave_up(Duration::from_secs(CAP));
    }
    for _ in 0..200 {
        known.answered(Duration::from_secs(CAP));
    }
    assert!(known.limit() > Some(Duration::from_secs(CAP)), "the row's cap bounds it, and nothing else does");
}

#[test]
fn one_wait_that_was_given_up_between_others_changes_nothing() {
    let (long, short) = (Duration::from_secs(45), Duration::from_secs(1));
    let mut known = WaitTolerance::default();
    for _ in 0..9 {
        known.gave_up(long);
        known.answered(long);
    }
    assert_eq!(known.limit(), None);
    known.gave_up(long);
    known.answered(short);
    known.gave_up(long);
    assert_eq!(known.limit(), Some(Duration::from_secs(23)), "the answer of a short wait says nothing of long ones");
}

#[test]
fn a_client_is_kept_as_it_declared_itself_and_the_name_alone_of_old_records_is_read() {
    let whole = DeclaredClient::new("claude-code", Some("2.1.331"), ClientDoor::Http, true);
    let written = serde_json::to_string(&whole).unwrap();
    assert_eq!(written, r#"{"name":"claude-code","version":"2.1.331","door":"http","tasks":true}"#);
    assert_eq!(serde_json::from_str::<DeclaredClient>(&written).unwrap(), whole);
    let named = DeclaredClient::named("codex");
    assert_eq!(serde_json::from_str::<DeclaredClient>("\"codex\"").unwrap(), named);
    assert_eq!(serde_json::to_string(&named).unwrap(), "\"codex\"");
    let long = DeclaredClient::new(&"x".repeat(999), Some("1\u{1b}[31m"), ClientDoor::Stdio, false);
    assert_eq!((long.name.len(), long.version.as_deref()), (128, Some("1[31m")));
}
