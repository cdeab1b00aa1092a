//! How a file of the operator's is read: regular, of a bounded size, UTF-8.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use super::source::parse::FILE_LIMIT;
use super::source_location::{ConfigFault, Layer, SourceLocation};
use crate::private_file;

#[cfg(test)]
thread_local! {
    /// What this thread asked for, for the test that compares it with what is watched.
    pub(super) static READ: std::cell::RefCell<std::collections::BTreeSet<std::path::PathBuf>> =
        const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

/// A regular file's text; `None` when there is none. No more is read than one byte above the limit.
pub(super) fn read_text(path: &Path) -> io::Result<Option<String>> {
    #[cfg(test)]
    READ.with_borrow_mut(|read| read.insert(path.to_owned()));
    let file = match private_file::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > FILE_LIMIT {
        return Err(io::Error::other(format!("it is larger than {FILE_LIMIT} bytes")));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::other(format!("line {line} is not UTF-8"))
    })
}

/// Gives the files of a folder that end so to `take`, by name in order. One that cannot be read is a fault, under the
/// name that the folder has in faults.
pub(super) fn read_each(
    (folder, called): (&Path, &str),
    entries: fs::ReadDir,
    ends: &[&str],
    faults: &mut Vec<ConfigFault>,
    mut take: impl FnMut(String, String),
) {
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.into_iter().filter(|name| ends.iter().any(|end| name.ends_with(end))) {
        match read_text(&folder.join(&name)) {
            Ok(Some(text)) => take(name, text),
            Ok(None) => {}
            Err(error) => {
                let whole = SourceLocation::whole(Layer::File, &format!("{called}/{name}"));
                faults.push(whole.fault(format!("failed to read it: {error}")));
            }
        }
    }
}

#[cfg(test)]
mod tests;
