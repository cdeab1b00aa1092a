//! The hub's own copies of repositories, below its data directory: one *mirror* for each, private to the hub.
//!
//! ```text
//!  their objects ──(plain files, no links)──► borrowed ──(git fetch, every object checked)──► mirror
//!                                             for a moment                                     │ read by
//!  their objects ◄──(one pack)── bench: merge-tree, commit-tree ◄───────────────────────────────┘
//!                                for one merge
//! ```
//!
//! A tip is fetched once: `refs/seen/COMMIT` in the mirror says that it is there with all that belongs to it. So a look
//! at branches that did not move reads a few files and fetches nothing.
//!
//! *Time.* Each run of git has a limit that grows with how much there is to read. What takes longer than whoever waits
//! for it goes on as a job: the next one who asks joins it instead of beginning anew.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use tokio::sync::{OnceCell, watch};
use tokio::time::timeout;

use super::bare::{self, Scratch};
use super::borrow;
use super::merge_workspace::MergeWorkspace;
use super::plain;
use super::program::{Program, WITHIN};
use super::store::{Store, blocking};
use crate::actors::forge::error::{ForgeError, ForgeResult};

/// The folder of all of it, below the data directory.
const FOLDER: &str = "git";
/// For how long whoever asks waits for a job: less than one send of the outbox.
const WAITS: Duration = Duration::from_secs(20);
/// How much is fetched in a second at least, and how much is read of what is there, in bytes.
const FETCHED: u64 = 2 * 1024 * 1024;
const READ: u64 = 32 * 1024 * 1024;
/// With so many packs, the small ones become one; with so many tips, all but the newest are forgotten.
const MOST_PACKS: usize = 50;
const MOST_TIPS: usize = 500;

/// What comes of a job.
type Ended = Option<ForgeResult<()>>;

#[derive(Debug)]
pub(crate) struct Mirrors {
    /// The data directory; none for who only looks.
    data: Option<PathBuf>,
    program: OsString,
    /// Their folder, once it was made ready.
    ready: OnceCell<PathBuf>,
    /// What is being done, by what it is.
    jobs: watch::Sender<BTreeMap<String, watch::Receiver<Ended>>>,
    scratches: AtomicU64,
}

impl Mirrors {
    /// Below this data directory.
    pub(crate) fn new(data: Option<PathBuf>) -> Self {
        Self::run_by(OsString::from("git"), data)
    }

    /// The same with another program for git, as tests have it.
    pub(super) fn run_by(program: OsString, data: Option<PathBuf>) -> Self {
        let (ready, jobs, scratches) = (OnceCell::new(), watch::Sender::default(), AtomicU64::default());
        Self { data, program, ready, jobs, scratches }
    }

    pub(super) async fn version(&self) -> ForgeResult<String> {
        Program::at(&self.program, Path::new("/"), "").version().await
    }

    /// A place to merge these commits of a repository in, once the hub has all that belongs to them.
    pub(super) async fn bench(self: &Arc<Self>, store: &Store, tips: &[&str]) -> ForgeResult<MergeWorkspace> {
        let root = self.ready.get_or_try_init(|| self.make_ready()).await?;
        let mirror = root.join(mirror_of(store.place(), tips.first().unwrap_or(&"")));
        loop {
            let missing: Vec<String> =
                tips.iter().filter(|tip| !mirror.join(SEEN).join(tip).is_file()).map(|tip| (*tip).to_owned()).collect();
            if missing.is_empty() {
                break;
            }
            let fetch = Fetch { mirrors: Arc::clone(self), root: root.clone(), mirror: mirror.clone() };
            let (store, key) = (store.clone(), format!("fetch {}", mirror.display()));
            let fetched = self.finish(key, Box::pin(async move { fetch.run(&store, &missing).await }));
            match fetched.await {
                (true, ended) | (false, ended @ Err(ForgeError::Working(_))) => ended?,
                // Somebody else's, which may have been about other commits.
                (false, _) => {}
            }
        }
        let (scratch, objects) = (self.scratch(root), mirror.join("objects"));
        let like = tips.first().copied().unwrap_or_default().to_owned();
        let (scratch, within) = blocking(move || {
            let made = scratch.and_then(|scratch| {
                bare::write(scratch.path(), &like, Some(&objects))?;
                Ok((scratch, limit(size(&objects)?, READ)))
            });
            made.map_err(|error| unkept(&error))
        })
        .await?;
        let git = Program::at(&self.program, scratch.path(), store).within(within);
        Ok(MergeWorkspace { git, scratch, store: store.clone() })
    }

    /// Waits for a job of this name to end, and begins it where nobody did; whether it was begun here.
    pub(super) async fn finish(
        self: &Arc<Self>,
        name: String,
        work: BoxFuture<'static, ForgeResult<()>>,
    ) -> (bool, ForgeResult<()>) {
        let (ends, end) = watch::channel(None);
        let mut joined = None;
        self.jobs.send_if_modified(|jobs| {
            // One whose end was never told ended with its runtime.
            joined = jobs.get(&name).filter(|end| end.has_changed().is_ok() || end.borrow().is_some()).cloned();
            if joined.is_none() {
                jobs.insert(name.clone(), end.clone());
            }
            joined.is_none()
        });
        let begun = joined.is_none();
        if begun {
            let (mirrors, name) = (Arc::clone(self), name.clone());
            #[expect(clippy::disallowed_methods, reason = "it is held by who waits for it, and a repeat joins it")]
            tokio::spawn(async move {
                let ended = work.await;
                mirrors.jobs.send_modify(|jobs| drop(jobs.remove(&name)));
                ends.send_replace(Some(ended));
            });
        }
        let mut end = joined.unwrap_or(end);
        let waited = timeout(WAITS, end.wait_for(Option::is_some)).await;
        let ended = match waited {
            Ok(Ok(ended)) => ended.clone().unwrap_or(Ok(())),
            Ok(Err(_)) => Err(ForgeError::Unreachable("the hub's work with git ended early".to_owned())),
            Err(_) => Err(ForgeError::Working(format!(
                "the repository is large, and the hub still works on it with git ({}): it goes on, and whoever asks \
                 again in a minute waits for the rest",
                name.split(' ').next().unwrap_or_default()
            ))),
        };
        (begun, ended)
    }

    /// A folder for a moment.
    fn scratch(&self, root: &Path) -> io::Result<Scratch> {
        let number = self.scratches.fetch_add(1, Ordering::Relaxed);
        Scratch::made(root.join(format!("tmp/{number}")))
    }

    /// The folder of all mirrors, without what a hub left that crashed.
    async fn make_ready(&self) -> ForgeResult<PathBuf> {
        let data = self.data.clone();
        let data = data.ok_or_else(|| ForgeError::Off("there is no data directory to keep copies in".to_owned()))?;
        self.version().await?;
        blocking(move || {
            let made = || {
                bare::private(&data)?;
                let root = fs::canonicalize(&data)?.join(FOLDER);
                bare::private(&root)?;
                match fs::remove_dir_all(root.join("tmp")) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    Ok(()) | Err(_) => Ok(root),
                }
            };
            made().map_err(|error| unkept(&error))
        })
        .await
    }
}

/// Where a mirror says which tips it has.
const SEEN: &str = "refs/seen";

/// What a mirror is called: of which folder it is, and how long the names of objects are there.
fn mirror_of(place: &Path, tip: &str) -> String {
    let digest = Sha256::digest(place.as_os_str().as_encoded_bytes());
    let mut name = digest.iter().take(12).fold(String::new(), |mut name, byte| {
        // A text takes all that is written to it.
        let _ = write!(name, "{byte:02x}");
        name
    });
    name.push_str(if tip.len() > 40 { "-sha256.git" } else { ".git" });
    name
}

/// How long git may take over so many bytes, at so many a second.
fn limit(bytes: u64, rate: u64) -> Duration {
    WITHIN.saturating_add(Duration::from_secs(bytes / rate))
}

/// How large the packs among these objects are.
fn size(objects: &Path) -> io::Result<u64> {
    let entries = fs::read_dir(objects.join("pack"))?;
    entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

fn unkept(error: &io::Error) -> ForgeError {
    ForgeError::Unreachable(format!("the hub cannot keep a copy of the repository: {error}"))
}

struct Fetch {
    mirrors: Arc<Mirrors>,
    root: PathBuf,
    mirror: PathBuf,
}

impl Fetch {
    async fn run(&self, store: &Store, tips: &[String]) -> ForgeResult<()> {
        let scratch = self.mirrors.scratch(&self.root).map_err(|error| unkept(&error))?;
        let (objects, mirror, wanted) = (store.objects(), self.mirror.clone(), tips.to_vec());
        let (scratch, taken) = blocking(move || {
            let like = wanted.first().map_or("", String::as_str);
            let made = || {
                bare::write(&mirror, like, None)?;
                bare::write(scratch.path(), like, None)?;
                let taken = borrow::take(&objects?, &scratch.path().join("objects"))?;
                bare::private(&scratch.path().join("refs/tips"))?;
                for tip in &wanted {
                    fs::write(scratch.path().join("refs/tips").join(tip), format!("{tip}\n"))?;
                }
                Ok((scratch, taken))
            };
            made().map_err(|error: io::Error| unkept(&error))
        })
        .await?;
        let git = Program::at(&self.mirrors.program, &self.mirror, store).within(limit(taken.bytes, FETCHED));
        let from = scratch.path().display().to_string();
        let words = [
            "-c", "protocol.file.allow=always", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
            "--no-auto-maintenance", "--no-recurse-submodules", "--end-of-options", &from, "+refs/tips/*:refs/seen/*",
        ];
        let said = git.ask(&words).await?;
        let is_there = |tip: &String| self.mirror.join(SEEN).join(tip).is_file();
        if said.code != 0 || !tips.iter().all(is_there) {
            return Err(why_not(store).unwrap_or_else(|| git.refused(&said)));
        }
        if let Err(error) = self.tidy(&git, tips).await {
            tracing::warn!("the copy of `{store}` is not tidied, and grows slower: {error}");
        }
        Ok(())
    }

    /// Keeps a mirror from growing slow.
    async fn tidy(&self, git: &Program, tips: &[String]) -> ForgeResult<()> {
        let (mirror, kept) = (self.mirror.clone(), tips.to_vec());
        let packs = blocking(move || {
            let tidied = || {
                let seen = mirror.join(SEEN);
                if fs::read_dir(&seen)?.count() > MOST_TIPS {
                    let known: Vec<_> = fs::read_dir(&seen)?.collect::<Result<_, _>>()?;
                    let mut old = known.iter().filter(|tip| !kept.iter().any(|kept| tip.file_name() == kept.as_str()));
                    old.try_for_each(|tip| fs::remove_file(tip.path()))?;
                }
                Ok(fs::read_dir(mirror.join("objects/pack"))?.count() / 2)
            };
            tidied().map_err(|error: io::Error| unkept(&error))
        });
        if packs.await? > MOST_PACKS {
            git.done(&["repack", "--quiet", "--geometric=2", "-d"]).await?;
        }
        Ok(())
    }
}

/// What keeps a repository from being copied whole, where that is seen in its files.
fn why_not(store: &Store) -> Option<ForgeError> {
    let objects = store.objects().ok()?;
    let partial = plain::folder(&objects, "pack").ok().flatten().and_then(|packs| {
        let mut names = plain::names(packs).ok()?;
        names.any(|name| name.is_ok_and(|name| name.to_string_lossy().ends_with(".promisor"))).then_some(())
    });
    let words = match (store.is_shallow(), partial) {
        (true, _) => "is a shallow clone: `git fetch --unshallow` there",
        (false, Some(())) => "is a partial clone: `git fetch --refetch --no-filter` there",
        (false, None) => return None,
    };
    Some(ForgeError::Refused(format!("`{store}` {words}")))
}

#[cfg(test)]
mod tests;
