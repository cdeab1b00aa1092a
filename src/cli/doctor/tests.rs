//! What is said of each thing that can be found, without a hub.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::by_command::presentable;
use super::clients::{astray, shared, tool_timeout, unattended};
use super::finding::{Finding, State};
use super::wait::{self, Trial};
use super::{hub, in_front, place, woken, worst};
use crate::cli::client::Unheard;
use crate::cli::connect::{Client, Found, Values};
use crate::cli::exit::Exit;
use crate::cli::place::GlobalArgs;
use crate::cli::problem::Problem;
use crate::domain::time::Timestamp;
use crate::private_file;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_data_directory_is_judged_by_what_others_can_read_in_it() {
    let dir = TempDir::new().unwrap();
    let token = dir.path().join("operator.token");
    fs::write(&token, "x").unwrap();
    let (file, folder) = (private_file::closing_file(&token), private_file::closing_folder(dir.path()));
    for (of_dir, of_token, state, next) in [
        (0o700, 0o600, State::Good, ""),
        // The hub refuses to read it.
        (0o700, 0o644, State::Wrong, file.as_str()),
        (0o755, 0o600, State::Doubtful, "chmod 700"),
        (0o755, 0o644, State::Wrong, &file),
        (0o777, 0o600, State::Wrong, &folder),
    ] {
        mode(&token, of_token);
        mode(dir.path(), of_dir);
        let found = place::at(dir.path());
        assert_eq!(found.state(), state, "{of_dir:o} {of_token:o}: {}", found.words());
        assert!(found.words().contains(next), "{}", found.words());
    }
    assert_eq!(place::at(&dir.path().join("nowhere")).state(), State::Skipped);
}

#[test]
fn a_file_of_tokens_that_is_none_and_a_journal_that_is_gone_are_wrong_with_the_way_out() {
    let dir = TempDir::new().unwrap();
    mode(dir.path(), 0o700);
    let write = |name: &str, text: &str| {
        fs::write(dir.path().join(name), text).unwrap();
        mode(&dir.path().join(name), 0o600);
    };
    write("tokens", "");
    let words = place::at(dir.path()).words();
    assert!(words.starts_with("wrong") && words.contains("(TOKENS_DAMAGED)"), "{words}");
    assert!(words.contains("rm '") && !words.contains("callboard doctor"), "{words}");
    write("tokens", "{}");
    assert_eq!(place::at(dir.path()).state(), State::Good, "tokens may be made before a hub first serves");
    write("callboard.db-mark", "7");
    let words = place::at(dir.path()).words();
    assert!(words.contains("(JOURNAL_MISSING)") && words.contains("journal restore"), "{words}");
    write("callboard.db", "");
    assert_eq!(place::at(dir.path()).state(), State::Good);
}

#[rstest]
#[case::held(1_004, State::Good, "came back after 1.004s")]
#[case::cut(5, State::Wrong, "(WAIT_CUT)")]
fn a_wait_that_comes_back_too_early_is_wrong(#[case] waited: u64, #[case] state: State, #[case] says: &str) {
    let trial = Trial { shook: Duration::from_millis(3), tools: 9, waited: Duration::from_millis(waited) };
    let found = wait::outcome("client codex", "its command", Ok(trial), String::new());
    assert_eq!(found.state(), state, "{}", found.words());
    assert!(found.words().contains(says), "{}", found.words());
}

#[test]
fn an_agent_for_whom_several_clients_speak_is_told() {
    let agents = [("a-1", vec!["claude", "codex"]), ("b-1", vec!["cursor"])];
    let agents: BTreeMap<String, BTreeSet<&str>> =
        agents.map(|(agent, clients)| (agent.to_owned(), clients.into_iter().collect())).into();
    let found = shared(&agents);
    let words = found.iter().map(Finding::words).collect::<String>();
    assert!(found.len() == 1 && words.contains("agent a-1: claude and codex speak for it"), "{words}");
    assert!(words.contains("(AGENT_SHARED)") && words.contains("connect codex --agent ANOTHER-ID"), "{words}");
}

#[test]
fn what_the_hub_warns_of_is_told_with_its_own_advice() {
    let warning = json!({
        "code": "CONFIG_BROKEN", "subject": "settings", "message": "the settings could not be read again",
        "advice": "mend the file",
    });
    let words = hub::of_warning(&warning).words();
    assert!(words.contains("hub settings: the settings could not") && words.contains("(CONFIG_BROKEN)"), "{words}");
    assert!(words.ends_with("next: mend the file"), "{words}");
}

#[rstest]
#[case::leads_here(true, Ok(200), State::Good, "while the hub is stopped")]
#[case::leads_elsewhere(false, Ok(200), State::Doubtful, "here none answers")]
#[case::says_that_nobody_is_there(false, Ok(502), State::Good, "clients try again")]
#[case::says_so_too(false, Ok(503), State::Good, "clients try again")]
#[case::says_that_there_is_nothing(false, Ok(404), State::Wrong, "answer 502 or 503")]
#[case::has_no_route(true, Ok(404), State::Wrong, "does not lead to the hub")]
#[case::redirects(true, Ok(301), State::Doubtful, "answers 301")]
#[case::nobody(false, Err(Unheard::Nobody("refused".to_owned())), State::Doubtful, "no hub answers")]
fn a_proxy_in_front_is_judged_by_what_it_answers_while_there_is_no_hub(
    #[case] serves: bool,
    #[case] status: Result<u16, Unheard>,
    #[case] state: State,
    #[case] words: &str,
) {
    let found = in_front::of_answer("https://hub.example", serves, status);
    assert_eq!(found.state(), state, "{}", found.words());
    assert!(found.words().contains(words), "{}", found.words());
}

#[rstest]
#[case::the_operators(json!({"principal": "operator", "scopes": ["admin"]}), State::Good)]
#[case::who_only_looks(json!({"principal": "person:eve", "scopes": ["view"]}), State::Doubtful)]
#[case::an_agents(json!({"principal": "agent:a1", "scopes": ["agent"]}), State::Doubtful)]
fn a_token_is_judged_by_what_it_may(#[case] me: Value, #[case] state: State) {
    let found = hub::token(&me);
    assert_eq!(found.state(), state);
    assert!(found.words().contains(me["principal"].as_str().unwrap()), "{}", found.words());
}

#[rstest]
#[case::between(1_000, State::Good, "at most 0ns")]
#[case::a_little_ahead(5_500, State::Good, "apart")]
#[case::ahead(65_500, State::Doubtful, "1m ahead of")]
#[case::behind(0, State::Good, "apart")]
fn clocks_are_compared_with_the_moments_before_and_after(#[case] there: u64, #[case] state: State, #[case] says: &str) {
    let base = 1_800_000_000_000;
    let me = json!({ "time": Timestamp(base + there).to_string() });
    let found = hub::apart(&me, Timestamp(base + 500), Timestamp(base + 5_500));
    assert_eq!(found.state(), state, "{}", found.words());
    assert!(found.words().contains(says) || says == "1m ahead of" && found.words().contains("60s ahead of"));
    let late = hub::apart(&me, Timestamp(base + 90_000), Timestamp(base + 90_100));
    assert_eq!(late.state(), State::Doubtful, "{}", late.words());
    assert!(late.words().contains("behind"), "{}", late.words());
    assert_eq!(hub::apart(&json!({}), Timestamp(1), Timestamp(2)).state(), State::Doubtful);
}

#[rstest]
#[case::as_it_is_to_be(Some(200), Some(403), State::Good)]
#[case::open_to_all(Some(200), Some(200), State::Wrong)]
#[case::closed_to_its_own(Some(403), Some(403), State::Wrong)]
#[case::gone(None, None, State::Wrong)]
fn pages_are_judged_by_a_round_trip_from_each(
    #[case] own: Option<u16>,
    #[case] foreign: Option<u16>,
    #[case] state: State,
) {
    assert_eq!(hub::of_pages(own, foreign).state(), state);
}

fn stdio(command: &str, arguments: &[&str], tool_timeout: Option<u64>) -> Found {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let tool_timeout = tool_timeout.map(Duration::from_secs);
    Found::Stdio { command: command.to_owned(), arguments, environment: Values::new(), tool_timeout }
}

fn of(data_dir: &Path) -> GlobalArgs {
    GlobalArgs { data_dir: Some(data_dir.to_owned()), ..GlobalArgs::default() }
}

#[test]
fn an_entry_that_leads_elsewhere_or_nowhere_is_said_to() {
    let (ours, theirs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (here, there) = (ours.path().to_str().unwrap(), theirs.path().to_str().unwrap());
    let said = |found: &Found| astray(found, None, &of(ours.path()));
    assert_eq!(said(&stdio("/bin/sh", &["proxy", "--agent", "a", "--data-dir", here], None)), None);
    assert_eq!(said(&stdio("sh", &["proxy", "--agent", "a"], None)), None, "found on the path");
    let elsewhere = said(&stdio("/bin/sh", &["proxy", "--data-dir", there], None));
    assert!(elsewhere.is_some_and(|said| said.contains(there)));
    let gone = said(&stdio("/nowhere/callboard", &["proxy"], None));
    assert!(gone.is_some_and(|said| said.contains("/nowhere/callboard")));
    assert!(said(&stdio("/bin/sh", &["serve"], None)).is_some_and(|said| said.contains("callboard proxy")));
    let http = |url: &str| said(&Found::Http { url: url.to_owned(), headers: Values::new(), tool_timeout: None });
    assert_eq!(http("http://127.0.0.1:7420/mcp"), None);
    assert!(http("http://127.0.0.1:7420/").is_some_and(|said| said.contains("/mcp")));
}

#[test]
fn what_an_entry_sets_in_its_environment_leads_as_its_flags_do_and_behind_them() {
    let (ours, theirs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (here, there) = (ours.path().to_str().unwrap(), theirs.path().to_str().unwrap());
    let said = |arguments: &[&str], name: &str, value: &str| {
        let mut found = stdio("/bin/sh", arguments, None);
        if let Found::Stdio { environment, .. } = &mut found {
            environment.insert(name.to_owned(), Ok(value.to_owned()));
        }
        astray(&found, None, &of(ours.path()))
    };
    let by_variable = said(&["proxy"], "CALLBOARD_DATA_DIR", there);
    assert!(by_variable.is_some_and(|said| said.contains(there)));
    assert_eq!(said(&["proxy"], "CALLBOARD_DATA_DIR", here), None);
    assert_eq!(said(&["proxy", "--data-dir", here], "CALLBOARD_DATA_DIR", there), None);
    let by_flag = said(&["proxy", &format!("--data-dir={there}")], "CALLBOARD_DATA_DIR", here);
    assert!(by_flag.is_some_and(|said| said.contains(there)));
}

#[test]
fn what_a_program_said_is_shown_without_secrets_and_without_what_drives_a_terminal() {
    let set = |value: &str| Ok::<_, String>(value.to_owned());
    let environment = Values::from([
        ("API_KEY".to_owned(), set("opensesame/42")),
        ("CALLBOARD_URL".to_owned(), set("http://127.0.0.1:1")),
    ]);
    let token = format!("cb_a_0123abcd4567_{}", "x".repeat(49));
    let line = format!("\u{1b}[31mno hub\u{1b}[0m at http://127.0.0.1:1 for {token} by opensesame/42\r");
    assert_eq!(presentable(&line, &environment), "no hub at http://127.0.0.1:1 for [secret] by [secret]");
    assert!(presentable(&"x".repeat(5_000), &environment).chars().count() <= 400);
}

#[rstest]
#[case::absent(Unheard::Nobody("connection refused".to_owned()), "HUB_ABSENT", Exit::Unreachable, "callboard serve")]
#[case::silent(Unheard::Silent, "HUB_SILENT", Exit::Unreachable, "ss -ltnp")]
#[case::lost(Unheard::Lost("reset".to_owned()), "HUB_LOST", Exit::Unreachable, "callboard doctor again")]
#[case::no_hub(Unheard::Gibberish { status: 200, text: String::new() }, "NOT_A_HUB", Exit::Failed, "CALLBOARD_URL")]
#[case::refusing(
    Unheard::Refused(Problem::new(Exit::Refused, "this host is not allowed")),
    "HUB_REFUSES",
    Exit::Refused,
    "allowedHosts"
)]
fn each_way_in_which_a_hub_does_not_answer_has_its_code_and_what_to_type(
    #[case] unheard: Unheard,
    #[case] code: &str,
    #[case] exit: Exit,
    #[case] next: &str,
) {
    let found = hub::unanswered(unheard, "http://127.0.0.1:7420");
    assert_eq!(found.exit(), Some(exit));
    let words = found.words();
    let said = words.split_once("next: ").unwrap_or_else(|| panic!("{words}"));
    assert!(said.0.contains(&format!("({code})")) && said.1.contains(next), "{words}");
}

#[rstest]
#[case::told(503, r#"{"reasons":["the disk is full","it \u001b[2Jends"]}"#, "not ready: the disk is full; it ")]
#[case::untold(503, r#"{"status":"unavailable"}"#, "not ready: status 503, without a reason")]
#[case::by_something_between(502, "<html>", "not ready: status 502")]
fn a_hub_that_is_not_ready_is_wrong_and_says_why(#[case] status: u16, #[case] text: &str, #[case] says: &str) {
    let found = hub::of_readiness(status, text, "http://127.0.0.1:7420");
    assert_eq!((found.state(), found.exit()), (State::Wrong, Some(Exit::Failed)));
    let words = found.words();
    assert!(words.contains(says) && words.contains("(HUB_NOT_READY)") && !words.contains('\u{1b}'), "{words}");
    assert_eq!(hub::of_readiness(200, r#"{"status":"ok"}"#, "x").state(), State::Good);
    // One that stands by for a hub that beats is well; where none does, somebody has to look.
    let stands_by = |details: Value| {
        let said = json!({ "error": "it stands by", "code": "NOT_OWNER", "details": details });
        hub::of_readiness(503, &said.to_string(), "http://127.0.0.1:7420")
    };
    let well = stands_by(json!({ "owner": "hub-a" }));
    assert!(well.state() == State::Good && well.words().contains("stands by for `hub-a`"), "{}", well.words());
    let alone = stands_by(json!({ "publicUrl": "https://hub-a.example" }));
    assert!(alone.state() == State::Wrong && alone.words().contains("not ready: it stands by"), "{}", alone.words());
    let degraded =
        hub::of_readiness(200, r#"{"status":"degraded","reasons":["the hub's clock is 7200 s ahead"]}"#, "x");
    assert!(degraded.state() == State::Doubtful && degraded.words().contains("7200 s ahead"), "{}", degraded.words());
}

#[test]
fn a_file_that_cuts_a_wait_is_wrong_and_says_by_how_much() {
    let cut = tool_timeout("client codex", Client::Codex, &stdio("x", &[], Some(60)));
    assert_eq!((cut.state(), cut.exit()), (State::Wrong, Some(Exit::Configuration)));
    assert!(cut.words().contains("60s") && cut.words().contains("280s"), "{}", cut.words());
    assert_eq!(tool_timeout("client codex", Client::Codex, &stdio("x", &[], Some(300))).state(), State::Good);
    assert!(tool_timeout("client claude", Client::Claude, &stdio("x", &[], None)).words().contains("280s"));
}

#[test]
fn a_client_that_asks_before_each_call_is_said_to_and_how_it_stops() {
    let asks = unattended(Client::Gemini, Some(false)).expect("it is said");
    assert_eq!(asks.state(), State::Doubtful);
    let words = asks.words();
    assert!(words.contains("CLIENT_ASKS") && words.contains("callboard connect gemini --agent ID"), "{words}");
    assert!(words.ends_with("--allow"), "{words}");
    assert_eq!(unattended(Client::Gemini, Some(true)).map(|found| found.state()), Some(State::Good));
    assert_eq!(unattended(Client::Vscode, None), None);
}

#[test]
fn the_code_is_that_of_what_keeps_most_from_working() {
    let wrong = |exit| Finding::wrong("x", exit, "y");
    assert_eq!(worst(&[Finding::good("x", "y"), Finding::doubtful("x", "y"), Finding::skipped("x", "y")]), None);
    assert_eq!(worst(&[wrong(Exit::Configuration), wrong(Exit::Unreachable)]), Some(Exit::Unreachable));
    assert_eq!(worst(&[wrong(Exit::Configuration), wrong(Exit::Refused)]), Some(Exit::Refused));
    assert_eq!(worst(&[wrong(Exit::Configuration)]), Some(Exit::Configuration));
    assert_eq!(worst(&[wrong(Exit::Failed)]), Some(Exit::Failed));
}

#[test]
fn what_wakes_a_client_without_a_hook_is_judged_by_what_no_conversation_sees() {
    let daemon = |tried| woken::by_daemon("client codex wake", tried);
    assert_eq!(daemon(Some(Ok(()))).state(), State::Good);
    let refused = daemon(Some(Err("Invalid request: unknown variant `turn/start`".to_owned())));
    assert_eq!(refused.state(), State::Wrong);
    assert!(refused.words().contains("unknown variant"), "{}", refused.words());
    let away = daemon(None);
    assert_eq!(away.state(), State::Skipped);
    assert!(away.words().contains("start codex"), "{}", away.words());
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("a.callboard-turns");
    let turns = || woken::by_file("client qwen wake", Client::Qwen, &file);
    assert_eq!(turns().state(), State::Skipped, "its proxy makes it");
    fs::write(&file, "one\n").unwrap();
    let found = turns();
    assert_eq!(found.state(), State::Good);
    assert!(found.words().contains("not tried"), "{}", found.words());
    assert_eq!(fs::read_to_string(&file).unwrap(), "one\n", "nothing is begun");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(turns().state(), State::Wrong);
}
