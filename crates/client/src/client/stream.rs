//! Events as they happen. A lost connection is taken up again behind the last event that was heard.

use std::fmt;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Method;
use reqwest::header::ACCEPT;
use serde_json::Value;
use sse_stream::Sse;
use tokio::time::timeout;

use super::find::HubClient;
use super::nodes::is_not_owner;
use super::refusal::{Unheard, refused};
use super::request::{RECONNECTS, TIMEOUT};
use super::sse::{SseEvents, events};
use crate::problem::Problem;

#[derive(Debug, Clone, PartialEq)]
pub enum StreamItem {
    Event(Value),
    /// So many events are not to be had: this reader was too slow, or they were let go of.
    Missed {
        count: u64,
        /// Where the events go on that are still kept; none where the reader was slow.
        after: Option<u64>,
    },
}

/// A stream of events. Read it to its end with [`EventStream::next`]; it ends only by a problem.
pub struct EventStream<'a> {
    hub: &'a HubClient,
    after: u64,
    query: Vec<(&'static str, String)>,
    connection: Option<SseEvents>,
    ever_connected: bool,
}

impl fmt::Debug for EventStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("after", &self.after).finish_non_exhaustive()
    }
}

impl HubClient {
    /// The events behind `after`, narrowed by `query` as far as the hub knows how.
    pub fn events(&self, after: u64, query: Vec<(&'static str, String)>) -> EventStream<'_> {
        EventStream { hub: self, after, query, connection: None, ever_connected: false }
    }

    /// The number of the newest event.
    pub async fn position(&self) -> Result<u64, Problem> {
        let snapshot = self.get(&["api", "v1", "snapshot"], &[]).await?;
        snapshot.get("seq").and_then(Value::as_u64).ok_or_else(|| self.not_a_hub("a snapshot without `seq`"))
    }
}

impl EventStream<'_> {
    /// What comes next; waits for it. Safe to drop half-way: nothing that came is lost.
    pub async fn next(&mut self) -> Result<StreamItem, Problem> {
        let mut tries = 0;
        // All addresses within a second, so that a list is asked no longer than one of them.
        let nodes = u32::try_from(self.hub.nodes.all().len()).unwrap_or(1);
        loop {
            let Some(connection) = &mut self.connection else {
                match self.connect().await {
                    Ok(()) => tries = 0,
                    Err(unheard)
                        if unheard.is_away()
                            && (self.ever_connected || self.hub.has_several())
                            && tries < RECONNECTS * nodes =>
                    {
                        self.hub.looks_elsewhere();
                        tries += 1;
                        tokio::time::sleep(Duration::from_secs(1) / nodes).await;
                    }
                    Err(unheard) => return Err(unheard.problem(self.hub.address())),
                }
                continue;
            };
            if let Some(Ok(event)) = connection.next().await {
                if let Some(heard) = self.understand(&event) {
                    return Ok(heard);
                }
            } else {
                self.connection = None;
                self.hub.tell("is silent or gone, and looked for");
                // A hub that accepts and ends at once is not to be asked without a pause.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }

    async fn connect(&mut self) -> Result<(), Unheard> {
        let mut query = self.query.clone();
        query.push(("after", self.after.to_string()));
        let mut request = self.hub.request(&Method::GET, &["api", "v1", "events"], &query);
        request = request.header(ACCEPT, "text/event-stream");
        if self.ever_connected {
            request = request.header("last-event-id", self.after.to_string());
        }
        // A hub that stands still takes the connection all the same.
        let response = timeout(TIMEOUT, request.send()).await.map_err(|_| Unheard::Silent)??;
        let status = response.status().as_u16();
        if status != 200 {
            let text = response.text().await?;
            let problem = refused(status, &text, self.hub.address());
            return Err(match is_not_owner(status, &text) {
                true => Unheard::Lost(problem.words()),
                false => Unheard::Refused(problem),
            });
        }
        self.ever_connected = true;
        self.connection = Some(events(response));
        Ok(())
    }

    fn understand(&mut self, event: &Sse) -> Option<StreamItem> {
        let data: Value = serde_json::from_str(event.data.as_ref()?).ok()?;
        if event.event.as_deref() == Some("gap") {
            let number = |name: &str| data.get(name).and_then(Value::as_u64);
            let after = number("after");
            self.after = self.after.max(after.unwrap_or_default());
            return Some(StreamItem::Missed { count: number("missed").unwrap_or(0), after });
        }
        let seq = data.get("seq").and_then(Value::as_u64).or_else(|| event.id.as_ref()?.parse().ok())?;
        // After a lost connection the hub may tell the last one again.
        if seq <= self.after {
            return None;
        }
        self.after = seq;
        Some(StreamItem::Event(data))
    }
}
