//! What `lists` does, tried.

use super::*;

#[test]
fn pages_follow_each_other_without_gap_or_repeat() {
    let all: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: 2, cursor };
        let list = List::page_of(all.clone(), &page, String::as_str);
        assert!(list.items.len() <= 2);
        seen.extend(list.items);
        cursor = list.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, all);
}

#[test]
fn a_limit_beyond_the_most_is_refused_with_the_field() {
    let refused = page_request(Some(501), None).expect_err("too many");
    assert_eq!((refused.code, &refused.details["field"]), ("INVALID_ARGUMENTS", &"limit".into()));
    assert!(page_request(Some(500), None).is_ok());
}
