//! The figures of `/metrics` over time, in memory: an hour of them every ten seconds, and a day every five minutes. A
//! restart begins anew. At most 256 series of 8-byte numbers are kept, so 256 · (360 + 288) · 8 bytes = 1.3 MB; a hub
//! has about a hundred series.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::domain::time::Timestamp;

/// The most series that are kept; what is more is left out.
const SERIES: usize = 256;

/// How far back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistorySpan {
    #[default]
    Hour,
    Day,
}

impl HistorySpan {
    /// How far apart two samples are.
    pub const fn every(self) -> Duration {
        match self {
            Self::Hour => Duration::from_secs(10),
            Self::Day => Duration::from_secs(300),
        }
    }

    const fn samples(self) -> usize {
        match self {
            Self::Hour => 360,
            Self::Day => 288,
        }
    }
}

/// What a number counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesName {
    /// As in `/metrics`, without `_total`.
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub kind: SeriesKind,
    /// What it is, in a sentence.
    pub help: String,
}

/// Whether a number may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    Gauge,
    /// It only grows, until the hub is restarted.
    Counter,
}

/// A series and its values, one for each time; `null` before it began.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    #[serde(flatten)]
    pub name: SeriesName,
    pub values: Vec<Option<f64>>,
}

/// What is kept of a span, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    pub span: HistorySpan,
    /// How far apart two samples are, in seconds.
    pub every_seconds: u64,
    /// When the first sample since the hub's start was taken; `null` before that.
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    #[schemars(with = "Vec<String>")]
    pub times: Vec<Timestamp>,
    pub series: Vec<Series>,
}

/// The samples of one hub. Cheap to clone; clones keep together.
#[derive(Debug, Clone)]
pub struct History(Arc<watch::Sender<Kept>>);

/// A row has a value for each name that was known when it was taken, in the same order.
#[derive(Debug, Default)]
struct Kept {
    since: Option<Timestamp>,
    names: Vec<SeriesName>,
    hour: VecDeque<Row>,
    day: VecDeque<Row>,
}

#[derive(Debug, Clone)]
struct Row {
    at: Timestamp,
    values: Arc<[f64]>,
}

impl Default for History {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Kept::default())))
    }
}

impl History {
    pub fn take(&self, at: Timestamp, text: &str) {
        let sample = read(text);
        self.0.send_modify(|kept| kept.take(at, sample));
    }

    pub fn view(&self, span: HistorySpan, after: Option<Timestamp>) -> HistoryView {
        let kept = self.0.borrow();
        let rows = match span {
            HistorySpan::Hour => &kept.hour,
            HistorySpan::Day => &kept.day,
        };
        let rows: Vec<&Row> = rows.iter().filter(|row| after.is_none_or(|after| row.at > after)).collect();
        let values =
            |place: usize| rows.iter().map(move |row| row.values.get(place).copied().filter(|v| v.is_finite()));
        let series = kept.names.iter().enumerate();
        HistoryView {
            span,
            every_seconds: span.every().as_secs(),
            since: kept.since,
            times: rows.iter().map(|row| row.at).collect(),
            series: series.map(|(n, name)| Series { name: name.clone(), values: values(n).collect() }).collect(),
        }
    }
}

impl Kept {
    fn take(&mut self, at: Timestamp, sample: Vec<(SeriesName, f64)>) {
        let mut values = vec![f64::NAN; self.names.len()];
        for (name, value) in sample {
            match self.names.iter().position(|known| known.name == name.name && known.labels == name.labels) {
                Some(place) => values[place] = value,
                None if self.names.len() < SERIES => {
                    self.names.push(name);
                    values.push(value);
                }
                None => {}
            }
        }
        self.since.get_or_insert(at);
        let row = Row { at, values: values.into() };
        let due = self.day.back().is_none_or(|last| at.since(last.at) >= HistorySpan::Day.every());
        if due {
            push(&mut self.day, HistorySpan::Day, row.clone());
        }
        push(&mut self.hour, HistorySpan::Hour, row);
    }
}

fn push(rows: &mut VecDeque<Row>, span: HistorySpan, row: Row) {
    if rows.len() == span.samples() {
        rows.pop_front();
    }
    rows.push_back(row);
}

/// The gauges and counters of an answer of `/metrics`. Labels of ours hold neither commas nor quotes.
fn read(text: &str) -> Vec<(SeriesName, f64)> {
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

#[cfg(test)]
mod tests;
