//! What a webhook says, and one that was added, for tests.

#![expect(clippy::expect_used, reason = "built for tests alone, and the texts are fixed")]

use crate::domain::hook::{HookEvent, ItemComment, ReplyReason};
use crate::domain::ids::{PrincipalId, QuestionId};
use crate::domain::time::Timestamp;
use crate::domain::webhook::{PreviousSecret, Webhook};
use crate::domain::work_item::WorkItem;
use crate::hub_record::HubRecord;

/// A comment that came by webhook.
pub(super) fn hook_record() -> HubRecord {
    let comment = ItemComment {
        item: WorkItem::parse("acme/web#12").expect("a work item"),
        id: Some("github.com comment 7 in acme/web".to_owned()),
        edited: true,
        author: "ada-l".to_owned(),
        by_program: false,
        text: "keep it".to_owned(),
        at: Some(Timestamp(1_780_000_000_000)),
    };
    HubRecord::HookReceived {
        source: "github".to_owned(),
        delivery: "72d3162e-cc78-11e3".to_owned(),
        heard: HookEvent::Comment { comment: Box::new(comment) },
    }
}

/// What the author of a comment is told.
pub(super) fn reply_record() -> HubRecord {
    HubRecord::CommentReplied {
        item: WorkItem::parse("acme/web#12").expect("a work item"),
        author: "ada-l".to_owned(),
        question: QuestionId::parse("q_00000001").expect("a question"),
        reason: ReplyReason::NotAnOption,
    }
}

/// A webhook of this name that was added, and changed so many times.
pub fn webhook(name: &str, version: u32) -> Webhook {
    let at = Timestamp(1_780_000_000_000);
    Webhook {
        name: name.to_owned(),
        generation: 41,
        version,
        url: "https://ci.example.com/hook?key=k".to_owned(),
        events: vec!["task".to_owned(), "question.asked".to_owned()],
        allow_private: false,
        secret_file: format!("{name}.41.{version}"),
        previous_secret: (version > 0).then(|| PreviousSecret { file: format!("{name}.41.0"), until: at }),
        push: false,
        push_text: false,
        added_by: PrincipalId::parse("person:ann").expect("a person"),
        added_at: at,
        changed_at: at,
    }
}

/// One of each record of a webhook that is added.
pub(super) fn webhook_records() -> [HubRecord; 3] {
    [
        HubRecord::WebhookAdded { webhook: Box::new(webhook("builds", 0)) },
        HubRecord::WebhookChanged { webhook: Box::new(webhook("builds", 1)) },
        HubRecord::WebhookRemoved { name: "builds".to_owned(), generation: 41 },
    ]
}
