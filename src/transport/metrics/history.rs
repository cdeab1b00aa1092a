//! `GET /api/v1/metrics/history`: the figures of `/metrics` over the last hour or day; and the service that takes them.

use std::collections::{BTreeMap, HashMap};

use axum::Json;
use axum::extract::State;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::scrape::text;
use crate::actors::HubRef;
use crate::actors::common::{HistorySpan, HistoryView, SeriesKind, SeriesName};
use crate::actors::service::{Look, Service};
use crate::domain::time::Timestamp;
use crate::transport::web::{Denials, Params, Route, Routes};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryParams {
    /// How far back; an hour when nothing is said.
    #[serde(default)]
    span: HistorySpan,
    /// Only samples that are newer than this.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    after: Option<Timestamp>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let read = Route::get::<HistoryView>(
        "/api/v1/metrics/history",
        "the figures of `/metrics` since the hub's start: an hour of them every ten seconds, or a day every five minutes",
    );
    Routes::new().add(read.query::<HistoryParams>(), show)
}

async fn show(State(hub): State<HubRef>, Params(params): Params<HistoryParams>) -> Json<HistoryView> {
    Json(hub.counters.history.view(params.span, params.after))
}

/// Takes a sample of what the hub counts, again and again.
#[derive(Debug)]
pub struct Sampler {
    pub hub: HubRef,
    pub denials: Denials,
}

impl Service for Sampler {
    fn run(&self) -> BoxFuture<'static, String> {
        let (hub, denials) = (self.hub.clone(), self.denials.clone());
        async move {
            loop {
                // An actor that ends is begun anew: the next sample has what this one cannot.
                if let Ok(text) = text(&hub, Some(&denials)).await {
                    hub.counters.history.take(hub.clock.now(), read(&text));
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

/// The gauges and counters of an answer of `/metrics`. Labels of ours hold neither commas nor quotes.
pub(super) fn read(text: &str) -> Vec<(SeriesName, f64)> {
    let (mut kinds, mut helps) = (HashMap::new(), HashMap::new());
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some(about) = line.strip_prefix("# ") {
            let mut words = about.splitn(3, ' ');
            match (words.next(), words.next(), words.next()) {
                (Some("HELP"), Some(name), Some(help)) => drop(helps.insert(name, help.trim_end_matches('.'))),
                (Some("TYPE"), Some(name), Some("gauge")) => drop(kinds.insert(name, SeriesKind::Gauge)),
                (Some("TYPE"), Some(name), Some("counter")) => drop(kinds.insert(name, SeriesKind::Counter)),
                _ => {}
            }
            continue;
        }
        let Some((full, value)) = line.rsplit_once(' ') else { continue };
        let (name, labels) = full.split_once('{').unwrap_or((full, ""));
        let name = name.strip_suffix("_total").unwrap_or(name);
        let (Some(kind), Ok(value)) = (kinds.get(name), value.parse()) else { continue };
        let labels = labels.trim_end_matches('}').split(',').filter_map(|label| label.split_once('='));
        let labels: BTreeMap<_, _> = labels.map(|(key, v)| (key.to_owned(), v.trim_matches('"').to_owned())).collect();
        let help = helps.get(name).copied().unwrap_or_default().to_owned();
        all.push((SeriesName { name: name.to_owned(), labels, kind: *kind, help }, value));
    }
    all
}
