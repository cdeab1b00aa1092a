//! The tree, each actor by its own picture. Asked for beside the supervisor, so that one that is slow to answer does
//! not keep it from hearing of another's end.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use ractor::RpcReplyPort;
use serde_json::json;

use super::child::Held;
use super::message::TreeError;
use super::state::State;
use crate::actors::HubRef;
use crate::actors::common::{ActorView, LastRefusal, Mailbox, MailboxMetrics, Restarts, respond};
use crate::domain::time::Timestamp;

/// An actor that does not answer in this time is drawn as silent.
const TIMEOUT: Duration = Duration::from_secs(1);

impl State {
    /// The whole tree; at most `limit` children of each kind.
    pub(super) fn tree(&self, limit: usize, reply: RpcReplyPort<ActorView>) {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut asked: Vec<BoxFuture<'static, ActorView>> = Vec::new();
        for (name, child) in &self.children {
            let count = counts.entry(child.child.kind()).or_insert(0);
            *count += 1;
            if *count <= limit {
                asked.push(view_of(name.clone(), child, self.hub.clock.now()));
            }
        }
        let mut root = ActorView::of("supervisor", "supervisor", &self.mailbox_metrics, self.started_at);
        let restarts: u32 = self.children.values().map(|child| child.restarts.count).sum();
        root.detail = json!({ "children": counts, "shownOfEachKind": limit, "restartsInAll": restarts });
        let (hub, started_at) = (self.hub.clone(), self.started_at);
        beside(async move {
            let mut children = vec![journal(&hub, started_at).await, noticeboard(&hub, started_at).await];
            children.extend(join_all(asked).await);
            root.children = children;
            let _ = reply.send(root);
        });
    }

    pub(super) fn view_of(&self, name: String, reply: RpcReplyPort<Result<ActorView, TreeError>>) {
        let (hub, started_at) = (self.hub.clone(), self.started_at);
        match name.as_str() {
            "supervisor" => {
                respond(reply, Ok(ActorView::of("supervisor", "supervisor", &self.mailbox_metrics, started_at)));
            }
            "journal" => beside(async move {
                let _ = reply.send(Ok(journal(&hub, started_at).await));
            }),
            "noticeboard" => beside(async move {
                let _ = reply.send(Ok(noticeboard(&hub, started_at).await));
            }),
            _ => match self.children.get(&name) {
                Some(child) => {
                    let actor_view = view_of(name, child, self.hub.clock.now());
                    beside(async move {
                        let _ = reply.send(Ok(actor_view.await));
                    });
                }
                None => respond(reply, Err(TreeError::Unknown(name))),
            },
        }
    }
}

fn beside(work: impl Future<Output = ()> + Send + 'static) {
    #[expect(clippy::disallowed_methods, reason = "asks and answers, and ends; nothing is lost with it")]
    drop(tokio::spawn(work));
}

fn view_of(name: String, held: &Held, now: Timestamp) -> BoxFuture<'static, ActorView> {
    let restarts = held.restarts.clone();
    let silent = silent(name, held.child.kind(), held.child.mailbox_metrics(), now, restarts.clone());
    let actor_view = held.child.actor_view();
    Box::pin(async move {
        match tokio::time::timeout(TIMEOUT, actor_view).await {
            Ok(Ok(actor_view)) => ActorView { restarts, ..actor_view },
            Ok(Err(_)) | Err(_) => silent,
        }
    })
}

/// What is drawn of an actor that does not answer.
fn silent(
    name: String,
    kind: &'static str,
    mailbox_metrics: &MailboxMetrics,
    now: Timestamp,
    restarts: Restarts,
) -> ActorView {
    let mut actor_view = ActorView::of(name, kind, mailbox_metrics, now);
    "silent".clone_into(&mut actor_view.state);
    actor_view.restarts = restarts;
    actor_view
}

async fn journal(hub: &HubRef, started_at: Timestamp) -> ActorView {
    let mailbox_metrics = MailboxMetrics::new(hub.settings().hub.limits.mailbox, &hub.counters);
    let mut actor_view = ActorView::of("journal", "journal", &mailbox_metrics, started_at);
    match hub.journal.view().await {
        Ok(view) => {
            actor_view.mailbox = Mailbox { depth: view.depth, limit: view.limit };
            actor_view.handled = view.appends;
            if let Some(fault) = &view.last_fault {
                actor_view.last_refusals =
                    vec![LastRefusal { at: fault.at, code: "UNAVAILABLE", message: fault.reason.clone() }];
            }
            actor_view.detail = serde_json::to_value(view).unwrap_or_default();
        }
        Err(_) => "silent".clone_into(&mut actor_view.state),
    }
    actor_view
}

async fn noticeboard(hub: &HubRef, started_at: Timestamp) -> ActorView {
    let mailbox_metrics = MailboxMetrics::new(hub.settings().hub.limits.mailbox, &hub.counters);
    let mut actor_view = ActorView::of("noticeboard", "noticeboard", &mailbox_metrics, started_at);
    match hub.noticeboard.view().await {
        Ok(view) => actor_view.detail = serde_json::to_value(view).unwrap_or_default(),
        Err(_) => "silent".clone_into(&mut actor_view.state),
    }
    actor_view
}
