//! What `verify` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_hub_that_refuses_the_token_is_no_hub_that_is_away() {
    let answer = |code: &str| {
        let error = json!({"code": 1503, "message": "not valid.", "data": {"code": code}});
        json!({"jsonrpc": "2.0", "id": 1, "error": error}).to_string()
    };
    let refused = of_answer(&answer("UNAUTHENTICATED"));
    assert!(refused.contains("does not let it in: not valid. `callboard doctor`"), "{refused}");
    assert_eq!(of_answer(&answer("UNAVAILABLE")), NOBODY);
    assert_eq!(of_answer("no JSON"), NOBODY);
    assert!(of_answer(r#"{"id":1,"result":{"serverInfo":{}}}"#).starts_with("the proxy and the hub answer"));
}
