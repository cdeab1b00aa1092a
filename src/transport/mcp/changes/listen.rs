//! `subscriptions/listen`, of the era without sessions: one request, answered by what changes until its client goes.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use http::request::Parts;
use rmcp::model::{ErrorData, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use serde_json::json;
use tokio::sync::watch;

use super::super::resources::uri;
use super::super::verbs;
use super::{Changes, Lists, Wanted};
use crate::actors::HubRef;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::Principal;
use crate::domain::tool_set::ToolSets;
use crate::journal::Seq;
use crate::settings::SystemPrompts;
use crate::tools;

/// How many names one listener may follow.
pub(super) const NAMES: usize = 256;

/// How many streams one principal may listen on at once.
const PER_PRINCIPAL: usize = 32;

/// How things stood when a request came: from there on nothing is missed until its stream is open.
#[derive(Debug, Clone)]
pub(in crate::transport::mcp) struct Since {
    pub(super) seq: Seq,
    pub(super) lists: Lists,
    /// The sets of tools that the caller would have been shown.
    pub(super) shown: Option<ToolSets>,
}

impl Since {
    /// Now, for `who`.
    pub(in crate::transport::mcp) async fn now(
        hub: &HubRef,
        prompts: &watch::Receiver<Arc<SystemPrompts>>,
        who: &Principal,
    ) -> Result<Self, ErrorData> {
        let lists = Lists::now(hub, prompts);
        let shown = tools::shown_to(hub, who).await.ok();
        let read = hub.journal.read(|reader| reader.position()).await;
        let seq = read.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Self { seq, lists, shown })
    }
}

/// What of it is told: lists, and names that mean something. Of whether that is there, nothing is said.
pub(in crate::transport::mcp) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(names) = &mut accepted.resource_subscriptions {
        names.retain(|name| uri::target(name).is_some());
        names.truncate(NAMES);
    }
    accepted
}

/// Tells what changes, until the client goes or the hub ends. Fails when its principal has too many streams.
pub(in crate::transport::mcp) async fn listen(
    hub: HubRef,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
    listeners: &Listeners,
    context: SubscriptionContext,
) -> Result<(), ErrorData> {
    let head = context.request_context().extensions.get::<Parts>();
    let who = head.and_then(|head| head.extensions.get::<Principal>()).cloned();
    let who = who.ok_or_else(|| ErrorData::invalid_request("no credential came with this request", None))?;
    let since = match head.and_then(|head| head.extensions.get::<Since>()) {
        Some(since) => since.clone(),
        None => Since::now(&hub, &prompts, &who).await?,
    };
    let _place = listeners.enters(&who.id).ok_or_else(|| {
        let said = format!("you listen on {PER_PRINCIPAL} streams already: end one of them first");
        ErrorData::invalid_request(said, Some(json!({"code": "BUSY"})))
    })?;
    let asked = head.map(verbs::asked_for).transpose()?.flatten();
    // Who asks for sets by name is always shown the same.
    let shown = since.shown.clone().filter(|_| asked.is_none());
    let wanted = Wanted { shown, ..wanted(context.accepted(), since.seq) };
    let (_wants, wanted) = watch::channel(wanted);
    let mut changes = Changes::new(hub, who, prompts, since.lists, wanted);
    loop {
        let change = tokio::select! {
            biased;
            () = context.cancelled() => return Ok(()),
            change = changes.next() => change,
        };
        let Some(change) = change else { return Ok(()) };
        if context.sink().send(change.told()).await.is_err() {
            return Ok(());
        }
    }
}

fn wanted(accepted: &SubscriptionFilter, since: Seq) -> Wanted {
    let names = accepted.resource_subscriptions.iter().flatten();
    Wanted {
        tools: accepted.tools_list_changed == Some(true),
        shown: None,
        by_events: true,
        prompts: accepted.prompts_list_changed == Some(true),
        resources: accepted.resources_list_changed == Some(true),
        targets: names.filter_map(|name| Some((name.clone(), uri::target(name)?))).collect(),
        since,
    }
}

/// How many streams each principal listens on. Clones are the same book.
#[derive(Debug, Clone, Default)]
#[expect(clippy::disallowed_types, reason = "a place is given back by a drop, and no await lies inside")]
pub(in crate::transport::mcp) struct Listeners(Arc<std::sync::Mutex<BTreeMap<PrincipalId, usize>>>);

impl Listeners {
    /// A place for one more; none where there are too many.
    fn enters(&self, who: &PrincipalId) -> Option<Listening> {
        self.with(|book| {
            let count = book.entry(who.clone()).or_default();
            (*count < PER_PRINCIPAL).then(|| *count += 1)
        })?;
        Some(Listening { book: self.clone(), who: who.clone() })
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<PrincipalId, usize>) -> T) -> T {
        // A panic inside leaves the map whole: each change is one step.
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A place among the listeners, until it is dropped.
struct Listening {
    book: Listeners,
    who: PrincipalId,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.book.with(|book| {
            let left = book.get(&self.who).map_or(0, |count| count - 1);
            if left == 0 {
                book.remove(&self.who);
            } else {
                book.insert(self.who.clone(), left);
            }
        });
    }
}

#[cfg(test)]
mod tests;
