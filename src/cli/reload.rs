//! Settings read again, on SIGHUP or when a file of the folder changes. A broken file changes nothing: the hub keeps
//! what it has, and says so.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::home::Home;
use crate::hub::Hub;
use crate::settings::Loaded;

/// How often the folder is looked at.
const EVERY: Duration = Duration::from_secs(2);

/// What is looked at of a file: when it was changed, and its size.
type Look = BTreeMap<&'static str, (Option<SystemTime>, u64)>;

/// Reads settings again.
#[derive(Debug)]
pub(super) struct Reloader<'a> {
    home: &'a Home,
    seen: Look,
}

impl<'a> Reloader<'a> {
    /// Knows the folder as it is now.
    pub(super) fn new(home: &'a Home) -> Self {
        Self { home, seen: home.config_dir().map(look).unwrap_or_default() }
    }

    /// Returns once a file of the folder has changed; never without a folder. Safe to drop half-way.
    pub(super) async fn changed(&mut self) {
        let Some(folder) = self.home.config_dir() else { return std::future::pending().await };
        loop {
            tokio::time::sleep(EVERY).await;
            let now = look(folder);
            if now != self.seen {
                self.seen = now;
                return;
            }
        }
    }

    /// Gives the hub what the files say now.
    pub(super) fn reload(&mut self, hub: &Hub) {
        match self.home.settings() {
            Ok(loaded) => {
                for warning in &loaded.warnings {
                    tracing::warn!("{warning}");
                }
                hub.reload(loaded.settings);
                tracing::info!("the settings were read again");
            }
            Err(problem) => {
                tracing::error!("the settings were not read again, and those from before stay: {}", problem.words());
            }
        }
    }
}

fn look(folder: &Path) -> Look {
    let seen = Loaded::files().into_iter().filter_map(|file| {
        let about = fs::metadata(folder.join(file)).ok()?;
        Some((file, (about.modified().ok(), about.len())))
    });
    seen.collect()
}
