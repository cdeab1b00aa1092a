//! What `receipt` does, tried.

use serde_json::{Value, json};

use super::*;

#[test]
fn receipts_are_written_and_read_as_they_are_on_disk() {
    let (task, beside) = ("task0001", json!({"comment": 0, "why": "not shown"}));
    let assigned = json!({
        "taskId": task, "queued": true, "position": 2, "target": "role:coding", "reachable": true, "message": "m",
    });
    let notes = [Value::Null, assigned, json!({"commentId": "c1", "besideDiff": []}), json!({"besideDiff": [beside]})];
    for note in notes {
        let kept = json!({
            "taskId": task, "state": "QUEUED", "epoch": 0, "changed": true, "worktree": false, "expiresAt": null,
            "note": note,
        });
        let read: TaskReceipt = serde_json::from_value(kept.clone()).unwrap();
        assert_eq!(matches!(read.note, Some(ReceiptNote::Assigned(_))), note.get("target").is_some());
        assert_eq!(serde_json::to_value(read).unwrap(), kept);
    }
}
