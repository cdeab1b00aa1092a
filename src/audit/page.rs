//! Reading the audit from its end: a page of the newest lines, through all files, in bounded memory and time.
//!
//! The files are read backwards, a piece at a time; what follows the last end of a line is still being written. A page
//! ends after [`LOOKED_AT`] lines, also where the filter admitted few of them, and says where the next one begins.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{FILE, set_aside};
use super::line;

/// The most lines that are looked at for one page.
const LOOKED_AT: usize = 50_000;

/// How much of a file is read at once, in bytes.
const PIECE: u64 = 64 * 1024;

/// The longest line that is read, in bytes; the writer's are far shorter.
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub limit: usize,
    /// With a lower number than this.
    pub before: Option<u64>,
    /// Of this action, as `token.create`, or of a family, as `token`.
    pub action: Option<String>,
    pub who: Option<String>,
}

/// A page of the audit, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditPage {
    pub items: Vec<AuditItem>,
    /// What `before` is on the next page; none on the last one.
    pub next: Option<u64>,
    /// How many lines do not fit their own hash, and are left out; `callboard audit verify` names the first of them.
    pub damaged: usize,
}

/// One line, without what chains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditItem {
    /// Its number, from 1, through all files.
    #[serde(alias = "n")]
    pub seq: u64,
    pub at: String,
    /// What: a type of event, or `token.create`, `request`, `tool`, `config.reload` and the like.
    pub action: String,
    /// `allowed`, `denied`, or `noted` where nobody asked.
    pub decision: String,
    /// By which rule: the code of a refusal, or how a question was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who: the principal, as the credential says; `nobody` without one.
    pub who: String,
    /// Through what: a surface.
    pub through: String,
    /// From which address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The request, as answers and logs name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// To what: a route, a tool, a task, a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl AuditFilter {
    fn admits(&self, item: &AuditItem) -> bool {
        let of = |family: &String| {
            item.action.strip_prefix(family.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.action.as_ref().is_none_or(of) && self.who.as_ref().is_none_or(|who| *who == item.who)
    }
}

impl AuditPage {
    /// The newest lines of a data directory's audit that the filter admits. Blocks while it reads.
    pub fn read(dir: &Path, filter: &AuditFilter) -> io::Result<Self> {
        let mut files = set_aside(dir)?;
        files.push(dir.join(FILE));
        let (mut page, mut looked) = (Self::default(), 0);
        for path in files.iter().rev() {
            let mut lines = match File::open(path) {
                Ok(file) => Backwards::of(file)?,
                // Set aside since it was listed, or not begun yet.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            while let Some(text) = lines.next_line()? {
                let Some(number) = number(&text) else {
                    page.damaged += 1;
                    continue;
                };
                if filter.before.is_some_and(|before| number >= before) {
                    continue;
                }
                if page.items.len() == filter.limit || looked == LOOKED_AT {
                    page.next = Some(number + 1);
                    return Ok(page);
                }
                looked += 1;
                match read(&text) {
                    Some(item) if filter.admits(&item) => page.items.push(item),
                    Some(_) => {}
                    None => page.damaged += 1,
                }
            }
        }
        Ok(page)
    }
}

/// The line, where it fits its own hash.
fn read(text: &str) -> Option<AuditItem> {
    line::read(text).ok()?;
    serde_json::from_str(text).ok()
}

/// The number of a line, which is its first field: most lines before a cursor are only counted past.
fn number(text: &str) -> Option<u64> {
    text.strip_prefix("{\"n\":")?.split(',').next()?.parse().ok()
}

/// The lines of a file, the last one first.
struct Backwards {
    file: File,
    /// Everything before this place is not read yet.
    unread: u64,
    /// What was read and not handed out; it ends with the end of a line.
    rest: Vec<u8>,
}

impl Backwards {
    fn of(mut file: File) -> io::Result<Self> {
        let unread = file.seek(SeekFrom::End(0))?;
        let mut lines = Self { file, unread, rest: Vec::new() };
        // What follows the last end of a line is being written.
        while !lines.rest.contains(&b'\n') && lines.rest.len() < LONGEST && lines.read_piece()? {}
        let whole = lines.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        lines.rest.truncate(whole);
        Ok(lines)
    }

    fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(end) = self.rest.len().checked_sub(1) else {
                if self.read_piece()? {
                    continue;
                }
                return Ok(None);
            };
            let begin = self.rest.get(..end).and_then(|text| text.iter().rposition(|byte| *byte == b'\n'));
            if begin.is_none() && end < LONGEST && self.read_piece()? {
                continue;
            }
            let line = self.rest.split_off(begin.map_or(0, |at| at + 1));
            return Ok(Some(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()));
        }
    }

    /// Reads what comes before; false at the beginning of the file.
    fn read_piece(&mut self) -> io::Result<bool> {
        if self.unread == 0 {
            return Ok(false);
        }
        let from = self.unread.saturating_sub(PIECE);
        self.file.seek(SeekFrom::Start(from))?;
        let mut piece = Vec::new();
        (&self.file).take(self.unread - from).read_to_end(&mut piece)?;
        piece.append(&mut self.rest);
        (self.rest, self.unread) = (piece, from);
        Ok(true)
    }
}
