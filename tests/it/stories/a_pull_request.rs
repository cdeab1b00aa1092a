//! An agent's pull request, told to the real binary beside a GitHub on loopback: what people do there comes by signed
//! webhooks, and the hub is killed in between.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use callboard_standin::forge::{Fault, ForgeStandIn, Kind};
use callboard_standin::time::Clock;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::plain_http::{call_by_mcp, deliver};

const TOKEN: &str = "ghp_a-token-of-the-forge";
const SECRET: &str = "a secret that both know";
const SHOP: &str = "acme/shop";
const BRANCH: &str = "feature/login";

struct Stage {
    hub: HubProcess,
    github: ForgeStandIn,
    agent: Agent,
    data_dir: TempDir,
    config: TempDir,
}

fn private(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn start(data_dir: &Path, config: &Path) -> HubProcess {
    HubProcess::start_with(data_dir, &["--config", config.to_str().unwrap()])
}

/// A GitHub with one repository, a hub that may open pull requests there, Ada who may judge, and an agent that
/// pushed its branch.
fn stage() -> Stage {
    let github = ForgeStandIn::new(Kind::GitHub, TOKEN, Clock::system());
    github.repository(SHOP, "main");
    github.pushes(SHOP, BRANCH);
    let url = github.listens();
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let token = private(config.path(), "token", TOKEN);
    let secret = private(config.path(), "github.secret", SECRET);
    let hub = json!({
        "forge": {"kind": "github", "baseUrl": url, "tokenFile": token, "repositories": ["acme/*"]},
        "webhooks": {"in": {"github": {"scheme": "github", "secretFile": secret}}},
    });
    fs::write(config.path().join("hub.yaml"), hub.to_string()).unwrap();
    let people = json!({"people": {"ada": {"displayName": "Ada", "github": "ada-l", "principal": "person:ada",
        "canApprove": ["*"]}}});
    fs::write(config.path().join("people.yaml"), people.to_string()).unwrap();
    let hub = start(data_dir.path(), config.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let workspace = json!({"agentId": "fullstack-1", "role": "full-stack-engineer",
        "workspace": {"repo": SHOP, "branch": BRANCH}});
    agent.calls(&hub, "register_agent", &workspace);
    Stage { hub, github, agent, data_dir, config }
}

impl Stage {
    fn calls(&self, tool: &str, arguments: &Value) -> Value {
        self.agent.calls(&self.hub, tool, arguments)
    }

    fn refused(&self, tool: &str, arguments: &Value) -> Value {
        self.hub.post_as(self.agent.token(), &format!("/api/v1/tools/{tool}"), arguments).1
    }

    /// Opens one by MCP, as clients do.
    fn opens(&self) -> Value {
        let asked = json!({"title": "Add the login", "body": "Signs people in."});
        let (_, said) = call_by_mcp(self.hub.port(), self.agent.token(), "create_pr", &asked).unwrap();
        assert_eq!(said["success"], true, "{said}");
        said["pr"].clone()
    }

    /// A task that the agent holds.
    fn works(&self) -> String {
        let asked = json!({"targetAgentId": "fullstack-1", "prompt": "Build the login."});
        let task = self.hub.post("/api/v1/tasks", &asked).1["taskId"].as_str().unwrap().to_owned();
        self.takes(&task);
        task
    }

    /// What the agent reads with the task that it takes.
    fn takes(&self, task: &str) -> Value {
        loop {
            let offer = self.calls("wait_for_prompt", &json!({}));
            if offer["taskId"] == json!(task) {
                self.calls("ack_task", &json!({ "taskId": task }));
                return offer;
            }
        }
    }

    /// GitHub tells what happened to pull request 1.
    fn tells(&self, event: &str, id: &str, more: &Value) {
        let mut body = json!({
            "repository": {"full_name": SHOP, "id": 1}, "sender": {"login": "ada-l", "type": "User"},
            "pull_request": {
                "number": 1, "title": "Add the login", "head": {"ref": BRANCH, "repo": {"full_name": SHOP}},
            },
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = body.to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let signed: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let headers =
            format!("X-GitHub-Event: {event}\r\nX-GitHub-Delivery: {id}\r\nX-Hub-Signature-256: sha256={signed}\r\n");
        let (status, said) = deliver(self.hub.port(), "/hooks/in/github", &headers, &body);
        assert_eq!((status, &said["received"]), (202, &json!("kept")), "{said}");
    }

    fn reviews(&self, id: &str, login: &str, state: &str, text: &str) {
        let commit = self.github.ends_of(SHOP, 1).unwrap().0;
        let user = json!({"login": login, "type": "User"});
        let review = json!({"state": state, "body": text, "user": user, "commit_id": commit});
        self.tells("pull_request_review", id, &json!({"action": "submitted", "review": review}));
    }

    /// The notice with these words in it, once the agent has it to hear; it is the only one.
    fn hears(&self, words: &str) -> String {
        loop {
            let told = self.calls("get_session", &json!({}));
            let notices = told["notices"].as_array().cloned().unwrap_or_default();
            let [notice] = notices.as_slice() else {
                assert!(notices.is_empty(), "{notices:?}");
                crate::support::pause(10);
                continue;
            };
            let text = notice["text"].as_str().unwrap();
            assert!(text.contains(words), "{text}");
            return text.to_owned();
        }
    }

    fn review_of(&self, task: &str) -> Value {
        self.hub.get(&format!("/api/v1/reviews/{task}")).1["state"].clone()
    }

    /// The pull request as people see it.
    fn pull(&self) -> Value {
        let (status, sessions) = self.hub.get("/api/v1/sessions");
        let id = sessions["items"][0]["sessionId"].as_str();
        let id = id.unwrap_or_else(|| panic!("no session is listed: {status} {sessions}")).to_owned();
        self.hub.get(&format!("/api/v1/sessions/{id}")).1["pullRequests"][0].clone()
    }

    fn says(&self, arguments: &[&str]) -> String {
        let said = self.hub.command(arguments).output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap()
    }
}

#[test]
fn a_review_on_the_forge_counts_by_who_may_judge_and_a_merge_waits_for_it() {
    let stage = stage();
    stage.calls("link_task", &json!({"work_item": "acme/web#12"}));
    let task = stage.works();
    let pr = stage.opens();
    assert_eq!((&pr["state"], &pr["number"]), (&json!("open"), &json!(1)), "{pr}");
    assert!(stage.github.text_of(SHOP, 1).unwrap().1.contains("\n\nWork item: acme/web#12\n\n<!-- callboard "));
    stage.calls("submit_for_review", &json!({"pr_id": pr["pr_id"]}));
    let diff = stage.says(&["review", "show", &task, "--diff"]);
    assert!(diff.contains("+++ b/src/login.rs"), "the reviewer sees the forge's change: {diff}");
    stage.github.checks(SHOP, 1, "build", Some("success"));

    stage.reviews("d1", "mallory", "approved", "Ship it.");
    let text = stage.hears("nobody's order");
    assert!(text.ends_with("They write: Ship it."), "{text}");
    assert_eq!(stage.review_of(&task), "open");
    let refused = stage.refused("merge_pr", &json!({"pr_id": "1"}));
    assert_eq!(
        (&refused["code"], &refused["details"]["missing"]),
        (&json!("MERGE_BLOCKED"), &json!(["nobody approved it yet"]))
    );

    stage.reviews("d2", "Ada-L", "changes_requested", "Rename `it`.");
    stage.hears("Your task comes back to you");
    let offer = stage.takes(&task);
    let comment = &offer["comments"][0];
    assert_eq!((&comment["text"], &comment["from"]["displayName"]), (&json!("Rename `it`."), &json!("Ada")), "{offer}");
    stage.calls("submit_for_review", &json!({"pr_id": pr["pr_id"]}));
    stage.github.permits(SHOP, "ada-l", "read");
    stage.github.reviews(SHOP, 1, "ada-l", "APPROVED");
    stage.reviews("d3", "ada-l", "approved", "Better.");
    stage.hears("approved: merge and call complete_task (Better.)");
    assert_eq!(stage.review_of(&task), "approved");

    stage.github.checks(SHOP, 1, "build", Some("failure"));
    let run =
        json!({"name": "build", "conclusion": "failure", "check_suite": {"head_branch": BRANCH}, "pull_requests": []});
    stage.tells("check_run", "d4", &json!({"action": "completed", "check_run": run}));
    let text = stage.hears("the check `build` in acme/shop ended on branch `feature/login`: `failure`");
    assert!(text.contains("It is open now;") && text.ends_with("check `build` ended with failure."), "{text}");
    assert_eq!(stage.refused("merge_pr", &json!({"pr_id": "1"}))["code"], "MERGE_BLOCKED");
    stage.github.checks(SHOP, 1, "build", Some("success"));
    assert_eq!(stage.calls("merge_pr", &json!({"pr_id": "1"}))["pr"]["state"], "merged");
    stage.calls("complete_task", &json!({"summary": "merged"}));

    let shown = stage.hub.get(&format!("/api/v1/tasks/{task}")).1;
    let pull = &shown["pullRequests"][0];
    assert_eq!(
        (&pull["prId"], &pull["state"], &pull["workItem"]),
        (&pr["pr_id"], &json!("merged"), &json!("acme/web#12"))
    );
    assert_eq!(shown["artifacts"].as_array().unwrap().last().unwrap()["url"], pr["url"], "{shown}");
    let session = stage.hub.get("/api/v1/sessions").1["items"][0]["sessionId"].as_str().unwrap().to_owned();
    for words in [stage.says(&["task", "show", &task]), stage.says(&["session", "show", &session])] {
        assert!(words.contains("\npull requests\n    acme/shop#1  merged  Add the login\n"), "{words}");
    }
    let json: Value = serde_json::from_str(&stage.says(&["session", "show", &session, "-o", "json"])).unwrap();
    assert_eq!(json["pullRequests"][0]["url"], pr["url"], "{json}");
    assert_eq!(stage.hub.terminate().code(), Some(0));
}

#[test]
fn what_people_do_by_hand_is_heard_and_seen_while_the_agent_works() {
    let stage = stage();
    stage.opens();
    // The hub's own doing comes back, and is no news.
    stage.tells("pull_request", "d0", &json!({"action": "opened"}));
    while stage.hub.get("/api/v1/outbox?destination=hooks.in&state=pending").1["items"] != json!([]) {
        crate::support::pause(10);
    }
    stage.github.closes(SHOP, 1);
    stage.tells("pull_request", "d1", &json!({"action": "closed"}));
    let text = stage.hears("was closed without a merge by `ada-l`");
    assert!(text.ends_with("It is closed now."), "{text}");
    assert_eq!(stage.pull()["state"], "closed");
    assert_eq!(stage.refused("update_pr", &json!({"pr_id": "1", "title": "x"}))["code"], "PR_NOT_OPEN");
    let second = stage.opens();
    assert_eq!(second["number"], 2, "the branch is free for another: {second}");
    stage.github.merges(SHOP, 2);
    let merged = json!({"number": 2, "title": "Add the login", "merged": true, "state": "closed"});
    stage.tells("pull_request", "d2", &json!({"action": "closed", "pull_request": merged}));
    assert!(stage.hears("was merged by `ada-l`").ends_with("It is merged now."));
    assert_eq!(stage.pull()["state"], "merged");
    assert_eq!(stage.hub.terminate().code(), Some(0));
}

#[test]
fn a_hub_that_is_killed_before_it_wrote_down_the_answer_opens_one_pull_request() {
    let Stage { hub, github, agent, data_dir, config } = stage();
    github.fault(Fault::LosesAnswers);
    let asked = json!({"title": "Add the login"});
    assert_eq!(agent.calls(&hub, "create_pr", &asked)["pr"]["state"], "opening");
    assert_eq!(github.count(SHOP), 1, "it stands there, and the hub does not know");
    hub.kill();
    github.fault(Fault::None);
    let hub = start(data_dir.path(), config.path());
    let listed = loop {
        let listed = agent.calls(&hub, "list_prs", &json!({}));
        if listed["prs"][0]["status"] != "opening" {
            break listed;
        }
        crate::support::pause(10);
    };
    assert_eq!((&listed["prs"][0]["status"], github.count(SHOP)), (&json!("open"), 1), "{listed}");
    // News that came while the forge was down are told at once, and what it shows is known after the crash.
    github.merges(SHOP, 1);
    github.fault(Fault::Down);
    let stage = Stage { hub, github, agent, data_dir, config };
    let merged = json!({"number": 1, "title": "Add the login", "merged": true, "state": "closed"});
    stage.tells("pull_request", "d1", &json!({"action": "closed", "pull_request": merged}));
    stage.hears("the hub looks again");
    // By its next call it says that it heard it.
    assert_eq!(stage.calls("list_prs", &json!({}))["notices"], Value::Null);
    let Stage { hub, github, agent, data_dir, config } = stage;
    hub.kill();
    github.fault(Fault::None);
    let hub = start(data_dir.path(), config.path());
    let stage = Stage { hub, github, agent, data_dir, config };
    while stage.pull()["state"] != "merged" {
        crate::support::pause(10);
    }
    assert_eq!(stage.calls("get_session", &json!({}))["notices"], Value::Null, "it was told before");
    assert_eq!(stage.hub.terminate().code(), Some(0));
    assert_eq!(stage.github.count(SHOP), 1);
}
