//! Where a hub lives: its settings' folder and its data directory, which a demo makes for itself.

use std::fs::{self, DirBuilder};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::output::say;
use super::place::{GlobalArgs, flags, settings};
use super::problem::Problem;
use crate::ids::Ids;
use crate::settings::{Loaded, check_bind};

#[derive(Debug)]
pub(super) struct Home {
    config_dir: Option<PathBuf>,
    listen: Option<String>,
    data_dir: Option<PathBuf>,
    temporary: Option<PathBuf>,
}

pub(super) struct Wanted<'a> {
    pub(super) listen: Option<&'a str>,
    pub(super) demo: bool,
    pub(super) ephemeral: bool,
}

impl Home {
    /// A demo without a directory gets a temporary one, and any free port when its own is taken.
    pub(super) fn choose(wanted: &Wanted<'_>, globals: &GlobalArgs) -> Result<Self, Problem> {
        let unnamed_demo = wanted.demo && !globals.names_data_dir();
        let temporary = if wanted.ephemeral || unnamed_demo { Some(temporary()?) } else { None };
        let config_dir = globals.config_dir();
        let data_dir = temporary.clone().or_else(|| globals.data_dir.clone());
        let mut home = Self { config_dir, listen: wanted.listen.map(str::to_owned), data_dir, temporary };
        if wanted.demo {
            home.dodge()?;
        }
        Ok(home)
    }

    pub(super) fn config_dir(&self) -> Option<&Path> {
        self.config_dir.as_deref()
    }

    pub(super) const fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The settings as they are now; a later call reads the files again.
    pub(super) fn settings(&self) -> Result<Loaded, Problem> {
        let data_dir = self.data_dir.as_ref().map(|dir| dir.display().to_string());
        let given = flags([("--listen", "listen", self.listen.clone()), ("--data-dir", "dataDir", data_dir)]);
        let loaded = settings(self.config_dir(), given)?;
        check_bind(&loaded.settings.hub, &loaded.origins)?;
        Ok(loaded)
    }

    /// Takes any free port when the one that is set is taken, and says so.
    fn dodge(&mut self) -> Result<(), Problem> {
        let wanted = self.settings()?.settings.hub.listen;
        match TcpListener::bind(wanted) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                self.listen = Some(SocketAddr::new(wanted.ip(), 0).to_string());
                say(&format!("{wanted} is taken: the demo takes any free port"))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Home {
    /// The hub removes what it used; this is for one that never came to serve.
    fn drop(&mut self) {
        if let Some(dir) = &self.temporary {
            drop(fs::remove_dir_all(dir));
        }
    }
}

fn temporary() -> Result<PathBuf, Problem> {
    let dir = std::env::temp_dir().join(format!("callboard-{}", Ids::random().request()));
    DirBuilder::new().mode(0o700).create(&dir).map_err(|error| {
        Problem::failed(format!("failed to make the temporary directory `{}`", dir.display()))
            .because(error.to_string())
            .next("set TMPDIR, or give --data-dir")
    })?;
    Ok(dir)
}
