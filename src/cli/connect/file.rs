//! A client's file before and after a change, and how the change is undone.
//!
//! A file that nobody else changed is put back byte by byte. From any other, callboard's part alone is taken out, since
//! clients write into these files themselves.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::problem::Problem;
use crate::private_file;

/// A file, and what it was before it was ours to change.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    backup: PathBuf,
    /// Lies beside a file that was not there before; in place of a backup, for there is nothing to keep.
    mark: PathBuf,
    text: Option<String>,
    was: Option<String>,
    is_made: bool,
}

impl Kept {
    /// Reads both. A link is followed: what it leads to is changed.
    pub(super) fn read(path: &Path) -> Result<Self, Problem> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let beside = |end: &str| {
            let mut name = path.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        };
        let (backup, mark) = (beside(".callboard-backup"), beside(".callboard-made"));
        Ok(Self { text: read(&path)?, was: read(&backup)?, is_made: mark.exists(), path, backup, mark })
    }

    /// Whether what it holds is so.
    pub(super) fn holds(&self, is: impl Fn(&str) -> bool) -> bool {
        self.text.as_deref().is_some_and(is)
    }

    /// What it holds; nothing where there is no file.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// What it is to be without what is callboard's; none where there was no file.
    ///
    /// A file that nobody else changed since is put back byte by byte. Of another one, callboard's part alone is taken
    /// out, or put back as it was: `put_from` puts into a text what another one has of it, `take` takes it out.
    ///
    /// # Errors
    /// When it holds nothing of callboard's, or cannot be read.
    pub(super) fn before(
        &self,
        put_from: impl Fn(&str, &str) -> Result<String, String>,
        take: impl Fn(&str, &str) -> Result<String, String>,
    ) -> Result<Option<String>, Problem> {
        let nothing = || {
            let path = self.path.display();
            Problem::configuration(format!("there is nothing of callboard's to take out of `{path}`"))
        };
        if self.text.is_none() {
            return Err(nothing().because("there is no such file"));
        }
        let was = self.was.as_deref().unwrap_or_default();
        let is_made = self.was.is_none() && self.is_made;
        if put_from(was, self.text()).is_ok_and(|again| again == self.text()) && (is_made || self.was.is_some()) {
            return Ok(self.was.clone());
        }
        let taken = take(self.text(), was).map(|left| put_from(self.text(), was).unwrap_or(left));
        let left = taken.map_err(|why| nothing().because(why))?;
        let is_nothing = matches!(left.trim(), "" | "{}") || left.split_whitespace().eq(["{", "}"]);
        Ok((!is_made || !is_nothing).then_some(left))
    }

    /// Puts it back.
    pub(super) fn restore(&self, was: Option<String>) -> Result<(), Problem> {
        match was {
            Some(was) => write(&self.path, &was)?,
            None => fs::remove_file(&self.path)?,
        }
        if self.was.is_some() {
            fs::remove_file(&self.backup)?;
        }
        if self.is_made {
            fs::remove_file(&self.mark)?;
        }
        Ok(())
    }

    /// Writes it. What it was before the first change is kept; a second change keeps the first one's.
    pub(super) fn write(&self, after: &str) -> Result<(), Problem> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        match (&self.text, &self.was) {
            (None, None) => write(&self.mark, "")?,
            (Some(text), None) if !self.is_made => write(&self.backup, text)?,
            (Some(_) | None, Some(_)) | (Some(_), None) => {}
        }
        if self.text.as_deref() == Some(after) { Ok(()) } else { write(&self.path, after) }
    }
}

fn read(path: &Path) -> Result<Option<String>, Problem> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::failed(format!("failed to read `{}`", path.display())).because(error.to_string())),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    private_file::rewrite(path, text.as_bytes())
        .map_err(|error| Problem::failed(format!("failed to write `{}`", path.display())).because(error.to_string()))
}

/// The lines that change, between those that stay.
pub(super) fn difference(path: &Path, before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
    let mut words = format!("{}:", path.display());
    let around = 2;
    let mut show = |mark: char, line: &str| {
        words.push('\n');
        words.push(mark);
        words.push_str(line);
    };
    old[same.saturating_sub(around)..same].iter().for_each(|line| show(' ', line));
    old[same..old.len() - tail].iter().for_each(|line| show('-', line));
    new[same..new.len() - tail].iter().for_each(|line| show('+', line));
    new[new.len() - tail..].iter().take(around).for_each(|line| show(' ', line));
    words
}
