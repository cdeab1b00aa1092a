//! Writes the state that must survive a restart into the vault, at most every 200 ms.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::memory::{Memory, Shared};
use crate::actors::service::{Look, Service};
use crate::journal::vault::{DISCORD, Vault};

/// Changes within this time are written at once. Not a deadline at the alarm: nothing promised waits for it, and what a
/// kill cuts off is read back from Discord.
const TOGETHER: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Keeper {
    vault: Arc<dyn Vault>,
    shared: Shared,
}

impl Keeper {
    pub const fn new(vault: Arc<dyn Vault>, shared: Shared) -> Self {
        Self { vault, shared }
    }

    /// What was kept; nothing where it is not there or cannot be read, since it only saves work.
    pub fn read(vault: &dyn Vault) -> Memory {
        let Ok(Some(text)) = vault.read(DISCORD) else { return Memory::default() };
        let mut memory: Memory = serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!("`{}` cannot be read, and is begun anew: {error}", vault.shown(DISCORD));
            Memory::default()
        });
        // Older hubs kept no rights, and a session that is resumed is not told them again.
        if memory.guilds.values().any(|guild| guild.rights.is_empty()) {
            memory.session = None;
        }
        memory
    }
}

impl Service for Keeper {
    fn run(&self) -> BoxFuture<'static, String> {
        let (vault, mut changed) = (Arc::clone(&self.vault), self.shared.memory.subscribe());
        async move {
            loop {
                if changed.changed().await.is_err() {
                    return "nobody remembers anything any more".to_owned();
                }
                tokio::time::sleep(TOGETHER).await;
                let memory = changed.borrow_and_update().clone();
                let vault = Arc::clone(&vault);
                let written = tokio::task::spawn_blocking(move || write(&*vault, &memory)).await;
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

/// Whole or not at all while the machine runs. Not forced to the disk: that would make the journal wait, and a power
/// failure costs no more than the file does (see [`Keeper::read`]).
fn write(vault: &dyn Vault, memory: &Memory) -> std::io::Result<()> {
    vault.write(DISCORD, &serde_json::to_string(memory)?)
}
