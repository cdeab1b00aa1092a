//! A client's file before and after a change, and how the change is undone: callboard's part alone is taken out.
//!
//! What a file was before the first change lies beside it as FILE.callboard-backup, empty where there was none, until
//! the file is so again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::private_file;
use crate::problem::Problem;

/// A file, and what it was before callboard changed it.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    backup: PathBuf,
    text: Option<String>,
    was: Option<String>,
}

impl Kept {
    /// Reads both. A link is followed: what it leads to is changed.
    pub(super) fn read(path: &Path) -> Result<Self, Problem> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut backup = path.clone().into_os_string();
        backup.push(".callboard-backup");
        let backup = PathBuf::from(backup);
        Ok(Self { text: read(&path)?, was: read(&backup)?, path, backup })
    }

    pub(super) fn holds(&self, is: impl Fn(&str) -> bool) -> bool {
        self.text.as_deref().is_some_and(is)
    }

    /// What it holds; nothing where there is no file.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// What it is to be without what is callboard's: `take` takes that out of a text, and puts back what another one
    /// had in its place. Fails when it holds nothing of callboard's, or cannot be read.
    pub(super) fn without(&self, take: impl Fn(&str, &str) -> Result<String, String>) -> Result<String, Problem> {
        let nothing = |why: String| {
            let path = self.path.display();
            Problem::configuration(format!("there is nothing of callboard's to take out of `{path}`")).because(why)
        };
        let Some(text) = &self.text else { return Err(nothing("there is no such file".to_owned())) };
        let left = take(text, self.was.as_deref().unwrap_or_default()).map_err(nothing)?;
        let says_nothing = left.split_whitespace().collect::<String>().trim_matches(['{', '}']).is_empty();
        let was_made = self.was.as_deref() == Some("");
        Ok(if was_made && says_nothing { String::new() } else { left })
    }

    /// Writes what is left, and removes a backup that says nothing else, or returns it. A file made for callboard goes.
    pub(super) fn restore(&self, left: &str) -> Result<Option<&Path>, Problem> {
        let Some(was) = self.was.as_deref() else { return write(&self.path, left).map(|()| None) };
        // What a client adds to the end of the last line is nobody's.
        let is_as_it_was = was.trim_end() == left.trim_end();
        match (was, left) {
            ("", "") => fs::remove_file(&self.path)?,
            _ => write(&self.path, if is_as_it_was { was } else { left })?,
        }
        if !is_as_it_was && !was.is_empty() {
            return Ok(Some(&self.backup));
        }
        fs::remove_file(&self.backup)?;
        Ok(None)
    }

    /// Writes it. What it was before the first change is kept; a second change keeps the first one's.
    pub(super) fn write(&self, after: &str) -> Result<(), Problem> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        if self.was.is_none() {
            write(&self.backup, self.text())?;
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
