//! What each client's hook reads, and what is remembered of the hooks of an agent.

use rstest::rstest;
use serde_json::json;
use tempfile::TempDir;

use super::client::HookClient;
use super::permission::request;
use super::record::Record;
use super::wake::is_nudge;
use super::{GlobalArgs, NUDGE};
use crate::domain::ids::AgentId;

#[rstest]
#[case(HookClient::Claude, None, Some(NUDGE), 2)]
#[case(
    HookClient::Gemini,
    Some(r#"{"decision":"block","reason":"callboard has something for you. Call wait_for_prompt."}"#),
    None,
    0
)]
#[case(
    HookClient::Copilot,
    Some(r#"{"decision":"block","reason":"callboard has something for you. Call wait_for_prompt."}"#),
    None,
    0
)]
#[case(HookClient::Opencode, Some(NUDGE), None, 0)]
#[case(HookClient::Qwen, None, None, 0)]
#[case(HookClient::Codex, None, None, 0)]
fn each_client_is_made_to_go_on_in_its_own_form(
    #[case] client: HookClient,
    #[case] output: Option<&str>,
    #[case] error: Option<&str>,
    #[case] code: u8,
) {
    let said = client.hooks().go_on.said();
    assert_eq!((said.0.as_deref(), said.1, said.2), (output, error, code));
    let heard = output.or(error);
    assert_eq!(heard.is_some_and(is_nudge), heard.is_some());
    assert!(!is_nudge("error: no hub answers") && !is_nudge(""));
}

#[rstest]
#[case(
    HookClient::Claude,
    json!({"behavior": "allow", "updatedInput": {"command": "ls"}}),
    Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}))
)]
#[case(
    HookClient::Qwen,
    json!({"behavior": "deny", "message": "Ada denied it."}),
    Some(json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "Ada denied it."}
    }}))
)]
#[case(HookClient::Copilot, json!({"behavior": "allow"}), Some(json!({"behavior": "allow"})))]
#[case(
    HookClient::Opencode,
    json!({"behavior": "deny", "message": "No."}),
    Some(json!({"behavior": "deny", "message": "No."}))
)]
#[case(
    HookClient::Codex,
    json!({"behavior": "allow"}),
    Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}))
)]
#[case(HookClient::Gemini, json!({"behavior": "allow"}), None)]
#[case(HookClient::Claude, json!({"behavior": "maybe"}), None)]
#[case(HookClient::Claude, json!({"success": false, "code": "NOT_REGISTERED"}), None)]
fn a_decision_is_said_in_the_clients_own_form_and_nothing_else_is_one(
    #[case] client: HookClient,
    #[case] answer: serde_json::Value,
    #[case] said: Option<serde_json::Value>,
) {
    let decision = client.hooks().decision(&answer);
    let decision = decision.map(|text| serde_json::from_str::<serde_json::Value>(&text).expect("JSON"));
    assert_eq!(decision, said);
}

#[test]
fn a_hook_asks_for_the_tool_its_arguments_and_its_folder_and_never_for_callboards_own() {
    let event = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/w", "session_id": "s"});
    assert_eq!(request(&event), Some(json!({"tool": "Bash", "input": {"command": "ls"}, "cwd": "/w"})));
    let event = json!({"toolName": "bash", "toolArgs": {"command": "ls"}, "reason": "why", "cwd": 7});
    assert_eq!(request(&event), Some(json!({"tool": "bash", "input": {"command": "ls"}, "reason": "why"})));
    for name in ["mcp__callboard__ask_permission", "mcp_callboard_send_response"] {
        assert_eq!(request(&json!({"tool_name": name, "tool_input": {}})), None);
    }
    for none in [json!({}), json!({"tool_name": 7}), json!([]), json!(null)] {
        assert_eq!(request(&none), None);
    }
}

#[test]
fn the_blocks_of_one_client_are_counted_and_its_cap_is_never_met() {
    let mut record = Record::default();
    let cap = HookClient::Copilot.hooks().cap;
    let mut blocks = 0;
    for pid in 1..20 {
        record = record.next(pid, 100, cap);
        if record.capped {
            break;
        }
        blocks += 1;
        record = record.woke(None);
    }
    assert_eq!((blocks, record.capped, record.begun), (7, true, 8), "the eighth would be lost");
    let anew = record.next(30, 101, cap);
    assert!(!anew.capped && anew.blocks == 0 && anew.begun == 9, "another client begins anew: {anew:?}");
    assert!(!record.next(31, 100, None).capped, "without a cap there is none");
}

#[test]
fn a_record_is_the_agents_own_file_and_what_is_none_counts_as_nothing() {
    let folder = TempDir::new().expect("a folder");
    let globals = GlobalArgs { data_dir: Some(folder.path().to_owned()), ..GlobalArgs::default() };
    let path = |agent: &str| Record::path(&globals, &AgentId::parse(agent).expect("an id")).expect("a place");
    assert_ne!(path("a"), path("b"));
    assert_eq!(Record::read(&path("a")), Record::default());
    let record = Record::default().next(7, 9, None).woke(Some("[] 1".to_owned()));
    assert!(record.write(&path("a")) && record.next(8, 9, None).write(&path("b")));
    assert_eq!(Record::read(&path("a")), record, "a neighbour's file is another");
    std::fs::write(path("a"), "{").expect("a file");
    assert_eq!(Record::read(&path("a")), Record::default());
}
