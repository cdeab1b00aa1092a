//! How a file of the operator's is read: regular, of a bounded size, UTF-8.

use std::io::{self, Read as _};
use std::path::Path;

use super::source::parse::FILE_LIMIT;
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

#[cfg(test)]
mod tests;
