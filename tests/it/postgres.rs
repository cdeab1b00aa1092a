//! The real hub on a real PostgreSQL, which `tests/postgres/run` installs and each story starts for itself.

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
mod night;
#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
mod nodes;
mod relay;
mod server;

use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use callboard::journal::Store as _;
use callboard::journal::sqlite::{self, Durability};
use serde_json::{Value, json};

pub(crate) use self::server::Server;
use crate::power_loss::history::History;
use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::pause;
use crate::support::receiver::Webhooks;

/// A folder of settings that names this database.
fn settings(folder: &Path, url: &str) -> String {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("hub.yaml"), format!("store: {url}\n")).unwrap();
    folder.display().to_string()
}

fn calls(hub: &HubProcess, agent: &str, title: &str) -> String {
    let task = json!({ "targetAgentId": agent, "prompt": title });
    let (status, made) = hub.post("/api/v1/tasks", &task);
    assert_eq!(status, 201, "{made}");
    made["taskId"].as_str().unwrap().to_owned()
}

fn state(hub: &HubProcess, task: &str) -> Value {
    hub.get(&format!("/api/v1/tasks/{task}")).1["state"].clone()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_task_is_called_and_completed_on_postgres_and_outlives_the_process() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let (data, config) = (dir.path().join("data"), settings(&dir.path().join("config"), &server.url()));
    fs::create_dir(&data).unwrap();
    private(&data);
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let done = calls(&hub, "fullstack-1", "Mend the login");
    let waiting = calls(&hub, "fullstack-1", "Then the logout");
    let offered = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], done.as_str(), "{offered}");
    let epoch = offered["leaseEpoch"].clone();
    agent.calls(&hub, "ack_task", &json!({ "taskId": done, "leaseEpoch": epoch }));
    let report = json!({ "taskId": done, "status": "COMPLETED", "message": "Mended.", "leaseEpoch": epoch });
    agent.calls(&hub, "send_response", &report);
    assert_eq!(state(&hub, &done), "COMPLETED");
    assert!(!data.join("callboard.db").exists(), "nothing is in a file");
    hub.kill();
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    assert_eq!((state(&hub, &done), state(&hub, &waiting)), (json!("COMPLETED"), json!("QUEUED")));
    let (_, found) = hub.get("/api/v1/tasks?q=login");
    assert_eq!(found["items"].as_array().map(Vec::len), Some(1), "{found}");
    let offered = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], waiting.as_str(), "{offered}");
    assert_eq!(hub.get("/admin/journal").1["store"]["engine"], "postgres");
    assert!(hub.terminate().success());
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_journal_in_a_file_moves_into_the_database_and_the_file_is_not_served_again_by_mistake() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let (data, config) = (dir.path().join("data"), settings(&dir.path().join("config"), &server.url()));
    fs::create_dir(&data).unwrap();
    private(&data);
    let hub = HubProcess::start(&data);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = calls(&hub, "fullstack-1", "Mend the login");
    let import = |more: &[&str]| {
        callboard(&data).args(["journal", "import", "--to", &server.url()]).args(more).output().unwrap()
    };
    let busy = import(&[]);
    assert!(!busy.status.success() && said(&busy).contains("uses this data directory"), "{}", said(&busy));
    assert!(hub.terminate().success());
    let empty = HubProcess::never_serves(&data, &["--config", &config]);
    assert_eq!(empty.status.code(), Some(2), "{}", said(&empty));
    assert!(said(&empty).contains("callboard journal import --to URL"), "{}", said(&empty));
    assert!(import(&["--dry-run"]).status.success());
    let imported = import(&[]);
    assert!(imported.status.success(), "{}", said(&imported));
    let stale = callboard(&data).args(["journal", "backup"]).arg(dir.path().join("stale.db")).output().unwrap();
    assert!(said(&stale).contains("is in a database"), "{}", said(&stale));
    let elsewhere = HubProcess::never_serves(&data, &[]);
    assert!(said(&elsewhere).contains("is in a database, and no `store` is set"), "{}", said(&elsewhere));
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    let offered = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], task.as_str(), "{offered}");
    let doctor = hub.command(&["doctor", "--no-wait", "-o", "json", "--config", &config]).output().unwrap();
    let findings: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let store = findings["findings"].as_array().unwrap().iter().find(|finding| finding["check"] == "store").unwrap();
    assert_eq!(store["state"], "good", "{store}");
}

/// The same command twenty times, each killed at another place of it. In its first `half` it only looks.
fn is_killed_twenty_times(half: Duration, begin: impl Fn() -> Child) {
    for n in 0..20_u32 {
        let mut import = begin();
        pause(u64::try_from((half * (10 + n)).as_millis() / 16).unwrap());
        import.kill().unwrap();
        assert!(!import.wait().unwrap().success(), "it was done before it was killed for the {n}th time");
    }
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn an_import_that_is_killed_twenty_times_is_whole_at_the_end_and_so_is_the_way_home() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let (data, config) = (dir.path().join("data"), settings(&dir.path().join("config"), &server.url()));
    fs::create_dir(&data).unwrap();
    private(&data);
    let file = data.join("callboard.db");
    lived(&file);
    let import = |to: &str, more: &[&str]| {
        let mut import = callboard(&data);
        import.args(["journal", "import", "--to", to, "--config", &config]).args(more);
        import.stdout(Stdio::null()).stderr(Stdio::piped());
        import
    };
    let both = || callboard(&data).args(["journal", "verify", "--both", "--config", &config]).output().unwrap();
    let looks = |to: &str| {
        let began = Instant::now();
        let looked = import(to, &["--dry-run"]).output().unwrap();
        assert!(looked.status.success(), "{}", said(&looked));
        began.elapsed()
    };
    is_killed_twenty_times(looks(&server.url()), || import(&server.url(), &[]).spawn().unwrap());
    let half = both();
    assert_eq!(half.status.code(), Some(1), "{}", said(&half));
    let cut = said(&HubProcess::never_serves(&data, &["--config", &config]));
    assert!(cut.contains("was cut short"), "{cut}");
    let whole = import(&server.url(), &[]).output().unwrap();
    assert!(whole.status.success(), "{}", said(&whole));
    let same = both();
    assert!(same.status.success(), "{}", said(&same));
    let home = format!("sqlite:{}", file.display());
    let there = import(&home, &[]).output().unwrap();
    assert_eq!(there.status.code(), Some(2), "{}", said(&there));
    assert!(said(&there).contains("is there already"), "{}", said(&there));
    let old = dir.path().join("old.db");
    fs::rename(&file, &old).unwrap();
    fs::rename(data.join("callboard.db-mark"), dir.path().join("old.db-mark")).unwrap();
    is_killed_twenty_times(looks(&home), || import(&home, &[]).spawn().unwrap());
    assert!(!file.exists(), "no part of it is served");
    let restored = callboard(&data).args(["journal", "restore"]).arg(&old).output().unwrap();
    assert_eq!(restored.status.code(), Some(2), "{}", said(&restored));
    let whole = import(&home, &[]).output().unwrap();
    assert!(whole.status.success(), "{}", said(&whole));
    let same = both();
    assert!(same.status.success(), "{}", said(&same));
    let hub = HubProcess::start(&data);
    assert_eq!(hub.get("/admin/journal").1["store"]["engine"], "sqlite");
    assert!(hub.terminate().success());
    let elsewhere = said(&HubProcess::never_serves(&dir.path().join("elsewhere"), &["--config", &config]));
    assert!(elsewhere.contains("went home to `") && elsewhere.contains("remove `store`"), "{elsewhere}");
    let back = import(&server.url(), &[]).output().unwrap();
    assert!(back.status.success(), "{}", said(&back));
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    assert!(hub.terminate().success());
}

/// A journal with some thousand records.
fn lived(path: &Path) {
    let (mut store, _) = sqlite::open(path, Durability::Normal).unwrap();
    for batch in History::of(1_500).batches {
        assert!(store.write(&batch).iter().all(Result::is_ok));
    }
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_on_another_machine_knows_the_tokens_and_signs_as_before() {
    let (server, dir, receiver) = (Server::start(), tempfile::tempdir().unwrap(), Webhooks::start());
    let (config, told) = (settings(&dir.path().join("config"), &server.url()), dir.path().join("told.secret"));
    let data = dir.path().join("first");
    fs::create_dir(&data).unwrap();
    private(&data);
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let spent = Agent::register(&hub, "fullstack-2", "full-stack-engineer");
    let id = spent.token().split('_').nth(2).unwrap().to_owned();
    assert!(hub.command(&["token", "revoke", &id]).status().unwrap().success());
    let url = format!("http://127.0.0.1:{}/", receiver.port);
    let add =
        ["webhook", "add", "builds", &url, "--events", "task", "--allow-private", "--out", told.to_str().unwrap()];
    assert!(hub.command(&add).status().unwrap().success());
    let secret = fs::read_to_string(&told).unwrap();
    let task = calls(&hub, "fullstack-1", "Mend the login");
    assert_eq!(receiver.next().verified(&secret)["subject"]["task"], task.as_str());
    let (status, key) = hub.get("/api/v1/push");
    assert_eq!(status, 200, "{key}");
    let (operator, first) = (hub.operator_token(), data.clone());
    for name in ["tokens", "webhooks", "discord.json"] {
        assert!(!data.join(name).exists(), "`{name}` is in the database alone");
    }
    assert!(hub.terminate().success());
    let alone = callboard(&first).args(["token", "list", "--config", &config]).output().unwrap();
    assert!(alone.status.code() == Some(2) && said(&alone).contains("are in the database"), "{}", said(&alone));
    fs::remove_dir_all(&first).unwrap();

    let data = dir.path().join("second");
    fs::create_dir(&data).unwrap();
    private(&data);
    let hub = HubProcess::start_with(&data, &["--config", &config]);
    let offered = agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], task.as_str(), "{offered}");
    assert_eq!(hub.get_as(spent.token(), "/api/v1/tasks").0, 401, "what was revoked there is so here");
    assert_eq!(hub.get_as(&operator, "/api/v1/tasks").0, 200);
    assert_ne!(hub.operator_token(), operator, "each machine has its own");
    assert_eq!(hub.get("/api/v1/push").1, key, "devices go on");
    let task = calls(&hub, "fullstack-1", "Then the logout");
    let mut heard = receiver.next().verified(&secret);
    while heard["subject"]["task"] != task.as_str() {
        heard = receiver.next().verified(&secret);
    }
    assert!(hub.terminate().success());
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_database_that_cannot_be_used_is_refused_with_what_to_do() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let lazy = server.url_of("lazy");
    server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'");
    server.sql("CREATE DATABASE lazy");
    server.sql("ALTER DATABASE lazy SET synchronous_commit = off");
    let cases = [
        ("postgres://callboard@%2Fnowhere/callboard".to_owned(), "cannot be reached"),
        (server.url().replace("//callboard@", "//locked@"), "does not accept the user or the password"),
        (lazy, "runs with `synchronous_commit = off`"),
        ("postgres://callboard@db.invalid/callboard".to_owned(), "add `?sslmode=verify-full`"),
        ("postgres://callboard:hunter2@localhost/callboard".to_owned(), "`store` holds a secret"),
        ("mysql://callboard@localhost/callboard".to_owned(), "must be `postgres://USER@HOST/DATABASE`"),
    ];
    for (number, (url, expected)) in cases.iter().enumerate() {
        let config = settings(&dir.path().join(number.to_string()), url);
        let ended = HubProcess::never_serves(&dir.path().join("data"), &["--config", &config]);
        let (refused, away) = (said(&ended), *expected == "cannot be reached");
        assert_eq!(ended.status.code() == Some(5), away, "{url}: {refused}");
        assert!(refused.contains(expected) && !refused.contains("hunter2"), "{url}: {refused}");
    }
}

/// As the hub makes its data directory.
fn private(data: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(data, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn nothing_promised_is_lost_or_doubled_over_a_database_however_often_the_hub_is_killed() {
    let server = Server::start();
    crate::torture::is_kept(&format!("store: {}\n", server.url()), 5);
}
