//! Writes the state that must survive a restart into `discord.json`, at most every 200 ms.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::memory::{Memory, Shared};
use crate::actors::service::{Look, Service};
use crate::private_file;

/// Changes within this time are written at once. It is no deadline of the hub's: nothing that is promised waits for it,
/// and what a kill cuts off is read back from Discord. So it is a plain pause of this loop and not set at the alarm,
/// which rings actors and not the futures beside them.
const TOGETHER: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    shared: Shared,
}

impl Keeper {
    /// For a file, which is there or not.
    pub const fn new(path: PathBuf, shared: Shared) -> Self {
        Self { path, shared }
    }

    /// What the file says; nothing where it is not there or cannot be read, since it only saves work.
    pub fn read(path: &Path) -> Memory {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!("`{}` cannot be read, and is begun anew: {error}", path.display());
                Memory::default()
            }),
            Err(_) => Memory::default(),
        }
    }
}

impl Service for Keeper {
    fn run(&self) -> BoxFuture<'static, String> {
        let (path, mut changed) = (self.path.clone(), self.shared.memory.subscribe());
        async move {
            loop {
                if changed.changed().await.is_err() {
                    return "nobody remembers anything any more".to_owned();
                }
                tokio::time::sleep(TOGETHER).await;
                let memory = changed.borrow_and_update().clone();
                let path = path.clone();
                let written = tokio::task::spawn_blocking(move || write(&path, &memory)).await;
                if let Ok(Err(error)) = written {
                    tracing::warn!("what is remembered of Discord could not be written: {error}");
                }
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        let memory = self.shared.memory.borrow();
        let detail = json!({ "guilds": memory.guilds.len(), "messages": memory.messages.len() });
        Look { state: "running".to_owned(), detail, errors: Vec::new() }
    }
}

/// Whole, or not at all, while the machine runs. It is not forced to the disk: that would make the journal wait, and a
/// power failure costs no more than the file does (see [`Keeper::read`]).
fn write(path: &Path, memory: &Memory) -> std::io::Result<()> {
    private_file::replace_unsynced(path, &serde_json::to_vec(memory)?)
}
