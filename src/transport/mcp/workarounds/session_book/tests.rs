//! What `session_book` does, tried.

use super::*;

fn principal(name: &str) -> PrincipalId {
    PrincipalId::parse(name).expect("a principal")
}

fn opened(book: &Book, id: &str, owner: &str) -> Vec<SessionId> {
    book.open(id.into());
    book.own(&id.into(), &principal(owner))
}

#[tokio::test(start_paused = true)]
async fn to_anybody_but_its_owner_a_session_does_not_exist() {
    let book = Book::default();
    opened(&book, "a", "agent:one");
    assert!(book.may_use("a", Some(&principal("agent:one"))));
    assert!(!book.may_use("a", Some(&principal("agent:two"))));
    assert!(!book.may_use("a", None));
}

#[tokio::test(start_paused = true)]
async fn the_session_that_was_unused_for_longest_makes_room_and_one_with_a_stream_only_in_need() {
    let book = Book::default();
    for number in 0..PER_PRINCIPAL {
        assert!(opened(&book, &format!("s{number:02}"), "agent:one").is_empty());
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    book.begin(&"s00".into(), None);
    assert_eq!(opened(&book, "new", "agent:one"), vec![SessionId::from("s01")]);
    assert!(opened(&book, "other", "agent:two").is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_keeps_a_silent_session_alive() {
    let book = Book::default();
    opened(&book, "a", "agent:one");
    opened(&book, "b", "agent:one");
    book.begin(&"a".into(), Some(&RequestId::Number(1)));
    tokio::time::advance(Duration::from_secs(3600)).await;
    assert_eq!(book.idle(Duration::from_secs(1800)), vec![SessionId::from("b")]);
    book.end(&"a".into(), Some(&RequestId::Number(1)));
    assert!(book.running(&"a".into()).is_empty());
}
