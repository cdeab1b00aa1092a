//! Who writes comments outside.

use super::comment::{Before, Fail, Outside, Written};
use super::github::Github;
use crate::actors::forge::ForgeClocks;
use crate::clock::Clock;
use crate::domain::work_item::WorkItem;
use crate::webhooks::{Answer, WebhookSender};

#[derive(Debug, Clone)]
pub(super) enum Adapter {
    /// Issues and pull requests on GitHub.
    Github(Github),
    /// A tracker that nobody here knows, by webhook.
    Webhook(WebhookSender, Clock),
}

impl Adapter {
    /// Whether comments on that item go out this way.
    pub(super) fn takes(&self, item: &WorkItem) -> bool {
        match self {
            Self::Github(github) => github.takes(item),
            Self::Webhook(..) => true,
        }
    }

    /// Sees to it that the comment stands outside as it is to.
    pub(super) async fn put(
        &self,
        key: &str,
        comment: &Outside,
        before: Before,
        clocks: &ForgeClocks,
    ) -> Result<Written, Fail> {
        match self {
            Self::Github(github) => github.put(comment, before, clocks).await,
            Self::Webhook(post, clock) => {
                let kind = if comment.changed { "comment.updated" } else { "comment.created" };
                let body = serde_json::json!({
                    "type": kind,
                    "timestamp": clock.machine_now(),
                    "data": {
                        "comment": {"id": id_of(&comment.mark), "body": comment.body, "author": comment.agent},
                        "issue": {"id": comment.item},
                    },
                });
                // A full stop parts what is signed, so none stands in the id.
                let answer = post.send(&key.replace('.', "_"), clock.machine_now(), body.to_string()).await;
                match (answer.error(), answer) {
                    (None, answer) => {
                        Ok(Written { receipt: answer.words(), called: id_of(&comment.mark).to_owned(), id: None })
                    }
                    (Some(error), Answer::Status { code: 400 | 404 | 410 | 422, .. }) => Err(Fail::Never(error)),
                    (Some(error), Answer::Status { retry_after: after, .. }) => Err(Fail::Later { error, after }),
                    (Some(error), Answer::None(_)) => Err(Fail::Later { error, after: None }),
                }
            }
        }
    }
}

/// What identifies a comment to the receiver of a webhook: the digest in its mark.
fn id_of(mark: &str) -> &str {
    mark.split([':', ' ']).nth(2).unwrap_or(mark)
}
