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
    // No narrower than the id and the least of the last column.
    assert_eq!(longest(Some(20)), (36 + 2 + LEAST, true, true));
}

const PLAN: &[Plan] = &[
    ("SESSION", Shows::Id("id"), false),
    ("SAYS", Shows::Line("says"), false),
    ("TASK", Shows::Id("task"), false),
    ("OPENED", Shows::Ago("at"), false),
    ("NOTE", Shows::Text("note"), true),
    ("ABOUT", Shows::Line("about"), false),
];

#[test]
fn ids_are_cut_last_and_what_has_no_room_is_named() {
    let (id, task) = ("s_01j9z0vb4pex5vsknk084sn02q", "01h455vb4pex5vsknk084sn02q");
    let item = serde_json::json!({ "id": id, "task": task, "says": "works on it ".repeat(9), "about": "x\n y",
        "at": "2026-11-21T13:00:00Z", "note": "later" });
    let now = Timestamp::parse("2026-11-21T14:01:05Z").unwrap();
    let shown = |wide, screen| fitted(&columns(PLAN, now), std::slice::from_ref(&item), wide, screen);
    let (text, left_out) = shown(false, Some(100));
    assert!(text.contains(id) && text.contains(task) && text.contains("1h 1m") && text.contains("x y"), "{text}");
    assert!(left_out.is_empty() && text.lines().all(|line| length(line) <= 100), "{text}");
    let (text, left_out) = shown(false, Some(80));
    assert!(text.contains(id) && text.contains(&task[..18]) && !text.contains(task), "{text}");
    assert!(left_out.is_empty() && text.lines().all(|line| length(line) <= 80), "{text}");
    let (text, left_out) = shown(true, Some(60));
    assert!(text.contains(id) && text.contains("x y"), "{text}");
    assert_eq!(left_out, ["TASK", "OPENED", "NOTE"], "{text}");
    let (text, left_out) = shown(true, None);
    assert!(text.contains(&"works on it ".repeat(9).trim_end().to_owned()) && left_out.is_empty(), "{text}");
}
