//! What a webhook says, for tests.

use super::hub_record::HubRecord;
use crate::domain::hook::{Heard, ItemComment, NamedIn};
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

/// A comment that came by webhook.
pub(super) fn hook_record() -> HubRecord {
    let comment = ItemComment {
        item: WorkItem::parse("acme/web#12").expect("a work item"),
        author: "ada-l".to_owned(),
        named_in: NamedIn::Forge,
        by_program: false,
        text: "keep it".to_owned(),
        at: Some(Timestamp(1_780_000_000_000)),
    };
    HubRecord::HookReceived {
        source: "github".to_owned(),
        delivery: "72d3162e-cc78-11e3".to_owned(),
        heard: Heard::Comment { comment: Box::new(comment) },
    }
}
