//! The command line, as people and scripts rely on it: examples, exit codes, and words that say what to mend.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};
use crate::support::write_private;

const FAILED: i32 = 1;
const CONFIGURATION: i32 = 2;
const REFUSED: i32 = 3;
const NOT_FOUND: i32 = 4;
const UNREACHABLE: i32 = 5;

#[test]
fn every_command_shows_an_example() {
    let nowhere = TempDir::new().unwrap();
    let commands = commands_of(&words(&run(nowhere.path(), &["--help"])));
    assert!(commands.iter().any(|name| name == "serve"), "`--help` lists {commands:?}");
    for name in commands.iter().filter(|name| *name != "help") {
        let help = words(&run(nowhere.path(), &[name, "--help"]));
        assert!(help.to_lowercase().contains("example"), "`callboard {name} --help` shows no example:\n{help}");
    }
}

#[test]
fn every_command_line_of_the_documents_is_understood() {
    let nowhere = TempDir::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let documents = docs.filter(|path| path.extension().is_some_and(|kind| kind == "md"));
    let texts: Vec<_> =
        documents.chain([root.join("README.md")]).map(|path| fs::read_to_string(path).unwrap()).collect();
    let lines = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("$ callboard "));
    let lines: Vec<_> = lines.collect();
    assert!(lines.len() > 5, "they show only {lines:?}");
    for line in lines {
        // `--help` at the end: every word before it must be a command, a flag or an argument in its place. What stands
        // behind `--` is another program's.
        let mut arguments = split(line.split(" # ").next().unwrap_or(line).trim_end_matches(" &"));
        let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        arguments.insert(end, "--help".to_owned());
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let understood = run(nowhere.path(), &arguments);
        assert!(understood.status.success(), "`callboard {line}` is no command: {}", words(&understood));
    }
}

#[test]
fn a_wrong_key_is_refused_where_it_stands_with_the_right_name() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("hub.yaml"), "leases:\n  tll: 1h\n").unwrap();
    let refused = run(folder.path(), &["config", "check", "--config", folder.path().to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(CONFIGURATION));
    let words = words(&refused);
    assert!(words.contains("hub.yaml:2:3") && words.contains("`ttl`"), "it said: {words}");
}

#[test]
fn what_nothing_uses_yet_is_told_by_the_check_and_by_the_start() {
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("config");
    fs::create_dir_all(config.join("workflows")).unwrap();
    fs::write(config.join("upstreams.yaml"), "upstreams: {}\n").unwrap();
    fs::write(config.join("workflows/release.yaml"), "name: release\ndescription: x\nsteps: [{name: a, tool: b}]\n")
        .unwrap();
    let checked = run(folder.path(), &["config", "check", "--config", config.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0), "{}", words(&checked));
    let hub = HubProcess::start_with(folder.path(), &["--config", config.to_str().unwrap()]);
    let started = fs::read_to_string(folder.path().join("hub.log")).unwrap();
    drop(hub);
    for said in [words(&checked), started] {
        let unused = "`upstreams.yaml` is checked, and nothing uses it yet";
        assert!(said.contains(unused) && !said.contains("`workflows`"), "it said: {said}");
    }
    fs::write(config.join("workflows/release.yaml"), "name: release\nsteps: [\n").unwrap();
    for refused in [
        run(folder.path(), &["config", "check", "--config", config.to_str().unwrap()]),
        HubProcess::never_serves(folder.path(), &["--config", config.to_str().unwrap()]),
    ] {
        assert_eq!(refused.status.code(), Some(CONFIGURATION));
        assert!(words(&refused).contains("workflows/release.yaml:"), "it said: {}", words(&refused));
    }
}

#[test]
fn a_value_tells_which_file_and_line_it_came_from() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("hub.yaml"), "leases:\n  ttl: 1h\n").unwrap();
    let shown = run(folder.path(), &["config", "show", "--origin", "--config", folder.path().to_str().unwrap()]);
    assert_eq!(shown.status.code(), Some(0));
    let words = words(&shown);
    let line = words.lines().find(|line| line.contains("ttl") && line.contains("1h")).unwrap_or_default();
    assert!(line.contains("hub.yaml:2"), "it said: {words}");
}

#[test]
fn a_command_without_a_hub_says_that_nobody_listens() {
    let nowhere = TempDir::new().unwrap();
    let token = nowhere.path().join("operator.token");
    fs::write(&token, "cb_u_nobody").unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let mut command = callboard(nowhere.path());
    // Port 1 belongs to nobody here.
    let lost = command.env("CALLBOARD_URL", "http://127.0.0.1:1").args(["task", "list"]).output().unwrap();
    assert_eq!(lost.status.code(), Some(UNREACHABLE));
    assert!(words(&lost).contains("callboard serve"), "says what to type next, but said: {}", words(&lost));
}

#[test]
fn a_task_is_added_and_shown_and_a_missing_one_is_not_found() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let added = hub.command(&["task", "add", "role:full-stack-engineer", "implement login", "-o", "json"]).output();
    let added = added.unwrap();
    assert_eq!(added.status.code(), Some(0), "{}", words(&added));
    let task: serde_json::Value = serde_json::from_slice(&added.stdout).unwrap();
    let id = task["taskId"].as_str().unwrap();
    let shown = words(&hub.command(&["task", "show", id]).output().unwrap());
    assert!(shown.contains("implement login") && shown.contains("QUEUED"), "{shown}");
    let missing = hub.command(&["task", "show", "zzzzzzzzzzzz"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(NOT_FOUND), "{}", words(&missing));
}

#[test]
fn a_task_that_is_added_twice_under_one_key_is_one_task() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let add = ["task", "add", "any", "once", "--idempotency-key", "k-1", "-o", "json"];
    let ids = [(); 2].map(|()| {
        let added: Value = serde_json::from_slice(&hub.command(&add).output().unwrap().stdout).unwrap();
        added["taskId"].as_str().unwrap().to_owned()
    });
    assert_eq!(ids[0], ids[1]);
    // Its id is read as somebody else may have written it, and states are named together.
    let shown = words(&hub.command(&["task", "show", &ids[0].to_uppercase()]).output().unwrap());
    assert!(shown.contains(&ids[0]), "{shown}");
    let listed = hub.command(&["task", "list", "--state", "blocked,queued", "-o", "json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["total"], 1, "{listed}");
    let none = words(&hub.command(&["task", "list", "--agent", "nobody"]).output().unwrap());
    assert!(none.contains("None fits") && none.contains("note: "), "{none}");
}

#[test]
fn whoever_stops_a_command_at_a_silent_hub_is_told_how_the_task_is_added_once() {
    let data_dir = TempDir::new().unwrap();
    // It takes the connection, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    write_private(&data_dir.path().join("operator.token"), "cb_u_nonsense\n");
    fs::write(data_dir.path().join("hub.url"), format!("http://{}\n", silent.local_addr().unwrap())).unwrap();
    let mut add = callboard(data_dir.path());
    let child = add
        .args(["task", "add", "any", "water the plants"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _open = silent.accept().unwrap();
    let stop = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("may have been done") && said.contains("'water the plants' --idempotency-key "), "{said}");
}

#[test]
fn a_thing_is_named_by_how_its_id_begins_when_nothing_else_begins_so() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let _agents = ["fullstack-1", "fullstack-2"].map(|id| Agent::register(&hub, id, "full-stack-engineer"));
    let run = |arguments: &[&str]| {
        let output = hub.command(arguments).output().unwrap();
        (output.status.code(), words(&output))
    };
    let (code, said) = run(&["agent", "show", "full"]);
    assert_eq!(code, Some(REFUSED), "{said}");
    assert!(said.contains("fullstack-1") && said.contains("fullstack-2") && said.contains("ID_AMBIGUOUS"), "{said}");
    let (_, added) = run(&["task", "add", "fullstack-1", "implement login", "-o", "json"]);
    let added: Value = serde_json::from_str(&added).unwrap();
    let id = added["taskId"].as_str().unwrap();
    let (code, said) = run(&["task", "show", &id[..1]]);
    assert!(code == Some(0) && said.contains(id), "{said}");
    let (code, said) = run(&["task", "cancel", &id[..3]]);
    assert!(code == Some(CONFIGURATION) && said.contains("ID_TOO_SHORT") && said.contains(id), "{said}");
    let (code, said) = run(&["task", "cancel", &id[..12]]);
    assert!(code == Some(0) && said.contains(id) && said.contains("CANCELLED"), "{said}");
    let (code, said) = run(&["task", "cancel", "zzzz"]);
    assert!(code == Some(NOT_FOUND) && said.contains("TASK_NOT_FOUND"), "{said}");
    let (code, said) = run(&["agent", "evict", "fullstack-2", "--reason", "enough"]);
    assert_eq!(code, Some(0), "a whole name is one: {said}");
    let (_, made) = run(&["token", "create", "--agent", "fullstack-1", "-o", "json"]);
    let made: Value = serde_json::from_str(&made).unwrap();
    let token = made["id"].as_str().unwrap();
    assert_eq!(run(&["token", "revoke", &token[..3]]).0, Some(CONFIGURATION));
    let (code, said) = run(&["token", "revoke", &token[..8]]);
    assert!(code == Some(0) && said.contains(token), "{said}");
    let (_, part) = run(&["agent", "list", "--limit", "1"]);
    assert!(part.contains("1 of 2; --limit 0 for all"), "{part}");
}

#[test]
fn an_answer_may_be_the_number_of_an_option_and_an_option_that_is_a_number_goes_before_it() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    for (options, number, expected) in [(["old", "new"], "2", "new"), (["2", "new"], "2", "2"), (["2", "3"], "1", "2")]
    {
        let ask = json!({ "question": format!("Which of {options:?}?"), "options": options,
            "default_action": options[0], "wait_seconds": 0 });
        let asked = agent.calls(&hub, "request_input", &ask);
        let listed = words(&hub.command(&["question", "list", "-o", "wide"]).output().unwrap());
        assert!(listed.contains(&format!("1. {}  2. {}", options[0], options[1])), "{listed}");
        let id = asked["question_id"].as_str().unwrap();
        let answered = hub.command(&["question", "answer", id, number, "-o", "json"]).output().unwrap();
        assert_eq!(answered.status.code(), Some(0), "{}", words(&answered));
        let answered: Value = serde_json::from_slice(&answered.stdout).unwrap();
        assert_eq!(answered["resolution"]["value"], expected, "{answered}");
    }
}

#[test]
fn a_list_that_shows_a_part_says_so_and_all_of_it_is_asked_for_by_0() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    for n in 0..3 {
        let task = json!({ "targetAgentId": "any", "prompt": format!("work {n}"), "priority": "high" });
        assert_eq!(hub.post("/api/v1/tasks", &task).0, 201);
    }
    let lists = |more: &[&str]| hub.command(&["task", "list"]).args(more).output().unwrap();
    let told = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let rows = |output: &Output| String::from_utf8_lossy(&output.stdout).lines().count() - 1;
    let part = lists(&["--limit", "2"]);
    assert_eq!((rows(&part), told(&part).as_str()), (2, "2 of 3; --limit 0 for all\n"));
    let urgent = lists(&["--limit", "2", "--priority", "high"]);
    assert_eq!((rows(&urgent), told(&urgent).as_str()), (2, "2 of 3; --limit 0 for all\n"));
    for all in [&["--limit", "0"][..], &["--limit", "3"], &[]] {
        let all = lists(all);
        assert_eq!((rows(&all), told(&all).as_str()), (3, ""));
    }
    let json: Value = serde_json::from_slice(&lists(&["--limit", "2", "-o", "json"]).stdout).unwrap();
    assert_eq!((json["items"].as_array().map(Vec::len), &json["total"]), (Some(2), &json!(3)), "{json}");
    let next = format!("/api/v1/tasks?limit=2&cursor={}", json["nextCursor"].as_str().unwrap());
    assert_eq!(hub.get(&next).1["items"].as_array().map(Vec::len), Some(1), "the cursor leads on");
    let json: Value = serde_json::from_slice(&lists(&["-o", "json"]).stdout).unwrap();
    assert_eq!((&json["total"], &json["nextCursor"]), (&json!(3), &Value::Null), "{json}");
}

#[test]
fn actors_the_audit_and_an_agent_are_looked_at_and_acted_on() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let done = |arguments: &[&str]| {
        let output = hub.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", words(&output));
        words(&output)
    };
    let actors = done(&["actor", "list"]);
    assert!(actors.contains("dispatcher") && actors.contains("agent:fullstack-1"), "{actors}");
    assert!(done(&["actor", "show", "agent:fullstack-1"]).contains("mailbox"));
    assert!(done(&["actor", "restart", "agent:fullstack-1"]).contains("built anew"));
    let audit = done(&["audit", "list", "--action", "token"]);
    assert!(audit.contains("token.create") && audit.contains("allowed"), "{audit}");
    assert!(done(&["agent", "show", "fullstack-1"]).contains("full-stack-engineer"));
    let ask = json!({ "question": "Which?", "options": ["old", "new"], "default_action": "old", "wait_seconds": 0 });
    let asked = agent.calls(&hub, "request_input", &ask);
    let question = asked["question_id"].as_str().unwrap();
    let shown = done(&["question", "show", question]);
    assert!(shown.contains("1. old") && shown.contains("2. new"), "{shown}");
    let item = format!("question:{question}");
    assert!(done(&["inbox", "act", &item, "answer", "new"]).contains("resolved"));
    let again = hub.command(&["inbox", "act", &item, "answer", "old"]).output().unwrap();
    assert_eq!(again.status.code(), Some(3), "{}", words(&again));
    let nothing = hub.command(&["inbox", "act", "question:q_nosuch01", "answer", "old"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(NOT_FOUND), "{}", words(&nothing));
    let evicted = done(&["agent", "evict", "fullstack-1", "--reason", "it runs in circles"]);
    assert!(evicted.contains("out of service"), "{evicted}");
    for unknown in [&["agent", "show", "nobody-1"][..], &["actor", "show", "nobody"], &["actor", "restart", "nobody"]] {
        let unknown = hub.command(unknown).output().unwrap();
        assert_eq!(unknown.status.code(), Some(NOT_FOUND), "{}", words(&unknown));
    }
    let last = done(&["event", "list", "--type", "agent", "--limit", "1"]);
    assert!(last.contains("1 of ") && last.contains("agent."), "{last}");
}

#[test]
fn a_session_in_which_nothing_was_printed_is_said_to_be_so() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let session = agent.calls(&hub, "get_session", &json!({}))["session"]["sessionId"].clone();
    let tail = |session: &str| hub.command(&["session", "follow", session, "--once"]).output().unwrap();
    let silent = tail(session.as_str().unwrap());
    assert_eq!(silent.status.code(), Some(0), "{}", words(&silent));
    assert!(words(&silent).starts_with("Nothing was printed in session "), "{}", words(&silent));
    let missing = tail("s_zzzzzzzz");
    assert_eq!(missing.status.code(), Some(NOT_FOUND), "{}", words(&missing));
}

#[test]
fn a_journal_that_is_broken_fails_its_check() {
    let data_dir = TempDir::new().unwrap();
    assert_eq!(HubProcess::start(data_dir.path()).terminate().code(), Some(0));
    let journal = data_dir.path().join("callboard.db");
    let mut bytes = fs::read(&journal).unwrap();
    let end = bytes.len();
    bytes[end - 20_000..].fill(0xa5);
    fs::write(&journal, bytes).unwrap();
    let verified = run(data_dir.path(), &["journal", "verify"]);
    assert_eq!(verified.status.code(), Some(FAILED), "{}", words(&verified));
}

#[test]
fn what_keeps_a_hub_from_serving_names_the_next_command() {
    let data_dir = TempDir::new().unwrap();
    fs::write(data_dir.path().join("callboard.db"), "this is a letter, and long enough to be one: ".repeat(200))
        .unwrap();
    let serve = |folder: &Path| run(folder, &["serve", "--listen", "127.0.0.1:0"]);
    for refused in [serve(data_dir.path()), serve(Path::new("/proc/self"))] {
        assert_eq!(refused.status.code(), Some(FAILED), "{}", words(&refused));
        assert!(words(&refused).contains("\n  next: callboard "), "{}", words(&refused));
    }
}

#[test]
fn a_reader_that_goes_away_ends_a_command_without_a_word() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let task = hub.post("/api/v1/tasks", &json!({ "targetAgentId": "fullstack-1", "prompt": "work" })).1;
    let task = task["taskId"].as_str().unwrap();
    agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 10 }));
    agent.calls(&hub, "send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "done" }));
    let many: &[&[&str]] = &[
        &["agent", "list"],
        &["audit", "verify"],
        &["config", "check"],
        &["completions", "bash"],
        &["config", "schema"],
        &["config", "show"],
        &["doctor", "--no-wait"],
        &["event", "list", "--after", "0"],
        &["inbox", "list"],
        &["journal", "export"],
        &["journal", "verify"],
        &["man"],
        &["prompt", "show", "project-manager"],
        &["question", "list"],
        &["review", "list"],
        &["session", "list"],
        &["task", "show", task],
        &["task", "follow", task],
        &["task", "why", task],
        &["task", "list"],
        &["token", "list"],
    ];
    for arguments in many {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = hub.command(arguments).stdout(writer).output().unwrap();
        assert_eq!((ended.status.code(), words(&ended).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    callboard(data_dir).args(arguments).output().unwrap()
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The names below `Commands:`, or, in the help of the whole, in the groups before its options.
fn commands_of(help: &str) -> Vec<String> {
    let begins = |line: &str| ["Commands:", "Start here:"].contains(&line);
    help.lines()
        .skip_while(|line| !begins(line))
        .take_while(|line| *line != "Options:")
        // A group's name stands at the margin; the description of a long name on a line of its own, indented further.
        .filter(|line| (1..=4).contains(&(line.len() - line.trim_start().len())))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// The words of a command line; double quotes keep words together.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(index, part)| {
            if index % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
        })
        .collect()
}
