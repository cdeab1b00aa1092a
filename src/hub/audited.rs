//! What people did, and what was decided in their place, on its way from the journal into the audit.
//!
//! What agents do in the course of their work is in the journal, with who and by which request; the audit holds what
//! somebody was let do by a person's rights, and what a deadline did for want of a person. Only a line that stands in
//! the file is behind us: after a crash, and after a disk that took nothing, the same events come again.

use std::time::Duration;

use serde_json::Value;

use crate::actors::HubRef;
use crate::actors::noticeboard::{Event, Posted};
use crate::audit::{Decision, Digested, Note};
use crate::domain::principal::Surface;
use crate::journal::{EventFilter, Seq};
use crate::settings::Settings;

/// The types of events that are told to the audit.
const TOLD: [&str; 24] = [
    "agent.evicted",
    "hub.actor_restarted",
    "hub.pattern_forgotten",
    "hub.pattern_promoted",
    "hub.started",
    "hub.stopped",
    OVERDUE,
    "question.answered_late",
    "question.resolved",
    "review.approved",
    "review.changes_requested",
    "review.commented",
    "review.resolved",
    "session.input_ordered",
    "session.input_tracked",
    "task.answered",
    "task.approved",
    "task.cancelled",
    CREATED,
    "task.changes_requested",
    "task.prioritised",
    "task.reassigned",
    "task.remarked",
    "task.requeued",
];

/// Work that was handed out.
const CREATED: &str = "task.created";

/// A deadline at which a dangerous default was not applied.
const OVERDUE: &str = "question.overdue";

/// After how long a disk that took nothing is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The number of the event behind which the audit goes on, or begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum From {
    /// That of its last line.
    Seen(u64),
    /// It has no line yet, and begins now and says so; none where the journal cannot be read.
    Now(Option<u64>),
}

/// Where the audit goes on. Asked before anything of this start is written down, so that it is not missed.
pub(super) async fn begins(hub: &HubRef, seen: Option<u64>) -> From {
    match seen {
        Some(seen) => From::Seen(seen),
        None => From::Now(hub.journal.read(|reader| reader.position()).await.ok().map(|position| position.0)),
    }
}

/// Tells the audit of what it has not seen, and then of what happens, until the hub ends.
pub(super) async fn follow(hub: HubRef, from: From) {
    let mut seen = match from {
        From::Seen(seen) => seen,
        From::Now(Some(seen)) => {
            tell(&hub, Note::of_hub(hub.clock.now(), "audit.began", Decision::Noted), seen).await;
            seen
        }
        From::Now(None) => return,
    };
    // A reader that fell behind reads the journal from where it was; what that has not, was let go of.
    let mut gone = None;
    loop {
        let filter = EventFilter { types: TOLD.map(str::to_owned).to_vec(), ..EventFilter::default() };
        let Ok(mut events) = hub.noticeboard.subscribe(filter, Some(Seq(seen))).await else { return };
        loop {
            match events.next().await {
                // What agents hand out is their work.
                Some(Posted::Event(event)) if event.kind == CREATED && event.actor.surface == Surface::Agent => {}
                Some(Posted::Event(event)) => {
                    let peer = event.request_id.as_deref().and_then(|request| hub.audit.asked_from(request));
                    tell(&hub, Note { peer, ..note(&event) }, event.seq.0).await;
                    seen = event.seq.0;
                }
                Some(Posted::Gap { missed }) if gone == Some(seen) => {
                    let rule = Some(format!("{missed} events were let go of before they were seen"));
                    let note = Note { rule, ..Note::of_hub(hub.clock.now(), "audit.gap", Decision::Noted) };
                    tell(&hub, note, seen).await;
                }
                Some(Posted::Gap { .. }) => {
                    gone = Some(seen);
                    break;
                }
                None => return,
            }
        }
    }
}

/// Other settings are in force from now on.
pub(super) fn reloaded(hub: &HubRef, settings: &Settings) {
    let note = Note {
        rule: Some("the files as they are now, all of them or none".to_owned()),
        body: Some(Digested::of(&format!("{settings:?}"))),
        ..Note::of_hub(hub.clock.now(), "config.reload", Decision::Allowed)
    };
    hub.audit.noted(note);
}

/// Returns once it stands in the file.
async fn tell(hub: &HubRef, note: Note, number: u64) {
    while hub.audit.of_event(note.clone(), number).await.is_err() {
        // The writer has said why. A disk has no event by which it tells that there is room again.
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}

fn note(event: &Event) -> Note {
    let text = |path: &str| event.data.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let (decision, rule) = match event.kind.as_str() {
        OVERDUE => (Decision::Denied, Some("a dangerous default never applies by itself".to_owned())),
        _ => (Decision::Allowed, text("/resolution/type").or_else(|| text("/provenance"))),
    };
    let subject = &event.subject;
    let target = text("/questionId").map(|id| format!("question:{id}"));
    let target = target.or_else(|| subject.task.as_ref().map(|id| format!("task:{id}")));
    let target = target.or_else(|| subject.session.as_ref().map(|id| format!("session:{id}")));
    let target = target.or_else(|| subject.agent.as_ref().map(|id| format!("agent:{id}")));
    Note {
        at: event.time,
        action: event.kind.clone(),
        decision,
        rule,
        who: event.actor.principal.to_string(),
        through: event.actor.surface.as_str().to_owned(),
        peer: None,
        request: event.request_id.clone(),
        target,
        body: Some(Digested::of(&event.data.to_string())),
    }
}
