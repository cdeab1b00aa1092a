//! Hears what the hub logs on this thread: errors, and actors that were built anew because they panicked.

use std::fmt::Write as _;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

#[expect(clippy::disallowed_types, reason = "a layer is called from anywhere and cannot send to an actor")]
type Lines = std::sync::Mutex<Vec<String>>;

/// What is logged when a schedule breaks the disk, or ends an actor by hand.
const EXPECTED: [&str; 2] = ["did not keep a batch", "ended by hand"];

#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Lines>);

impl Heard {
    /// What is not expected, and was not taken yet.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Runs with an ear on this thread.
pub(crate) fn hearing<T>(run: impl FnOnce(&Heard) -> T) -> T {
    let heard = Heard::default();
    let subscriber = Registry::default().with(Ear(heard.clone()));
    tracing::subscriber::with_default(subscriber, || run(&heard))
}

struct Ear(Heard);

impl<S: Subscriber> Layer<S> for Ear {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::WARN {
            return;
        }
        let mut line = Line(format!("{level} {}:", event.metadata().target()));
        event.record(&mut line);
        let serious = level == Level::ERROR || line.0.contains("is built anew");
        if serious && !EXPECTED.iter().any(|words| line.0.contains(words)) {
            self.0.0.lock().unwrap().push(line.0);
        }
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}
