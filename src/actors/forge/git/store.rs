//! A repository of others: where its branches and objects are kept, held open, and read as plain files.
//!
//! The path is opened once, and everything is reached from that descriptor, so a folder that is swapped for a link
//! leads nowhere else. Its settings are never read: what must be known of them is seen in its files.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use rustix::fs::{Access, AtFlags, FileType, accessat, readlinkat, statat};
use rustix::io::Errno;

use super::branches::{self, Named, Unmoved};
use super::plain;
use crate::actors::forge::error::{ForgeError, ForgeResult};
use crate::domain::pull::{Branch, Repository, is_allowed};

/// How long the file may be that says where a work tree's branches are kept, in bytes.
const LONGEST: u64 = 8_192;

/// A repository in which the hub may work. Cheap to clone; clones hold the same folder.
#[derive(Debug, Clone)]
pub(super) struct Store(Arc<Held>);

#[derive(Debug)]
struct Held {
    /// Its whole path, without links.
    path: PathBuf,
    /// That of the folder that keeps the branches: `.git`, itself, or that of another folder whose work tree it is.
    place: PathBuf,
    git: OwnedFd,
    /// Whether that one's `HEAD` is checked out somewhere.
    has_tree: bool,
}

impl Store {
    /// The one that is called so, where the list admits it and what it leads to: links lead elsewhere than they say,
    /// and so does the file `.git` of a work tree.
    pub(super) async fn open(repository: &Repository, list: &[String]) -> ForgeResult<Self> {
        let (repository, list) = (repository.clone(), list.to_vec());
        blocking(move || Self::opened(&repository, &list)).await
    }

    fn opened(repository: &Repository, list: &[String]) -> ForgeResult<Self> {
        let refused = |words: String| ForgeError::Refused(words);
        let Repository::Folder(named) = repository else {
            return Err(refused(format!(
                "`{repository}` is no folder: with forge.kind git a repository is the whole path of a folder"
            )));
        };
        let path =
            std::fs::canonicalize(named).map_err(|error| refused(format!("there is no folder `{named}`: {error}")))?;
        if !is_allowed(list, repository) || !admits(list, &path) {
            let leads =
                if path == Path::new(named) { String::new() } else { format!(" leads to `{}` and", path.display()) };
            return Err(refused(format!("`{named}`{leads} is not among forge.repositories")));
        }
        let unread = |error: io::Error| refused(format!("`{named}` cannot be read: {error}"));
        let at = plain::walk(&path).map_err(unread)?;
        let (place, git) = match plain::kind(&at, ".git").map_err(unread)? {
            None => (path.clone(), at),
            Some(FileType::Directory) => {
                let git = plain::folder(&at, ".git").map_err(unread)?;
                (path.join(".git"), git.ok_or_else(|| refused(format!("`{named}` changed meanwhile")))?)
            }
            Some(kind) => {
                let place = pointed(&at, kind).map_err(unread)?;
                let place = path.join(place.ok_or_else(|| refused(format!("`{named}` is no git repository")))?);
                let gone = |_| refused(format!("`{named}` is no git repository: `{}` is not there", place.display()));
                let place = std::fs::canonicalize(&place).map_err(gone)?;
                let place = kept_by(&place);
                let tree = place.parent().filter(|_| place.ends_with(".git"));
                if !admits(list, place) && !tree.is_some_and(|tree| admits(list, tree)) {
                    let elsewhere = place.display();
                    let words = format!("`{named}` keeps its branches in `{elsewhere}`, not among forge.repositories");
                    return Err(refused(words));
                }
                (place.to_owned(), plain::walk(place).map_err(unread)?)
            }
        };
        look_at(&git, named)?;
        let has_index = plain::kind(&git, "index").map_err(unread)?.is_some();
        let has_tree = has_index || place.ends_with(".git");
        Ok(Self(Arc::new(Held { path, place, git, has_tree })))
    }

    /// Where its branches are kept: the same for all work trees of one repository.
    pub(super) fn place(&self) -> &Path {
        &self.0.place
    }

    /// Which folder that is: its path, and of itself, its objects and its references the number on the disk and the
    /// moment when it was made, where the disk keeps that. A number alone is given anew to the next folder. Of the disk
    /// itself there is no name that stays the same when a machine starts anew.
    pub(super) fn mark(&self) -> ForgeResult<String> {
        let of = |folder: io::Result<OwnedFd>| {
            let about = File::from(folder?).metadata()?;
            let made = about.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
            Ok(format!("#{}@{}", about.ino(), made.as_nanos()))
        };
        let part = |name| plain::folder(&self.0.git, name)?.ok_or_else(|| ErrorKind::NotFound.into());
        let marks = [of(self.0.git.try_clone()), of(part("objects")), of(part("refs"))];
        let marks =
            marks.into_iter().collect::<io::Result<String>>().map_err(|error| said("the repository", &error))?;
        Ok(format!("{}{marks}", self.0.place.display()))
    }

    pub(super) fn objects(&self) -> io::Result<OwnedFd> {
        plain::folder(&self.0.git, "objects")?.ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// The commit that a branch ends in; none where there is no such branch.
    pub(super) async fn commit(&self, branch: &Branch) -> ForgeResult<Option<String>> {
        let name = reference(branch);
        self.read(move |git| branches::commit(git, &name).map_err(|error| said(&name, &error))).await
    }

    /// Whether a branch is only another name of one.
    pub(super) async fn is_alias(&self, branch: &Branch) -> ForgeResult<bool> {
        let name = reference(branch);
        let named = self.read(move |git| branches::named(git, &name).map_err(|error| said(&name, &error))).await?;
        Ok(matches!(named, Some(Named::Alias(_))))
    }

    /// What is merged into where nobody says otherwise: what the remote says, what a bare repository says, or `main` or
    /// `master`; the first that is a branch here.
    pub(super) async fn default_branch(&self) -> ForgeResult<Option<Branch>> {
        let bare = !self.0.has_tree;
        let names = self.read(move |git| {
            let alias = |name: &str, start: &str| match branches::named(git, name) {
                Ok(Some(Named::Alias(other))) => other.strip_prefix(start).map(str::to_owned),
                Ok(Some(Named::Commit(_)) | None) | Err(_) => None,
            };
            let origin = alias("refs/remotes/origin/HEAD", "refs/remotes/origin/");
            let own = alias("HEAD", "refs/heads/").filter(|_| bare);
            Ok(origin.into_iter().chain(own).chain(["main", "master"].map(str::to_owned)).collect::<Vec<_>>())
        });
        for name in names.await? {
            let Ok(branch) = Branch::parse(&name) else { continue };
            if self.commit(&branch).await?.is_some() {
                return Ok(Some(branch));
            }
        }
        Ok(None)
    }

    /// Where a branch is checked out; none where it is nowhere.
    pub(super) async fn checked_out(&self, branch: &Branch) -> ForgeResult<Option<String>> {
        let (name, held) = (reference(branch), Arc::clone(&self.0));
        self.read(move |git| held.checked_out(git, &name).map_err(|error| said("HEAD", &error))).await
    }

    /// Moves a branch, if it is where it was, and nobody has it checked out.
    pub(super) async fn swap(&self, branch: &Branch, from: &str, to: &str, line: String) -> ForgeResult<()> {
        let (name, from, to, held) = (reference(branch), from.to_owned(), to.to_owned(), Arc::clone(&self.0));
        self.read(move |git| {
            if let Some(path) = held.checked_out(git, &name).map_err(|error| said("HEAD", &error))? {
                return Err(ForgeError::Refused(self::held(&name, &path)));
            }
            branches::swap(git, &name, &from, &to, &line).map_err(|unmoved| match unmoved {
                Unmoved::Elsewhere => ForgeError::Unreachable(format!("`{name}` moved while it was merged into")),
                Unmoved::Locked => {
                    let words = format!("`{name}` is locked: somebody else moves it, or left `{name}.lock` behind");
                    ForgeError::Unreachable(words)
                }
                Unmoved::Failed(error) => unwritten(&name, &error),
            })
        })
        .await
    }

    /// Whether its history is cut off somewhere.
    pub(super) fn is_shallow(&self) -> bool {
        !matches!(plain::kind(&self.0.git, "shallow"), Ok(None))
    }

    /// Whether the hub may move branches there.
    pub(super) fn may_write(&self) -> bool {
        ["refs/heads", "objects"]
            .iter()
            .all(|name| accessat(&self.0.git, *name, Access::WRITE_OK, AtFlags::empty()).is_ok())
    }

    /// Reads its files, beside the threads that must not wait.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&OwnedFd) -> ForgeResult<T> + Send + 'static,
    ) -> ForgeResult<T> {
        let held = Arc::clone(&self.0);
        let found = blocking(move || work(&held.git)).await;
        let path = self.0.path.display();
        found.map_err(|error| match error {
            ForgeError::Refused(words) => ForgeError::Refused(format!("in `{path}` {words}")),
            ForgeError::Unreachable(words) => ForgeError::Unreachable(format!("in `{path}` {words}")),
            error @ (ForgeError::Off(_)
            | ForgeError::Working(_)
            | ForgeError::Limited { .. }
            | ForgeError::Unauthorized
            | ForgeError::Forbidden(_)
            | ForgeError::NotFound(_)
            | ForgeError::Replaced(_)
            | ForgeError::Unreadable(_)) => error,
        })
    }
}

impl Held {
    fn checked_out(&self, git: &OwnedFd, name: &str) -> io::Result<Option<String>> {
        let is_it =
            |of: &OwnedFd| Ok::<_, io::Error>(branches::named(of, "HEAD")? == Some(Named::Alias(name.to_owned())));
        if self.has_tree && is_it(git)? {
            let tree = self.place.parent().filter(|_| self.place.ends_with(".git")).unwrap_or(&self.place);
            return Ok(Some(tree.display().to_string()));
        }
        let Some(trees) = plain::folder(git, "worktrees")? else { return Ok(None) };
        for tree in plain::names(&trees)? {
            let Some(of) = plain::folder(&trees, tree?)? else { continue };
            if is_it(&of)? {
                let place = plain::text(&of, "gitdir", LONGEST)?.unwrap_or_default();
                return Ok(Some(place.trim_end().trim_end_matches("/.git").to_owned()));
            }
        }
        Ok(None)
    }
}

/// A branch's whole name.
pub(super) fn reference(branch: &Branch) -> String {
    format!("refs/heads/{branch}")
}

fn said(what: &str, error: &io::Error) -> ForgeError {
    ForgeError::Refused(format!("`{what}`: {error}"))
}

/// What a disk that takes nothing means: that may pass, unless the hub lacks the right.
pub(super) fn unwritten(what: &str, error: &io::Error) -> ForgeError {
    let words = format!("`{what}` cannot be written: {error}");
    let lacks_the_right = matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
    if lacks_the_right { ForgeError::Refused(words) } else { ForgeError::Unreachable(words) }
}

/// Why a branch stays where it is that somebody has checked out.
pub(super) fn held(branch: &str, path: &str) -> String {
    format!(
        "`{branch}` is checked out in `{path}`, and git moves no branch under a work tree: check out another branch \
         there, or let agents push to a bare repository"
    )
}

/// Runs what reads or writes files on a thread that may wait for a disk.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> ForgeResult<T> + Send + 'static,
) -> ForgeResult<T> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(ForgeError::Unreachable(format!("reading a repository ended: {error}"))))
}

/// Where the file or the link `.git` leads to.
fn pointed(at: &OwnedFd, kind: FileType) -> io::Result<Option<PathBuf>> {
    if kind == FileType::Symlink {
        let target = readlinkat(at, ".git", Vec::new())?;
        return Ok(Some(PathBuf::from(std::ffi::OsStr::from_bytes(target.to_bytes()))));
    }
    let text = plain::text(at, ".git", LONGEST)?.unwrap_or_default();
    Ok(text.strip_prefix("gitdir:").map(|path| PathBuf::from(path.trim())))
}

/// The folder that keeps the branches of one of its work trees.
fn kept_by(place: &Path) -> &Path {
    let trees = place.parent().filter(|trees| trees.ends_with("worktrees"));
    trees.and_then(Path::parent).unwrap_or(place)
}

/// Whether that is a repository, and one whose branches the hub can read.
fn look_at(git: &OwnedFd, named: &str) -> ForgeResult<()> {
    let unread = |error: io::Error| ForgeError::Refused(format!("`{named}` cannot be read: {error}"));
    let kind = |name: &str| plain::kind(git, name).map_err(unread);
    if kind("reftable")?.is_some() {
        return Err(ForgeError::Refused(format!(
            "`{named}` keeps its branches in reftables, which the hub does not read: `git refs migrate \
             --ref-format=files` there"
        )));
    }
    for (name, wanted) in
        [("HEAD", FileType::RegularFile), ("objects", FileType::Directory), ("refs", FileType::Directory)]
    {
        match kind(name)? {
            Some(found) if found == wanted => {}
            Some(FileType::Symlink) => {
                return Err(ForgeError::Refused(format!("`{name}` in `{named}` is a link, and the hub follows none")));
            }
            Some(_) | None => return Err(ForgeError::Refused(format!("`{named}` is no git repository"))),
        }
    }
    let info =
        plain::folder(git, "objects").and_then(|objects| objects.map_or(Ok(None), |all| plain::folder(all, "info")));
    let alternates = info.map_err(unread)?.map(|info| statat(info, "alternates", AtFlags::SYMLINK_NOFOLLOW));
    match alternates {
        None | Some(Err(Errno::NOENT)) => {}
        // What is never opened keeps nobody waiting.
        Some(Ok(found)) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile && found.st_size == 0 => {}
        Some(Ok(_) | Err(_)) => {
            return Err(ForgeError::Refused(format!(
                "`{named}` borrows objects from another repository (objects/info/alternates), and the hub follows no \
                 such way: `git repack -a -d` there, then remove that file"
            )));
        }
    }
    if kind("commondir")?.is_some() {
        let words = format!("`{named}` is a part of another repository: name that one");
        return Err(ForgeError::Refused(words));
    }
    Ok(())
}

fn admits(list: &[String], path: &Path) -> bool {
    let folder = path.to_str().and_then(|path| Repository::parse(path).ok());
    folder.is_some_and(|folder| is_allowed(list, &folder))
}

impl Display for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.path.display().fmt(f)
    }
}
