//! What an event says of a pull request. What it says to its reviewers stands on the forge.

use serde_json::{Map, Value, json};

use crate::domain::pull::PullRecord;

pub(super) fn of(record: &PullRecord) -> Map<String, Value> {
    let data = match record {
        PullRecord::Requested { spec, .. } => json!({
            "repository": spec.repository, "head": spec.head, "base": spec.base, "title": spec.title,
            "draft": spec.draft, "workItem": spec.work_item,
        }),
        PullRecord::Created { number, url, base, commit, adopted, .. } => {
            json!({"number": number, "url": url, "base": base, "commit": commit, "adopted": adopted})
        }
        PullRecord::Failed { deed, reason, .. } => json!({"deed": deed, "reason": reason}),
        PullRecord::ChangeRequested { change, .. } => {
            json!({"title": change.title, "draft": change.draft, "open": change.open})
        }
        PullRecord::MergeRequested { method, commit, base, .. } => {
            json!({"method": method, "commit": commit, "base": base})
        }
        PullRecord::MergeSent { sent, .. } => {
            json!({"commit": sent.head, "base": sent.base, "approval": sent.approval})
        }
        PullRecord::Updated { title, draft, state, base, commit, .. } => {
            json!({"title": title, "draft": draft, "state": state, "base": base, "commit": commit})
        }
        PullRecord::Outdated { .. } | PullRecord::Merged { .. } | PullRecord::Closed { .. } => json!({}),
    };
    let Value::Object(mut data) = data else { return Map::new() };
    data.retain(|_, value| !value.is_null());
    data.insert("prId".to_owned(), json!(record.id()));
    data
}
