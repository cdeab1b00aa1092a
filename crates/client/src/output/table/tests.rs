//! What `table` does, tried.

use super::*;

#[test]
fn a_table_fits_its_screen_and_is_whole_in_a_pipe() {
    let id = "0196abcd-0000-7000-8000-000000000001";
    let columns = [
        Column::new("TASK", move |_: &()| id.to_owned()),
        Column::new("STATE", |_| "QUEUED".to_owned()),
        Column::new("TITLE", |_| "implement the log-in page, with a remembered session ".repeat(3)),
    ];
    let longest = |screen| {
        let text = table(&columns, &[()], false, screen);
        (text.lines().map(length).max().unwrap_or(0), text.contains('…'), text.contains(id))
    };
    assert_eq!(longest(None), (36 + 2 + 6 + 2 + 159, false, true));
    assert_eq!(longest(Some(80)), (80, true, true));
    assert_eq!(longest(Some(200)), (200, true, true));
    assert_eq!(longest(Some(400)), (205, false, true));
    // No narrower than the id and the least of each other column.
    assert_eq!(longest(Some(20)), (36 + 2 + 6 + 2 + LEAST, true, true));
}
