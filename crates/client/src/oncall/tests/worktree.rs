//! Worktrees of a real repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::domain::ids::{RoleId, TaskId};
use crate::oncall::worktree::{Origin, Removal, Repository, Worktree};

const BRANCH: &str = "feature/ada/task0001";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=T", "-c", "user.email=t@example.org"]).args(arguments);
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with one commit, in a folder with a blank in its name.
async fn repository() -> (TempDir, Repository) {
    let folder = tempfile::Builder::new().prefix("re po").tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    commit(folder.path(), "first");
    let repository = Repository::of(folder.path()).await.unwrap();
    (folder, repository)
}

fn commit(folder: &Path, name: &str) {
    fs::write(folder.join(name), name).unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", name]);
}

fn ids() -> (RoleId, TaskId) {
    (RoleId::parse("ada").unwrap(), TaskId::parse("task0001").unwrap())
}

async fn prepare(repository: &Repository) -> Result<Worktree, String> {
    let (role, task) = ids();
    repository.prepare(&role, &task).await
}

async fn remove(repository: &Repository) -> Removal {
    let (role, task) = ids();
    repository.remove(&role, &task).await.unwrap()
}

fn why(removal: &Removal) -> &str {
    let Removal::Kept(why) = removal else { panic!("{removal:?}") };
    why
}

#[tokio::test]
async fn it_is_made_on_a_branch_of_its_own_and_the_workspace_stays_clean() {
    let (folder, repository) = repository().await;
    let made = prepare(&repository).await.unwrap();
    assert_eq!((made.origin, made.branch.as_str()), (Origin::Made, BRANCH));
    assert!(made.path.join("first").exists() && made.path.ends_with(".callboard/worktrees/ada-task0001"));
    assert_eq!(git(&made.path, &["branch", "--show-current"]).trim(), BRANCH);
    assert_eq!(git(folder.path(), &["status", "--porcelain"]), "");
    let other = TaskId::parse("task0002").unwrap();
    assert_eq!(repository.prepare(&ids().0, &other).await.unwrap().origin, Origin::Made);
}

#[tokio::test]
async fn it_is_used_again_with_all_that_is_in_it() {
    let (_folder, repository) = repository().await;
    let made = prepare(&repository).await.unwrap();
    assert_eq!(prepare(&repository).await.unwrap().origin, Origin::Reused { dirty: false });
    fs::write(made.path.join("new"), "kept").unwrap();
    assert_eq!(prepare(&repository).await.unwrap().origin, Origin::Reused { dirty: true });
    assert_eq!(fs::read_to_string(made.path.join("new")).unwrap(), "kept");
}

#[tokio::test]
async fn a_folder_that_was_deleted_is_made_anew_on_the_same_branch() {
    let (_folder, repository) = repository().await;
    let made = prepare(&repository).await.unwrap();
    commit(&made.path, "work");
    fs::remove_dir_all(&made.path).unwrap();
    assert_eq!(remove(&repository).await, Removal::Absent);
    assert_eq!(prepare(&repository).await.unwrap().origin, Origin::Made);
    assert!(made.path.join("work").exists(), "the commit is there");
}

#[tokio::test]
async fn what_stands_in_its_way_is_said_and_left() {
    let (folder, repository) = repository().await;
    git(folder.path(), &["switch", "--quiet", "-c", BRANCH]);
    let error = prepare(&repository).await.unwrap_err();
    assert!(error.starts_with(&format!("the branch `{BRANCH}` is checked out in `")), "{error}");
    git(folder.path(), &["switch", "--quiet", "main"]);

    let path = folder.path().join(".callboard/worktrees/ada-task0001");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("mine"), "").unwrap();
    let error = prepare(&repository).await.unwrap_err();
    assert!(error.ends_with("is in the way of a worktree, and is none itself; move it"), "{error}");
    assert!(path.join("mine").exists());
    fs::remove_dir_all(&path).unwrap();

    let made = prepare(&repository).await.unwrap();
    git(&made.path, &["switch", "--quiet", "-c", "elsewhere"]);
    let error = prepare(&repository).await.unwrap_err();
    assert!(error.ends_with(&format!("has elsewhere checked out; switch it to `{BRANCH}`")), "{error}");
    assert!(why(&remove(&repository).await).contains("has another branch checked out"));
}

#[tokio::test]
async fn it_is_removed_only_when_nothing_is_lost() {
    let (folder, repository) = repository().await;
    assert_eq!(remove(&repository).await, Removal::Absent);
    let made = prepare(&repository).await.unwrap();
    fs::write(made.path.join("work"), "").unwrap();
    assert!(why(&remove(&repository).await).ends_with("has changes that are not committed"));
    commit(&made.path, "work");
    assert_eq!(why(&remove(&repository).await), format!("`{BRANCH}` is not merged"));
    assert!(made.path.join("work").exists());
    git(folder.path(), &["merge", "--quiet", "--no-edit", BRANCH]);
    assert_eq!(remove(&repository).await, Removal::Removed);
    assert!(!made.path.exists());
    assert!(git(folder.path(), &["branch", "--list", BRANCH]).contains(BRANCH), "no branch is deleted");
}

#[tokio::test]
async fn a_person_throws_away_the_one_of_a_task_and_no_other() {
    let (folder, repository) = repository().await;
    let (task, other) = (ids().1, TaskId::parse("task0002").unwrap());
    let error = repository.discard(&task).await.unwrap_err();
    assert!(error.starts_with("task task0001 has no worktree in `"), "{error}");
    let made = prepare(&repository).await.unwrap();
    let kept = repository.prepare(&ids().0, &other).await.unwrap();
    commit(&made.path, "work");
    fs::write(made.path.join("more"), "").unwrap();
    assert!(why(&remove(&repository).await).ends_with("has changes that are not committed"));
    assert_eq!(repository.discard(&task).await.unwrap(), made.path);
    assert!(!made.path.exists() && kept.path.exists());
    assert_eq!(git(folder.path(), &["show", &format!("{BRANCH}:work")]), "work", "what was committed is there");
}

#[tokio::test]
async fn a_locked_one_is_kept() {
    let (folder, repository) = repository().await;
    let made = prepare(&repository).await.unwrap();
    git(folder.path(), &["worktree", "lock", made.path.to_str().unwrap()]);
    assert!(why(&remove(&repository).await).contains("locked"));
    assert!(made.path.exists());
}

#[tokio::test]
async fn settings_that_a_run_leaves_in_its_worktree_start_nothing() {
    let (folder, repository) = repository().await;
    let made = prepare(&repository).await.unwrap();
    let (own, started) = (made.path.join("own"), folder.path().join("started"));
    fs::create_dir_all(own.join("refs")).unwrap();
    fs::create_dir_all(own.join("objects")).unwrap();
    let settings = format!("[core]\n\tfsmonitor = \"touch '{}'; false\"\n", started.display());
    fs::write(own.join("config"), settings).unwrap();
    let private = git(&made.path, &["rev-parse", "--path-format=absolute", "--git-dir"]);
    fs::write(Path::new(private.trim()).join("commondir"), own.display().to_string()).unwrap();
    assert!(why(&remove(&repository).await).ends_with("has changes that are not committed"));
    assert!(!started.exists(), "its settings were read");
}

/// In a sandbox as in docs/on-call.md a run may write both.
#[tokio::test]
async fn settings_that_a_run_leaves_in_the_repository_start_nothing() {
    let (folder, repository) = repository().await;
    let worktree = prepare(&repository).await.unwrap();
    let marker = folder.path().join("started");
    let starts = format!("[core]\n\tfsmonitor = touch '{}'\n", marker.display());
    let own = folder.path().join(".git/worktrees/ada-task0001/config.worktree");
    git(folder.path(), &["config", "extensions.worktreeConfig", "true"]);
    fs::write(&own, &starts).unwrap();
    let removal = repository.remove(&ids().0, &ids().1).await;
    assert!(removal.unwrap_err().contains("config.worktree` are settings that nobody vouches for"));
    fs::remove_file(own).unwrap();

    let other = folder.path().join(".git/other");
    fs::create_dir_all(other.join("refs")).unwrap();
    fs::create_dir_all(other.join("objects")).unwrap();
    fs::write(other.join("config"), &starts).unwrap();
    fs::write(other.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(folder.path().join(".git/commondir"), "other").unwrap();
    let why = Repository::of(folder.path()).await.unwrap_err();
    assert!(why.contains(".git/commondir` names `") && why.ends_with("look who wrote it, and remove it"), "{why}");
    fs::remove_file(folder.path().join(".git/commondir")).unwrap();
    assert!(!marker.exists());
    assert!(Repository::of(&worktree.path).await.is_ok(), "a workspace may be a worktree itself");
}

#[tokio::test]
async fn what_is_no_repository_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repository::of(folder.path()).await.unwrap_err();
    assert!(error.contains("is no git repository, which `worktree: true` needs: "), "{error}");
}

#[tokio::test]
async fn what_git_says_is_told() {
    let (folder, repository) = repository().await;
    git(folder.path(), &["branch", "feature"]);
    let error = prepare(&repository).await.unwrap_err();
    assert!(error.starts_with("failed to make the worktree: ") && error.contains("'refs/heads/feature'"), "{error}");
}
