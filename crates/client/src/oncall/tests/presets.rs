//! What is started for a run, for every client.

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;

use crate::domain::on_call::RunToken;
use crate::oncall::presets::{Preset, RunInput};

const ALL: [&str; 6] = ["claude", "codex", "gemini", "qwen", "opencode", "copilot"];
const SECRET: &str = "cb_r_0123456789\"abcdefghij";

static TOKEN: LazyLock<RunToken> = LazyLock::new(|| RunToken(SECRET.to_owned()));

fn input() -> RunInput<'static> {
    RunInput {
        system: "",
        text: "Do it; rm -rf $HOME",
        conversation: None,
        url: "http://127.0.0.1:7420/mcp",
        token: &TOKEN,
        folder: Path::new("/run/r1"),
        working: Path::new("/work/.callboard/worktrees/t1"),
        workspace: Path::new("/work"),
        has_own_entry: false,
        extra: &[],
        wrap: &[],
    }
}

#[test]
fn every_client_is_given_its_text_and_its_entry() {
    for client in ALL {
        let preset = Preset::named(client).unwrap();
        assert!(preset.can_resume(), "{client}");
        for conversation in [None, Some("0b1c-2d")] {
            let launch = preset.launch(&RunInput { conversation, ..input() }).unwrap();
            let argv = &launch.argv;
            assert_eq!(argv[0], client);
            assert_eq!(launch.stdin, "Do it; rm -rf $HOME", "as it is");
            assert_eq!(argv.contains(&"0b1c-2d".to_owned()), conversation.is_some(), "{argv:?}");
            let left = argv
                .iter()
                .any(|part| ["{mcp}", "{url}", "{conversation}", "{extra}"].iter().any(|hole| part.contains(hole)));
            assert!(!left, "{argv:?}");
            assert!(!argv.iter().any(|part| part.contains("cb_r_")), "no token where every user can read it: {argv:?}");
            assert_eq!(launch.environment["CALLBOARD_TOKEN"], SECRET);
            assert_eq!(launch.environment["CALLBOARD_URL"], "http://127.0.0.1:7420");
            if let Some((name, text)) = launch.files.iter().find(|(name, _)| *name == "mcp.json") {
                let entry: serde_json::Value = serde_json::from_str(text).unwrap();
                assert!(entry.to_string().contains("http://127.0.0.1:7420/mcp"), "{client}: {entry}");
                assert!(entry.to_string().contains("Bearer cb_r_0123456789\\\"abcdefghij"), "{client}: {entry}");
                let path = format!("/run/r1/{name}");
                let is_named = argv.iter().any(|part| part.ends_with(&path))
                    || launch.environment.values().any(|value| *value == path);
                assert!(is_named, "{client} is not told of {path}");
            } else {
                assert!(argv.iter().any(|part| part.contains("CALLBOARD_TOKEN")), "{client}: {argv:?}");
            }
        }
    }
}

#[test]
fn a_client_of_the_agent_client_protocol_reads_its_text_through_a_program_of_ours() {
    for client in ["codex", "copilot", "gemini", "qwen", "opencode"] {
        let preset = Preset::named(&format!("{client}-acp")).unwrap();
        for conversation in [None, Some("0b1c-2d")] {
            let launch = preset.launch(&RunInput { conversation, ..input() }).unwrap();
            let rest = launch.argv.iter().map(String::as_str).skip_while(|part| *part != "acp");
            let rest: Vec<_> = rest.take_while(|part| !part.starts_with(client)).collect();
            let wanted = if conversation.is_some() { vec!["acp", "--resume=0b1c-2d", "--"] } else { vec!["acp", "--"] };
            assert_eq!(rest, wanted);
            assert_eq!(launch.stdin, "Do it; rm -rf $HOME");
            let entry = |(name, text): &(&str, String)| *name == "mcp.json" && text.contains("Bearer");
            assert_eq!(launch.files.iter().any(entry), client != "codex");
        }
    }
}

#[test]
fn any_other_program_reads_its_text() {
    let preset = Preset::command(&["./agent.sh".to_owned(), "-x".to_owned()]);
    let started = preset.launch(&RunInput { system: "You are Ada.\n", ..input() }).unwrap();
    assert_eq!(started.argv, ["./agent.sh", "-x"]);
    assert_eq!(started.stdin, "You are Ada.\n\nDo it; rm -rf $HOME");
    assert_eq!(
        preset.launch(&RunInput { conversation: Some("c1"), ..input() }).unwrap_err(),
        "this client cannot resume a conversation"
    );
}

#[test]
fn what_the_user_adds_stands_before_the_rest_and_around_the_program() {
    let preset = Preset::named("copilot").unwrap();
    let (extra, wrap) = (["--model".to_owned(), "x".to_owned()], ["bwrap".to_owned(), "--".to_owned()]);
    let launch = preset.launch(&RunInput { extra: &extra, wrap: &wrap, ..input() }).unwrap();
    assert_eq!(launch.argv[..6], ["bwrap", "--", "copilot", "--model", "x", "--allow-tool"]);
    let wrap = ["{run}", "{folder}:{workspace}"].map(str::to_owned);
    let launch = preset.launch(&RunInput { wrap: &wrap, ..input() }).unwrap();
    assert_eq!(launch.argv[..2], ["/run/r1", "/work/.callboard/worktrees/t1:/work"]);
}

#[test]
fn an_entry_of_the_users_own_that_would_be_joined_is_switched_off() {
    let argv = |has_own_entry| {
        let codex = Preset::named("codex").unwrap();
        codex.launch(&RunInput { has_own_entry, ..input() }).unwrap().argv
    };
    let off = "mcp_servers.callboard.enabled=false".to_owned();
    assert!(argv(true).contains(&off));
    assert!(!argv(false).contains(&off), "without a command it would be no entry, and refused");
    let config = |has_own_entry| {
        let codex = Preset::named("codex-acp").unwrap();
        let launch = codex.launch(&RunInput { has_own_entry, ..input() }).unwrap();
        let whole: serde_json::Value = serde_json::from_str(&launch.environment["CODEX_CONFIG"]).unwrap();
        whole["mcp_servers"].clone()
    };
    assert_eq!(config(true)["callboard"], serde_json::json!({"enabled": false}));
    assert!(config(false).get("callboard").is_none());
    assert_eq!(config(true)["callboard_run"]["url"], input().url);
}

#[rstest]
#[case::an_option("--dangerously", "--dangerously")]
#[case::a_nul("a\0b", "ab")]
#[case::longer_than_an_argument(&"x".repeat(300_000), &"x".repeat(300_000))]
fn a_text_is_among_the_arguments_of_no_client(#[case] text: &str, #[case] expected: &str) {
    for client in ALL {
        for conversation in [None, Some("0b1c-2d")] {
            let input = RunInput { text, conversation, ..input() };
            let launch = Preset::named(client).unwrap().launch(&input).unwrap();
            assert_eq!(launch.stdin, expected);
            assert!(!launch.argv.contains(&expected.to_owned()), "{client}");
        }
    }
}

#[rstest]
#[case("--help")]
#[case("")]
#[case("a b")]
#[case("../x/y")]
fn what_is_no_conversation_is_not_resumed(#[case] id: &str) {
    let error = Preset::named("codex").unwrap().launch(&RunInput { conversation: Some(id), ..input() }).unwrap_err();
    assert!(error.ends_with("is no conversation"), "{error}");
}

#[test]
fn the_environment_is_named() {
    let preset = Preset::named("claude").unwrap();
    let names = [
        "PATH", "LC_ALL", "https_proxy", "ANTHROPIC_API_KEY", "CALLBOARD_TOKEN", "CLAUDE_CODE_SESSION_ID", "AWS_KEY",
        "LD_PRELOAD",
    ];
    let given = preset.inherited(names.iter().map(|name| ((*name).to_owned(), "1".to_owned())));
    let given: Vec<_> = given.keys().map(String::as_str).collect();
    assert_eq!(given, ["ANTHROPIC_API_KEY", "LC_ALL", "PATH", "https_proxy"]);
}

#[test]
fn an_unknown_preset_is_told_which_there_are() {
    let error = Preset::named("emacs").unwrap_err();
    let known =
        "claude, codex, codex-acp, copilot, copilot-acp, gemini, gemini-acp, opencode, opencode-acp, qwen, qwen-acp";
    assert_eq!(error, format!("there is no preset `emacs`; there are {known}, and `-- COMMAND` for anything else"));
}
