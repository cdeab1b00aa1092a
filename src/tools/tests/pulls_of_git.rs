//! From an agent's branch to a merge where there is no forge: with a real repository on disk.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::fixture::ToolFixture;
use crate::actors::forge::Forge;
use crate::settings::ForgeKind;

/// A bare repository with `main`, and `feature/login` one commit ahead.
fn repository(root: &Path) {
    let types = |folder: &str, words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(root.join(folder)).args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]);
        assert!(command.args(words).status().unwrap().success(), "{words:?}");
    };
    types(".", &["init", "--quiet", "--bare", "--initial-branch=main", "shop.git"]);
    types(".", &["clone", "--quiet", "shop.git", "desk"]);
    types("desk", &["commit", "--quiet", "--allow-empty", "-m", "Begin"]);
    types("desk", &["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    std::fs::write(root.join("desk/login.txt"), "user\npassword\n").unwrap();
    types("desk", &["add", "login.txt"]);
    types("desk", &["commit", "--quiet", "-m", "Sign people in"]);
    types("desk", &["push", "--quiet", "origin", "HEAD:refs/heads/feature/login"]);
}

#[tokio::test]
async fn a_branch_of_a_folder_is_opened_looked_at_and_merged_by_the_same_verbs() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    repository(&root);
    let desk = ToolFixture::beside(Forge::default().keeping(&root.join("hub")), |settings| {
        settings.hub.forge.kind = ForgeKind::Git;
        settings.hub.forge.repositories = vec![format!("{}/*", root.display())];
        settings.roles.roles.values_mut().for_each(|role| role.merge.require_approval = false);
    })
    .await;
    let shop = root.join("shop.git");
    let workspace = json!({"role": "full-stack-engineer", "workspace": {"repo": shop, "branch": "feature/login"}});
    let ann = desk.agent_with("ann", workspace).await;
    let opened = desk.call(&ann, "create_pr", json!({"title": "Add the login"})).await;
    let pr = &opened.done().0["pr"];
    assert_eq!((&pr["state"], &pr["base_branch"], pr.get("number")), (&json!("open"), &json!("main"), None));
    assert!(opened.text("message").contains("`feature/login` into `main`"), "{opened:?}");
    let log = format!("`git -C {} log main..feature/login`", shop.display());
    assert!(opened.0.to_string().contains(&log), "{log}: {opened:?}");
    let id = json!({"pr_id": pr["pr_id"]});
    let seen = desk.call(&ann, "get_pr_status", id.clone()).await;
    assert_eq!((&seen.done().0["mergeable"], &seen.0["checks"]), (&json!(true), &json!([])));
    assert_eq!(seen.0["sizes"], json!({"commits": 1, "files": 1, "additions": 2, "deletions": 0}));
    let draft = json!({"pr_id": pr["pr_id"], "draft": true, "title": "Sign in"});
    let changed = desk.call(&ann, "update_pr", draft).await;
    assert_eq!((&changed.done().0["pr"]["draft"], &changed.0["pr"]["title"]), (&json!(true), &json!("Sign in")));
    desk.call(&ann, "merge_pr", id.clone()).await.is("MERGE_BLOCKED");
    desk.call(&ann, "update_pr", json!({"pr_id": pr["pr_id"], "draft": false})).await.done();
    let merged = desk.call(&ann, "merge_pr", id.clone()).await;
    assert_eq!(merged.done().0["pr"]["state"], "merged", "{merged:?}");
    let said = Command::new("git").arg("-C").arg(&shop).args(["log", "-1", "--format=%s", "main"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "Sign in");
    assert_eq!(desk.call(&ann, "get_pr_status", id).await.done().0["pr"]["state"], "merged");
    desk.ends().await;
}
