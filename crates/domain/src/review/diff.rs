//! A unified diff, read as far as comments need it: which files, and which of their lines are shown.
//!
//! One pass over the lines, without regard to what stands in them: inside a hunk its own counts say how far it goes, so
//! that no line of a file can pass for a head. What is no diff has no files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::state::{DiffSize, Side};
use crate::text::nearest;

/// The files of a diff, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffMap {
    pub files: Vec<DiffFile>,
}

/// A file of a diff.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffFile {
    /// Its path, as it becomes; as it was, where it is taken away.
    pub path: String,
    /// Its path as it was, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// How many lines are added.
    pub added: u64,
    /// How many lines are taken away.
    pub removed: u64,
    /// Whether it is no text: then it has no lines.
    pub binary: bool,
    #[serde(skip)]
    hunks: Vec<Hunk>,
}

/// A piece of a file: the first line and the number of lines, on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hunk {
    old: (u32, u32),
    new: (u32, u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// The diff does not change that file.
    #[error("the diff does not change `{file}`{}", meant(nearest))]
    UnknownFile { file: String, nearest: Vec<String> },
    /// The diff does not show that line.
    #[error("the diff does not show line {line} of `{file}`: it shows {shown}")]
    HiddenLine {
        file: String,
        line: u32,
        /// Which lines it shows: `1-7, 20-31`.
        shown: String,
    },
    #[error("`line` needs `file`: the line of which file?")]
    LineWithoutFile,
}

impl DiffMap {
    /// Reads a diff; in time and space proportional to its length.
    pub fn of(diff: &str) -> Self {
        let mut reader = Reader::default();
        let mut lines = diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
        while let Some(line) = lines.next() {
            reader.take(line, lines.peek().copied().unwrap_or_default());
        }
        Self { files: reader.files }
    }

    /// How large it is, in files and lines; the bytes are the caller's to say.
    pub fn size(&self) -> DiffSize {
        DiffSize {
            files: u32::try_from(self.files.len()).unwrap_or(u32::MAX),
            added: self.files.iter().map(|file| file.added).sum(),
            removed: self.files.iter().map(|file| file.removed).sum(),
            ..DiffSize::default()
        }
    }

    /// Whether a comment may stand there: nowhere in particular, on a file, or on a line that is shown. The error says
    /// which of these is not there, and what is.
    pub fn place(&self, file: Option<&str>, line: Option<u32>, side: Side) -> Result<(), PlaceError> {
        let Some(name) = file else { return line.map_or(Ok(()), |_| Err(PlaceError::LineWithoutFile)) };
        let file = self.files.iter().find(|file| file.is_called(name)).ok_or_else(|| self.no_file(name))?;
        match line {
            Some(line) if !file.shows(line, side) => {
                Err(PlaceError::HiddenLine { file: name.to_owned(), line, shown: file.shown(side) })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn no_file(&self, name: &str) -> PlaceError {
        let near = nearest(name, self.files.iter().map(|file| file.path.as_str()));
        PlaceError::UnknownFile { file: name.to_owned(), nearest: near.into_iter().map(str::to_owned).collect() }
    }
}

/// Whether two diffs change the same lines of the same files, whatever they show around them.
pub fn changes_alike(one: &str, other: &str) -> bool {
    changed_lines(one) == changed_lines(other)
}

/// The lines that a diff adds and takes away, of each file in their order. One without any counts by its name.
fn changed_lines(diff: &str) -> BTreeMap<String, Vec<&str>> {
    let (mut reader, mut found) = (Reader::default(), Vec::new());
    let mut lines = diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
    let count = |reader: &Reader| reader.files.last().map_or(0, |file| file.added + file.removed);
    while let Some(line) = lines.next() {
        let before = (reader.files.len(), count(&reader));
        reader.take(line, lines.peek().copied().unwrap_or_default());
        if reader.files.len() == before.0 && count(&reader) > before.1 {
            found.push((before.0 - 1, line));
        }
    }
    let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in &reader.files {
        all.entry(file.path.clone()).or_default();
    }
    for (file, line) in found {
        all.entry(reader.files[file].path.clone()).or_default().push(line);
    }
    all
}

impl DiffFile {
    fn is_called(&self, name: &str) -> bool {
        self.path == name || self.old_path.as_deref() == Some(name)
    }

    fn shows(&self, line: u32, side: Side) -> bool {
        self.ranges(side).any(|(first, count)| line >= first && line - first < count)
    }

    fn shown(&self, side: Side) -> String {
        /// More pieces than that are not listed.
        const LISTED: usize = 12;
        let pieces: Vec<String> = self
            .ranges(side)
            .filter(|(_, count)| *count > 0)
            .map(|(first, count)| format!("{first}-{}", u64::from(first) + u64::from(count) - 1))
            .collect();
        match pieces.len() {
            0 => "no lines of it".to_owned(),
            few if few <= LISTED => pieces.join(", "),
            _ => format!("{}, …", pieces[..LISTED].join(", ")),
        }
    }

    fn ranges(&self, side: Side) -> impl Iterator<Item = (u32, u32)> {
        self.hunks.iter().map(move |hunk| match side {
            Side::New => hunk.new,
            Side::Old => hunk.old,
        })
    }
}

/// What is read so far.
#[derive(Default)]
struct Reader {
    files: Vec<DiffFile>,
    /// How many lines of the present hunk are still to come, on each side.
    old_left: u32,
    new_left: u32,
    /// The file was begun by its own head, and its names may still come.
    headed: bool,
}

impl Reader {
    fn take(&mut self, line: &str, next: &str) {
        if (self.old_left > 0 || self.new_left > 0) && self.body(line) {
            return;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.begin(git_name(names));
            self.headed = true;
        } else if let Some(old) = line.strip_prefix("--- ")
            && let Some(new) = next.strip_prefix("+++ ")
        {
            self.names(old, new);
        } else if let Some(ranges) = line.strip_prefix("@@ ") {
            self.hunk(ranges);
        } else if let Some(file) = self.files.last_mut().filter(|_| self.headed) {
            head_of(file, line);
        }
    }

    /// A line of a hunk; false when it cannot be one, and the hunk is over before its time.
    fn body(&mut self, line: &str) -> bool {
        let Some(file) = self.files.last_mut() else { return false };
        match line.as_bytes().first() {
            Some(b'+') if self.new_left > 0 => {
                self.new_left -= 1;
                file.added += 1;
            }
            Some(b'-') if self.old_left > 0 => {
                self.old_left -= 1;
                file.removed += 1;
            }
            // Some programs take the blank away that stands for "as it was".
            Some(b' ') | None if self.old_left > 0 && self.new_left > 0 => {
                self.old_left -= 1;
                self.new_left -= 1;
            }
            Some(b'\\') => {}
            Some(_) | None => {
                (self.old_left, self.new_left) = (0, 0);
                return false;
            }
        }
        true
    }

    fn begin(&mut self, path: String) {
        self.files.push(DiffFile { path, ..DiffFile::default() });
    }

    fn names(&mut self, old: &str, new: &str) {
        let (old, new) = (name(old, "a/"), name(new, "b/"));
        let Some(path) = new.or_else(|| old.clone()) else { return };
        let headed = std::mem::take(&mut self.headed);
        if !headed {
            self.begin(String::new());
        }
        if let Some(file) = self.files.last_mut() {
            file.old_path = old.filter(|old| *old != path);
            file.path = path;
        }
    }

    fn hunk(&mut self, ranges: &str) {
        let mut parts = ranges.split(' ');
        let read = |part: Option<&str>, sign: char| range(part?.strip_prefix(sign)?);
        let (Some(old), Some(new)) = (read(parts.next(), '-'), read(parts.next(), '+')) else { return };
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(Hunk { old, new });
            (self.old_left, self.new_left) = (old.1, new.1);
        }
    }
}

/// A line between the head of a file and its first hunk.
fn head_of(file: &mut DiffFile, line: &str) {
    if let Some(old) = line.strip_prefix("rename from ").or_else(|| line.strip_prefix("copy from ")) {
        file.old_path = Some(unquoted(old));
    } else if let Some(new) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
        file.path = unquoted(new);
    } else if line == "GIT binary patch" || (line.starts_with("Binary files ") && line.ends_with(" differ")) {
        file.binary = true;
    }
}

/// `12,3` or `12`, which is one line.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The name on a `---` or `+++` line; none for a file that is not there.
fn name(text: &str, prefix: &str) -> Option<String> {
    let path = unquoted(text);
    (path != "/dev/null").then(|| path.strip_prefix(prefix).unwrap_or(&path).to_owned())
}

/// The name of the file from `a/x b/x`: both halves are the same, unless lines that follow say otherwise.
fn git_name(names: &str) -> String {
    if names.starts_with('"') {
        let quoted = names.rsplit_once(" \"").map_or(names.to_owned(), |(_, last)| format!("\"{last}"));
        let path = unquoted(&quoted);
        return path.strip_prefix("b/").unwrap_or(&path).to_owned();
    }
    let half = names.len().saturating_sub(1) / 2;
    let last = names.get(half + 1..).unwrap_or(names);
    last.strip_prefix("b/").unwrap_or(last).to_owned()
}

/// A path without git's quotes (octal bytes for unusual letters), and without the tab and date that others append.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.trim_end().strip_suffix('"')) else {
        return text.split('\t').next().unwrap_or(text).to_owned();
    };
    let (mut bytes, mut rest) = (Vec::with_capacity(inner.len()), inner.as_bytes());
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = rest.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(byte);
            rest = &rest[3..];
        } else if let Some((&escaped, more)) = rest.split_first() {
            rest = more;
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            });
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean `{}`?", names.join("` or `")),
    }
}
