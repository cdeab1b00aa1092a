//! What is counted as it happens, for `/metrics`: what cannot be read off the actors when somebody asks.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use super::history::History;

/// Ends of the classes of waits, in seconds: an answer at once, the caps of clients, and what lies between.
const WAITS: [f64; 9] = [0.1, 1.0, 5.0, 10.0, 30.0, 45.0, 100.0, 280.0, 600.0];

/// Ends of the classes of tasks, in seconds: from a second to a week.
const TASKS: [f64; 9] = [1.0, 10.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0, 604_800.0];

/// The counts of one hub. Cheap to clone; clones count together.
#[derive(Debug, Clone)]
pub struct Counters {
    /// Messages that found a full mailbox.
    pub rejected: Counter,
    /// How long agents waited, in seconds, whatever their wait ended with.
    pub waits: Histogram,
    /// How long tasks took from creation to their end, in seconds.
    pub tasks: Histogram,
    /// What `/metrics` said over time.
    pub history: History,
}

impl Default for Counters {
    fn default() -> Self {
        let (waits, tasks) = (Histogram::new(WAITS), Histogram::new(TASKS));
        Self { rejected: Counter::default(), waits, tasks, history: History::default() }
    }
}
