//! What `places` does, tried.

use super::*;

fn from(address: &str) -> IpAddr {
    address.parse().unwrap()
}

/// A place whose connection lasts until it is shown out.
fn comes(places: &Arc<Places>, address: &str) -> (ConnectionSlot, tokio::task::JoinHandle<()>) {
    let place = places.take(Some(from(address))).expect("a place");
    #[expect(clippy::disallowed_methods, reason = "the test holds its handle")]
    let talk = tokio::spawn(std::future::pending());
    place.peer_handle().talks(talk.abort_handle());
    (place, talk)
}

async fn is_shown_out(talk: tokio::task::JoinHandle<()>) {
    assert!(talk.await.expect_err("it does not end by itself").is_cancelled());
}

#[tokio::test]
async fn the_first_of_the_crowd_makes_room_and_nobody_from_elsewhere() {
    let places = Places::new(64);
    let (_lonely, lonely) = comes(&places, "192.0.2.7");
    let mut crowd: Vec<_> = (0..31).map(|_| comes(&places, "192.0.2.1")).collect();
    let (_next, next) = comes(&places, "192.0.2.9");
    is_shown_out(crowd.remove(0).1).await;
    let (_own, _) = comes(&places, "192.0.2.1");
    is_shown_out(crowd.remove(0).1).await;
    assert!(!lonely.is_finished() && !next.is_finished());
    assert!(crowd.iter().all(|(_, talk)| !talk.is_finished()));
}

#[tokio::test]
async fn of_many_who_come_alone_the_first_makes_room() {
    let places = Places::new(64);
    let mut all: Vec<_> = (0..32).map(|at| comes(&places, &format!("192.0.2.{}", (at * 7 + 16) % 32))).collect();
    let _next: Vec<_> = (100..116).map(|at| comes(&places, &format!("192.0.2.{at}"))).collect();
    for (_, talk) in all.drain(..16) {
        is_shown_out(talk).await;
    }
    assert!(all.iter().all(|(_, talk)| !talk.is_finished()));
}

#[tokio::test]
async fn who_is_known_stays_and_leaves_their_place_among_strangers() {
    let places = Places::new(64);
    let mut all: Vec<_> = (0..32).map(|_| comes(&places, "192.0.2.1")).collect();
    for (place, _) in &all[..31] {
        place.peer_handle().is_known();
        place.peer_handle().is_known();
    }
    let more: Vec<_> = (0..31).map(|_| comes(&places, "192.0.2.1")).collect();
    assert!(all.iter().chain(&more).all(|(_, talk)| !talk.is_finished()), "63 places are taken");
    let (last, _) = comes(&places, "192.0.2.2");
    let (_newer, _) = comes(&places, "192.0.2.2");
    is_shown_out(all.pop().unwrap().1).await;
    assert!(all.iter().all(|(_, talk)| !talk.is_finished()), "who is known is never shown out");
    drop((all, more, last));
    let book = places.book();
    assert_eq!((book.known, book.strangers, book.from.len()), (0, 1, 1));
}

#[tokio::test]
async fn a_house_full_of_who_is_known_has_no_place() {
    let places = Places::new(2);
    let both = [comes(&places, "192.0.2.1"), comes(&places, "192.0.2.1")];
    both.iter().for_each(|(place, _)| place.peer_handle().is_known());
    assert!(places.take(Some(from("192.0.2.2"))).is_none());
    drop(both);
    assert!(places.take(Some(from("192.0.2.2"))).is_some());
}

#[tokio::test]
async fn who_was_shown_out_cannot_become_known() {
    let places = Places::new(1);
    let (first, _) = comes(&places, "192.0.2.1");
    let (second, _) = comes(&places, "192.0.2.1");
    first.peer_handle().is_known();
    drop(first);
    assert_eq!(places.book().known, 0);
    let lingers = second.peer_handle().clone();
    lingers.is_known();
    drop(second);
    lingers.is_known();
    let book = places.book();
    assert_eq!((book.known, book.strangers, book.from.len()), (0, 0, 0));
}

#[tokio::test]
async fn who_has_a_network_of_addresses_is_one_crowd() {
    let places = Places::new(64);
    let (_lonely, lonely) = comes(&places, "2001:db8:0:1::1");
    let mut crowd: Vec<_> = (0..31).map(|at| comes(&places, &format!("2001:db8:0:2::{at:x}"))).collect();
    let (_next, _) = comes(&places, "192.0.2.1");
    is_shown_out(crowd.remove(0).1).await;
    assert!(!lonely.is_finished());
}
