//! What `codec` does, tried.

use super::{CodecError, decode, encode};
use crate::domain::task::TaskRecord;
use crate::samples::one_of_each;
use crate::{KINDS, Record};

/// Changed? Then journals that people have are in the other shape: raise the kind's version, teach `upgrade`.
#[test]
fn the_shape_of_every_record_is_the_one_in_the_snapshot() {
    let lines: Vec<String> = one_of_each()
        .iter()
        .map(|entry| {
            let encoded = encode(&entry.record).unwrap();
            format!("{} v{} {}", encoded.kind.name, encoded.kind.version, encoded.body)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_samples_have_one_of_each_kind_and_each_is_read_back() {
    let samples = one_of_each();
    let mut kinds: Vec<_> = samples.iter().map(|entry| entry.record.kind()).collect();
    kinds.dedup();
    assert_eq!(kinds, KINDS);
    for entry in samples {
        let encoded = encode(&entry.record).unwrap();
        let tag = format!("\"type\":\"{}\"", encoded.kind.name.split_once('.').unwrap().1);
        assert!(encoded.body.contains(&tag), "{} is not called {tag}", encoded.body);
        assert_eq!(decode(encoded.kind.name, encoded.kind.version, &encoded.body), Ok(entry.record));
    }
}

#[test]
fn an_approval_of_before_completes_as_it_did() {
    let record = decode("task.approved", 1, r#"{"type":"approved","message":"fine"}"#).unwrap();
    let approved = TaskRecord::Approved { message: Some("fine".to_owned()), word: None };
    assert_eq!(record, Record::Task(approved));
}

#[test]
fn what_is_not_known_is_named() {
    let unknown = decode("task.teleported", 1, "{}").unwrap_err();
    assert_eq!(unknown, CodecError::UnknownKind { kind: "task.teleported".to_owned() });
    let newer = decode("hub.stopped", 2, "{}").unwrap_err();
    assert_eq!(newer, CodecError::UnknownVersion { kind: "hub.stopped", found: 2, known: 1 });
    assert_eq!(
        decode("hub.stopped", 0, "{}").unwrap_err().to_string().split(':').next(),
        Some("records of kind `hub.stopped` in version 0 are unknown (known up to 1)")
    );
    let torn = decode("hub.stopped", 1, r#"{"type":"sto"#).unwrap_err();
    assert!(matches!(torn, CodecError::Body { kind: "hub.stopped", .. }), "{torn}");
    let swapped = decode("hub.started", 1, r#"{"type":"stopped"}"#).unwrap_err();
    assert!(swapped.to_string().contains("it is one of `hub.stopped`"), "{swapped}");
}
