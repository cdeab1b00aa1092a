//! Sums of sums: what one row does not know, all rows together do not know.

use serde_json::{Value, json};

use super::{UNKNOWN, budget, cost, total, used};

fn row(input: Value, cost: Value) -> Value {
    json!({"key": "a", "runs": 2, "usage": {"inputTokens": input, "outputTokens": 5, "costUsd": cost}})
}

#[test]
fn what_is_unknown_in_one_row_is_unknown_in_all_and_never_0() {
    let all = total(&[row(json!(10), json!(0.25)), row(Value::Null, json!(0.5))]);
    assert_eq!((used(&all, "inputTokens").as_str(), used(&all, "outputTokens").as_str()), (UNKNOWN, "10"));
    assert_eq!((cost(&all).as_str(), all["runs"].as_u64()), ("0.75", Some(4)));
    let silent = json!({"key": "b", "runs": 1, "usage": null});
    assert_eq!((used(&silent, "turns").as_str(), cost(&silent).as_str()), (UNKNOWN, UNKNOWN));
    let all = total(&[row(json!(10), json!(0.25)), silent]);
    assert_eq!((used(&all, "outputTokens").as_str(), cost(&all).as_str()), (UNKNOWN, UNKNOWN));
}

#[test]
fn a_budget_is_said_in_its_parts() {
    let shown = |parts: Value| budget(&json!({"key": "a", "budget": parts}));
    let both = json!({"perTask": "5.00 USD", "perDay": "200000 tokens"});
    assert_eq!(shown(both), "5.00 USD a task, 200000 tokens a day");
    assert_eq!(shown(json!({"perTask": null, "perDay": "20.00 USD"})), "20.00 USD a day");
    assert_eq!(budget(&json!({"key": "all"})), "", "no role");
}
