//! Where things are: the flags and variables that say which hub, the data directory, and what a hub leaves there for
//! its command line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::problem::Problem;
use crate::private_file;
use crate::settings::{FlagValue, LoadRequest, Loaded, load};

/// The file in the data directory that holds the address of the hub that serves from it.
pub const URL_FILE: &str = "hub.url";
/// The file in the data directory that holds the operator's token.
pub const TOKEN_FILE: &str = "operator.token";

/// Flags that set keys of `hub.yaml`, as `(flag, key, value)`; those that were not given are left out.
pub fn flags<const N: usize>(given: [(&str, &str, Option<String>); N]) -> Vec<FlagValue> {
    given
        .into_iter()
        .filter_map(|(flag, path, value)| {
            value.map(|value| FlagValue { flag: flag.to_owned(), path: path.to_owned(), value })
        })
        .collect()
}

/// Which hub is meant, as whom, and with which settings: every command takes these.
// No variable is read by the parser, since a flag for one of them goes before a variable for another: `client::find`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Which hub")]
#[expect(clippy::doc_markdown, reason = "these are texts of the help, which shows no backticks")]
pub struct GlobalArgs {
    /// The hub's address; of several nodes all, with commas between them [env: CALLBOARD_URL]
    #[arg(long = "url", id = "hub_url", global = true, value_name = "URL")]
    pub url: Option<String>,
    /// The file with your token [env: CALLBOARD_TOKEN_FILE]
    #[arg(long, global = true, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Where the hub keeps its data, and is found [env: CALLBOARD_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The folder with hub.yaml and the like [env: CALLBOARD_CONFIG]
    #[arg(long, global = true, value_name = "DIR")]
    pub config: Option<PathBuf>,
}

impl GlobalArgs {
    /// The data directory, as an absolute path: the flag, `CALLBOARD_DATA_DIR`, or where the settings put it.
    pub fn data_dir(&self) -> Result<PathBuf, Problem> {
        let named = self.data_dir.clone().or_else(|| variable("CALLBOARD_DATA_DIR").map(PathBuf::from));
        match named {
            Some(dir) => Ok(std::path::absolute(dir)?),
            None => Ok(settings(self.config_dir().as_deref(), Vec::new())?.settings.hub.data_dir),
        }
    }

    /// The same, where an address or a token is about to be taken from it: refused where others may put files into it,
    /// as the hub itself refuses to serve from it. One that is not there holds nothing.
    pub fn own_data_dir(&self) -> Result<PathBuf, Problem> {
        let dir = self.data_dir()?;
        match private_file::check_folder(&dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Problem::configuration(format!("the data directory `{}` cannot be used", dir.display()))
                    .because(error.to_string())
                    .next("close it as said above, and look at what is in it: `hub.url` says where tokens are sent"))
            }
            Ok(()) | Err(_) => Ok(dir),
        }
    }

    pub fn names_data_dir(&self) -> bool {
        self.data_dir.is_some() || variable("CALLBOARD_DATA_DIR").is_some()
    }

    /// The settings' folder: the flag, `CALLBOARD_CONFIG`, or the name that the variable had before 0.2.
    pub fn config_dir(&self) -> Option<PathBuf> {
        let named = || variable("CALLBOARD_CONFIG").or_else(|| variable("CALLBOARD_CONFIG_DIR")).map(PathBuf::from);
        self.config.clone().or_else(named)
    }

    /// The file with the caller's token, where one was named.
    pub fn token_file(&self) -> Option<PathBuf> {
        self.token_file.clone().or_else(|| variable("CALLBOARD_TOKEN_FILE").map(PathBuf::from))
    }

    /// The settings, with the data directory that a flag names.
    pub fn settings(&self) -> Result<Loaded, Problem> {
        let data_dir = self.data_dir.as_ref().map(|dir| dir.display().to_string());
        settings(self.config_dir().as_deref(), flags([("--data-dir", "dataDir", data_dir)]))
    }
}

/// Settings from the folder, the environment and the flags.
pub fn settings(config_dir: Option<&Path>, flags: Vec<FlagValue>) -> Result<Loaded, Problem> {
    let config_dir = config_dir.map(Path::to_owned);
    let mut loaded = load(&LoadRequest { config_dir, environment: environment(), flags })?;
    let data_dir = &mut loaded.settings.hub.data_dir;
    if data_dir.as_os_str().is_empty() {
        return Err(Problem::configuration("there is no folder for the hub's data")
            .because("neither HOME nor the password database names a home directory of this user")
            .next("set CALLBOARD_DATA_DIR, or --data-dir, to a folder that is this user's alone"));
    }
    *data_dir = std::path::absolute(&data_dir)?;
    Ok(loaded)
}

/// A variable that is set to something.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Writes a file that its owner alone can read, whole or not at all.
pub fn write_private(path: &Path, text: &str) -> Result<(), Problem> {
    private_file::replace(path, text.as_bytes())
        .map_err(|error| Problem::failed(format!("failed to write `{}`", path.display())).because(error.to_string()))
}

/// A new file that its owner alone can read, still empty. What is there already is somebody's, and is left.
pub fn new_private(path: &Path) -> Result<fs::File, Problem> {
    private_file::create(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Problem::configuration(format!("`{}` exists already, and is not written over", path.display()))
                .because("it may hold a token that somebody still uses, and that the hub cannot show again")
                .next("name another file, or remove that one first");
        }
        Problem::failed(format!("failed to write `{}`", path.display())).because(error.to_string())
    })
}

/// The secret of a variable, or of the file that the variable with `_FILE` names; none where neither is set.
pub fn secret(name: &str) -> Result<Option<secrecy::SecretString>, Problem> {
    crate::settings::secret(&environment(), name).map_err(|fault| crate::settings::ConfigFaults::from(fault).into())
}

/// The password of the database that `store` names: of the variable, or of the file that `storePasswordFile` names.
pub fn store_password(hub: &crate::settings::HubSettings) -> Result<Option<secrecy::SecretString>, Problem> {
    password_of(environment(), hub.store_password_file.as_deref())
}

fn password_of(
    mut named: BTreeMap<String, String>,
    file: Option<&Path>,
) -> Result<Option<secrecy::SecretString>, Problem> {
    const VARIABLE: &str = "CALLBOARD_STORE_PASSWORD";
    let by_file = format!("{VARIABLE}_FILE");
    let is_set = named.get(&by_file).is_some_and(|path| !path.is_empty());
    if let Some(path) = file {
        named.insert(by_file.clone(), path.display().to_string());
    }
    crate::settings::secret(&named, VARIABLE).map_err(|mut fault| {
        // It is told by the name under which it was given.
        if !is_set {
            fault.file = fault.file.replace(&by_file, "storePasswordFile");
            fault.message = fault.message.replace(&by_file, "storePasswordFile");
        }
        crate::settings::ConfigFaults::from(fault).into()
    })
}

/// The environment as text; a variable that is not UTF-8 is none of ours. Services are often started without HOME: then
/// it is what the password database says.
fn environment() -> BTreeMap<String, String> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let mut environment: BTreeMap<_, _> = std::env::vars_os().filter_map(text).collect();
    if let Some(home) = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok()) {
        environment.entry("HOME".to_owned()).or_insert(home);
    }
    environment
}

#[cfg(test)]
mod tests;
