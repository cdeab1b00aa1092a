//! What `report` does, tried.

use serde_json::json;

use super::*;

#[test]
fn an_artifact_may_be_a_text_or_an_object() {
    let read = |value: Value| serde_json::from_value::<ArtifactArgument>(value).map(|artifact| artifact.0);
    let url = read(json!("https://example.org/pull/1")).expect("a url");
    assert_eq!(url.url.as_deref(), Some("https://example.org/pull/1"));
    let script = read(json!("javascript:alert(1)")).expect("a line");
    assert_eq!((script.url, script.text.as_deref()), (None, Some("javascript:alert(1)")), "it is shown, and no link");
    assert_eq!(read(json!("all green")).expect("a line").text.as_deref(), Some("all green"));
    assert_eq!(read(json!({"kind": "branch", "path": "x"})).expect("an object").kind, ArtifactKind::Branch);
    assert!(read(json!({"kind": "branch", "colour": "red"})).is_err());
}
