//! What `tap` does, tried.

use secrecy::ExposeSecret as _;

use super::*;

/// All that waits, a word for each.
fn all(sight: &TapReader) -> Vec<String> {
    let next = || sight.0.with(Waiting::take);
    std::iter::from_fn(next)
        .map(|seen| match seen {
            Seen::Printed(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Seen::Missed(missed) => format!("<{missed} missed>"),
            Seen::Typed(_) => "<typed>".to_owned(),
            Seen::Injected { .. } => "<injected>".to_owned(),
            Seen::Resized(_) => "<resized>".to_owned(),
            Seen::Ended(code) => format!("<ended {code}>"),
        })
        .collect()
}

#[test]
fn an_observer_that_is_behind_misses_the_oldest_and_learns_how_much() {
    let (tap, sight) = Tap::new();
    for number in 0..PIECES + 3 {
        tap.printed(&Bytes::from(format!("{number:04}")));
    }
    let seen = all(&sight);
    assert_eq!(seen.len(), PIECES + 1);
    assert_eq!(seen[..2], ["<12 missed>", "0003"]);
    assert_eq!(seen.last().unwrap(), &format!("{:04}", PIECES + 2), "the newest is there");
    assert_eq!(tap.count().printed, 4 * u64::try_from(PIECES + 3).unwrap());
    assert_eq!(sight.0.with(|waiting| (waiting.bytes, waiting.pieces)), (0, 0));
}

#[test]
fn it_is_the_bytes_that_are_bounded_too_and_the_last_piece_stays_however_long_it_is() {
    let (tap, sight) = Tap::new();
    for _ in 0..3 {
        tap.printed(&Bytes::from(vec![b'x'; WAITING / 2]));
    }
    tap.printed(&Bytes::from(vec![b'y'; WAITING * 2]));
    let seen = all(&sight);
    assert_eq!(seen[0], format!("<{} missed>", WAITING / 2 * 3));
    assert_eq!((seen.len(), seen[1].len()), (2, WAITING * 2));
}

#[test]
fn what_was_typed_and_the_end_are_seen_however_much_was_missed() {
    let (tap, sight) = Tap::new();
    let piece = Bytes::from_static(b"0123456789");
    let flood = || (0..PIECES).for_each(|_| tap.printed(&piece));
    tap.printed(&piece);
    tap.typed(&piece, false);
    tap.printed(&piece);
    flood();
    tap.injected(&piece, true);
    flood();
    tap.show(Seen::Ended(3));
    let mut seen = all(&sight);
    seen.retain(|word| word.starts_with('<'));
    let missed = 10 * PIECES;
    let between = format!("<{} missed>", missed + 10);
    assert_eq!(seen, ["<10 missed>", "<typed>", &between, "<injected>", "<ended 3>"]);
    assert_eq!(tap.count().typed, 20);
}

#[tokio::test]
async fn who_watches_is_woken_and_hears_the_end_after_all_that_came_before_it() {
    let (tap, mut sight) = Tap::new();
    let watching = async {
        let first = sight.next().await;
        (first, sight.next().await, sight.next().await)
    };
    let relaying = async {
        tokio::task::yield_now().await;
        tap.printed(&Bytes::from_static(b"one"));
        tokio::task::yield_now().await;
        tap.show(Seen::Ended(0));
        drop(tap);
    };
    let (seen, ()) = tokio::join!(watching, relaying);
    assert!(matches!(seen, (Some(Seen::Printed(_)), Some(Seen::Ended(0)), None)), "{seen:?}");
}

#[test]
fn what_is_hidden_is_shown_to_nobody() {
    let (tap, sight) = Tap::new();
    tap.typed(&Bytes::from_static(b"hunter2\r"), true);
    let Some(Seen::Typed(typed)) = sight.0.with(Waiting::take) else { panic!("it was typed") };
    assert!(!format!("{typed:?}").contains("hunter2"), "{typed:?}");
    let Typed::Hidden { keys, entered: true } = typed else { panic!("it was hidden, and entered") };
    assert_eq!(keys.expose_secret(), b"hunter2\r");
    assert_eq!(tap.count().typed, 8);
}
