//! What is counted as it happens, for `/metrics`: what cannot be read off the actors when somebody asks.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use super::history::History;
use crate::domain::task::Usage;

/// Ends of the classes of waits, in seconds: an answer at once, the caps of clients, and what lies between.
const WAITS: [f64; 9] = [0.1, 1.0, 5.0, 10.0, 30.0, 45.0, 100.0, 280.0, 600.0];

/// Ends of the classes of tasks, in seconds: from a second to a week.
const TASKS: [f64; 9] = [1.0, 10.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0, 604_800.0];

#[derive(Debug, Clone)]
pub struct Counters {
    pub rejected: Counter,
    /// How long agents waited, in seconds, whatever their wait ended with.
    pub waits: Histogram,
    /// How long tasks took from creation to their end, in seconds.
    pub tasks: Histogram,
    pub usage: UsageCounters,
    /// What `/metrics` said over time.
    pub history: History,
}

impl Default for Counters {
    fn default() -> Self {
        let (rejected, usage, history) = Default::default();
        Self { rejected, waits: Histogram::new(WAITS), tasks: Histogram::new(TASKS), usage, history }
    }
}

/// Names of a metric's labels, and their values.
type Labels = Vec<(&'static str, String)>;

/// What processes on call said that they used since the hub started, by the role of their host.
#[derive(Debug, Clone, Default)]
pub struct UsageCounters {
    /// Also by `kind`: `input`, `output`, or the `cached` of the input.
    pub tokens: Family<Labels, Counter>,
    pub dollars: Family<Labels, Counter<f64, AtomicU64>>,
    /// Processes that said nothing.
    pub silent: Family<Labels, Counter>,
}

impl UsageCounters {
    /// Counts what one process used. `role` is configured, or `other`.
    pub fn count(&self, role: &str, usage: &Usage) {
        let labels = || vec![("role", role.to_owned())];
        let Usage { input_tokens, output_tokens, cached_tokens, .. } = *usage;
        for (kind, tokens) in [("input", input_tokens), ("output", output_tokens), ("cached", cached_tokens)] {
            let labels = [labels(), vec![("kind", kind.to_owned())]].concat();
            self.tokens.get_or_create(&labels).inc_by(tokens.unwrap_or_default());
        }
        self.dollars.get_or_create(&labels()).inc_by(usage.cost_usd.unwrap_or_default().dollars());
        self.silent.get_or_create(&labels()).inc_by(u64::from(usage.is_unknown()));
    }
}
