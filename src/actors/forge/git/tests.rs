//! Real repositories in folders of their own: all ways to merge, what is refused, what is found after a crash, and what
//! must not run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

use super::{Git, Merge, Mirrors, Store};
use crate::actors::forge::{ForgeError, MergeOrder, Port as _};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    Branch, MergeMethod, PullChange, PullLook, PullRequest, PullSpec, PullState, Repository, Sizes,
};
use crate::domain::time::Timestamp;

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const ID: &str = "pr_abcdefgh";

/// A program `git` that writes down in which repository it is run, and which programs git starts.
fn watched(root: &Path) -> PathBuf {
    let (program, runs, trace) = (root.join("watched-git"), root.join("runs"), root.join("trace"));
    let text = format!(
        "#!/bin/sh\necho \"$GIT_DIR|$PWD\" >>'{}'\nGIT_TRACE2_EVENT='{}' exec git \"$@\"\n",
        runs.display(),
        trace.display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// A merge of what was looked at.
pub(super) fn order(method: MergeMethod, look: &PullLook) -> MergeOrder {
    let (head, base) = (look.seen.commit.clone().unwrap_or_default(), Branch::parse("main").unwrap());
    MergeOrder { method, head, base, fork: look.fork.clone() }
}

/// A bare repository, and a work tree of somebody who pushes to it.
pub(super) struct Stage {
    pub(super) root: TempDir,
    pub(super) git: Git,
}

impl Stage {
    /// With one commit on `main`, and one on `feature/login` that adds a line to a file of two.
    pub(super) fn new() -> Self {
        let root = TempDir::new().unwrap();
        let list = vec![format!("{}/*", root.path().canonicalize().unwrap().display())];
        let data = root.path().canonicalize().unwrap().join("data dir");
        let mirrors = Arc::new(Mirrors::run_by(watched(root.path()).into(), Some(data)));
        let stage = Self { git: Git::new(list, mirrors, Clock::starting_at(NOW)), root };
        stage.types(".", &["init", "--quiet", "--bare", "--initial-branch=main", "shop.git"]);
        stage.types(".", &["clone", "--quiet", "shop.git", "desk"]);
        stage.commits("main", "a.txt", "one\ntwo\n");
        stage.types("desk", &["checkout", "--quiet", "-b", "feature/login"]);
        stage.commits("feature/login", "a.txt", "one\ntwo\nthree\n");
        stage
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// What git says to whoever sits there.
    pub(super) fn types(&self, folder: &str, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.at(folder)).args(words);
        let nobody = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
        let who = [("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.org")];
        let and = [("GIT_COMMITTER_NAME", "Ann"), ("GIT_COMMITTER_EMAIL", "ann@example.org")];
        let output = command.envs(nobody).envs(who).envs(and).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Somebody commits a file on the branch that is checked out, and pushes it as this one.
    pub(super) fn commits(&self, branch: &str, file: &str, text: &str) {
        fs::write(self.at("desk").join(file), text).unwrap();
        self.types("desk", &["add", file]);
        self.types("desk", &["commit", "--quiet", "-m", &format!("Write {file}\n\nSo: it is")]);
        self.types("desk", &["push", "--quiet", "--force", "origin", &format!("HEAD:refs/heads/{branch}")]);
    }

    /// Somebody commits on `main` meanwhile.
    pub(super) fn commits_on_main(&self, file: &str, text: &str) {
        self.types("desk", &["fetch", "--quiet"]);
        self.types("desk", &["checkout", "--quiet", "-B", "main", "origin/main"]);
        self.commits("main", file, text);
        self.types("desk", &["checkout", "--quiet", "feature/login"]);
    }

    pub(super) fn spec(&self, head: &str) -> PullSpec {
        self.spec_in("shop.git", head)
    }

    pub(super) fn spec_in(&self, folder: &str, head: &str) -> PullSpec {
        PullSpec {
            repository: Repository::parse(self.at(folder).to_str().unwrap()).unwrap(),
            head: Branch::parse(head).unwrap(),
            base: None,
            title: "Add the login".to_owned(),
            body: String::new(),
            draft: false,
            work_item: None,
            role: None,
        }
    }

    pub(super) async fn opens(&self, spec: &PullSpec) -> Result<PullRequest, ForgeError> {
        let id = PullId::parse(ID).unwrap();
        let opened = self.git.open(&id, spec).await?;
        assert_eq!((opened.number, opened.url), (None, None));
        let mut pull = PullRequest::requested(id, None, spec, NOW);
        (pull.base, pull.place, pull.state) = (Some(opened.base), opened.place, PullState::Open);
        Ok(pull)
    }

    pub(super) async fn looks(&self, pull: &PullRequest) -> PullLook {
        self.git.look(pull).await.unwrap()
    }

    /// Git was run in repositories of the hub's own alone, and started nothing but parts of itself.
    pub(super) fn git_ran_alone(&self) {
        let runs = fs::read_to_string(self.at("runs")).unwrap();
        let own = self.at("data dir/git").display().to_string();
        for run in runs.lines().filter(|run| *run != "/|/") {
            let (repository, folder) = run.split_once('|').unwrap();
            assert!(repository.starts_with(&own) && folder.starts_with(&own), "git ran in {run}");
        }
        let trace = fs::read(self.at("trace")).unwrap();
        for line in String::from_utf8_lossy(&trace).lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            if event["event"] == "child_start" || event["event"] == "exec" {
                let program = event["argv"][0].as_str().unwrap_or_default();
                let is_part = program == "git" || program.starts_with(&format!("git-upload-pack '{own}/tmp/"));
                assert!(is_part && event["child_class"] != "hook", "{line}");
            }
        }
    }

    pub(super) fn main(&self) -> String {
        self.types("shop.git", &["rev-parse", "main"])
    }

    pub(super) fn file(&self) -> String {
        self.types("shop.git", &["cat-file", "blob", "main:a.txt"])
    }
}

pub(super) fn refusal(no: Result<impl std::fmt::Debug, ForgeError>) -> String {
    match no {
        Err(ForgeError::Refused(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::merge(MergeMethod::Merge, 2, "callboard", "Add the login")]
#[case::squash(MergeMethod::Squash, 1, "Ann", "Add the login")]
#[case::rebase(MergeMethod::Rebase, 1, "Ann", "Write a.txt")]
#[tokio::test]
async fn a_branch_is_merged_in_each_way_and_a_repeat_merges_nothing(
    #[case] method: MergeMethod,
    #[case] parents: usize,
    #[case] author: &str,
    #[case] subject: &str,
) {
    let stage = Stage::new();
    stage.commits("feature/login", "b.txt", "new\n");
    stage.commits("feature/login", "a.txt", "one\ntwo\nthree\nfour\n");
    stage.commits_on_main("c.txt", "meanwhile\n");
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    assert_eq!(pull.base.as_ref().map(Branch::as_str), Some("main"));
    let before = stage.looks(&pull).await;
    assert_eq!((before.seen.state, before.mergeable), (PullState::Open, Some(true)));
    assert_eq!(before.sizes, Sizes { commits: 3, files: 2, additions: 3, deletions: 0 });
    let work_tree = fs::read_to_string(stage.at("desk").join("a.txt")).unwrap();

    let seen = stage.git.merge(&pull, &order(method, &before)).await.unwrap();
    assert_eq!((seen.state, seen.title.as_str()), (PullState::Merged, "Add the login"));
    assert_eq!(stage.file(), "one\ntwo\nthree\nfour");
    assert_eq!(stage.types("shop.git", &["show", "main:c.txt"]), "meanwhile", "what others did stays");
    let told = stage.types("shop.git", &["log", "-1", "--format=%P%n%an %cn %cs%n%s%n%(trailers:only)", "main"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0].split(' ').count(), parents, "{told}");
    assert_eq!((lines[1], lines[2]), (format!("{author} callboard 2027-01-15").as_str(), subject));
    assert_eq!(lines.last(), Some(&"Callboard-Pull: pr_abcdefgh"), "{told}");
    assert_eq!(fs::read_to_string(stage.at("desk").join("a.txt")).unwrap(), work_tree);

    // The hub crashed before it wrote that down.
    let merged = stage.main();
    assert_eq!(stage.git.merge(&pull, &order(method, &before)).await.unwrap().state, PullState::Merged);
    assert_eq!(stage.main(), merged);
    assert_eq!(stage.looks(&pull).await.seen.state, PullState::Merged);
    stage.types("shop.git", &["branch", "-D", "feature/login"]);
    assert_eq!(stage.looks(&pull).await.seen.state, PullState::Merged, "its branch was put away");
    assert_eq!(stage.types("shop.git", &["fsck", "--strict", "--no-dangling"]), "");
}

#[tokio::test]
async fn a_conflict_names_its_files_and_nothing_moves() {
    let stage = Stage::new();
    stage.commits_on_main("a.txt", "zero\n");
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    assert_eq!(look.mergeable, Some(false));
    let before = stage.main();
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let no = refusal(stage.git.merge(&pull, &order(method, &look)).await);
        assert!(no.contains("conflicts with `main` in `a.txt`"), "{no}");
    }
    assert_eq!(stage.main(), before);
}

#[tokio::test]
async fn a_base_that_is_checked_out_a_head_that_moved_and_a_branch_of_merges_are_refused() {
    let stage = Stage::new();
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    stage.commits("feature/login", "b.txt", "unseen\n");
    let no = refusal(stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await);
    assert!(no.contains("moved on to"), "{no}");
    let look = stage.looks(&pull).await;
    stage.types("shop.git", &["worktree", "add", "--quiet", "../tree", "main"]);
    let no = refusal(stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await);
    assert!(no.contains("`main` is checked out in") && no.contains("/tree`"), "{no}");
    let trouble = stage.git.survey(&pull.repository).await.unwrap().troubles;
    assert!(trouble[0].contains("is checked out in"), "{trouble:?}");
    stage.types("shop.git", &["worktree", "remove", "../tree"]);
    // Somebody merged the base into the branch.
    stage.commits_on_main("c.txt", "meanwhile\n");
    stage.types("desk", &["merge", "--quiet", "--no-edit", "main"]);
    stage.types("desk", &["push", "--quiet", "origin", "HEAD:refs/heads/feature/login"]);
    let look = stage.looks(&pull).await;
    let no = refusal(stage.git.merge(&pull, &order(MergeMethod::Rebase, &look)).await);
    assert!(no.contains("holds merges"), "{no}");
    stage.git.merge(&pull, &order(MergeMethod::Squash, &look)).await.unwrap();
    assert_eq!(stage.types("shop.git", &["show", "main:b.txt"]), "unseen");
}

#[tokio::test]
async fn a_base_may_go_on_after_an_approval_and_not_back() {
    let stage = Stage::new();
    let before = stage.main();
    stage.commits_on_main("secret.txt", "taken out soon\n");
    stage.types("desk", &["rebase", "--quiet", "main"]);
    stage.commits("feature/login", "b.txt", "new\n");
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    let fork = look.fork.clone().unwrap();
    assert_eq!(fork, stage.main());
    stage.types("shop.git", &["update-ref", "refs/heads/main", &before]);
    assert!(!stage.git.base_holds(&pull, &fork).await.unwrap());
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let no = refusal(stage.git.merge(&pull, &order(method, &look)).await);
        assert!(no.contains("holds no more what it held when this was approved"), "{no}");
    }
    assert_eq!(stage.main(), before, "what was taken out stays out");
    stage.types("shop.git", &["update-ref", "refs/heads/main", &fork]);
    stage.commits_on_main("c.txt", "meanwhile\n");
    assert!(stage.git.base_holds(&pull, &fork).await.unwrap());
    stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await.unwrap();
    assert_eq!(stage.types("shop.git", &["show", "main:b.txt"]), "new");
}

#[tokio::test]
async fn what_the_base_has_already_is_left_out_of_a_rebase() {
    let stage = Stage::new();
    stage.commits("feature/login", "b.txt", "new\n");
    // The first of its two commits is on the base, as another commit.
    stage.commits_on_main("a.txt", "one\ntwo\nthree\n");
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    let before = stage.main();
    stage.git.merge(&pull, &order(MergeMethod::Rebase, &look)).await.unwrap();
    assert_eq!(stage.types("shop.git", &["rev-list", "--count", &format!("{before}..main")]), "1");
    assert_eq!(stage.types("shop.git", &["show", "main:b.txt"]), "new");
}

#[tokio::test]
async fn what_is_no_branch_ahead_of_its_base_is_not_opened() {
    let stage = Stage::new();
    let no = refusal(stage.opens(&stage.spec("nowhere")).await);
    assert!(no.contains("there is no branch `nowhere` in"), "{no}");
    let no = refusal(stage.opens(&stage.spec("main")).await);
    assert!(no.contains("nothing to merge"), "{no}");
    let spec = PullSpec { base: Some(Branch::parse("gone").unwrap()), ..stage.spec("feature/login") };
    assert!(refusal(stage.opens(&spec).await).contains("no branch `gone`"));
    stage.types("desk", &["checkout", "--quiet", "--orphan", "other"]);
    stage.commits("other", "a.txt", "else\n");
    assert!(refusal(stage.opens(&stage.spec("other")).await).contains("no commit in common"));
    // A work tree of somebody: what its remote says is merged into.
    stage.types("desk", &["checkout", "--quiet", "feature/login"]);
    stage.types("desk", &["branch", "--force", "trunk", "main"]);
    stage.types("desk", &["branch", "-D", "main"]);
    let no = refusal(stage.opens(&stage.spec_in("desk", "feature/login")).await);
    assert!(no.contains("name the base branch"), "{no}");
    stage.types("desk", &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    let pull = stage.opens(&stage.spec_in("desk", "feature/login")).await.unwrap();
    assert_eq!(pull.base.as_ref().map(Branch::as_str), Some("trunk"));
}

#[tokio::test]
async fn a_change_lives_in_the_hub_alone() {
    let stage = Stage::new();
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let change = PullChange { title: Some("Sign in".to_owned()), draft: Some(true), open: Some(false), body: None };
    let seen = stage.git.change(&pull, &change).await.unwrap();
    assert_eq!((seen.title.as_str(), seen.draft, seen.state), ("Sign in", true, PullState::Closed));
    let hint = stage.git.hint(&pull).unwrap();
    assert!(hint.contains("shop.git log main..feature/login`"), "{hint}");
    assert!(stage.git.who().await.unwrap().starts_with("git 2."));
}

#[rstest]
#[case("--upload-pack=touch")]
#[case("$(touch${IFS}ran)")]
#[case("a;touch-ran")]
#[case("it's")]
#[case("HEAD")]
#[case("refs/heads/main")]
#[case("größer/🛠")]
#[tokio::test]
async fn a_name_is_a_name_and_no_option(#[case] name: &str) {
    let stage = Stage::new();
    let Ok(head) = Branch::parse(name) else { return assert!(name.starts_with('-'), "{name}") };
    let whole = format!("refs/heads/{name}");
    stage.types("shop.git", &["update-ref", &whole, "refs/heads/feature/login"]);
    let spec = PullSpec { head, ..stage.spec("feature/login") };
    let pull = stage.opens(&spec).await.unwrap();
    let look = stage.looks(&pull).await;
    stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await.unwrap();
    assert_eq!(stage.file(), "one\ntwo\nthree");
    let hint = stage.git.hint(&pull).unwrap();
    let quoted = hint.contains('\'');
    assert_eq!(quoted, !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'), "{hint}");
}

#[tokio::test]
async fn no_program_that_a_repository_names_is_run() {
    let stage = Stage::new();
    stage.commits_on_main("a.txt", "zero\none\ntwo\n");
    let ran = stage.at("ran");
    let script = stage.at("evil");
    fs::write(&script, format!("#!/bin/sh\necho \"$0 $*\" >>{}\ncat >/dev/null\nexit 0\n", ran.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = script.to_str().unwrap();
    for key in [
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand",
        "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process", "gpg.program", "merge.evil.driver", "merge.a=b.driver", "trailer.evil.command",
        "uploadpack.packObjectsHook", "credential.helper",
    ] {
        stage.types("shop.git", &["config", key, evil]);
    }
    for (key, value) in [
        ("merge.default", "evil"),
        ("merge.renormalize", "true"),
        ("log.showSignature", "true"),
        ("commit.gpgSign", "true"),
        ("trailer.evil.ifexists", "add"),
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", &format!("ext::{evil}")),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
    ] {
        stage.types("shop.git", &["config", key, value]);
    }
    let all = "* merge=evil diff=evil filter=evil\n";
    fs::create_dir_all(stage.at("shop.git/info")).unwrap();
    fs::write(stage.at("shop.git/info/attributes"), all).unwrap();
    for hook in ["reference-transaction", "post-commit", "pre-commit", "update", "post-update", "pre-merge-commit"] {
        let hook = stage.at("shop.git/hooks").join(hook);
        fs::copy(&script, &hook).unwrap();
    }
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    assert_eq!(look.mergeable, Some(true), "their drivers merge nothing");
    stage.git.merge(&pull, &order(MergeMethod::Rebase, &look)).await.unwrap();
    assert_eq!(stage.looks(&pull).await.seen.state, PullState::Merged);
    assert_eq!(fs::read_to_string(&ran).unwrap_or_default(), "", "nothing ran");
    stage.git_ran_alone();
    assert_eq!(stage.file(), "zero\none\ntwo\nthree");
    // The script does run where nobody overrules it.
    stage.types("shop.git", &["update-ref", "refs/heads/x", "main"]);
    assert!(fs::read_to_string(&ran).unwrap().contains("reference-transaction"));
}

#[tokio::test]
async fn a_folder_is_judged_by_what_it_leads_to() {
    let stage = Stage::new();
    let elsewhere = TempDir::new().unwrap();
    let secret = elsewhere.path().canonicalize().unwrap().join("secret.git");
    let copied = Command::new("cp").arg("-r").arg(stage.at("shop.git")).arg(&secret).status().unwrap();
    assert!(copied.success());
    let link = |from: &Path, name: &str| std::os::unix::fs::symlink(from, stage.at(name)).unwrap();
    link(&secret, "link.git");
    let no = refusal(stage.opens(&stage.spec_in("link.git", "feature/login")).await);
    assert!(no.contains("leads to `") && no.contains("secret.git` and is not among forge.repositories"), "{no}");
    // A work tree whose branches lie elsewhere.
    fs::create_dir(stage.at("tree")).unwrap();
    fs::write(stage.at("tree/.git"), format!("gitdir: {}\n", secret.display())).unwrap();
    let no = refusal(stage.opens(&stage.spec_in("tree", "feature/login")).await);
    assert!(no.contains("keeps its branches in"), "{no}");
    // A link to what is allowed is as good as that.
    link(&stage.at("shop.git"), "same.git");
    stage.opens(&stage.spec_in("same.git", "feature/login")).await.unwrap();
    // No repository itself, although it lies in one.
    fs::create_dir(stage.at("desk/sub")).unwrap();
    let no = refusal(stage.opens(&stage.spec_in("desk/sub", "feature/login")).await);
    assert!(no.contains("is no git repository"), "{no}");
    assert!(refusal(stage.opens(&stage.spec_in("gone", "feature/login")).await).contains("there is no folder"));
    let named = PullSpec { repository: Repository::parse("acme/shop").unwrap(), ..stage.spec("x") };
    assert!(refusal(stage.opens(&named).await).contains("is no folder"));
    let none = Git::new(Vec::new(), Arc::clone(&stage.git.mirrors), Clock::starting_at(NOW));
    let no = refusal(none.open(&PullId::parse(ID).unwrap(), &stage.spec("feature/login")).await);
    assert!(no.contains("is not among forge.repositories"), "{no}");
}

#[tokio::test]
async fn a_base_that_moves_meanwhile_is_merged_into_again() {
    let stage = Stage::new();
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    let store = Store::open(&pull.repository, &stage.git.repositories).await.unwrap();
    let onto = stage.main();
    stage.commits_on_main("c.txt", "meanwhile\n");
    let base = pull.base.clone().unwrap();
    let head = look.seen.commit.clone().unwrap();
    let bench = stage.git.bench(&store, &onto, Some(&head)).await.unwrap();
    let merge = Merge { bench: &bench, pull: &pull, base: &base, onto, head, now: NOW };
    let later = merge.run(MergeMethod::Squash).await.unwrap_err();
    assert!(matches!(&later, ForgeError::Unreachable(why) if why.contains("moved while")), "{later}");
    stage.git.merge(&pull, &order(MergeMethod::Squash, &look)).await.unwrap();
    assert_eq!(stage.types("shop.git", &["show", "main:c.txt"]), "meanwhile");
}
