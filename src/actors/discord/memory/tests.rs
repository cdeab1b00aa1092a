//! What `memory` does, tried.

use super::*;

#[test]
fn the_oldest_messages_are_forgotten_whatever_they_are_about() {
    let shared = Shared::new(Memory::default());
    for id in 1..=4_000 {
        shared.keep_message(format!("task:{id:04}"), 7, id);
    }
    shared.keep_message("question:a".to_owned(), 7, 4_001);
    assert_eq!(shared.message("question:a"), Some((7, 4_001)));
    assert_eq!(shared.message("task:0001"), None);
    assert_eq!(shared.message("task:0002"), Some((7, 2)));
}
