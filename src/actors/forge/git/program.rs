//! The program `git`, run so that nothing in a repository makes it run another program.
//!
//! A repository's own settings may name programs: hooks, a watcher of files, drivers that merge or show files, filters,
//! a pager, ways to fetch what is missing. Agents write in these repositories, and what they name would run with the
//! hub's rights. So each of them is overruled here, by settings of the command itself, which no file outdoes, and
//! replaced objects, attributes of a user and lazy fetches are off. What git refuses for safety (`safe.directory`)
//! stays refused.
//!
//! Every run ends: after [`WITHIN`], or when it has said more than [`MOST`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use crate::actors::forge::error::ForgeError;
use crate::domain::text::shorten;

/// How long one run may take.
const WITHIN: Duration = Duration::from_secs(8);
/// The most that a run may say, in bytes, and the most of its complaints that is read.
const MOST: u64 = 8 * 1024 * 1024;
const MOST_COMPLAINTS: u64 = 64 * 1024;
/// How much of git's own words is repeated, in characters.
const WORDS: usize = 300;
/// The oldest release with `merge-tree --merge-base`.
const OLDEST: (u32, u32) = (2, 40);
/// Variables of the hub's own that git gets: where programs are, and where a user's settings are.
const KEPT: [&str; 3] = ["PATH", "HOME", "XDG_CONFIG_HOME"];

/// What no file may set otherwise.
const OVERRULED: [(&str, &str); 17] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.quotePath", "false"),
    ("commit.gpgSign", "false"),
    ("diff.external", "false"),
    ("gc.auto", "0"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("merge.default", "text"),
    ("merge.renormalize", "false"),
    ("protocol.allow", "never"),
];

/// Git in one folder.
#[derive(Debug, Clone)]
pub(super) struct Program {
    folder: PathBuf,
    overruled: Vec<(String, String)>,
}

/// What a run said, and how it ended.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) code: i32,
    pub(super) out: String,
    complaint: String,
}

impl Program {
    /// In this folder, which is a whole path without links.
    pub(super) fn at(folder: &Path) -> Self {
        let overruled = OVERRULED.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Self { folder: folder.to_owned(), overruled }
    }

    /// The same, with the drivers that the settings name for single files: instead of them a program runs that merges
    /// nothing, so such a file conflicts when both sides changed it.
    pub(super) async fn without_drivers(mut self) -> Result<Self, ForgeError> {
        let named = self.ask(&["config", "--null", "--name-only", "--get-regexp", r"^merge\..*\.driver$"]).await?;
        let drivers = named.out.split('\0').filter(|key| !key.is_empty());
        self.overruled.extend(drivers.map(|key| (key.to_owned(), "false".to_owned())));
        Ok(self)
    }

    /// Which release it is, as `2.47.3`.
    ///
    /// # Errors
    /// When there is none, or it is too old.
    pub(super) async fn version(&self) -> Result<String, ForgeError> {
        let said = self.done(&["version"]).await?;
        let version = said.trim().trim_start_matches("git version ").split(' ').next().unwrap_or_default().to_owned();
        if is_new_enough(&version) {
            return Ok(version);
        }
        let (major, minor) = OLDEST;
        Err(ForgeError::Off(format!("git is {version} on this machine; pull requests need {major}.{minor} or later")))
    }

    /// What it said, whatever its exit code.
    pub(super) async fn ask(&self, words: &[&str]) -> Result<Said, ForgeError> {
        self.run(words, "", &[]).await
    }

    /// What it said when it went well.
    pub(super) async fn done(&self, words: &[&str]) -> Result<String, ForgeError> {
        let said = self.ask(words).await?;
        if said.code == 0 { Ok(said.out) } else { Err(said.refused(&self.folder)) }
    }

    /// The same with a text to read and variables to go by.
    pub(super) async fn reads(
        &self,
        words: &[&str],
        text: &str,
        variables: &[(&str, &str)],
    ) -> Result<String, ForgeError> {
        let said = self.run(words, text, variables).await?;
        if said.code == 0 { Ok(said.out) } else { Err(said.refused(&self.folder)) }
    }

    async fn run(&self, words: &[&str], text: &str, variables: &[(&str, &str)]) -> Result<Said, ForgeError> {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.folder)
            .args(["--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs"])
            .args(words)
            .env_clear()
            .envs(self.variables())
            .envs(variables.iter().copied())
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
        let late = |_| ForgeError::Unreachable(format!("git took longer than {} s", WITHIN.as_secs()));
        let (out, complaint, status) = timeout(WITHIN, work).await.map_err(late)?.map_err(broken)?;
        if out.len() as u64 > MOST {
            return Err(ForgeError::Unreadable(format!("git says more than {} MiB", MOST / 1024 / 1024)));
        }
        let [out, complaint] = [out, complaint].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Said { code: status.code().unwrap_or(-1), out, complaint })
    }

    /// All that it may know of its surroundings.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let kept = KEPT.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        let ceiling = self.folder.parent().unwrap_or(&self.folder).as_os_str().to_owned();
        let fixed = [
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_PAGER", "cat"),
        ];
        let fixed = fixed.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let settings = self.overruled.iter().enumerate().flat_map(|(at, (key, value))| {
            [
                (format!("GIT_CONFIG_KEY_{at}").into(), key.clone().into()),
                (format!("GIT_CONFIG_VALUE_{at}").into(), value.clone().into()),
            ]
        });
        // The folder itself is a repository, and none above it.
        let rest = [
            ("GIT_CEILING_DIRECTORIES".into(), ceiling),
            ("GIT_CONFIG_COUNT".into(), self.overruled.len().to_string().into()),
        ];
        kept.chain(fixed).chain(settings).chain(rest).collect()
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

impl Said {
    /// Its no, in words that say what to do where that is known.
    pub(super) fn refused(&self, folder: &Path) -> ForgeError {
        let folder = folder.display();
        let complaint = self.complaint.trim();
        if complaint.contains("dubious ownership") {
            return ForgeError::Refused(format!(
                "git does not trust `{folder}`, because it belongs to another user: whoever runs the hub types `git \
                 config --global --add safe.directory {folder}`"
            ));
        }
        if complaint.contains("not a git repository") {
            return ForgeError::Refused(format!("`{folder}` is no git repository"));
        }
        let words: String = complaint.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let words = shorten(&words, WORDS);
        // Somebody else is writing.
        if complaint.contains(".lock': File exists") {
            return ForgeError::Unreachable(format!("`{folder}` is locked: {words}"));
        }
        ForgeError::Refused(format!("git says in `{folder}`: {words}"))
    }
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= OLDEST
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn a_release_is_told_from_an_older_one() {
        for (version, fits) in [("2.40.0", true), ("2.47.3", true), ("3.0", true), ("2.39.5", false), ("1.99", false)] {
            assert_eq!(is_new_enough(version), fits, "{version}");
        }
        assert!(is_new_enough("2.41.0.windows.1") && !is_new_enough("") && !is_new_enough("next"));
    }
}
