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
use crate::actors::common::{Gauge, LastRefusal, Mailbox, Portrait, Restarts};
use crate::domain::time::Timestamp;

/// An actor that does not answer in this time is drawn as silent.
const PATIENCE: Duration = Duration::from_secs(1);

impl State {
    /// The whole tree; at most `limit` children of each kind.
    pub(super) fn tree(&self, limit: usize, reply: RpcReplyPort<Portrait>) {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut asked: Vec<BoxFuture<'static, Portrait>> = Vec::new();
        for (name, child) in &self.children {
            let count = counts.entry(child.child.kind()).or_insert(0);
            *count += 1;
            if *count <= limit {
                asked.push(portrait_of(name.clone(), child, self.hub.clock.now()));
            }
        }
        let mut root = Portrait::of("supervisor", "supervisor", &self.gauge, self.started_at);
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

    /// One actor's picture.
    pub(super) fn portrait_of(&self, name: String, reply: RpcReplyPort<Result<Portrait, TreeError>>) {
        let (hub, started_at) = (self.hub.clone(), self.started_at);
        match name.as_str() {
            "supervisor" => {
                let _ = reply.send(Ok(Portrait::of("supervisor", "supervisor", &self.gauge, started_at)));
            }
            "journal" => beside(async move {
                let _ = reply.send(Ok(journal(&hub, started_at).await));
            }),
            "noticeboard" => beside(async move {
                let _ = reply.send(Ok(noticeboard(&hub, started_at).await));
            }),
            _ => match self.children.get(&name) {
                Some(child) => {
                    let portrait = portrait_of(name, child, self.hub.clock.now());
                    beside(async move {
                        let _ = reply.send(Ok(portrait.await));
                    });
                }
                None => {
                    let _ = reply.send(Err(TreeError::Unknown(name)));
                }
            },
        }
    }
}

fn beside(work: impl Future<Output = ()> + Send + 'static) {
    #[expect(clippy::disallowed_methods, reason = "asks and answers, and ends; nothing is lost with it")]
    drop(tokio::spawn(work));
}

fn portrait_of(name: String, held: &Held, now: Timestamp) -> BoxFuture<'static, Portrait> {
    let restarts = held.restarts.clone();
    let silent = silent(name, held.child.kind(), held.child.gauge(), now, restarts.clone());
    let portrait = held.child.portrait();
    Box::pin(async move {
        match tokio::time::timeout(PATIENCE, portrait).await {
            Ok(Ok(portrait)) => Portrait { restarts, ..portrait },
            Ok(Err(_)) | Err(_) => silent,
        }
    })
}

/// What is drawn of an actor that does not answer.
fn silent(name: String, kind: &'static str, gauge: &Gauge, now: Timestamp, restarts: Restarts) -> Portrait {
    let mut portrait = Portrait::of(name, kind, gauge, now);
    "silent".clone_into(&mut portrait.state);
    portrait.restarts = restarts;
    portrait
}

async fn journal(hub: &HubRef, started_at: Timestamp) -> Portrait {
    let gauge = Gauge::new(hub.settings().hub.limits.mailbox, &hub.tally);
    let mut portrait = Portrait::of("journal", "journal", &gauge, started_at);
    match hub.journal.view().await {
        Ok(view) => {
            portrait.mailbox = Mailbox { depth: view.depth, limit: view.limit };
            portrait.handled = view.appends;
            if let Some(fault) = &view.last_fault {
                portrait.last_refusals =
                    vec![LastRefusal { at: fault.at, code: "UNAVAILABLE", message: fault.reason.clone() }];
            }
            portrait.detail = serde_json::to_value(view).unwrap_or_default();
        }
        Err(_) => "silent".clone_into(&mut portrait.state),
    }
    portrait
}

async fn noticeboard(hub: &HubRef, started_at: Timestamp) -> Portrait {
    let gauge = Gauge::new(hub.settings().hub.limits.mailbox, &hub.tally);
    let mut portrait = Portrait::of("noticeboard", "noticeboard", &gauge, started_at);
    match hub.noticeboard.view().await {
        Ok(view) => portrait.detail = serde_json::to_value(view).unwrap_or_default(),
        Err(_) => "silent".clone_into(&mut portrait.state),
    }
    portrait
}
