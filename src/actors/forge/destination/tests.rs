//! What `destination` does, tried.

use serde_json::json;

use super::*;

#[test]
fn rows_of_an_older_hub_are_read() {
    let read = |ask: serde_json::Value| serde_json::from_value::<Ask>(ask).unwrap();
    let old = read(json!({"merge": ["squash", "c1"]}));
    assert!(matches!(&old, Ask::Merge(MergeMethod::Squash, commit) if commit == "c1"), "{old:?}");
    assert_eq!(old.deed(), Some(PullDeed::Merge));
    let new = Ask::MergeInto { method: MergeMethod::Merge, commit: "c1".to_owned(), base: Branch::parse("main").ok() };
    assert!(matches!(read(serde_json::to_value(&new).unwrap()), Ask::MergeInto { base: Some(_), .. }));
}
