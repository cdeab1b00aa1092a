//! What `ids` does, tried.

use super::*;

#[test]
fn random_ids_differ_and_grow() {
    let ids = Ids::random();
    let made: Vec<_> = (0..1000).map(|_| ids.notice()).collect();
    assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "what it is compared with")]
fn a_random_id_is_a_uuid_of_version_seven_of_this_moment() {
    let before = Uuid::now_v7();
    let id = random();
    let millis = |id: Uuid| id.as_u128() >> 80;
    assert_eq!((id.get_version_num(), id.get_variant()), (7, uuid::Variant::RFC4122));
    assert!((millis(before)..millis(before) + 60_000).contains(&millis(id)), "{id}");
}

#[test]
fn no_random_word_is_used_twice_also_by_several_threads() {
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| (0..1000).map(|_| word()).collect())).collect();
    let words: Vec<u64> = threads.into_iter().flat_map(|thread| -> Vec<u64> { thread.join().unwrap() }).collect();
    let all: std::collections::BTreeSet<_> = words.iter().collect();
    assert_eq!(all.len(), words.len());
}

#[test]
fn seeded_ids_are_the_same_in_every_run() {
    assert_eq!(Ids::seeded(7).task(), Ids::seeded(7).task());
    assert_ne!(Ids::seeded(7).task(), Ids::seeded(8).task());
}
