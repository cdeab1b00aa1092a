//! A folder for one measurement, gone with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::error::BenchError;

#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new one below `within`.
    pub(super) fn new(within: &Path) -> Result<Self, BenchError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = within.join(format!("callboard-bench-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).map_err(BenchError::io(format!("make `{}`", path.display())))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
