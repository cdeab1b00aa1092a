//! Where a token comes from. One that lies in a file is read again whenever it is used: what runs for days learns of a
//! rotation by itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::private_file;

/// Where the token of a caller comes from.
#[derive(Debug, Clone)]
pub(super) struct TokenSource {
    file: Option<File>,
    /// What was read first, for the moments in which the file cannot be read.
    first: SecretString,
}

/// A file that holds a token and nothing else.
#[derive(Debug, Clone)]
struct File {
    path: PathBuf,
    is_own: bool,
}

/// Why there is no token in a file.
#[derive(Debug)]
pub(super) enum NoToken {
    /// It cannot be read, or is not to be believed.
    Unread(io::Error),
    /// It holds something else.
    Other,
}

impl From<SecretString> for TokenSource {
    fn from(first: SecretString) -> Self {
        Self { file: None, first }
    }
}

impl TokenSource {
    /// A file that the hub left for the command line.
    pub(super) fn left(path: &Path) -> Result<Self, NoToken> {
        Self::of(File { path: path.to_owned(), is_own: true })
    }

    /// A file that the caller named.
    pub(super) fn given(path: &Path) -> Result<Self, NoToken> {
        Self::of(File { path: path.to_owned(), is_own: false })
    }

    fn of(file: File) -> Result<Self, NoToken> {
        let first = file.read()?;
        // What can be read once only, as a pipe, is not asked for again.
        let again = fs::metadata(&file.path).is_ok_and(|about| about.is_file());
        Ok(Self { file: again.then_some(file), first })
    }

    pub(super) fn now(&self) -> SecretString {
        self.file.as_ref().and_then(|file| file.read().ok()).unwrap_or_else(|| self.first.clone())
    }
}

impl File {
    fn read(&self) -> Result<SecretString, NoToken> {
        let read = if self.is_own {
            private_file::read_own(&self.path)
                .and_then(|text| text.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)))
        } else {
            private_file::read_given(&self.path)
        };
        let text = read.map_err(NoToken::Unread)?;
        match text.trim() {
            token if token.is_empty() || token.contains(char::is_whitespace) => Err(NoToken::Other),
            token => Ok(SecretString::from(token)),
        }
    }
}
