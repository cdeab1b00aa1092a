//! What `print` does, tried.

use super::*;

#[test]
fn a_list_that_shows_a_part_says_so_and_a_whole_one_does_not() {
    let part = |total| Listed { items: vec![json!({}); 50], total, next_cursor: Some("c".to_owned()) };
    assert_eq!(part(Some(312)).note().as_deref(), Some("50 of 312; --limit 0 for all"));
    assert_eq!(part(None).note().as_deref(), Some("50, and there are more; --limit 0 for all"));
    assert_eq!(Listed::from(vec![json!({}); 50]).note(), None);
    let ids = |limit| Listed::first(vec![json!({"id": "a"}), json!({"id": "b"}), json!({"id": "c"})], limit, "id");
    assert_eq!(ids(2).note().as_deref(), Some("2 of 3; --limit 0 for all"));
    assert_eq!((ids(2).next_cursor.as_deref(), ids(2).total), (Some("b"), Some(3)));
    for whole in [0, 3, 4] {
        assert_eq!((ids(whole).items.len(), ids(whole).note()), (3, None));
    }
}
