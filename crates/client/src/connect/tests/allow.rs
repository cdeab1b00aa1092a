//! What lets a client call unasked: written where the client looks for it, seen there, and taken back.

use std::fs;

use rstest::rstest;
use tempfile::TempDir;

use super::super::Scope;
use super::super::allow::Grant;
use super::super::client::Client;
use super::super::file::Kept;
use super::{EVERY, THEIRS, entry};

#[rstest]
#[case::gemini(Client::Gemini, "\"trust\": true")]
#[case::qwen(Client::Qwen, "\"trust\": true")]
#[case::codex(Client::Codex, "default_tools_approval_mode = \"approve\"")]
fn a_grant_in_the_entry_is_a_field_of_it_and_goes_with_it(#[case] client: Client, #[case] field: &str) {
    let theirs = if client == Client::Codex { "model = \"o\"\n" } else { THEIRS };
    let before = client.put(theirs, &entry()).expect("it fits");
    let after = client.allow_in_entry(Scope::User, &before).expect("it fits");
    assert!(after.contains(field) && after.contains("fullstack-1"), "{after}");
    assert_eq!(
        after.replace(field, "").matches('\n').count(),
        before.matches('\n').count() + 1,
        "nothing else: {after}"
    );
    let granted = |text: &str| client.is_granted(Scope::User, text, &|_| None);
    assert_eq!((granted(&before), granted(&after)), (Some(false), Some(true)));
    assert_eq!(client.allow_in_entry(Scope::User, &after).as_ref(), Ok(&after), "twice is once");
    assert_eq!(client.take(&after, theirs).as_deref(), Ok(theirs));
}

#[rstest]
#[case::claude(Client::Claude, Scope::User, "", r#"{"permissions":{"allow":["mcp__callboard"]}}"#)]
#[case::claude_with_others(
    Client::Claude,
    Scope::Project,
    r#"{"permissions": {"deny": ["x"], "allow": ["Bash(ls)"]}}"#,
    r#"{"permissions":{"deny":["x"],"allow":["mcp__callboard","Bash(ls)"]}}"#
)]
#[case::cursor(
    Client::Cursor,
    Scope::User,
    "",
    r#"{"version":1,"editor":{"vimMode":false},"permissions":{"allow":["Mcp(callboard:*)"],"deny":[]}}"#
)]
#[case::cursor_in_a_project(Client::Cursor, Scope::Project, "", r#"{"permissions":{"allow":["Mcp(callboard:*)"]}}"#)]
fn a_grant_in_a_file_of_its_own_is_an_item_and_goes_alone(
    #[case] client: Client,
    #[case] scope: Scope,
    #[case] theirs: &str,
    #[case] ours: &str,
) {
    let grant = client.grant(scope);
    let put = grant.put(client, theirs).expect("it fits");
    let meaning = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    assert_eq!(meaning(&put), meaning(ours));
    assert_eq!(grant.put(client, &put).as_ref(), Ok(&put), "twice is once");
    let granted = |text: &str| client.is_granted(scope, "", &|_| Some(text.to_owned()));
    assert_eq!((granted(theirs), granted(&put)), (Some(false), Some(true)));
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("settings.json");
    if !theirs.is_empty() {
        fs::write(&path, theirs).expect("a file");
    }
    Kept::read(&path).unwrap().write(&put).unwrap();
    let kept = Kept::read(&path).unwrap();
    assert!(kept.holds(|text| grant.is_in(client, text)));
    let taken_back = |kept: &Kept| kept.without(|now, was| grant.take(client, now, was)).unwrap();
    let left = taken_back(&kept);
    assert_eq!(left, theirs, "as it was");
    // Somebody else wrote into it since.
    let changed = put.replacen('{', "{\"mine\": 1,", 1);
    fs::write(&path, &changed).unwrap();
    let left = taken_back(&Kept::read(&path).unwrap());
    assert!(left.contains("\"mine\": 1") && !grant.is_in(client, &left) && !left.contains("callboard"), "{left}");
}

#[test]
fn what_a_user_granted_before_stays_and_other_spellings_count() {
    let grant = Client::Claude.grant(Scope::User);
    let theirs = r#"{"permissions": {"allow": ["mcp__callboard__*"]}}"#;
    assert!(grant.is_in(Client::Claude, theirs));
    assert_eq!(grant.put(Client::Claude, theirs).as_deref(), Ok(theirs), "it is granted already");
    let own = r#"{"permissions": {"allow": ["mcp__callboard"]}}"#;
    assert_eq!(grant.take(Client::Claude, own, own).as_deref(), Ok(own));
    for other in [r#"{"permissions": {"deny": ["mcp__callboard"]}}"#, "{}", "", "no JSON"] {
        assert!(!grant.is_in(Client::Claude, other), "{other}");
    }
    assert!(grant.put(Client::Claude, r#"{"permissions": {"allow": "all"}}"#).is_err(), "no list to put it into");
    // What the user's file grants holds in a project.
    let in_users = |scope: Scope| (scope == Scope::User).then(|| own.to_owned());
    assert_eq!(Client::Claude.is_granted(Scope::Project, "", &in_users), Some(true));
}

#[test]
fn a_client_whose_files_cannot_grant_it_says_what_to_do() {
    for client in EVERY {
        let by_hand = matches!(client.grant(Scope::User), Grant::ByHand(_));
        assert_eq!(by_hand, matches!(client, Client::Vscode | Client::Opencode | Client::Json), "{client:?}");
        assert!(!by_hand || client.is_granted(Scope::User, "", &|_| None).is_none(), "{client:?}");
    }
}
