//! Whether the lines hold each other, from the first file that is there to the last line.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::file::{FILE, set_aside};
use super::head::{self, Headed};
use super::line::{self, JOURNAL_RESTORED, NOTHING_BEFORE, TAIL_CHANGED, TAIL_MISSING};

/// An audit in which every line that is there fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sound {
    /// The number of the first line that is there: more than 1 where older files were taken elsewhere.
    pub first: u64,
    pub last: u64,
    /// The files, oldest first.
    pub files: Vec<PathBuf>,
    /// The hash of the last line: kept elsewhere, it shows that nobody has written all of it anew.
    pub hash: String,
    /// The last event of the journal that the audit has seen.
    pub journal: u64,
    /// The number of the line that the head names; without one nothing shows whether lines are gone from the end.
    pub head: Option<u64>,
    /// Lines that were written and are gone, or are not what was written: a sentence each.
    pub findings: Vec<String>,
}

/// The first line that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Error)]
#[error("line {line} of `{}` is broken: {why}", .file.display())]
pub struct Broken {
    pub file: PathBuf,
    /// Which line of it, from 1.
    pub line: usize,
    pub why: String,
}

#[derive(Debug, Error)]
pub enum VerifyError {
    /// There is no audit.
    #[error("there is no audit in `{}`", .0.display())]
    None(PathBuf),
    #[error("failed to read `{}`: {error}", .path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Broken(#[from] Broken),
}

struct Reached {
    first: u64,
    last: Option<line::Line>,
    head: Option<Headed>,
    findings: Vec<String>,
}

/// Reads every file of a data directory's audit. The error is the first line that is broken, or why they cannot be
/// read. Lines that are gone from the end stand in `findings`.
pub fn verify(dir: &Path) -> Result<Sound, VerifyError> {
    // Read before the lines: a hub that writes meanwhile only adds to them.
    let head = head::kept(dir);
    let mut files = set_aside(dir).map_err(|error| VerifyError::Read { path: dir.to_owned(), error })?;
    files.extend(Some(dir.join(FILE)).filter(|file| file.exists()));
    let mut reached = Reached { first: 1, last: None, head, findings: Vec::new() };
    for path in &files {
        read(path, &mut reached)?;
    }
    let Reached { first, last, head, mut findings } = reached;
    let head = head.map(|headed| headed.n);
    let Some(last) = last else {
        let Some(n) = head else { return Err(VerifyError::None(dir.to_owned())) };
        let why = format!("it and all before it are missing: the head names line {n} as the last one that was written");
        return Err(Broken { file: dir.join(FILE), line: 1, why }.into());
    };
    if let Some(n) = head.filter(|n| *n > last.n) {
        findings.push(format!("{} missing at the end: the head names line {n} as written", lines(last.n + 1, n)));
    }
    Ok(Sound { first, last: last.n, files, hash: last.hash, journal: last.journal, head, findings })
}

/// `line 3 is`, `lines 3 to 5 are`.
fn lines(from: u64, to: u64) -> String {
    if from == to { format!("line {from} is") } else { format!("lines {from} to {to} are") }
}

fn read(path: &Path, reached: &mut Reached) -> Result<(), VerifyError> {
    let fault = |error| VerifyError::Read { path: path.to_owned(), error };
    let mut lines = BufReader::new(File::open(path).map_err(fault)?);
    for number in 1.. {
        let mut bytes = Vec::new();
        if lines.read_until(b'\n', &mut bytes).map_err(fault)? == 0 {
            break;
        }
        let broken = |why: String| Broken { file: path.to_owned(), line: number, why };
        let text = String::from_utf8_lossy(&bytes);
        let Some(text) = text.strip_suffix('\n') else {
            let why = "it was cut off while it was written; the next start of the hub takes it away and says so";
            return Err(broken(why.to_owned()).into());
        };
        let line = line::read(text).map_err(&broken)?;
        follows(reached, &line).map_err(&broken)?;
        reached.last = Some(line);
    }
    Ok(())
}

/// Whether a line follows what was read so far. The first may begin anywhere: earlier files may be elsewhere.
fn follows(reached: &mut Reached, line: &line::Line) -> Result<(), String> {
    let head = reached.head.as_ref();
    if head.is_some_and(|headed| headed.n == line.n && headed.hash != line.hash) {
        reached.findings.push(format!("line {} is not the one that was written: the head names another", line.n));
    }
    if let (TAIL_CHANGED, Some(rule)) = (line.action.as_str(), &line.rule) {
        reached.findings.push(format!("line {} says: {rule}", line.n));
    }
    let Some(before) = &reached.last else {
        reached.first = line.n;
        let begins_well = line.n > 1 || line.prev == NOTHING_BEFORE;
        return if begins_well { Ok(()) } else { Err("it is the first, and names one before it".to_owned()) };
    };
    let tells_of_missing = line.action == TAIL_MISSING;
    if tells_of_missing && line.n > before.n + 1 {
        let missing = lines(before.n + 1, line.n - 1);
        reached.findings.push(format!("{missing} missing, as line {} says that was written behind them", line.n));
        return Ok(());
    }
    if line.n != before.n + 1 {
        return Err(format!("it is number {}, and follows number {}", line.n, before.n));
    }
    if line.prev != before.hash {
        return Err(format!("it does not follow number {} as that stands there now", before.n));
    }
    // Behind lines that were gone the journal was told again, and they may be back.
    if line.journal < before.journal && !tells_of_missing && line.action != JOURNAL_RESTORED {
        return Err(format!("it goes back from event {} to event {}", before.journal, line.journal));
    }
    Ok(())
}
