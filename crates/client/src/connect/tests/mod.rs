//! The formats as golden files, and what is left of a file that somebody else wrote.

use std::path::{Path, PathBuf};

use rstest::rstest;

use super::client::{Client, moved};
use super::entry::Entry;
use super::file::difference;
use super::found::Found;
use super::toml;

mod allow;
mod hooks;
mod undo;

fn entry() -> Entry {
    let arguments = ["proxy", "--agent", "fullstack-1", "--role", "full-stack-engineer"];
    Entry::Stdio { command: "callboard".to_owned(), arguments: arguments.map(str::to_owned).to_vec() }
}

fn over_http() -> Entry {
    Entry::Http { url: "http://127.0.0.1:7420/mcp".to_owned() }
}

fn elsewhere() -> Entry {
    Entry::Stdio { command: "elsewhere".to_owned(), arguments: Vec::new() }
}

#[rstest]
#[case(Client::Claude, include_str!("../../../../../config/clients/claude.json"))]
#[case(Client::Codex, include_str!("../../../../../config/clients/codex.toml"))]
#[case(Client::Gemini, include_str!("../../../../../config/clients/gemini.json"))]
#[case(Client::Qwen, include_str!("../../../../../config/clients/qwen.json"))]
#[case(Client::Cursor, include_str!("../../../../../config/clients/cursor.json"))]
#[case(Client::Vscode, include_str!("../../../../../config/clients/vscode.json"))]
#[case(Client::Opencode, include_str!("../../../../../config/clients/opencode.json"))]
#[case(Client::Json, include_str!("../../../../../config/clients/other.json"))]
fn the_examples_are_what_is_written(#[case] client: Client, #[case] example: &str) {
    assert_eq!(client.example(&entry()), example);
}

#[rstest]
#[case(Client::Claude, include_str!("../../../../../config/clients/claude-http.json"))]
#[case(Client::Codex, include_str!("../../../../../config/clients/codex-http.toml"))]
#[case(Client::Gemini, include_str!("../../../../../config/clients/gemini-http.json"))]
#[case(Client::Qwen, include_str!("../../../../../config/clients/qwen-http.json"))]
#[case(Client::Cursor, include_str!("../../../../../config/clients/cursor-http.json"))]
#[case(Client::Vscode, include_str!("../../../../../config/clients/vscode-http.json"))]
#[case(Client::Opencode, include_str!("../../../../../config/clients/opencode-http.json"))]
#[case(Client::Json, include_str!("../../../../../config/clients/other-http.json"))]
fn the_examples_over_http_are_what_is_written(#[case] client: Client, #[case] example: &str) {
    let written = client.example(&over_http());
    assert_eq!(written, example);
    assert_eq!(client.put(&written, &over_http()).expect("it fits"), written, "twice is once");
    let found = client.found(&written).expect("it is read").expect("it is there");
    let Found::Http { url, .. } = found else { panic!("{found:?}") };
    assert_eq!(url, "http://127.0.0.1:7420/mcp");
}

const EVERY: [Client; 8] = [
    Client::Claude,
    Client::Codex,
    Client::Gemini,
    Client::Qwen,
    Client::Cursor,
    Client::Vscode,
    Client::Opencode,
    Client::Json,
];

#[test]
fn what_is_written_is_read_back() {
    let Entry::Stdio { command, arguments } = entry() else { panic!("it is one") };
    for client in EVERY {
        let found = client.found(&client.example(&entry())).expect("it is read").expect("it is there");
        let Found::Stdio { command: read, arguments: with, tool_timeout, .. } = found else { panic!("{found:?}") };
        assert_eq!((&read, &with), (&command, &arguments), "{client:?}");
        let limit = (client == Client::Codex).then(|| std::time::Duration::from_secs(300));
        assert_eq!(tool_timeout, limit, "{client:?}");
        assert_eq!(client.found(&client.example(&entry()).replace("callboard", "other")), Ok(None), "{client:?}");
    }
    assert!(Client::Cursor.found(r#"{"mcpServers": {"callboard": {}}}"#).is_err());
    let literal = "[mcp_servers.callboard]\ncommand = 'c:\\x'\nargs = [\"proxy\"]\n";
    let found = Client::Codex.found(literal).expect("it is read").expect("it is there");
    assert!(matches!(found, Found::Stdio { command, .. } if command == "c:\\x"));
}

#[test]
fn an_opencode_file_of_the_second_form_stays_one() {
    let theirs = concat!(
        "{\n  \"mcp\": {\n    \"timeout\": {\"request\": 9000},\n",
        "    \"servers\": {\n      \"mine\": {}\n    }\n  }\n}\n",
    );
    let Entry::Stdio { command, arguments } = entry() else { panic!("it is one") };
    let written = Client::Opencode.put(theirs, &entry()).expect("it fits");
    let read: serde_json::Value = serde_json::from_str(&written).expect("it is JSON");
    let server = &read["mcp"]["servers"]["callboard"];
    assert_eq!((&server["type"], &server["command"][0]), (&"local".into(), &command.into()), "{written}");
    assert_eq!((server.get("enabled"), &read["mcp"]["servers"]["mine"]), (None, &serde_json::json!({})));
    assert_eq!(Client::Opencode.put(&written, &entry()).expect("it fits"), written, "twice is once");
    let left = Client::Opencode.take(&written, theirs).expect("it is there");
    let meaning = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    assert_eq!(meaning(&left), meaning(theirs), "{left}");
    let found = Client::Opencode.found(&written).expect("it is read").expect("it is there");
    let Found::Stdio { arguments: with, .. } = &found else { panic!("{found:?}") };
    assert_eq!(with, &arguments);
    let limited = written.replace("\"type\": \"local\"", "\"type\": \"local\", \"timeout\": {\"request\": 5000}");
    let found = Client::Opencode.found(&limited).expect("it is read").expect("it is there");
    let Found::Stdio { tool_timeout, .. } = found else { panic!("{found:?}") };
    assert_eq!(tool_timeout, Some(std::time::Duration::from_secs(5)));
}

#[rstest]
#[case::no_inputs("{\n  \"servers\": {}\n}\n")]
#[case::none_yet("{\"inputs\": []}")]
#[case::another("{\n  \"inputs\": [\n    {\"id\": \"mine\", \"type\": \"promptString\"}\n  ]\n}\n")]
fn an_input_is_asked_for_once_beside_those_that_are_there(#[case] theirs: &str) {
    let before: serde_json::Value = serde_json::from_str(theirs).expect("it is JSON");
    let after = Client::Vscode.put(theirs, &over_http()).expect("it fits");
    let read: serde_json::Value = serde_json::from_str(&after).unwrap_or_else(|error| panic!("{error} in {after}"));
    let inputs = read["inputs"].as_array().expect("a list");
    assert_eq!(inputs.len(), before["inputs"].as_array().map_or(0, Vec::len) + 1, "{after}");
    assert_eq!(inputs.iter().filter(|input| input["id"] == "callboard-token").count(), 1, "{after}");
    assert_eq!(Client::Vscode.put(&after, &over_http()).expect("it fits"), after, "twice is once");
    let left = Client::Vscode.take(&after, theirs).expect("it is there");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&left).expect("it is JSON"), before, "{left}");
}

#[test]
fn instructions_stand_between_two_marks_and_all_else_stays() {
    let theirs = "# Mine\n\nBe brief.";
    let once = Client::Claude.instruct(theirs, "Wait for work.\n");
    assert!(once.starts_with("# Mine\n\nBe brief.\n\n<!-- callboard: begin -->\nWait for work.\n"), "{once}");
    assert_eq!(Client::Claude.instruct(&once, "Wait for work."), once, "twice is once");
    let more = format!("{once}\nMore of mine.\n");
    let renewed = Client::Claude.instruct(&more, "Work.");
    assert!(renewed.ends_with("begin -->\nWork.\n<!-- callboard: end -->\n\nMore of mine.\n"), "{renewed}");
    assert!(Client::Cursor.instruct("", "Work.").starts_with("---\ndescription: callboard\nalwaysApply: true\n---\n"));
    assert!(Client::Vscode.instruct("", "Work.").starts_with("---\napplyTo: \"**\"\n---\n"));
}

const THEIRS: &str =
    "{\n  \"zoo\": 1.0,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"a\": [ ]\n}\n";

#[test]
fn all_else_of_a_file_stays_as_it_was_written() {
    let once = Client::Cursor.put(THEIRS, &entry()).expect("it fits");
    let head = "{\n  \"zoo\": 1.0,\n  \"mcpServers\": {\n    \"callboard\": {\n      \"args\": [\"proxy\",";
    assert!(once.starts_with(head), "{once}");
    assert!(once.ends_with("},\n    \"other\": {\"command\": \"x\"}\n  },\n  \"a\": [ ]\n}\n"), "{once}");
    assert_eq!(Client::Cursor.put(&once, &entry()).expect("it fits"), once, "twice is once");
    let changed = Client::Cursor.put(&once, &elsewhere()).expect("it fits");
    assert!(changed.contains("elsewhere") && !changed.contains("fullstack-1"), "{changed}");
}

#[rstest]
#[case::empty("{}")]
#[case::one_line(r#"{"a": 1}"#)]
#[case::no_servers("{\n  \"mcpServers\": {}\n}")]
#[case::one_line_of_servers(r#"{"mcpServers": {"other": {}}}"#)]
fn whatever_the_layout_it_stays_json(#[case] text: &str) {
    let after = Client::Claude.put(text, &entry()).expect("it fits");
    let read: serde_json::Value = serde_json::from_str(&after).unwrap_or_else(|error| panic!("{error} in {after}"));
    assert_eq!(read["mcpServers"]["callboard"]["command"], "callboard");
}

const REMARKED: &str =
    "{\n  // mine\n  \"servers\": {\n    /* kept */ \"other\": {\"command\": \"x\"}, // why\n  },\n}\n";

#[rstest]
#[case(Client::Vscode, REMARKED)]
#[case(Client::Opencode, "{\n  // mine\n  \"mcp\": {},\n}\n")]
#[case(Client::Gemini, "{ \"mcpServers\": { /* mine */ } } // last\n")]
fn the_remarks_of_a_file_stay_where_its_client_reads_them(#[case] client: Client, #[case] theirs: &str) {
    let after = client.put(theirs, &entry()).expect("it fits");
    for remark in ["// mine", "/* kept */ \"other\"", "// why\n", "/* mine */", "// last\n"] {
        assert_eq!(after.contains(remark), theirs.contains(remark), "{remark} in {after}");
    }
    let found = client.found(&after).expect("it is read");
    assert!(matches!(found, Some(Found::Stdio { command, .. }) if command == "callboard"), "{after}");
    assert_eq!(client.put(&after, &entry()).as_ref(), Ok(&after), "twice is once");
    let changed = client.put(&after, &elsewhere()).expect("it fits");
    assert!(changed.contains("elsewhere") && !changed.contains("fullstack-1"), "{changed}");
}

#[rstest]
#[case::remarks(Client::Claude, "{\n  // mine\n}", "line 2 column 3")]
#[case::a_comma_too_many(Client::Gemini, "{\"a\": 1,}", "line 1 column 8")]
#[case::a_list(Client::Cursor, "[]", "it is no plain JSON object")]
#[case::no_object(Client::Cursor, "{\"mcpServers\": 3}", "`mcpServers` is no object")]
#[case::twice(Client::Vscode, "{\"servers\": {}, \"servers\": {}}", "`servers` stands in it twice")]
#[case::our_own_twice(Client::Vscode, "{\"servers\": {\"callboard\": {}, \"callboard\": {}}}", "in it twice")]
fn a_file_that_its_client_would_not_read_is_left_alone(#[case] client: Client, #[case] text: &str, #[case] why: &str) {
    let refused = client.put(text, &entry()).expect_err("it is left alone");
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn what_the_user_set_in_the_entry_stays() {
    let theirs = r#"{"mcpServers": {"callboard": {"url": "http://old", "env": {"A": "b"}, "timeout": 9000}}}"#;
    let after = Client::Claude.put(theirs, &entry()).expect("it fits");
    let read: serde_json::Value = serde_json::from_str(&after).expect("it is JSON");
    let ours = &read["mcpServers"]["callboard"];
    assert_eq!((&ours["env"]["A"], &ours["timeout"]), (&"b".into(), &9000.into()), "{after}");
    assert_eq!((ours.get("url"), &ours["command"]), (None, &"callboard".into()), "{after}");
}

#[test]
fn the_lines_of_another_system_end_as_they_did() {
    let after = Client::Claude.put("{\r\n  \"a\": 1\r\n}\r\n", &entry()).expect("it fits");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
}

#[test]
fn a_table_goes_between_tables_and_replaces_itself() {
    let theirs = "model = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    let once = Client::Codex.put(theirs, &entry()).expect("it fits");
    assert!(once.starts_with(theirs) && once.contains("\n\n[mcp_servers.callboard]\n"), "{once}");
    let more = format!("{once}\n[profiles.a]\nx = 1\n");
    let changed = Client::Codex.put(&more, &elsewhere()).expect("it fits");
    assert!(changed.contains("elsewhere") && changed.ends_with("\n\n[profiles.a]\nx = 1\n"), "{changed}");
    assert!(!changed.contains("fullstack-1"), "{changed}");
}

#[test]
fn an_entry_is_read_however_its_table_is_written() {
    let lists = "[mcp_servers.callboard] # mine\ncommand = '''c:\\x'''\nargs = [\n  \"proxy\", # over\n  'a',\n]\n";
    let dotted = "mcp_servers.callboard.command = \"c:\\\\x\"\nmcp_servers.callboard.args = [\"proxy\", \"a\"]\n";
    let inline = "[mcp_servers]\n\"callboard\" = { command = 'c:\\x', args = ['proxy', 'a',], env = { A = 'b' } }\n";
    for text in [lists, dotted, inline] {
        let found = Client::Codex.found(text).expect("it is read").expect("it is there");
        let Found::Stdio { command, arguments, .. } = found else { panic!("{found:?}") };
        assert_eq!((command.as_str(), arguments), ("c:\\x", vec!["proxy".to_owned(), "a".to_owned()]), "{text}");
    }
    let replaced = Client::Codex.put(lists, &elsewhere()).expect("a remark behind a header is none of it");
    assert!(replaced.contains("elsewhere") && !replaced.contains("c:"), "{replaced}");
}

/// What the entry is written as, in the files below.
const ENTRY: &str =
    "command = \"elsewhere\"\nargs = []\n# A wait of the hub's ends before this.\ntool_timeout_sec = 300\n";

/// `@` stands for the entry.
#[rstest]
#[case::dotted(
    "# mine\nmcp_servers.callboard.command = 'x' # why\nmodel = 'o' # kept\n",
    "model = 'o' # kept\n\n# mine\n# why\n[mcp_servers.callboard]\n@"
)]
#[case::in_quotes(
    "# first\n[mcp_servers.\"callboard\"] # here\ncommand = 'x'\n\n# of the next\n[other]\na = 1\n",
    "# first\n[mcp_servers.callboard] # here\n@\n# of the next\n[other]\na = 1\n"
)]
#[case::in_a_text(
    "a = '''\n[mcp_servers.callboard]\n'''\n# the last remark\n",
    "a = '''\n[mcp_servers.callboard]\n'''\n# the last remark\n\n[mcp_servers.callboard]\n@"
)]
#[case::inline(
    "mcp_servers = { mine = { command = 'm' }, callboard = { command = 'x' } }\n[other]\na = 1\n",
    "mcp_servers = { mine = { command = 'm' }, callboard = \
     { command = \"elsewhere\", args = [], tool_timeout_sec = 300 } }\n[other]\na = 1\n"
)]
#[case::a_row(
    "[mcp_servers]\nmine = { command = 'm' } # kept\n# by ansible\ncallboard = { command = 'x' } # why\n\n[o]\na = 1\n",
    "[mcp_servers]\nmine = { command = 'm' } # kept\n\n[o]\na = 1\n\n# by ansible\n# why\n[mcp_servers.callboard]\n@"
)]
#[case::below_others(
    "[mcp_servers.mine]\ncommand = 'm'\n\n[mcp_servers.callboard]\ncommand = 'x'\n\n[mcp_servers.z]\na = 1\n",
    "[mcp_servers.mine]\ncommand = 'm'\n\n[mcp_servers.callboard]\n@\n[mcp_servers.z]\na = 1\n"
)]
#[case::before_a_table_whose_last_words_are_its_own(
    "[mcp_servers.docs]\ncommand = 'd'\n\n[profiles.fast]\nmodel = 'x'\n# effort = 'high'\n",
    "[mcp_servers.docs]\ncommand = 'd'\n\n[profiles.fast]\nmodel = 'x'\n# effort = 'high'\n\n[mcp_servers.callboard]\n@"
)]
#[case::with_tables_of_the_users_own(
    "[mcp_servers.callboard]\ncommand = 'x'\n\n[mcp_servers.callboard.env]\nA = 'b' # kept\n",
    "[mcp_servers.callboard]\n@\n[mcp_servers.callboard.env]\nA = 'b' # kept\n"
)]
#[case::of_another_system("model = 'o'\r\n", "model = 'o'\r\n\n[mcp_servers.callboard]\n@")]
#[case::empty("", "[mcp_servers.callboard]\n@")]
fn an_entry_is_put_in_and_all_else_stays_where_and_as_it_was(#[case] theirs: &str, #[case] ours: &str) {
    let put = Client::Codex.put(theirs, &elsewhere()).expect("it fits");
    let ours = ours.replace('@', ENTRY);
    let ours = if theirs.contains('\r') { ours.replace("\r\n", "\n").replace('\n', "\r\n") } else { ours };
    assert_eq!(put, ours);
    assert_eq!(Client::Codex.put(&put, &elsewhere()).as_ref(), Ok(&put), "a second time changes nothing");
    let left = Client::Codex.take(&put, theirs).expect("it is there");
    assert_eq!(toml::entry(&left, "callboard"), toml::entry(theirs, "callboard"), "what stood there is back: {left}");
}

#[rstest]
#[case::no_table("mcp_servers = 3\n", "put it in by hand")]
#[case::no_toml("model = \"o\"\nmodel = \"p\"\n", "line 2: ")]
fn what_cannot_be_changed_without_changing_something_else_is_left_alone(#[case] theirs: &str, #[case] why: &str) {
    let refused = Client::Codex.put(theirs, &entry()).expect_err("it is left alone");
    assert!(refused.contains(why), "{refused}");
}

#[rstest]
#[case(".codex/config.toml", Some("/v/CODEX_HOME/config.toml"))]
#[case(".claude.json", Some("/v/CLAUDE_CONFIG_DIR/.claude.json"))]
#[case(".claude/CLAUDE.md", Some("/v/CLAUDE_CONFIG_DIR/CLAUDE.md"))]
#[case(".config/opencode/opencode.json", Some("/v/XDG_CONFIG_HOME/opencode/opencode.json"))]
#[case(".config/Code/User/mcp.json", Some("/v/XDG_CONFIG_HOME/Code/User/mcp.json"))]
#[case(".gemini/settings.json", None)]
fn a_file_lies_where_its_clients_variable_says(#[case] below: &str, #[case] file: Option<&str>) {
    assert_eq!(moved(below, &|name| Some(format!("/v/{name}"))), file.map(PathBuf::from));
    assert_eq!(moved(below, &|_| None), None);
    assert_eq!(moved(below, &|_| Some("not/whole".to_owned())), None);
}

#[test]
fn the_difference_is_what_changes_and_two_lines_around_it() {
    let shown = difference(Path::new("f"), "a\nb\nc\nd\n", "a\nb\nc\nx\nd\n");
    assert_eq!(shown, "f:\n b\n c\n+x\n d");
    assert_eq!(difference(Path::new("f"), "", "x\n"), "f:\n+x");
}
