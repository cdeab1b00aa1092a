//! A bare repository that the hub makes, file by file: private, and with settings that the hub wrote.
//!
//! A *mirror* keeps the objects that were fetched from a repository, a *borrowed* one holds that repository's packs and
//! loose objects for the time of a fetch (borrow.rs), a *bench* reads the mirror's objects while one merge is tried.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// What its settings say. Nothing is run beside git's own parts, objects are checked on their way in, and flaws that
/// old programs left in many histories do no harm.
const SETTINGS: &str = "\
[core]
\trepositoryFormatVersion = 1
\tbare = true
\tattributesFile = /dev/null
\tfsmonitor = false
\thooksPath = /dev/null
\tlogAllRefUpdates = false
\tquotePath = false
[commit]
\tgpgSign = false
[fetch]
\tfsckObjects = true
\tunpackLimit = 1
\twriteCommitGraph = false
[fetch \"fsck\"]
\tbadTimezone = ignore
\tmissingSpaceBeforeDate = ignore
\tzeroPaddedFilemode = ignore
[gc]
\tauto = 0
[i18n]
\tcommitEncoding = UTF-8
\tlogOutputEncoding = UTF-8
[log]
\tshowSignature = false
[maintenance]
\tauto = false
[merge]
\tdefault = text
\trenormalize = false
[protocol]
\tallow = never
";

/// A folder that is removed with all that is in it.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn made(path: PathBuf) -> io::Result<Self> {
        private(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is when the next hub begins: who lets go must not wait.
        let path = std::mem::take(&mut self.0);
        let remove = move || drop(fs::remove_dir_all(path));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

/// Makes a folder that nobody else may look into.
pub(super) fn private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// Writes such a repository into a folder, where it is not there yet. Its names of objects are as long as this one, and
/// it reads the objects of another one of the hub's, too.
pub(super) fn write(path: &Path, like: &str, objects: Option<&Path>) -> io::Result<()> {
    for folder in ["objects/info", "objects/pack", "refs"] {
        private(&path.join(folder))?;
    }
    let format = if like.len() > 40 { "[extensions]\n\tobjectFormat = sha256\n" } else { "" };
    let settings = format!("{SETTINGS}{format}");
    if fs::read_to_string(path.join("config")).ok().as_deref() != Some(&settings) {
        fs::write(path.join("config"), settings)?;
    }
    if let Some(objects) = objects {
        fs::write(path.join("objects/info/alternates"), format!("{}\n", objects.display()))?;
    }
    // No branch: the attributes of none are read.
    fs::write(path.join("HEAD"), "ref: refs/heads/none\n")
}
