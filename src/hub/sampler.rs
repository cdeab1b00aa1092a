//! Takes a sample of what the hub counts every ten seconds.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::actors::HubRef;
use crate::actors::common::HistorySpan;
use crate::actors::service::{Look, Service};
use crate::transport::metrics;
use crate::transport::web::Denials;

#[derive(Debug)]
pub(super) struct Sampler {
    pub(super) hub: HubRef,
    pub(super) denials: Denials,
}

impl Service for Sampler {
    fn run(&self) -> BoxFuture<'static, String> {
        let (hub, denials) = (self.hub.clone(), self.denials.clone());
        async move {
            loop {
                // An actor that ends is begun anew: the next sample has what this one cannot.
                if let Ok(text) = metrics::text(&hub, Some(&denials)).await {
                    hub.counters.history.take(hub.clock.now(), &text);
                }
                tokio::time::sleep(HistorySpan::Hour.every()).await;
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        let view = self.hub.counters.history.view(HistorySpan::Hour, None);
        let detail = json!({ "since": view.since, "samples": view.times.len(), "series": view.series.len() });
        Look { state: "running".to_owned(), detail, errors: Vec::new() }
    }
}
