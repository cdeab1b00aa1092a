//! What `unread` does, tried.

use rstest::rstest;

use super::*;

#[rstest]
#[case("tools/call", json!({"name": "list_agents", "arguments": "x"}), -32602, "must be an object")]
#[case("tools/call", json!({"name": "list_agents", "arguments": []}), -32602, "must be an object")]
#[case("tools/call", json!({"arguments": {}}), -32602, "`params.name` must be")]
#[case("tools/call", json!({"name": 5}), -32602, "`params.name` must be")]
#[case("tools/call", json!({"name": "a", "_meta": 7}), -32602, "not what the protocol says")]
#[case("resources/read", json!({"uri": 7}), -32602, "not what the protocol says")]
#[case("initialize", json!({}), -32601, "initialize")]
#[case("tools/dance", json!({}), -32601, "tools/dance")]
fn each_is_told_what_is_wrong(#[case] method: &str, #[case] params: Value, #[case] number: i32, #[case] words: &str) {
    let error_data = error_data(&CustomRequest::new(method, Some(params)));
    assert_eq!(error_data.code.0, number);
    assert!(error_data.message.contains(words), "{}", error_data.message);
}
