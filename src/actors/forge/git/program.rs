//! The program `git`, run in repositories that the hub made and in no other.
//!
//! `GIT_DIR` says which. It gets the variables that are named here, and reads no settings but those that the hub wrote
//! into that repository ([`super::bare`]). Every run ends: when its time is over, or when it has said more than
//! [`MOST`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use crate::actors::forge::error::{ForgeError, ForgeResult};
use crate::domain::text::shorten;

/// How long one run may take in a small repository.
pub(super) const WITHIN: Duration = Duration::from_secs(8);
/// The most that a run may say, in bytes, and the most of its complaints that is read.
const MOST: u64 = 8 * 1024 * 1024;
const MOST_COMPLAINTS: u64 = 64 * 1024;
/// How much of git's own words is repeated, in characters.
const WORDS: usize = 300;
/// The oldest release with `merge-tree --merge-base`.
const OLDEST: (u32, u32) = (2, 40);
/// All that git may know of its surroundings; beside it the `PATH`, to find its own parts.
const VARIABLES: [(&str, &str); 12] = [
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/dev/null"),
    ("LC_ALL", "C"),
    ("XDG_CONFIG_HOME", "/dev/null"),
];

/// Git in one repository of the hub's own.
#[derive(Debug, Clone)]
pub(super) struct Program {
    program: OsString,
    repository: PathBuf,
    /// Whose objects these are, for people.
    of: String,
    within: Duration,
}

/// The output and the exit code of one run of `git`.
#[derive(Debug)]
pub(super) struct GitOutput {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) complaint: String,
}

impl Program {
    /// In this repository, which holds objects of that one.
    pub(super) fn at(program: &OsString, repository: &Path, of: impl ToString) -> Self {
        Self { program: program.clone(), repository: repository.to_owned(), of: of.to_string(), within: WITHIN }
    }

    /// The same with so much time for each run.
    pub(super) fn within(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// Which release it is, as `2.47.3`. Fails when there is none, or it is too old.
    pub(super) async fn version(&self) -> ForgeResult<String> {
        let said = self.done(&["version"]).await?;
        let version = said.trim().trim_start_matches("git version ").split(' ').next().unwrap_or_default().to_owned();
        if is_new_enough(&version) {
            return Ok(version);
        }
        let (major, minor) = OLDEST;
        Err(ForgeError::Off(format!("git is {version} on this machine; pull requests need {major}.{minor} or later")))
    }

    /// What it said, whatever its exit code.
    pub(super) async fn ask(&self, words: &[&str]) -> ForgeResult<GitOutput> {
        self.run(words, "", &[]).await
    }

    /// What it said when it went well.
    pub(super) async fn done(&self, words: &[&str]) -> ForgeResult<String> {
        self.reads(words, "", &[]).await
    }

    /// The same with a text to read and variables to go by.
    pub(super) async fn reads(&self, words: &[&str], text: &str, variables: &[(&str, &str)]) -> ForgeResult<String> {
        let said = self.run(words, text, variables).await?;
        if said.code == 0 { Ok(said.out) } else { Err(self.refused(&said)) }
    }

    async fn run(&self, words: &[&str], text: &str, variables: &[(&str, &str)]) -> ForgeResult<GitOutput> {
        let mut command = Command::new(&self.program);
        command
            .arg("--no-pager")
            .args(words)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs(VARIABLES)
            .env("GIT_DIR", &self.repository)
            .envs(variables.iter().copied())
            .current_dir(&self.repository)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let broken = |error: std::io::Error| ForgeError::Unreachable(format!("git cannot be run: {error}"));
        let mut child = command.spawn().map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                return ForgeError::Off(
                    "there is no program `git` on the hub's PATH: install 2.40 or later".to_owned(),
                );
            }
            broken(error)
        })?;
        let (input, out, complaint) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feed = async {
            if let Some(mut input) = input {
                // One that ends early reads no more of it, and says why by its exit code.
                drop(input.write_all(text.as_bytes()).await);
            }
        };
        let work = async {
            let ((), out, complaint) = tokio::join!(feed, read(out, MOST), read(complaint, MOST_COMPLAINTS));
            Ok::<_, std::io::Error>((out?, complaint?, child.wait().await?))
        };
        let late = |_| ForgeError::Unreachable(format!("git took longer than {} s", self.within.as_secs()));
        let (out, complaint, status) = timeout(self.within, work).await.map_err(late)?.map_err(broken)?;
        if out.len() as u64 > MOST {
            return Err(ForgeError::Unreadable(format!("git says more than {} MiB", MOST / 1024 / 1024)));
        }
        let [out, complaint] = [out, complaint].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(GitOutput { code: status.code().unwrap_or(-1), out, complaint })
    }

    /// Its no, in words for people.
    pub(super) fn refused(&self, said: &GitOutput) -> ForgeError {
        let words: String = said.complaint.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        ForgeError::Refused(format!("git says of `{}`: {}", self.of, shorten(&words, WORDS)))
    }
}

/// All that comes, and a byte beyond the most where there is more.
async fn read(stream: Option<impl AsyncRead + Unpin>, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(most + 1).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= OLDEST
}

#[cfg(test)]
mod tests;
