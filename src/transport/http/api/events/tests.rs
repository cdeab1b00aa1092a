//! What `events` does, tried.

use super::*;

#[test]
fn a_reader_behind_retention_is_told_so_and_where_to_begin() {
    let gone = Posted::Gap { missed: 9, after: Some(Seq(9)) };
    let text = |form: Form, posted: &Posted| String::from_utf8(form.write(posted).to_vec()).unwrap();
    let told = json!({ "missed": 9, "reason": "retention", "after": 9 });
    assert_eq!(text(Form::ServerSent, &gone), format!("id: 9\nevent: gap\ndata: {told}\n\n"));
    let line: Value = serde_json::from_str(&text(Form::Lines, &gone)).unwrap();
    assert_eq!(line, json!({ "type": "gap", "missed": 9, "reason": "retention", "after": 9 }));
    let slow = Posted::Gap { missed: 2, after: None };
    assert_eq!(text(Form::ServerSent, &slow), "event: gap\ndata: {\"missed\":2,\"reason\":\"slow\"}\n\n");
}
