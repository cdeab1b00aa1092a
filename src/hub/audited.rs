//! What people did, and what was decided in their place, on its way from the journal into the audit.
//!
//! What agents do in the course of their work is in the journal, with who and by which request; the audit holds what
//! somebody was let do by a person's rights, and what a deadline did for want of a person. Only a line that stands in
//! the file is behind us: after a crash, and after a disk that took nothing, the same events come again.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::actors::HubRef;
use crate::actors::follower::{Consumer, Outcome};
use crate::actors::noticeboard::Event;
use crate::actors::supervisor::FollowerKind;
use crate::audit::{Decision, Digested, Note};
use crate::domain::principal::Surface;
use crate::journal::{EventFilter, Seq};
use crate::settings::Settings;

/// The types of events that are told to the audit.
const TOLD: [&str; 37] = [
    "agent.evicted", "hub.actor_restarted", "hub.delivery_dropped", "hub.delivery_retried", "hub.hook_received",
    "hub.pattern_forgotten", "hub.pattern_promoted", "hub.started", "hub.stopped", "hub.webhook_added",
    "hub.webhook_changed", "hub.webhook_removed", OVERDUE, "question.answered_late", "question.resolved",
    "review.approved", "review.changes_requested", "review.commented", "review.resolved", "review.taken_back",
    "schedule.changed", "schedule.created", "schedule.removed", "session.input_ordered", "session.input_tracked",
    "task.answered", "task.approved", "task.cancelled", CREATED, "task.changes_requested", "task.edited",
    "task.prioritised", "task.reassigned", "task.remarked", "task.requeued", "workflow.cancelled", "workflow.started",
];

/// Work that was handed out.
const CREATED: &str = "task.created";

/// A deadline at which a dangerous default was not applied.
const OVERDUE: &str = "question.overdue";

/// The audit as a follower of what happens. Its place is the event of its file's last line.
struct Audited {
    hub: HubRef,
    place: Arc<AtomicU64>,
    /// It has no line yet, and says first that it begins.
    begins: Arc<AtomicBool>,
}

impl Audited {
    async fn write(&self, note: Note, number: Seq) -> Outcome {
        self.begin().await?;
        self.hub.audit.of_event(note, number.0).await?;
        self.place.store(number.0, Ordering::Release);
        Ok(())
    }

    /// Says that the audit begins, where no line says so yet.
    async fn begin(&self) -> Outcome {
        if self.begins.load(Ordering::Acquire) {
            let began = Note::of_hub(self.hub.clock.now(), "audit.began", Decision::Noted);
            self.hub.audit.of_event(began, self.place.load(Ordering::Acquire)).await?;
            self.begins.store(false, Ordering::Release);
        }
        Ok(())
    }
}

impl Consumer for Audited {
    fn wants(&self) -> EventFilter {
        EventFilter { types: TOLD.map(str::to_owned).to_vec(), ..EventFilter::default() }
    }

    fn place(&mut self) -> BoxFuture<'_, Outcome<Seq>> {
        ready(Ok(Seq(self.place.load(Ordering::Acquire)))).boxed()
    }

    fn take<'a>(&'a mut self, event: &'a Event) -> BoxFuture<'a, Outcome> {
        async move {
            // What agents hand out is their work, and so are the workflows that they follow.
            let own = event.kind == CREATED || event.kind.starts_with("workflow.");
            if own && event.actor.surface == Surface::Agent {
                return Ok(());
            }
            let peer = event.request_id.as_deref().and_then(|request| self.hub.audit.asked_from(request));
            self.write(Note { peer, ..note(event) }, event.seq).await
        }
        .boxed()
    }

    fn missed(&mut self, count: u64, place: Seq) -> BoxFuture<'_, Outcome> {
        async move {
            let rule = Some(format!("{count} events were let go of before they were seen"));
            let note = Note { rule, ..Note::of_hub(self.hub.clock.now(), "audit.gap", Decision::Noted) };
            self.write(note, place).await
        }
        .boxed()
    }
}

/// Lets the audit follow what happens. `seen` is the event of its last line; one without a line begins now, before
/// anything of this start is written down, so that nothing of it is missed.
///
/// Fails when the journal cannot be read, or the follower not be built.
pub(super) async fn follow(hub: &HubRef, seen: Option<u64>) -> Result<(), String> {
    let place = match seen {
        Some(seen) => seen,
        None => hub.journal.read(|reader| reader.position()).await.map_err(|error| error.to_string())?.0,
    };
    let (begins, place) = (Arc::new(AtomicBool::new(seen.is_none())), Arc::new(AtomicU64::new(place)));
    let audited = {
        let hub = hub.clone();
        move || Audited { hub: hub.clone(), place: Arc::clone(&place), begins: Arc::clone(&begins) }
    };
    if let Err(why) = audited().begin().await {
        tracing::warn!("the audit cannot begin yet: {why}");
    }
    let consumer = move || -> Box<dyn Consumer> { Box::new(audited()) };
    let follower = FollowerKind { name: "audit", what: Box::new(consumer) };
    hub.supervisor.supervise(follower).await.map_err(|fault| fault.to_string())
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

fn note(event: &Event) -> Note {
    let text = |path: &str| event.data.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let (decision, rule) = match event.kind.as_str() {
        OVERDUE => (Decision::Denied, Some("a dangerous default never applies by itself".to_owned())),
        _ => (Decision::Allowed, text("/resolution/type").or_else(|| text("/provenance"))),
    };
    let subject = &event.subject;
    let target = text("/questionId").map(|id| format!("question:{id}"));
    let target = target.or_else(|| text("/workflowId").map(|id| format!("workflow:{id}")));
    let target = target.or_else(|| text("/deliveryId").map(|id| format!("delivery:{id}")));
    let target = target.or_else(|| text("/webhook").map(|name| format!("webhook:{name}")));
    let target = target.or_else(|| text("/schedule").map(|name| format!("schedule:{name}")));
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
