//! What `text` does, tried.

use super::{SILENT, said};
use crate::Kind;
use crate::samples::one_of_each;

#[test]
fn no_silent_kind_says_anything_and_each_is_a_kind() {
    assert!(SILENT.iter().all(|kind| Kind::find(kind).is_some()));
    for entry in one_of_each() {
        let (kind, said) = (entry.record.kind().name, said(&entry.record, |_| Some("blob".to_owned())));
        assert!(said.is_empty() || !SILENT.contains(&kind), "{kind} says `{said}`");
    }
}
