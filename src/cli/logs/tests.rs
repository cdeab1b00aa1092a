//! What `logs` does, tried.

use tracing::Level;

use super::*;
use crate::settings::{LoadRequest, Settings, load};

#[test]
fn libraries_stay_quiet_at_debug() {
    let filter = filter(LogLevel::Debug);
    assert!(filter.would_enable("callboard::hub", &Level::DEBUG));
    assert!(filter.would_enable("hyper", &Level::WARN));
    assert!(!filter.would_enable("hyper", &Level::INFO));
    assert!(!filter.would_enable("rmcp::service", &Level::ERROR));
}

#[test]
fn the_level_is_changed_while_it_logs() {
    let settings = Settings::defaults().hub.log;
    let (subscriber, handle) = subscriber(&settings, LogLevel::Info);
    tracing::subscriber::with_default(subscriber, || {
        let debugs = || tracing::enabled!(target: "callboard::hub", Level::DEBUG);
        assert!(!debugs());
        let mut loaded = load(&LoadRequest::default()).unwrap();
        loaded.settings.hub.log.level = LogLevel::Debug;
        Log { level: Some(handle.clone()), demo: false }.relevel(&loaded);
        assert!(debugs());
        Log { level: Some(handle.clone()), demo: true }.relevel(&loaded);
        assert!(!debugs(), "nobody set it, so that a demo stays quiet");
    });
}

#[test]
fn at_error_nobody_warns() {
    let filter = filter(LogLevel::Error);
    assert!(filter.would_enable("callboard", &Level::ERROR));
    assert!(!filter.would_enable("callboard", &Level::WARN));
    assert!(!filter.would_enable("hyper", &Level::WARN));
}
