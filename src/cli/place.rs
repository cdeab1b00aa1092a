//! Where things are on this machine: the data directory, and what a hub leaves there for its command line.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::problem::Problem;
use crate::settings::{FlagValue, LoadRequest, Loaded, load};

/// The file in the data directory that holds the address of the hub that serves from it.
pub(super) const URL_FILE: &str = "hub.url";
/// The file in the data directory that holds the operator's token.
pub(super) const TOKEN_FILE: &str = "operator.token";

/// Flags that set keys of `hub.yaml`, as `(flag, key, value)`; those that were not given are left out.
pub(super) fn flags<const N: usize>(given: [(&str, &str, Option<String>); N]) -> Vec<FlagValue> {
    given
        .into_iter()
        .filter_map(|(flag, path, value)| {
            value.map(|value| FlagValue { flag: flag.to_owned(), path: path.to_owned(), value })
        })
        .collect()
}

/// Said of `--config`.
pub(super) const CONFIG: &str = "The folder that holds hub.yaml, agents.yaml and the like [env: CALLBOARD_CONFIG_DIR]";

/// The settings' folder: the flag, or `CALLBOARD_CONFIG_DIR`.
pub(super) fn config_dir(flag: Option<&Path>) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(|| variable("CALLBOARD_CONFIG_DIR").map(PathBuf::from))
}

/// Settings from the folder, the environment and the flags.
pub(super) fn settings(config_dir: Option<&Path>, flags: Vec<FlagValue>) -> Result<Loaded, Problem> {
    let config_dir = config_dir.map(Path::to_owned);
    Ok(load(&LoadRequest { config_dir, environment: environment(), flags })?)
}

/// The data directory: the flag, `CALLBOARD_DATA_DIR`, or where the settings put it.
pub(super) fn data_dir(flag: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(dir) = flag {
        return Ok(dir.to_owned());
    }
    if let Some(dir) = variable("CALLBOARD_DATA_DIR") {
        return Ok(PathBuf::from(dir));
    }
    Ok(settings(config_dir(None).as_deref(), Vec::new())?.settings.hub.data_dir)
}

/// A variable that is set to something.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Writes a file that its owner alone can read, whole or not at all.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), Problem> {
    let draft = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        drop(fs::remove_file(&draft));
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(|error| Problem::failed(format!("failed to write `{}`", path.display())).because(error.to_string()))
}

/// A new file that its owner alone can read, still empty. What is there already is somebody's, and is left.
pub(super) fn new_private(path: &Path) -> Result<fs::File, Problem> {
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Problem::configuration(format!("`{}` exists already, and is not written over", path.display()))
                .because("it may hold a token that somebody still uses, and that the hub cannot show again")
                .next("name another file, or remove that one first");
        }
        Problem::failed(format!("failed to write `{}`", path.display())).because(error.to_string())
    })
}

/// The secret of a variable, or of the file that the variable with `_FILE` names; none where neither is set.
pub(super) fn secret(name: &str) -> Result<Option<secrecy::SecretString>, Problem> {
    crate::settings::secret(&environment(), name).map_err(|fault| crate::settings::ConfigFaults::from(fault).into())
}

/// The environment as text; a variable that is not UTF-8 is none of ours.
fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
