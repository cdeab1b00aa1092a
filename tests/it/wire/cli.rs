//! The command line against a hub that serves: what it prints, what it changes, how it ends.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::{TIMEOUT, write_private};

const REFUSED: i32 = 3;
const NOT_FOUND: i32 = 4;
const UNREACHABLE: i32 = 5;

#[test]
fn a_task_goes_its_way_by_commands_alone() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let added =
        json(&done(&hub, &["task", "add", "role:test-engineer", "test login", "--priority", "high", "-o", "json"]));
    let id = added["taskId"].as_str().unwrap();

    let listed =
        json(&done(&hub, &["task", "list", "--state", "queued", "--target", "role:test-engineer", "-o", "json"]));
    assert_eq!(listed["items"][0]["taskId"], id);
    let table = done(&hub, &["task", "list"]);
    assert!(table.contains("QUEUED") && table.contains("high") && table.contains("test login"), "{table}");
    assert!(done(&hub, &["task", "why", id]).starts_with("QUEUED: "));

    done(&hub, &["task", "comment", id, "mind\u{1b}[2J the zones", "--file", "a.rs", "--line", "3"]);
    done(&hub, &["task", "reassign", id, "any"]);
    let task = json(&done(&hub, &["task", "show", id, "-o", "json"]));
    assert_eq!((task["target"].as_str(), task["from"]["kind"].as_str()), (Some("any"), Some("cli")));
    let shown = done(&hub, &["task", "show", id]);
    assert!(shown.contains("mind") && !shown.contains('\u{1b}'), "{shown}");

    for nobody in ["nope", "abcdefgh"] {
        let nobody = run(&hub, &["task", "show", nobody]);
        assert_eq!(nobody.status.code(), Some(NOT_FOUND), "{}", err(&nobody));
    }
    let refused = run(&hub, &["task", "answer", id, "yes"]);
    assert_eq!(refused.status.code(), Some(REFUSED), "{}", err(&refused));
    done(&hub, &["task", "cancel", id, "--reason", "no more"]);
    assert_eq!(json(&done(&hub, &["task", "show", id, "-o", "json"]))["state"], "CANCELLED");
    let again = done(&hub, &["task", "cancel", id]);
    assert!(again.contains("before"), "a repeat changes nothing and says so: {again}");

    let tail = run(&hub, &["task", "follow", id]);
    assert_eq!(tail.status.code(), Some(1), "a task that was called off was not completed");
    let tail = String::from_utf8_lossy(&tail.stdout);
    assert!(tail.contains("  called ") && tail.contains("  cancelled ") && !tail.contains("task."), "{tail}");
}

#[test]
fn tokens_are_made_used_renewed_and_revoked_while_the_hub_serves() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let token = done(&hub, &["token", "create", "--scope", "view", "--name", "ada", "--expires", "90d"]);
    let token = token.trim();
    assert_eq!(token.lines().count(), 1, "standard output is the token and nothing else");
    assert_eq!(hub.get_as(token, "/api/v1/tasks").0, 200);

    let listed = json(&done(&hub, &["token", "list", "-o", "json"]));
    let ada = listed["items"].as_array().unwrap().iter().find(|item| item["principal"] == "person:ada").unwrap();
    let id = ada["id"].as_str().unwrap();
    assert!(!listed.to_string().contains(token), "a secret is told once");

    let file = data_dir.path().join("ada.token");
    done(&hub, &["token", "rotate", id, "--overlap", "1h", "--out", file.to_str().unwrap()]);
    let renewed = fs::read_to_string(&file).unwrap();
    assert_ne!(renewed.trim(), token);
    assert_eq!(hub.get_as(renewed.trim(), "/api/v1/tasks").0, 200);
    assert_eq!(hub.get_as(token, "/api/v1/tasks").0, 200, "the old one overlaps");

    let mut as_ada = hub.command(&["task", "add", "any", "x"]);
    let refused = as_ada.env("CALLBOARD_TOKEN_FILE", &file).output().unwrap();
    assert_eq!(refused.status.code(), Some(REFUSED), "{}", err(&refused));
    assert!(err(&refused).contains("operate"), "names the scope: {}", err(&refused));

    done(&hub, &["token", "revoke", &format!("cb_u_{id}")]);
    assert_eq!(hub.get_as(renewed.trim(), "/api/v1/tasks").0, 401);
    assert_eq!(run(&hub, &["token", "revoke", id]).status.code(), Some(NOT_FOUND));
}

#[test]
fn a_token_goes_into_a_new_file_of_its_owner_and_over_nothing() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let file = data_dir.path().join("a1.token");
    let create = ["token", "create", "--agent", "a1", "--out", file.to_str().unwrap()];
    done(&hub, &create);
    let first = fs::read_to_string(&file).unwrap();
    assert!(first.starts_with("cb_a_"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let made = || done(&hub, &["token", "list"]).lines().count();
    let before = made();
    let again = run(&hub, &create);
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
    assert!(err(&again).contains("exists already") && err(&again).contains("remove that one first"), "{}", err(&again));
    assert_eq!((fs::read_to_string(&file).unwrap(), made()), (first, before), "and no token is made for it");
    let refused = data_dir.path().join("b1.token");
    let odd = ["token", "create", "--scope", "view", "--name", "", "--out", refused.to_str().unwrap()];
    assert_ne!(run(&hub, &odd).status.code(), Some(0));
    assert!(!refused.exists(), "nothing is left of one that was not made");
}

#[test]
fn tokens_made_before_the_first_start_are_good_after_it() {
    let data_dir = TempDir::new().unwrap();
    let made = callboard(data_dir.path()).args(["token", "create", "--agent", "fullstack-1"]).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let token = String::from_utf8(made.stdout).unwrap();
    let hub = HubProcess::start(data_dir.path());
    let body = serde_json::json!({ "agentId": "fullstack-1", "role": "full-stack-engineer", "capabilities": [] });
    assert_eq!(hub.post_as(token.trim(), "/api/v1/tools/register_agent", &body).0, 200);
    let agents = done(&hub, &["agent", "list"]);
    assert!(agents.contains("fullstack-1") && agents.contains("full-stack-engineer"), "{agents}");
    assert!(done(&hub, &["session", "list"]).contains("fullstack-1"));
    assert_eq!(
        json(&done(&hub, &["agent", "list", "--capability", "juggling", "-o", "json"]))["items"],
        serde_json::json!([])
    );
}

#[test]
fn the_hub_is_found_by_its_data_directory_alone() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let found = callboard(data_dir.path()).args(["task", "list"]).output().unwrap();
    assert_eq!(found.status.code(), Some(0), "{}", err(&found));
    let elsewhere = TempDir::new().unwrap();
    let mut by_flag = callboard(elsewhere.path());
    by_flag.env("CALLBOARD_URL", "http://127.0.0.1:1").args(["task", "list", "--data-dir"]).arg(data_dir.path());
    assert_eq!(by_flag.output().unwrap().status.code(), Some(0), "a flag goes before the environment");
    assert_eq!(hub.terminate().code(), Some(0));
    let gone = callboard(data_dir.path()).args(["task", "list"]).output().unwrap();
    assert_ne!(gone.status.code(), Some(0));
}

#[test]
fn followed_events_go_on_after_the_hub_was_killed_and_started_again() {
    let data_dir = TempDir::new().unwrap();
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let first = serve(&data_dir, &listen);
    let mut follower = Follower::start(&data_dir);
    assert_eq!(follower.next()["type"], "hub.started");
    let add = || callboard(data_dir.path()).args(["task", "add", "any", "once"]).output().unwrap();
    assert_eq!(add().status.code(), Some(0));
    let before = follower.next();
    assert_eq!(before["type"], "task.created");
    drop(first);

    let _second = serve(&data_dir, &listen);
    let mut seen = vec![before["seq"].as_u64().unwrap()];
    assert_eq!(add().status.code(), Some(0));
    loop {
        let event = follower.next();
        seen.push(event["seq"].as_u64().unwrap());
        if event["type"] == "task.created" {
            break;
        }
    }
    let gapless: Vec<u64> = (seen[0]..).take(seen.len()).collect();
    assert_eq!(seen, gapless, "none is missed and none is told twice");
}

#[test]
fn a_followed_terminal_goes_on_after_the_hub_was_ended_and_started_again() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let port = hub.port();
    let agent = Agent::register(&hub, "host-1", "full-stack-engineer");
    let prints = |hub: &HubProcess, text: &str| agent.calls(hub, "append_output", &serde_json::json!({ "text": text }));
    prints(&hub, "before\r\n");
    let session = agent.calls(&hub, "get_session", &serde_json::json!({}));
    let session = session["session"]["sessionId"].as_str().unwrap().to_owned();
    let mut follower = Follower::of(&data_dir, &["session", "follow", &session]);
    assert_eq!(follower.line(), "before");
    assert!(hub.terminate().success());
    let hub = HubProcess::start_at(data_dir.path(), port);
    prints(&hub, "and what is printed after that\r\n");
    while !follower.line().ends_with("after that") {}
}

#[test]
fn who_is_told_that_the_hub_is_ready_finds_it() {
    let data_dir = TempDir::new().unwrap();
    let port = free_port();
    let mut command = callboard(data_dir.path());
    command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]).stdout(Stdio::null()).stderr(Stdio::null());
    let _hub = Serving(command.spawn().unwrap());
    let url = data_dir.path().join("hub.url");
    let is_ready = || {
        let answer = crate::support::plain_http::send(port, "GET", "/readyz", "", &Value::Null);
        answer.is_ok_and(|(status, _)| status == 200)
    };
    let ready = (0..20_000).any(|_| {
        let ready = is_ready();
        // Between two looks: nothing listens yet, which is answered at once.
        if !ready {
            crate::support::pause(1);
        }
        ready
    });
    assert!(ready, "it never is");
    assert_eq!(fs::read_to_string(url).unwrap().trim(), format!("http://127.0.0.1:{port}"));
}

#[test]
fn a_token_never_leaves_this_machine_in_the_clear() {
    let data_dir = TempDir::new().unwrap();
    write_private(&data_dir.path().join("operator.token"), "cb_u_secret");
    for url in ["http://192.0.2.1:7420", "https://hub.example"] {
        let refused = callboard(data_dir.path()).env("CALLBOARD_URL", url).args(["task", "list"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{url}: {}", err(&refused));
    }
}

#[test]
fn the_operators_token_goes_to_no_other_program_of_this_machine() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", other.local_addr().unwrap());
    let refused = callboard(data_dir.path()).env("CALLBOARD_URL", url).args(["task", "list"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    other.set_nonblocking(true).unwrap();
    assert!(other.accept().is_err(), "it was asked");
    let localhost = format!("http://localhost:{}", hub.port());
    let found = callboard(data_dir.path()).env("CALLBOARD_URL", localhost).args(["task", "list"]).output().unwrap();
    assert_eq!(found.status.code(), Some(0), "the same hub by another name: {}", err(&found));
}

#[test]
fn a_token_that_is_named_speaks_for_whoever_names_it_however_the_hub_is_named() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let file = data_dir.path().join("looks");
    let made = ["token", "create", "--scope", "view", "--name", "looks", "--out", file.to_str().unwrap()];
    done(&hub, &made);
    for named in [&["--data-dir", data_dir.path().to_str().unwrap()][..], &[]] {
        let mut add = callboard(data_dir.path());
        add.env("CALLBOARD_TOKEN_FILE", &file).args(["task", "add", "any", "x"]).args(named);
        let refused = add.output().unwrap();
        assert_eq!(refused.status.code(), Some(REFUSED), "{}", err(&refused));
    }
}

#[test]
fn nobody_answering_is_unreachable_and_a_journal_is_looked_at_without_a_hub() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    done(&hub, &["task", "add", "any", "x"]);
    let agent = Agent::register(&hub, "host-1", "full-stack-engineer");
    agent.calls(&hub, "append_output", &serde_json::json!({"text": "printed in a terminal\r\n"}));
    assert!(hub.terminate().success());
    let lost = callboard(data_dir.path()).args(["task", "list"]).output().unwrap();
    assert_eq!(lost.status.code(), Some(UNREACHABLE), "{}", err(&lost));
    let verified = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
    assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
    let exported = callboard(data_dir.path()).args(["journal", "export"]).output().unwrap();
    assert!(String::from_utf8_lossy(&exported.stdout).contains("task.created"));
    let copy = data_dir.path().join("copy.db");
    let copied = callboard(data_dir.path()).args(["journal", "backup"]).arg(&copy).output().unwrap();
    assert_eq!(copied.status.code(), Some(0), "{}", err(&copied));
    assert!(copy.exists());
    let beside = fs::read(data_dir.path().join("copy-terminals.db")).unwrap();
    assert!(String::from_utf8_lossy(&beside).contains("printed in a terminal"));
    let again = callboard(data_dir.path()).args(["journal", "backup"]).arg(&copy).output().unwrap();
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
}

#[test]
fn a_broken_file_changes_nothing_and_is_named() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let file = config.path().join("hub.yaml");
    fs::write(&file, "leases:\n  ttl: 1h\n").unwrap();
    let mut command = callboard(data_dir.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(config.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = Lines::of(child.stderr.take().unwrap());
    assert!(Lines::of(child.stdout.take().unwrap()).next().unwrap().contains("listening"));
    let serving = Serving(child);

    fs::write(&file, "leases:\n  ttl: soon\n").unwrap();
    let said = log.find(|line| line.contains("were not read again")).expect("it says so");
    assert!(said.contains("hub.yaml:2:8") && said.contains("\"ERROR\""), "{said}");
    assert_eq!(
        callboard(data_dir.path()).args(["task", "list"]).output().unwrap().status.code(),
        Some(0),
        "it serves on"
    );

    fs::write(&file, "leases:\n  ttl: 2h\n").unwrap();
    let hangup = std::process::Command::new("kill").args(["-HUP", &serving.0.id().to_string()]).status().unwrap();
    assert!(hangup.success());
    assert!(log.any(|line| line.contains("were read again")), "what is right is taken");
}

/// What a child says, line by line; the end when it says nothing for too long.
struct Lines(mpsc::Receiver<String>);

impl Lines {
    fn of(pipe: impl Read + Send + 'static) -> Self {
        let (send, receive) = mpsc::channel();
        // Reads to the end, so that a child that says more is never blocked by a full pipe.
        thread::spawn(move || {
            BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        Self(receive)
    }
}

impl Iterator for Lines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0.recv_timeout(TIMEOUT).ok()
    }
}

/// A command that goes on, such as `callboard event follow --after 0`, line by line; killed when dropped.
struct Follower {
    child: Child,
    lines: Lines,
}

impl Follower {
    fn start(data_dir: &TempDir) -> Self {
        Self::of(data_dir, &["event", "follow", "--after", "0", "-o", "json"])
    }

    fn of(data_dir: &TempDir, arguments: &[&str]) -> Self {
        let mut command = callboard(data_dir.path());
        command.args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = Lines::of(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("the follower goes on")
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A hub at an address of the test's choice; killed when dropped.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn serve(data_dir: &TempDir, listen: &str) -> Serving {
    let mut command = callboard(data_dir.path());
    command.args(["serve", "--listen", listen]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let line = Lines::of(child.stdout.take().unwrap()).next().expect("it serves");
    assert!(line.contains("listening on"), "{line}");
    Serving(child)
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(hub: &HubProcess, arguments: &[&str]) -> Output {
    hub.command(arguments).output().unwrap()
}

fn done(hub: &HubProcess, arguments: &[&str]) -> String {
    let output = run(hub, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_token_that_is_written_down_leaves_its_neighbours_alone() {
    let (data_dir, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let neighbours = ["builds.new", "builds.token.new"].map(|name| folder.path().join(name));
    for neighbour in &neighbours {
        fs::write(neighbour, "somebody's").unwrap();
    }
    let out = folder.path().join("builds.token");
    let made = callboard(data_dir.path()).args(["token", "create", "--agent", "builds", "--out"]).arg(&out).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{}", err(&made));
    assert!(fs::read_to_string(&out).unwrap().starts_with("cb_a_"));
    for neighbour in &neighbours {
        assert_eq!(fs::read_to_string(neighbour).unwrap(), "somebody's", "{}", neighbour.display());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "and no draft stays");
}

#[test]
fn secrets_that_others_may_read_and_folders_that_others_may_write_are_refused_by_name() {
    let data_dir = TempDir::new().unwrap();
    let chmod = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    let file = data_dir.path().join("discord.token");
    fs::write(&file, "secret").unwrap();
    chmod(&file, 0o644);
    chmod(data_dir.path(), 0o755);
    let serve = |variable: Option<&str>| {
        let mut command = callboard(data_dir.path());
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(variable.map(|name| (name, &file)));
        command.output().unwrap()
    };
    for variable in ["DISCORD_TOKEN_FILE", "CALLBOARD_TRACKER_TOKEN_FILE", "CALLBOARD_FORGE_TOKEN_FILE"] {
        let refused = serve(Some(variable));
        let words = err(&refused);
        assert_eq!(refused.status.code(), Some(2), "{words}");
        assert!(words.contains(variable) && words.contains(&format!("chmod 600 {}", file.display())), "{words}");
    }
    let named = callboard(data_dir.path()).args(["task", "list"]).env("CALLBOARD_TOKEN_FILE", &file).output().unwrap();
    assert!(err(&named).contains(&format!("chmod 600 {}", file.display())), "{}", err(&named));
    chmod(data_dir.path(), 0o777);
    let refused = serve(None);
    let words = err(&refused);
    assert!(
        !refused.status.success() && words.contains(&format!("chmod go-w {}", data_dir.path().display())),
        "{words}"
    );
}

#[test]
fn without_a_home_in_the_environment_the_password_database_has_one() {
    let folder = TempDir::new().unwrap();
    let mut command = callboard(folder.path());
    command.env_remove("CALLBOARD_DATA_DIR").env_remove("HOME").env_remove("XDG_STATE_HOME").current_dir(folder.path());
    let looked = command.args(["journal", "verify"]).output().unwrap();
    let words = err(&looked);
    // Where this user keeps its data in truth there may be a journal, or none.
    assert!(!words.contains("callboard-data") && !words.contains("`callboard.db"), "{words}");
    let mut relative = callboard(folder.path());
    let relative =
        relative.args(["journal", "verify", "--data-dir", "data"]).current_dir(folder.path()).output().unwrap();
    let shown = fs::canonicalize(folder.path()).unwrap().join("data/callboard.db");
    assert!(err(&relative).contains(&format!("`{}`", shown.display())), "{}", err(&relative));
    let mut nowhere = callboard(folder.path());
    nowhere.env_remove("CALLBOARD_DATA_DIR").env_remove("XDG_STATE_HOME").env("HOME", "").current_dir(folder.path());
    let refused = nowhere.args(["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    assert!(err(&refused).contains("set CALLBOARD_DATA_DIR"), "{}", err(&refused));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made where it was started");
}

#[test]
fn a_machine_without_certificates_speaks_to_its_hub_and_sets_up_tls() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let bare = |words: &[&str]| {
        let mut command = hub.command(words);
        command.env("SSL_CERT_FILE", "/nowhere").env("SSL_CERT_DIR", "/nowhere");
        command
    };
    for words in [["task", "list"].as_slice(), &["doctor", "--ready"]] {
        let asked = bare(words).output().unwrap();
        assert!(asked.status.success(), "{}", err(&asked));
    }
    let mut away = bare(&["task", "list"]);
    let away = away.env("CALLBOARD_URL", "https://127.0.0.1:1").env("CALLBOARD_TOKEN_FILE", hub.token_file());
    let unheard = away.env_remove("CALLBOARD_DATA_DIR").output().unwrap();
    assert_eq!(unheard.status.code(), Some(UNREACHABLE), "{}", err(&unheard));
    assert!(hub.terminate().success());
    let gone = callboard(data_dir.path()).args(["doctor", "--ready"]).output().unwrap();
    assert_eq!(gone.status.code(), Some(UNREACHABLE), "{}", err(&gone));
}
