//! What `whole_id` does, tried.

use super::*;

fn found(kind: NamedKind, given: &str, wanted_for: IdUse) -> Result<String, &'static str> {
    let ids = ["s_aaaa0001", "s_aaaa0002", "s_bbbb0001", "ann", "anna", "bob"];
    the_one(kind, given, wanted_for, ids.map(str::to_owned)).map_err(|refusal| refusal.code)
}

#[test]
fn an_id_is_named_by_any_beginning_that_fits_no_other() {
    use IdUse::{Change, Look};
    use NamedKind::{Agent, Session};
    for (kind, given, wanted_for, expected) in [
        (Session, "s_aaaa0001", Change, Ok("s_aaaa0001")),
        (Session, "s_b", Look, Ok("s_bbbb0001")),
        (Session, "s_b", Change, Err("ID_TOO_SHORT")),
        (Session, "s_bbb", Change, Err("ID_TOO_SHORT")),
        (Session, "s_bbbb", Change, Ok("s_bbbb0001")),
        (Session, "s_aaaa", Look, Err("ID_AMBIGUOUS")),
        (Session, "s_a", Change, Err("ID_AMBIGUOUS")),
        (Session, "s_c", Look, Err("NOT_FOUND")),
        (Session, "", Look, Err("NOT_FOUND")),
        // A name that is whole is meant, however short, and whatever it begins.
        (Agent, "ann", Change, Ok("ann")),
        (Agent, "bob", Change, Ok("bob")),
        (Agent, "bo", Change, Err("ID_TOO_SHORT")),
        (Agent, "bo", Look, Ok("bob")),
        (Agent, "an", Look, Err("ID_AMBIGUOUS")),
    ] {
        assert_eq!(found(kind, given, wanted_for), expected.map(str::to_owned), "{given} {wanted_for:?}");
    }
}

#[test]
fn five_candidates_are_listed_and_that_there_are_more() {
    let ids = |most: u32| (1..=most).map(|n| format!("task000{n}"));
    let refused = |most| the_one(NamedKind::Task, "task", IdUse::Look, ids(most)).expect_err("several");
    let five = refused(5);
    assert!(five.message.ends_with("`task0004`, `task0005`"), "{five}");
    let six = refused(6);
    assert!(six.message.ends_with("`task0004`, `task0005`, and more"), "{six}");
    assert_eq!(six.details["candidates"].as_array().map(Vec::len), Some(5));
}
