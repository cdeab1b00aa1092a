//! What `result` does, tried.

use super::*;

#[test]
fn a_peer_of_an_older_revision_gets_no_structure_that_is_no_object() {
    let told = |legacy| {
        let answer = ServerResult::CallToolResult(CallToolResult::structured(json!(["a", "b"])));
        let message = message_to(legacy, RequestId::Number(1), Ok(answer));
        serde_json::from_slice::<Value>(&message).expect("JSON")["result"].clone()
    };
    let content = json!([{"type": "text", "text": r#"["a","b"]"#}]);
    assert_eq!(told(true), json!({"content": content, "isError": false}));
    assert_eq!(told(false)["structuredContent"], json!(["a", "b"]));
}
