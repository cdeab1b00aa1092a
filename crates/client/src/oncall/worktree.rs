//! A git worktree for a task, on a branch of its own: made, used again, and removed only when nothing is lost.
//!
//! It lies in `.callboard/worktrees` below the top of the workspace, which git is told to leave alone by a file of the
//! folder itself. Nothing that was not committed is ever thrown away unless a person names its task, and no branch is
//! deleted.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use tokio::fs;
use tokio::process::Command;

use crate::domain::ids::{RoleId, TaskId};
use crate::domain::text;

/// Where worktrees lie, below the top of the workspace.
const WORKTREES: &str = ".callboard/worktrees";

/// A worktree as it is handed to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Worktree {
    pub(super) path: PathBuf,
    pub(super) branch: String,
    pub(super) origin: Origin,
}

/// Whether a worktree was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Made,
    /// An earlier run of the task left it.
    Reused {
        /// Whether it has changes that are not committed.
        dirty: bool,
    },
}

/// What became of a worktree that is not needed any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Removal {
    Removed,
    /// There is none.
    Absent,
    Kept(String),
}

#[derive(Debug, Clone)]
pub(super) struct Repository {
    top: PathBuf,
    /// Where its settings and hooks are. Git reads none that a worktree names: a run may write there what it likes, and
    /// what they name is started.
    common: PathBuf,
}

/// The tasks of one host whose worktrees are in use. It is held while one is made or removed, so that none is removed
/// under a run that has just begun.
#[expect(clippy::disallowed_types, reason = "held while git works, by tasks that do not otherwise speak")]
pub(super) type InUse = Arc<tokio::sync::Mutex<BTreeSet<TaskId>>>;

#[derive(Debug, Default, PartialEq, Eq)]
struct KnownWorktree {
    path: PathBuf,
    branch: Option<String>,
}

impl Repository {
    /// The repository of a folder. The error says: why there is none, or that its settings are elsewhere than in it.
    pub(super) async fn of(workspace: &Path) -> Result<Self, String> {
        let asked = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--git-dir"];
        let found = git(workspace, None, &asked).await.map_err(|why| {
            format!("`{}` is no git repository, which `worktree: true` needs: {why}", workspace.display())
        })?;
        let mut lines = found.lines().map(PathBuf::from);
        let (top, common) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let own = lines.next().unwrap_or_default();
        // A run may write into `.git`, and its `commondir` would have git read other settings and start what they name.
        if own != common && own.parent() != Some(common.join("worktrees").as_path()) {
            let file = own.join("commondir");
            return Err(format!(
                "`{}` names `{}` as the repository, which it is not: look who wrote it, and remove it",
                file.display(),
                common.display()
            ));
        }
        Ok(Self { top, common })
    }

    /// The worktree of a task, made where there is none. The error says: what is in its place, where its branch is
    /// checked out, or what git says.
    pub(super) async fn prepare(&self, role: &RoleId, task: &TaskId) -> Result<Worktree, String> {
        let (path, branch) = self.place(role, task);
        let known = self.known().await?;
        let is_there = fs::try_exists(&path).await.map_err(|error| cannot("look at", &path, &error))?;
        let here = known.iter().find(|known| known.path == path);
        if let Some(elsewhere) = known.iter().find(|known| known.branch.as_ref() == Some(&branch) && known.path != path)
        {
            let there = elsewhere.path.display();
            return Err(format!(
                "the branch `{branch}` is checked out in `{there}`; switch that folder to another one"
            ));
        }
        if is_there && let Some(here) = here {
            if here.branch.as_ref() != Some(&branch) {
                let has = here.branch.as_deref().unwrap_or("no branch");
                let place = path.display();
                return Err(format!("the worktree `{place}` has {has} checked out; switch it to `{branch}`"));
            }
            let dirty = self.changes(&path).await?;
            return Ok(Worktree { path, branch, origin: Origin::Reused { dirty } });
        }
        if is_there {
            let place = path.display();
            return Err(format!("`{place}` is in the way of a worktree, and is none itself; move it"));
        }
        self.hide().await?;
        let text = path.to_str().ok_or_else(|| format!("`{}` is no text", path.display()))?;
        let has_branch = self.has(&branch).await;
        // A worktree whose folder is gone is still known: forced, it is made anew in its place.
        let mut arguments = vec!["worktree", "add", "--quiet"];
        arguments.extend(here.map(|_| "--force"));
        arguments.extend(if has_branch { vec![text, &branch] } else { vec!["-b", &branch, text] });
        self.git(&self.top, &arguments).await.map_err(|why| format!("failed to make the worktree: {why}"))?;
        Ok(Worktree { path, branch, origin: Origin::Made })
    }

    /// Removes the worktree of a task, if it has no changes and its branch is merged into what the workspace has
    /// checked out, or into the default branch of `origin`.
    pub(super) async fn remove(&self, role: &RoleId, task: &TaskId) -> Result<Removal, String> {
        let (path, branch) = self.place(role, task);
        let known = self.known().await?;
        let Some(here) = known.iter().find(|known| known.path == path) else { return Ok(Removal::Absent) };
        self.remove_known(here, &branch).await
    }

    /// Removes each worktree of a task that may go, with what became of it.
    pub(super) async fn clean(&self) -> Result<Vec<(PathBuf, Removal)>, String> {
        let folder = self.top.join(WORKTREES);
        let mut cleaned = Vec::new();
        for known in self.known().await?.into_iter().filter(|known| known.path.starts_with(&folder)) {
            let removal = match known.branch.clone() {
                Some(branch) => self.remove_known(&known, &branch).await?,
                None => Removal::Kept(format!("`{}` has no branch checked out", known.path.display())),
            };
            cleaned.push((known.path, removal));
        }
        Ok(cleaned)
    }

    /// Removes the worktree of a task with all that is not committed there; returns where it was. Its branch stays. The
    /// error says: that there is none, or what git says.
    pub(super) async fn discard(&self, task: &TaskId) -> Result<PathBuf, String> {
        let (folder, end) = (self.top.join(WORKTREES), format!("-{task}"));
        let is_meant = |known: &KnownWorktree| {
            let name = known.path.file_name().unwrap_or_default().to_string_lossy();
            known.path.parent() == Some(folder.as_path()) && name.ends_with(&end)
        };
        let Some(known) = self.known().await?.into_iter().find(is_meant) else {
            return Err(format!("task {task} has no worktree in `{}`", folder.display()));
        };
        let text = known.path.to_str().ok_or_else(|| format!("`{}` is no text", known.path.display()))?;
        self.git(&self.top, &["worktree", "remove", "--force", text]).await?;
        Ok(known.path)
    }

    async fn remove_known(&self, here: &KnownWorktree, branch: &String) -> Result<Removal, String> {
        let path = &here.path;
        let (place, checked_out) = (path.display(), here.branch.as_ref());
        if !fs::try_exists(path).await.map_err(|error| cannot("look at", path, &error))? {
            return Ok(Removal::Absent);
        }
        if self.changes(path).await? {
            return Ok(Removal::Kept(format!("`{place}` has changes that are not committed")));
        }
        if checked_out != Some(branch) {
            return Ok(Removal::Kept(format!("`{place}` has another branch checked out than `{branch}`")));
        }
        if !self.is_merged(branch).await {
            return Ok(Removal::Kept(format!("`{branch}` is not merged")));
        }
        let text = path.to_str().unwrap_or_default();
        Ok(match self.git(&self.top, &["worktree", "remove", text]).await {
            Ok(_) => Removal::Removed,
            Err(why) => Removal::Kept(why),
        })
    }

    fn place(&self, role: &RoleId, task: &TaskId) -> (PathBuf, String) {
        let path = self.top.join(WORKTREES).join(format!("{role}-{task}"));
        (path, format!("feature/{role}/{task}"))
    }

    /// Makes the folder of all worktrees, which the repository takes no notice of.
    async fn hide(&self) -> Result<(), String> {
        let folder = self.top.join(".callboard");
        let ignore = folder.join(".gitignore");
        fs::create_dir_all(folder.join("worktrees")).await.map_err(|error| cannot("make", &folder, &error))?;
        match fs::OpenOptions::new().write(true).create_new(true).open(&ignore).await {
            Ok(_new) => fs::write(&ignore, "*\n").await.map_err(|error| cannot("write", &ignore, &error)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(cannot("write", &ignore, &error)),
        }
    }

    async fn known(&self) -> Result<Vec<KnownWorktree>, String> {
        self.git(&self.top, &["worktree", "list", "--porcelain", "-z"]).await.map(|list| worktrees(&list))
    }

    /// Whether a worktree has changes. The error says also that a run gave it settings of its own.
    async fn changes(&self, path: &Path) -> Result<bool, String> {
        let link = fs::read_to_string(path.join(".git")).await.unwrap_or_default();
        let own = Path::new(link.trim_end().strip_prefix("gitdir: ").unwrap_or_default()).join("config.worktree");
        if fs::try_exists(path.join(&own)).await.map_err(|error| cannot("look at", &own, &error))? {
            return Err(format!("`{}` are settings that nobody vouches for: look, and remove them", own.display()));
        }
        self.git(path, &["status", "--porcelain"]).await.map(|changes| !changes.is_empty())
    }

    async fn git(&self, folder: &Path, arguments: &[&str]) -> Result<String, String> {
        git(folder, Some(&self.common), arguments).await
    }

    async fn has(&self, branch: &str) -> bool {
        self.git(&self.top, &["show-ref", "--verify", "--quiet", &format!("refs/heads/{branch}")]).await.is_ok()
    }

    async fn is_merged(&self, branch: &str) -> bool {
        let branch = format!("refs/heads/{branch}");
        for into in ["HEAD", "refs/remotes/origin/HEAD"] {
            if self.git(&self.top, &["merge-base", "--is-ancestor", &branch, into]).await.is_ok() {
                return true;
            }
        }
        false
    }
}

/// What `git worktree list --porcelain -z` says: fields that end with NUL, and an empty one after each worktree.
fn worktrees(list: &str) -> Vec<KnownWorktree> {
    let mut known: Vec<KnownWorktree> = Vec::new();
    for field in list.split('\0') {
        match (field.split_once(' '), known.last_mut()) {
            (Some(("worktree", path)), _) => known.push(KnownWorktree { path: PathBuf::from(path), branch: None }),
            (Some(("branch", name)), Some(last)) => {
                last.branch = Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned());
            }
            _ => {}
        }
    }
    known
}

/// Runs git in a folder: in English, without questions, and with no repository but that of the folder.
async fn git(folder: &Path, common: Option<&Path>, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    command.envs(common.map(|common| ("GIT_COMMON_DIR", common)));
    let output = command.output().await.map_err(|error| format!("failed to start `git`: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = text::clean(&said, 2_000).text;
    Err(text::shorten(said.trim().trim_start_matches("fatal: "), 300))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("failed to {what} `{}`: {error}", path.display())
}
