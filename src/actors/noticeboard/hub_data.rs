//! The data of events about the hub itself.

use super::fields::Data;
use crate::domain::webhook::shown_url;
use crate::journal::HubRecord;

/// Fills in what happened to the hub.
pub(super) fn hub<'a>(data: &'a mut Data, record: &HubRecord) -> &'a mut Data {
    match record {
        HubRecord::Started { version } => data.put("version", version),
        HubRecord::Stopped => data,
        HubRecord::ActorRestarted { actor, reason, count } => {
            data.put("actor", actor).line("reason", reason).put("count", count)
        }
        HubRecord::JournalMended { since, reason, refused } => {
            data.put("since", since).line("reason", reason).put("refused", refused)
        }
        HubRecord::PatternForgotten { pattern } => data.put("patternId", pattern),
        HubRecord::PatternPromoted { pattern, to } => data.put("patternId", pattern).put("to", to),
        // A ticket's name is its owner's alone.
        HubRecord::TicketIssued { ticket } => data.put("owner", &ticket.owner).put("tool", &ticket.call.verb),
        HubRecord::TicketKept { until, .. } => data.put("until", until),
        HubRecord::TicketAnswered { .. } | HubRecord::TicketCancelled { .. } | HubRecord::TicketExpired { .. } => data,
        HubRecord::DeliveryDeadLettered { delivery, destination, summary, reason }
        | HubRecord::DeliveryDropped { delivery, destination, summary, reason } => {
            data.put("deliveryId", delivery).put("destination", destination).line("summary", summary);
            data.line("reason", reason)
        }
        HubRecord::DeliveryRetried { delivery, destination, summary } => {
            data.put("deliveryId", delivery).put("destination", destination).line("summary", summary)
        }
        // What somebody outside wrote is for who works on the item, and not for everybody who looks on.
        HubRecord::HookReceived { source, delivery, heard } => {
            data.put("source", source).line("delivery", delivery).line("summary", &heard.summary())
        }
        HubRecord::CommentReplied { item, question, reason, .. } => {
            data.put("workItem", item).put("questionId", question).put("reason", reason)
        }
        HubRecord::WebhookAdded { webhook } | HubRecord::WebhookChanged { webhook } => {
            data.put("webhook", &webhook.name).put("url", shown_url(&webhook.url)).put("events", &webhook.events);
            data.put("allowPrivate", webhook.allow_private)
        }
        HubRecord::WebhookRemoved { name, .. } => data.put("webhook", name),
        HubRecord::TaskStarving { reason, .. } => data.line("reason", reason),
    }
}
