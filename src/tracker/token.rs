//! The token of the tracker.

use std::path::PathBuf;

use secrecy::SecretString;

use crate::private_file;

/// Where the token comes from. A file is read again for each request, so a new token needs no restart.
#[derive(Debug, Clone)]
pub(super) enum Token {
    /// From the environment.
    Given(SecretString),
    /// From this file.
    File(PathBuf),
}

impl Token {
    pub(super) fn read(&self) -> Result<SecretString, String> {
        match self {
            Self::Given(token) => Ok(token.clone()),
            Self::File(file) => {
                let text = private_file::read_given(file).map_err(|error| error.to_string())?;
                let token = text.trim();
                if token.is_empty() || token.lines().count() > 1 {
                    return Err(format!("`{}` must hold one token and nothing else", file.display()));
                }
                Ok(SecretString::from(token))
            }
        }
    }
}
