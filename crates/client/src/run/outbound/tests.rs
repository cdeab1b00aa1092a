//! What `outbound` does, tried.

use super::*;

fn all(outbound: &mut Outbound) -> Vec<String> {
    std::iter::from_fn(|| outbound.next())
        .map(|parcel| match parcel {
            OutboundItem::Output(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            OutboundItem::Word(word) => format!("{word:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
        })
        .collect()
}

#[test]
fn words_stay_between_what_was_printed() {
    let mut outbound = Outbound::default();
    outbound.say(HostWord::Typed);
    outbound.printed(Bytes::from_static(b"one "));
    outbound.printed(Bytes::from_static(b"two"));
    outbound.say(HostWord::Ended { code: 0 });
    outbound.printed(Bytes::from_static(b"three"));
    assert_eq!(outbound.resume(0), Resume::Seamless);
    assert_eq!(all(&mut outbound), ["Typed", "one two", "Ended", "three"]);
}

#[test]
fn a_hub_that_came_back_with_less_gets_the_rest_again() {
    let mut outbound = Outbound::default();
    outbound.printed(Bytes::from_static(b"abcdef"));
    // Something else had printed a hundred bytes into this session before.
    assert_eq!(outbound.resume(100), Resume::Seamless);
    assert_eq!(all(&mut outbound), ["abcdef"]);
    outbound.disconnected();
    outbound.printed(Bytes::from_static(b"ghi"));
    assert_eq!(outbound.resume(104), Resume::Seamless);
    assert_eq!(all(&mut outbound), ["efghi"]);
}

#[test]
fn what_is_too_much_to_keep_is_drawn_instead() {
    let mut outbound = Outbound::default();
    assert_eq!(outbound.resume(0), Resume::Seamless);
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    for _ in 0..3 {
        outbound.printed(piece.clone());
    }
    assert!(outbound.has_gap() && outbound.next().is_none());
    assert_eq!(outbound.resume(10), Resume::Lost(1024 * 1024 - 10));
    outbound.redraw(1024 * 1024 - 10, Bytes::from_static(b"screen"));
    assert_eq!(all(&mut outbound), ["Reset", "screen"]);
    assert_eq!(outbound.resume(16), Resume::Seamless, "the hub has the drawing, and counts on from it");
    assert_eq!(outbound.next(), None);
}

#[test]
fn the_hub_is_not_told_what_was_true_before_it_came() {
    let mut outbound = Outbound::default();
    outbound.say(HostWord::Typed);
    outbound.say(HostWord::Ended { code: 3 });
    outbound.disconnected();
    assert_eq!(all(&mut outbound), ["Ended"]);
}
