//! The file of tokens: readable by its owner alone, replaced whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Writes a file that only its owner may read; after a crash it is the old one or the new one.
///
/// # Errors
/// Whatever the file system says.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let fresh = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Reads a file; none when there is none. One that others may read is refused.
///
/// # Errors
/// Whatever the file system says, or that others may read it.
pub(super) fn read_private(path: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        let message = format!("others may read it: run `chmod 600 {}`", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    fs::read_to_string(path).map(Some)
}
