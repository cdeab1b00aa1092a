//! What a hub keeps beside its journal: texts that another machine needs to go on in its place.
//!
//! | name | holds | with the journal in a file, a file of that name in the data directory |
//! |---|---|---|
//! | [`TOKENS`] | keyed hashes of tokens and of the page's sessions | its owner's alone |
//! | [`SECRETS`]… | secrets of webhooks that were added, keys of devices | believed as one that was handed over |
//! | [`PUSH_KEY`] | the hub's own key for Web Push | its owner's alone |
//! | [`DISCORD`] | how far Discord was heard, and what was posted there | not forced to the disk: it only saves work |
//!
//! With the journal in a database they are rows there, and only there. One hub at a time writes, which holds the data
//! directory or the team; so a write compares nothing with what was read before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs, io};

use crate::private_file;

pub const TOKENS: &str = "tokens";
/// What the names of secrets begin with; in the data directory, their folder.
pub const SECRETS: &str = "webhooks/";
pub const PUSH_KEY: &str = "webhooks/push.key";
pub const DISCORD: &str = "discord.json";

pub trait Vault: fmt::Debug + Send + Sync {
    /// The text of this name; none where there is none. Fails when it is not to be believed, or cannot be read.
    fn read(&self, name: &str) -> io::Result<Option<String>>;

    /// Writes a text, whole or not at all, and returns when it is kept. May wait for a disk or a database. Fails when
    /// it could not be written, or when another hub has what this one held.
    fn write(&self, name: &str, text: &str) -> io::Result<()>;

    /// Removes a text that nothing needs any more. One that could not be removed stays, and the log says so.
    fn remove(&self, name: &str);

    /// The names of all that is kept under [`SECRETS`].
    fn secrets(&self) -> io::Result<Vec<String>>;

    /// Where a text is kept, for people.
    fn shown(&self, name: &str) -> String;

    /// The same as [`Vault::read`] of a text that has to be there.
    fn need(&self, name: &str) -> io::Result<String> {
        let missing = || format!("failed to read `{}`: there is none", self.shown(name));
        self.read(name)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, missing()))
    }
}

/// Every text that a vault keeps, by its name: what is to be carried into another one. Fails when one cannot be read.
pub fn all(vault: &dyn Vault) -> io::Result<BTreeMap<String, String>> {
    let names = vault.secrets()?.into_iter().chain([TOKENS, DISCORD].map(str::to_owned));
    let texts = names.filter_map(|name| vault.read(&name).map(|text| Some((name, text?))).transpose());
    texts.collect()
}

/// A data directory.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn at(dir: &Path) -> Arc<dyn Vault> {
        Arc::new(Self(dir.to_owned()))
    }
}

impl Vault for Folder {
    fn read(&self, name: &str) -> io::Result<Option<String>> {
        let path = self.0.join(name);
        let found = match name {
            TOKENS | PUSH_KEY => return private_file::read_own(&path),
            DISCORD => fs::read_to_string(&path),
            _ => private_file::read_given(&path),
        };
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.0.join(name);
        if name == DISCORD {
            return private_file::replace_unsynced(&path, text.as_bytes());
        }
        if name.starts_with(SECRETS) {
            private_file::make_folder(&self.0.join(SECRETS))?;
        }
        private_file::replace(&path, text.as_bytes())
    }

    fn remove(&self, name: &str) {
        if let Err(error) = private_file::remove(&self.0.join(name)) {
            tracing::warn!("`{}` stays, though nothing needs it: {error}", self.shown(name));
        }
    }

    fn secrets(&self) -> io::Result<Vec<String>> {
        let files = match fs::read_dir(self.0.join(SECRETS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files?,
        };
        let names = files.flatten().filter_map(|file| file.file_name().into_string().ok());
        Ok(names.map(|name| format!("{SECRETS}{name}")).collect())
    }

    fn shown(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests;
