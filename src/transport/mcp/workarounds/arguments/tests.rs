//! What `arguments` does, tried.

use super::*;

fn read(text: &str) -> Option<Value> {
    serde_json::from_str::<Arguments>(text).ok().map(|Arguments(object)| Value::Object(object))
}

#[test]
fn what_stands_once_is_read_as_ever() {
    let text = r#"{"a": [1, -2, 3.5, 18446744073709551615, null, true, {"a": "\u00e9"}], "b": {"a": {}, "b": ""}}"#;
    assert_eq!(read(text), serde_json::from_str(text).ok());
}

#[test]
fn what_stands_twice_is_read_neither_so_nor_so() {
    for text in [r#"{"a": 1, "a": 1}"#, r#"{"a": 1, "\u0061": 2}"#, r#"{"a": [{"b": {"c": 1, "c": 2}}]}"#, "[]", "7"] {
        assert_eq!(read(text), None, "{text}");
    }
}
