//! Repositories that want a program run, somebody else's objects read, or somebody else's branch moved. What is true of
//! all of them: git never has their folder as its own, and no program runs but git.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::tests::{Stage, order, refusal};
use crate::actors::forge::{ForgeError, Port as _};
use crate::domain::pull::{MergeMethod, PullState};

/// A program that leaves a note when it is run.
struct Evil {
    script: PathBuf,
    ran: PathBuf,
}

impl Evil {
    fn beside(stage: &Stage) -> Self {
        let (script, ran) = (stage.at("evil"), stage.at("ran"));
        fs::write(&script, format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\nexit 0\n", ran.display())).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { script, ran }
    }

    fn never_ran(&self) {
        assert_eq!(fs::read_to_string(&self.ran).unwrap_or_default(), "", "a program of the repository ran");
    }

    /// Settings with a driver whose name holds a byte that is no UTF-8.
    fn driver(&self) -> Vec<u8> {
        let mut text = b"[merge \"e\xff\"]\n\tdriver = ".to_vec();
        text.extend_from_slice(self.script.to_str().unwrap().as_bytes());
        text.extend_from_slice(b" %A\n");
        text
    }
}

/// Every file goes by that driver.
const ALL: &[u8] = b"* merge=e\xff\n";

fn appends(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// Both sides changed one file, in ways that go together.
fn both_changed() -> Stage {
    let stage = Stage::new();
    stage.commits_on_main("a.txt", "zero\none\ntwo\n");
    stage
}

#[tokio::test]
async fn a_driver_whose_name_is_no_text_is_not_run() {
    let stage = both_changed();
    let evil = Evil::beside(&stage);
    appends(&stage.at("shop.git/config"), &evil.driver());
    appends(&stage.at("shop.git/info/attributes"), ALL);
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    evil.never_ran();
    assert_eq!(look.mergeable, Some(true), "their attributes count for nothing");
    stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await.unwrap();
    evil.never_ran();
    assert_eq!(stage.file(), "zero\none\ntwo\nthree");
    stage.git_ran_alone();
}

#[tokio::test]
async fn a_look_at_a_work_tree_with_attributes_runs_nothing() {
    let stage = both_changed();
    let evil = Evil::beside(&stage);
    stage.types("desk", &["branch", "--force", "main", "origin/main"]);
    appends(&stage.at("desk/.git/config"), &evil.driver());
    appends(&stage.at("desk/.gitattributes"), ALL);
    let pull = stage.opens(&stage.spec_in("desk", "feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    evil.never_ran();
    assert_eq!(look.mergeable, Some(true));
    stage.git.merge(&pull, &order(MergeMethod::Squash, &look)).await.unwrap();
    evil.never_ran();
    assert_eq!(stage.types("desk", &["show", "main:a.txt"]), "zero\none\ntwo\nthree");
    stage.git_ran_alone();
}

#[tokio::test]
async fn settings_that_change_meanwhile_change_nothing() {
    let stage = both_changed();
    let evil = Evil::beside(&stage);
    let config = stage.at("shop.git/config");
    let harmless = fs::read(&config).unwrap();
    let driver = format!("[merge \"evil\"]\n\tdriver = {} %A\n", evil.script.display());
    appends(&stage.at("shop.git/info/attributes"), b"* merge=evil\n");
    let on = Arc::new(AtomicBool::new(true));
    let toggles = std::thread::spawn({
        let (on, whole, next) = (Arc::clone(&on), [harmless.clone(), driver.into_bytes()].concat(), stage.at("next"));
        move || {
            for text in [&whole, &harmless].into_iter().cycle().take_while(|_| on.load(Ordering::Relaxed)) {
                fs::write(&next, text).unwrap();
                fs::rename(&next, &config).unwrap();
            }
        }
    });
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    for _ in 0..12 {
        assert_eq!(stage.looks(&pull).await.mergeable, Some(true));
    }
    on.store(false, Ordering::Relaxed);
    toggles.join().unwrap();
    evil.never_ran();
    stage.git_ran_alone();
}

#[tokio::test]
async fn a_pipe_in_the_place_of_any_file_keeps_nobody_waiting() {
    let stage = Stage::new();
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(stage.at("shop.git").join(name)).status().unwrap();
        assert!(made.success());
    };
    pipe("settings");
    appends(&stage.at("shop.git/config"), b"[include]\n\tpath = settings\n");
    pipe("info/attributes");
    pipe("objects/info/alternates");
    let no = refusal(stage.opens(&stage.spec("feature/login")).await);
    assert!(no.contains("objects/info/alternates"), "{no}");
    fs::remove_file(stage.at("shop.git/objects/info/alternates")).unwrap();
    pipe("objects/pack/pack-0123456789012345678901234567890123456789.pack");
    pipe("objects/pack/pack-0123456789012345678901234567890123456789.idx");
    pipe("shallow");
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await.unwrap();
    pipe("refs/heads/stuck");
    let no = refusal(stage.opens(&stage.spec("stuck")).await);
    assert!(no.contains("`refs/heads/stuck`") && no.contains("is no plain file"), "{no}");
    fs::remove_file(stage.at("shop.git/HEAD")).unwrap();
    pipe("HEAD");
    refusal(stage.opens(&stage.spec("feature/login")).await);
    stage.git_ran_alone();
}

#[tokio::test]
async fn a_folder_that_is_swapped_within_one_merge_moves_no_branch_elsewhere() {
    let stage = Stage::new();
    let elsewhere = TempDir::new().unwrap();
    let secret = elsewhere.path().canonicalize().unwrap().join("secret.git");
    let copied = Command::new("cp").arg("-r").arg(stage.at("shop.git")).arg(&secret).status().unwrap();
    assert!(copied.success());
    let of_secret = || Command::new("git").arg("-C").arg(&secret).args(["rev-parse", "main"]).output().unwrap().stdout;
    let before = of_secret();
    stage.types(".", &["clone", "--quiet", "--bare", "shop.git", "tree/.git"]);
    let pull = stage.opens(&stage.spec_in("tree", "feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    let on = Arc::new(AtomicBool::new(true));
    let swaps = std::thread::spawn({
        let (on, git, to) = (Arc::clone(&on), stage.at("tree/.git"), secret.clone());
        let (aside, link) = (stage.at("aside"), stage.at("link"));
        move || {
            while on.load(Ordering::Relaxed) {
                symlink(&to, &link).unwrap();
                fs::rename(&git, &aside).unwrap();
                fs::rename(&link, &git).unwrap();
                fs::remove_file(&git).unwrap();
                fs::rename(&aside, &git).unwrap();
            }
        }
    });
    for _ in 0..40 {
        let merged = stage.git.merge(&pull, &order(MergeMethod::Squash, &look)).await;
        if of_secret() != before || merged.is_ok_and(|seen| seen.state == PullState::Merged) {
            break;
        }
    }
    on.store(false, Ordering::Relaxed);
    swaps.join().unwrap();
    assert_eq!(of_secret(), before, "a branch of a repository that is not on the list moved");
    stage.git_ran_alone();
}

#[tokio::test]
async fn another_repository_in_the_place_of_the_one_that_was_approved_is_not_merged_into_and_not_believed() {
    let stage = Stage::new();
    let copies = |from: &str, to: &str| {
        let copied = Command::new("cp").arg("-r").arg(stage.at(from)).arg(stage.at(to)).status().unwrap();
        assert!(copied.success());
    };
    copies("shop.git", "other.git");
    // A link that is on the list leads to another repository that is on it, too.
    symlink(stage.at("shop.git"), stage.at("named.git")).unwrap();
    let pull = stage.opens(&stage.spec_in("named.git", "feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    assert_eq!(look.seen.place, pull.place);
    fs::remove_file(stage.at("named.git")).unwrap();
    symlink(stage.at("other.git"), stage.at("named.git")).unwrap();
    let before = stage.types("other.git", &["rev-parse", "main"]);
    let replaced = |no: Result<(), ForgeError>| {
        assert!(matches!(&no, Err(error) if error.code() == "REPOSITORY_CHANGED"), "{no:?}");
    };
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        replaced(stage.git.merge(&pull, &order(method, &look)).await.map(drop));
    }
    assert_eq!(stage.types("other.git", &["rev-parse", "main"]), before);
    fs::remove_file(stage.at("named.git")).unwrap();
    symlink(stage.at("shop.git"), stage.at("named.git")).unwrap();
    assert_eq!(stage.looks(&pull).await.seen, look.seen, "it is the first one again");

    // Under the same path: one in which it looks merged.
    stage.types(".", &["clone", "--quiet", "--bare", "shop.git", "tree/.git"]);
    let pull = stage.opens(&stage.spec_in("tree", "feature/login")).await.unwrap();
    fs::rename(stage.at("tree/.git"), stage.at("aside")).unwrap();
    copies("other.git", "tree/.git");
    stage.types("tree/.git", &["update-ref", "refs/heads/main", "feature/login"]);
    replaced(stage.git.look(&pull).await.map(drop));
    replaced(stage.git.diff(&pull, &look.seen.commit.unwrap()).await.map(drop));
    fs::remove_dir_all(stage.at("tree/.git")).unwrap();
    fs::rename(stage.at("aside"), stage.at("tree/.git")).unwrap();
    assert_eq!(stage.looks(&pull).await.seen.state, PullState::Open);
    stage.git_ran_alone();
}

#[tokio::test]
async fn a_copy_in_the_place_of_a_deleted_repository_is_another_one_also_under_its_number() {
    let stage = Stage::new();
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    for _ in 0..4 {
        fs::rename(stage.at("shop.git"), stage.at("aside")).unwrap();
        let copied = Command::new("cp").arg("-a").arg(stage.at("aside")).arg(stage.at("copy")).status().unwrap();
        assert!(copied.success());
        fs::remove_dir_all(stage.at("aside")).unwrap();
        let copied = Command::new("cp").arg("-a").arg(stage.at("copy")).arg(stage.at("shop.git")).status().unwrap();
        assert!(copied.success());
        fs::remove_dir_all(stage.at("copy")).unwrap();
        let no = stage.git.merge(&pull, &order(MergeMethod::Merge, &look)).await.map(drop);
        assert!(matches!(&no, Err(error) if error.code() == "REPOSITORY_CHANGED"), "{no:?}");
    }
}

#[tokio::test]
async fn objects_of_others_are_refused_also_where_none_of_them_is_needed() {
    let stage = Stage::new();
    let alternates = stage.at("shop.git/objects/info/alternates");
    for objects in [stage.at("desk/.git/objects"), stage.at("nowhere")] {
        fs::write(&alternates, format!("{}\n", objects.display())).unwrap();
        let no = refusal(stage.opens(&stage.spec("feature/login")).await);
        assert!(no.contains("objects/info/alternates") && no.contains("git repack -a -d"), "{no}");
    }
    fs::write(&alternates, "").unwrap();
    stage.opens(&stage.spec("feature/login")).await.unwrap();
    fs::remove_file(&alternates).unwrap();
    symlink(stage.at("desk/HEAD"), &alternates).unwrap();
    refusal(stage.opens(&stage.spec("feature/login")).await);
}

#[tokio::test]
async fn what_another_repository_holds_is_not_read_by_the_way_of_this_one() {
    let stage = Stage::new();
    let elsewhere = TempDir::new().unwrap();
    let secret = elsewhere.path().canonicalize().unwrap().join("secret");
    stage.types(".", &["clone", "--quiet", "shop.git", secret.to_str().unwrap()]);
    fs::write(secret.join("password"), "hunter2\n").unwrap();
    for words in [&["add", "password"][..], &["commit", "--quiet", "-m", "Hide it"], &["repack", "-adq"]] {
        stage.types(secret.to_str().unwrap(), words);
    }
    let tip = stage.types(secret.to_str().unwrap(), &["rev-parse", "HEAD"]);
    let objects = secret.join(".git/objects");
    fs::write(stage.at("shop.git/refs/heads/stolen"), format!("{tip}\n")).unwrap();
    // By another's objects, and by links to its packs.
    fs::write(stage.at("shop.git/objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
    let no = refusal(stage.opens(&stage.spec("stolen")).await);
    assert!(no.contains("objects/info/alternates"), "{no}");
    fs::remove_file(stage.at("shop.git/objects/info/alternates")).unwrap();
    for entry in fs::read_dir(objects.join("pack")).unwrap() {
        let path = entry.unwrap().path();
        symlink(&path, stage.at("shop.git/objects/pack").join(path.file_name().unwrap())).unwrap();
    }
    refusal(stage.opens(&stage.spec("stolen")).await);
    // A whole folder of objects that is a link.
    fs::rename(stage.at("shop.git/objects"), stage.at("objects")).unwrap();
    symlink(&objects, stage.at("shop.git/objects")).unwrap();
    refusal(stage.opens(&stage.spec("stolen")).await);
    stage.git_ran_alone();
}

#[tokio::test]
async fn an_object_that_is_not_what_its_name_says_is_refused_and_replacements_count_for_nothing() {
    let stage = Stage::new();
    // What people are shown of the branch is another commit.
    let (head, main) = (stage.types("shop.git", &["rev-parse", "feature/login"]), stage.main());
    stage.types("shop.git", &["update-ref", &format!("refs/replace/{head}"), &main]);
    appends(&stage.at("shop.git/info/grafts"), format!("{head}\n").as_bytes());
    let pull = stage.opens(&stage.spec("feature/login")).await.unwrap();
    let look = stage.looks(&pull).await;
    assert_eq!((look.seen.commit, look.sizes.commits, look.sizes.additions), (Some(head), 1, 1));
    // A file's object with another file's bytes.
    stage.types("desk", &["checkout", "--quiet", "-b", "lies", "origin/main"]);
    stage.commits("lies", "b.txt", "what was reviewed\n");
    let [good, bad] = ["b.txt", "a.txt"].map(|name| stage.types("desk", &["rev-parse", &format!("HEAD:{name}")]));
    let of = |hash: &str| stage.at("shop.git/objects").join(&hash[..2]).join(&hash[2..]);
    fs::remove_file(of(&good)).unwrap();
    fs::copy(of(&bad), of(&good)).unwrap();
    refusal(stage.opens(&stage.spec("lies")).await);
    stage.git_ran_alone();
}

#[tokio::test]
async fn branches_that_lie_in_another_way_than_files_are_refused_with_what_to_do() {
    let stage = Stage::new();
    let words = ["init", "--quiet", "--bare", "--ref-format=reftable", "tables.git"];
    let made = Command::new("git").arg("-C").arg(stage.at(".")).args(words).status().unwrap();
    if made.success() {
        let no = refusal(stage.opens(&stage.spec_in("tables.git", "feature/login")).await);
        assert!(no.contains("reftable"), "{no}");
    }
    fs::remove_file(stage.at("shop.git/refs/heads/feature/login")).unwrap();
    symlink(stage.at("shop.git/refs/heads/main"), stage.at("shop.git/refs/heads/feature/login")).unwrap();
    let no = refusal(stage.opens(&stage.spec("feature/login")).await);
    assert!(no.contains("`refs/heads/feature/login`"), "{no}");
}
