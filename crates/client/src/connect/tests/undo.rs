//! The way back: callboard's part alone goes, and nothing of anybody else's is lost.

use std::fs;
use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use super::super::client::Client;
use super::super::file::Kept;
use super::super::instructions;
use super::{ENTRY, THEIRS, entry, over_http};

fn connects(path: &Path, client: Client) {
    let kept = Kept::read(path).expect("it is read");
    let after = client.put(kept.text(), &entry()).expect("it fits");
    kept.write(&after).expect("it is written");
}

fn undoes(path: &Path, client: Client) -> bool {
    let kept = Kept::read(path).expect("it is read");
    kept.without(|now, was| client.take(now, was)).is_ok_and(|left| kept.restore(&left).is_ok())
}

#[rstest]
#[case(Client::Cursor, THEIRS)]
#[case(Client::Codex, "model = \"o\"")]
fn a_file_that_nobody_else_changed_is_as_it_was_and_nothing_lies_beside_it(
    #[case] client: Client,
    #[case] theirs: &str,
) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("config");
    fs::write(&path, theirs).expect("a file");
    connects(&path, client);
    connects(&path, client);
    assert_ne!(fs::read_to_string(&path).expect("a file"), theirs);
    assert!(undoes(&path, client));
    assert_eq!(fs::read_to_string(&path).expect("a file"), theirs);
    assert!(!undoes(&path, client), "there is nothing left to undo");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "and nothing left behind");
}

/// What a file is after it was connected, changed by somebody else, and undone; none when it is gone.
fn changed_between(client: Client, theirs: Option<&str>, change: impl Fn(&str) -> String) -> Option<String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("config");
    if let Some(theirs) = theirs {
        fs::write(&path, theirs).expect("a file");
    }
    connects(&path, client);
    let connected = fs::read_to_string(&path).expect("a file");
    let changed = change(&connected);
    assert_ne!(changed, connected, "somebody changed it");
    fs::write(&path, changed).expect("a file");
    assert!(undoes(&path, client));
    let left = fs::read_to_string(&path).ok();
    let backup = fs::read_to_string(folder.path().join("config.callboard-backup")).ok();
    assert_eq!(backup.as_deref(), theirs, "what it was is kept");
    left
}

#[rstest]
#[case::json(
    Client::Cursor,
    THEIRS,
    ("\"zoo\": 1.0", "\"zoo\": 2, \"new\": {}"),
    "{\n  \"zoo\": 2, \"new\": {},\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \
     \"a\": [ ]\n}\n"
)]
#[case::json_without_servers(Client::Claude, "{\n  \"a\": 1\n}\n", ("1", "2"), "{\n  \"a\": 2\n}\n")]
#[case::remarks(
    Client::Vscode,
    "{\n  \"servers\": {\n    // mine\n    \"other\": {}\n  }\n}\n",
    ("// mine", "// my own"),
    "{\n  \"servers\": {\n    // my own\n    \"other\": {}\n  }\n}\n"
)]
#[case::an_older_entry(
    Client::Cursor,
    "{\n  \"mcpServers\": {\n    \"callboard\": {\n      \"command\": \"old\"\n    }\n  },\n  \"a\": 1\n}\n",
    ("\"a\": 1", "\"a\": 2"),
    "{\n  \"mcpServers\": {\n    \"callboard\": {\n      \"command\": \"old\"\n    }\n  },\n  \"a\": 2\n}\n"
)]
#[case::toml(
    Client::Codex,
    "model = 'o'\n\n[profiles.a]\nx = 1\n# last words\n",
    ("'o'", "'p'"),
    "model = 'p'\n\n[profiles.a]\nx = 1\n# last words\n"
)]
#[case::toml_in_between(
    Client::Codex,
    "model = 'o'\n",
    ("sec = 300\n", "sec = 300\n\n[mcp_servers.callboard.env]\nA = 'b'\n\n# of a\n[a]\nb = 1\n"),
    "model = 'o'\n\n# of a\n[a]\nb = 1\n"
)]
#[case::toml_older(
    Client::Codex,
    "[mcp_servers.callboard]\ncommand = 'old'\n\n[z]\na = 1\n",
    ("a = 1", "a = 2"),
    "[mcp_servers.callboard]\ncommand = 'old'\n\n[z]\na = 2\n"
)]
#[case::toml_inline(
    Client::Codex,
    "mcp_servers = { mine = { command = 'm' } }\na = 1\n",
    ("a = 1", "a = 2"),
    "mcp_servers = { mine = { command = 'm' } }\na = 2\n"
)]
fn of_a_file_that_was_changed_since_callboards_part_alone_goes(
    #[case] client: Client,
    #[case] theirs: &str,
    #[case] (from, to): (&str, &str),
    #[case] left: &str,
) {
    let is = changed_between(client, Some(theirs), |text| text.replace(from, to));
    assert_eq!(is.as_deref(), Some(left));
}

#[test]
fn a_file_that_was_not_there_goes_unless_somebody_else_wrote_into_it() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("below/mcp.json");
    connects(&path, Client::Cursor);
    connects(&path, Client::Cursor);
    assert!(undoes(&path, Client::Cursor));
    let left = fs::read_dir(folder.path().join("below")).expect("a folder").count();
    assert_eq!(left, 0, "however often it was connected");
    let by_another = |text: &str| text.replace("\n}\n", ",\n  \"mine\": true\n}\n");
    assert_eq!(changed_between(Client::Cursor, None, by_another).as_deref(), Some("{\n  \"mine\": true\n}\n"));
    assert_eq!(
        changed_between(Client::Cursor, None, |text| text.replace("fullstack-1", "x")),
        None,
        "only the entry is"
    );
    assert_eq!(
        changed_between(Client::Codex, None, |text| text.replace("fullstack-1", "x")),
        None,
        "only the entry is"
    );
}

#[test]
fn an_entry_that_nothing_was_kept_of_is_taken_out() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("config.toml");
    fs::write(&path, format!("a = 1\n\n[mcp_servers.callboard]\n{ENTRY}")).expect("a file");
    assert!(undoes(&path, Client::Codex));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "a = 1\n");
    assert!(!undoes(&path, Client::Codex), "there is nothing left");
}

#[test]
fn the_question_for_a_token_goes_with_its_entry() {
    let theirs = "{\n  \"inputs\": [\n    {\"id\": \"mine\"}\n  ]\n}\n";
    let put = Client::Vscode.put(theirs, &over_http()).expect("it fits");
    let left = Client::Vscode.take(&put, theirs).expect("it is there");
    let read: serde_json::Value = serde_json::from_str(&left).expect("it is JSON");
    assert_eq!(read, serde_json::json!({"inputs": [{"id": "mine"}]}), "{left}");
    let put = Client::Vscode.put("", &over_http()).expect("it fits");
    let left = Client::Vscode.take(&put, "").expect("it is there");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&left).expect("it is JSON"), serde_json::json!({}), "{left}");
}

#[test]
fn instructions_without_their_end_are_left_alone() {
    let path = Path::new("CLAUDE.md");
    let whole = Client::Claude.instruct("# Mine\n", "Wait.");
    assert_eq!(instructions::whole(path, &whole), Ok(()));
    assert_eq!(instructions::whole(path, "# Mine\n"), Ok(()));
    let torn = instructions::whole(path, &whole.replace("<!-- callboard: end -->", "")).expect_err("it is torn");
    assert!(torn.words().contains("have lost their end") && torn.words().contains("callboard: begin"), "{torn:?}");
}

#[test]
fn instructions_go_alone() {
    let once = Client::Claude.instruct("# Mine\n\nBe brief.\n", "Wait.");
    let more = format!("{once}\nMore of mine.\n");
    assert_eq!(Client::Claude.take_instructions(&more).as_deref(), Ok("# Mine\n\nBe brief.\nMore of mine.\n"));
    let made = Client::Cursor.instruct("", "Wait.");
    assert_eq!(Client::Cursor.take_instructions(&made).as_deref(), Ok(""), "with what stands above them");
    assert!(Client::Claude.take_instructions("# Mine\n").is_err());
}

#[test]
fn a_table_is_cut_out_whatever_its_form() {
    for (text, left) in [
        ("mcp_servers.callboard.command = 'x' # d\nmodel = 'o'\n", "model = 'o'\n"),
        (
            "[mcp_servers]\nm = { a = 1 } # kept\ncallboard = { a = 1 } # goes\n",
            "[mcp_servers]\nm = { a = 1 } # kept\n",
        ),
        ("mcp_servers = { callboard = { a = 1 }, m = { a = 1 } }\n", "mcp_servers = { m = { a = 1 } }\n"),
        ("[mcp_servers.callboard]\na = [\n  1,\n] # goes\n\n# kept\n[b]\n", "# kept\n[b]\n"),
    ] {
        assert_eq!(Client::Codex.take(text, "").as_deref(), Ok(left));
    }
    assert!(Client::Codex.take("[mcp_servers.mine]\n", "").is_err());
}

#[rstest]
#[case(Client::Cursor, "\u{feff}{\"mcpServers\": {}}\n")]
#[case(Client::Vscode, "\u{feff}// mine\n{\n}\n")]
#[case(Client::Codex, "\u{feff}model = \"o\"\n")]
fn a_byte_order_mark_stands_in_nobodys_way_and_stays_where_it_is(#[case] client: Client, #[case] theirs: &str) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("config");
    fs::write(&path, theirs).expect("a file");
    connects(&path, client);
    let connected = fs::read_to_string(&path).expect("a file");
    assert_eq!(connected.matches('\u{feff}').count(), 1, "{connected:?}");
    assert!(connected.starts_with('\u{feff}') && client.found(&connected).is_ok_and(|found| found.is_some()));
    assert!(undoes(&path, client));
    assert_eq!(fs::read_to_string(&path).expect("a file"), theirs);
    let left = client.take(&connected, theirs).expect("it is there");
    assert!(left.starts_with('\u{feff}') && !left.contains("callboard"), "{left:?}");
}

#[test]
fn instructions_end_their_lines_as_the_file_does_and_go_without_a_trace() {
    let theirs = "# Mine\r\n\r\nBe brief.\r\n";
    let once = Client::Claude.instruct(theirs, "Wait.\nWork.\n");
    assert!(once.starts_with(theirs) && once.contains("Wait.\r\nWork.\r\n"), "{once:?}");
    assert_eq!(once.matches('\n').count(), once.matches("\r\n").count(), "{once:?}");
    assert_eq!(Client::Claude.instruct(&once, "Wait.\nWork.\n"), once, "twice is once");
    assert_eq!(Client::Claude.take_instructions(&once), Ok(theirs.to_owned()));
}
