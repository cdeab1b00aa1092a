//! Any `error!` during a test fails it: what is logged as an error is a bug of ours, or the
//! test provoked it and says so.
//!
//! Tests of one binary run side by side, so the watch is not global. It hears the thread that started it, and the
//! threads of a runtime built by [`watched`]. What is logged on a thread that nobody watches (a writer of its own, say)
//! reaches every watch that is open at that moment: in a healthy run there is nothing to reach it.

use std::fmt::Write as _;
use std::sync::{Arc, Once};
use std::thread;

use tracing::dispatcher::{self, DefaultGuard, Dispatch};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

#[expect(clippy::disallowed_types, reason = "a layer is called on any thread and cannot send to an actor")]
type Lines = std::sync::Mutex<Vec<String>>;

/// What was logged on threads without a watch of their own.
static UNWATCHED: Lines = Lines::new(Vec::new());
static LISTEN_EVERYWHERE: Once = Once::new();

/// Fails the test at its end when an error was logged since the start.
pub(crate) struct ErrorWatch {
    seen: Arc<Lines>,
    dispatch: Dispatch,
    unwatched_before: usize,
    expected: Vec<String>,
    _here: DefaultGuard,
}

impl ErrorWatch {
    /// Begins to watch this thread.
    #[must_use]
    pub(crate) fn start() -> Self {
        LISTEN_EVERYWHERE.call_once(|| {
            let everywhere = Registry::default().with(Keep(|line| push(&UNWATCHED, line)));
            // Another test may have set its own; then only the watched threads are heard.
            drop(dispatcher::set_global_default(Dispatch::new(everywhere)));
        });
        let seen = Arc::new(Lines::default());
        let keeper = Arc::clone(&seen);
        let dispatch = Dispatch::new(Registry::default().with(Keep(move |line| push(&keeper, line))));
        Self {
            seen,
            unwatched_before: lines(&UNWATCHED).len(),
            expected: Vec::new(),
            _here: dispatcher::set_default(&dispatch),
            dispatch,
        }
    }

    /// Lets errors pass that contain `words`, for the test that provokes them.
    pub(crate) fn expect(&mut self, words: &str) {
        self.expected.push(words.to_owned());
    }

    /// The errors so far that nobody expected.
    #[must_use]
    pub(crate) fn unexpected(&self) -> Vec<String> {
        let mut all = lines(&self.seen);
        all.extend(lines(&UNWATCHED).split_off(self.unwatched_before));
        all.retain(|line| !self.expected.iter().any(|words| line.contains(words)));
        all
    }
}

impl Drop for ErrorWatch {
    fn drop(&mut self) {
        let errors = self.unexpected();
        if !errors.is_empty() && !thread::panicking() {
            panic!("errors were logged during the test:\n  {}", errors.join("\n  "));
        }
    }
}

/// Runs a test on two worker threads, all of them watched.
pub(crate) fn watched<T>(test: impl Future<Output = T>) -> T {
    let watch = ErrorWatch::start();
    let dispatch = watch.dispatch.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        // The guard lives as long as its thread.
        .on_thread_start(move || std::mem::forget(dispatcher::set_default(&dispatch)))
        .build()
        .unwrap();
    let outcome = runtime.block_on(test);
    drop(runtime);
    drop(watch);
    outcome
}

/// Hands every error to a function, as one line.
struct Keep<F>(F);

impl<S: Subscriber, F: Fn(String) + 'static> Layer<S> for Keep<F> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            let mut line = LogLine(event.metadata().target().to_owned());
            event.record(&mut line);
            (self.0)(line.0);
        }
    }
}

struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

fn push(lines: &Lines, line: String) {
    lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
}

fn lines(lines: &Lines) -> Vec<String> {
    lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}

#[test]
fn an_error_on_any_worker_fails_the_test() {
    let outcome =
        thread::spawn(|| watched(async { tokio::task::spawn_blocking(|| tracing::error!("lost")).await.unwrap() }))
            .join();
    let words = outcome.unwrap_err();
    assert!(words.downcast_ref::<String>().unwrap().contains("lost"));
}

#[test]
fn warnings_and_expected_errors_pass() {
    let mut watch = ErrorWatch::start();
    watch.expect("on purpose");
    tracing::warn!("only a warning");
    tracing::error!(task.id = "t1", "failed on purpose");
    assert!(watch.unexpected().is_empty());
    tracing::error!("and another");
    assert_eq!(watch.unexpected().len(), 1);
    watch.expect("and another");
}
