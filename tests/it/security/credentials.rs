//! Tokens: what is wrong with one is said to nobody, what each opens, and where their secrets are not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use super::raw::{Said, Stage};
use crate::support::hub_process::HubProcess;
use crate::support::proxy_process::ProxyProcess;

fn with(stage: &Stage, method: &str, path: &str, token: &str) -> Said {
    stage.asks(method, path, &[("Authorization", &format!("Bearer {token}"))], "")
}

/// SEC-06: a token that is mistyped, unknown, of another secret, expired or revoked gets one and the same answer.
#[test]
fn every_way_of_being_wrong_looks_the_same() {
    let stage = Stage::open();
    let view = json!({ "scope": "view", "name": "ann" });
    let (good, _) = stage.token(&view);
    let (other, _) = stage.token(&view);
    let (expired, _) = stage.token(&json!({ "scope": "view", "name": "ann", "expires": "1ms" }));
    let (revoked, id) = stage.token(&view);
    let (status, _) = crate::support::plain_http::send(
        stage.port(),
        "DELETE",
        &format!("/api/v1/tokens/{id}"),
        &stage.hub.operator_token(),
        &json!(null),
    )
    .unwrap();
    assert_eq!(status, 204);
    assert_eq!(with(&stage, "GET", "/api/v1/tasks", &good).status, 200);
    while with(&stage, "GET", "/api/v1/tasks", &expired).status == 200 {}
    let last = good.chars().last().unwrap();
    let mistyped = format!("{}{}", &good[..good.len() - 1], if last == 'x' { 'y' } else { 'x' });
    let another = format!("{}{}", &good[..18], &other[18..]);
    let mut answers = Vec::new();
    for wrong in [&mistyped, &another, &expired, &revoked, "cb_u_000000000000", "nonsense", ""] {
        let said = with(&stage, "GET", "/api/v1/tasks", wrong);
        assert_eq!(said.status, 401, "{}", said.body);
        let id = said.json()["requestId"].as_str().unwrap().to_owned();
        let head: Vec<_> = said.head.lines().filter(|line| !line.starts_with("date: ")).collect();
        answers.push((head.join("\n").replace(&id, "ID"), said.body.replace(&id, "ID")));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:#?}");
}

/// SEC-07: a token counts in its header alone, and one that was put elsewhere is not written down.
#[test]
fn a_token_in_the_query_opens_nothing_and_stands_in_no_log() {
    let stage = Stage::open();
    let (token, _) = stage.token(&json!({ "scope": "view", "name": "ann" }));
    for path in [format!("/mcp?access_token={token}"), format!("/api/v1/agents?token={token}")] {
        assert_eq!(stage.asks("GET", &path, &[], "").status, 401);
    }
    stage.until_audited("\"target\":\"GET /api/v1/agents\"");
    let audit = fs::read_to_string(stage.data_dir.path().join("audit.jsonl")).unwrap();
    assert!(!stage.log().contains(&token) && !audit.contains(&token));
}

/// SEC-08: who may look may not hand out work, and hears which scope may.
#[test]
fn a_scope_that_is_not_enough_is_told_which_one_is() {
    let stage = Stage::open();
    let said = with(&stage, "POST", "/api/v1/tasks", &stage.person("view"));
    assert_eq!((said.status, said.code().as_str()), (403, "INSUFFICIENT_SCOPE"));
    let challenge = said.header("www-authenticate");
    assert!(
        challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"operate\""),
        "{challenge}"
    );
}

/// SEC-09: figures are for who may look, and name no text, no person and no path.
#[test]
fn metrics_need_a_token_and_tell_nothing_of_anybody() {
    let stage = Stage::open();
    stage.agent("canary-agent", "full-stack-engineer");
    let (status, _) = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "canary-prompt" }));
    assert_eq!(status, 201);
    assert_eq!(stage.asks("GET", "/metrics", &[], "").status, 401);
    let said = with(&stage, "GET", "/metrics", &stage.person("view"));
    assert_eq!(said.status, 200);
    assert!(said.body.contains("callboard_"));
    let place = stage.data_dir.path().display().to_string();
    for canary in ["canary-prompt", "canary-agent", "person:", "operator", &place] {
        assert!(!said.body.contains(canary), "{canary} stands in\n{}", said.body);
    }
}

/// SEC-10: off the loopback nothing is served without TLS or a declared proxy, and both are named.
#[test]
fn an_open_address_is_refused_with_what_to_add() {
    let data_dir = tempfile::TempDir::new().unwrap();
    let refused = HubProcess::never_serves(data_dir.path(), &["--listen", "0.0.0.0:0"]);
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(words.contains("tls") && words.contains("behindProxy"), "{words}");
}

/// SEC-11: a hub of which nothing was said listens on the loopback alone.
#[test]
fn the_hub_listens_on_the_loopback_alone() {
    let stage = Stage::open();
    let port = format!(":{:04X}", stage.port());
    let listens = |table: &str| -> Vec<String> {
        let lines = fs::read_to_string(table).unwrap_or_default();
        let lines = lines.lines().filter_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (local, _, state) = (fields.next()?, fields.next()?, fields.next()?);
            (local.ends_with(&port) && state == "0A").then(|| local.to_owned())
        });
        lines.collect()
    };
    assert_eq!(listens("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert_eq!(listens("/proc/net/tcp6"), Vec::<String>::new());
}

/// SEC-34: a client that looks for an authorisation server finds none, and is not told of one.
#[test]
fn no_authorisation_server_is_announced() {
    let stage = Stage::open();
    let path = "/.well-known/oauth-protected-resource/mcp";
    let nobody = stage.asks("GET", path, &[], "");
    assert_eq!(nobody.status, 401);
    assert!(!nobody.head.contains("resource_metadata"), "{}", nobody.head);
    assert_eq!(with(&stage, "GET", path, &stage.hub.operator_token()).status, 404);
}

/// SEC-37: below the data directory stands no secret but in the files that are for it, and all is their owner's alone.
#[test]
fn no_secret_is_kept_and_every_file_is_its_owners_alone() {
    let stage = Stage::open();
    let (token, _) = stage.token(&json!({ "scope": "operate", "name": "ann" }));
    assert_eq!(with(&stage, "GET", "/api/v1/tasks", &token).status, 200);
    let secrets = [secret(&token), secret(&stage.hub.operator_token())];
    let mut seen = Vec::new();
    every_file(stage.data_dir.path(), &mut |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The log is the test's own file, and not the hub's.
        if name != "hub.log" {
            let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{name} has mode {mode:o}");
        }
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        if name != "operator.token" {
            assert!(!secrets.iter().any(|secret| text.contains(secret.as_str())), "{name} holds a secret");
        }
        seen.push(name);
    });
    for name in ["tokens", "operator.token", "audit.jsonl", "callboard.db"] {
        assert!(seen.iter().any(|seen| seen == name), "{name} is not among {seen:?}");
    }
}

/// What follows the public id.
fn secret(token: &str) -> String {
    token.rsplit_once('_').unwrap().1[..43].to_owned()
}

fn every_file(folder: &Path, look: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { every_file(&path, look) } else { look(&path) }
    }
}

/// SEC-38: no token stands where every user of the machine can read it.
#[test]
fn no_token_stands_in_arguments_or_environment() {
    let stage = Stage::open();
    let mut proxy = ProxyProcess::introduced(&stage.hub, "fullstack-1");
    assert_eq!(proxy.uses("list_agents", &json!({}))["success"], false, "it is not registered, and is known");
    let kept = fs::read_to_string(stage.data_dir.path().join("agents/fullstack-1.token")).unwrap();
    let operator = stage.hub.operator_token();
    for pid in [stage.hub.pid(), proxy.pid()] {
        for about in ["cmdline", "environ"] {
            let text = fs::read(format!("/proc/{pid}/{about}")).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.is_empty() && !text.contains(kept.trim()) && !text.contains(&operator), "{about}: {text}");
        }
    }
}
