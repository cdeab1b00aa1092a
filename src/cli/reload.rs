//! Settings, workflows and prompts read again, on SIGHUP or a change. A broken file changes nothing, and is told.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::home::Home;
use super::logs::Log;
use super::problem::Problem;
use crate::hub::{BOUND_AT_START, Hub};
use crate::settings::{Loaded, ShownSetting, SystemPrompts, watched};
use crate::webhooks::Sources;

const EVERY: Duration = Duration::from_secs(2);

/// What is looked at of a file: when it was changed, and its size.
type Look = BTreeMap<String, (Option<SystemTime>, u64)>;

#[derive(Debug)]
pub(super) struct Reloader<'a> {
    home: &'a Home,
    seen: Look,
    /// What was bound at the start, as it was set then.
    bound: BTreeMap<String, String>,
    log: Log,
}

impl<'a> Reloader<'a> {
    /// Knows the folder as it is now.
    pub(super) fn new(home: &'a Home) -> Self {
        let seen = home.config_dir().map(look).unwrap_or_default();
        Self { home, seen, bound: BTreeMap::new(), log: Log::default() }
    }

    /// Knows what the hub starts with.
    pub(super) fn begins(&mut self, loaded: &Loaded, log: Log) {
        self.bound = bound(&loaded.shown);
        self.log = log;
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

    /// Gives the hub what the files say now, all of it or nothing.
    pub(super) fn reload(&mut self, hub: &Hub) {
        match self.read() {
            Ok((loaded, prompts)) => {
                for warning in &loaded.warnings {
                    tracing::warn!("{warning}");
                }
                for key in differ(&self.bound, &bound(&loaded.shown)) {
                    tracing::warn!("`{key}` was changed, and stays as it was until the hub is started again");
                }
                self.log.relevel(&loaded);
                hub.reload(loaded.settings, prompts);
                tracing::info!("the settings and the system prompts were read again");
            }
            Err(problem) => {
                let why = problem.words();
                tracing::error!("the settings were not read again, and those from before stay: {why}");
                hub.keeps_settings(why);
            }
        }
    }

    fn read(&self) -> Result<(Loaded, SystemPrompts), Problem> {
        let loaded = self.home.settings()?;
        // Their secrets are read again, too: one that cannot be read changes nothing.
        Sources::load(&loaded.settings.hub)?;
        Ok((loaded, SystemPrompts::load(self.home.config_dir())?))
    }
}

/// The values that a running hub does not change, by their paths.
fn bound(shown: &[ShownSetting]) -> BTreeMap<String, String> {
    let is_bound = |path: &str| {
        BOUND_AT_START
            .iter()
            .any(|key| path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    shown.iter().filter(|one| is_bound(&one.path)).map(|one| (one.path.clone(), one.value.clone())).collect()
}

fn differ(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> BTreeSet<String> {
    let paths = before.keys().chain(now.keys());
    paths.filter(|path| before.get(*path) != now.get(*path)).cloned().collect()
}

fn look(folder: &Path) -> Look {
    let seen = watched(folder).into_iter().filter_map(|file| {
        let about = fs::metadata(folder.join(&file)).ok()?;
        Some((file, (about.modified().ok(), about.len())))
    });
    seen.collect()
}

#[cfg(test)]
mod tests;
