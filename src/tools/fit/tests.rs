//! What `fit` does, tried.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("{value}") };
    fields
}

#[test]
fn what_fits_is_left_alone() {
    let mut small = fields(json!({ "task": { "history": [1, 2, 3], "prompt": "Do it." }, "context": { "a": 1 } }));
    let whole = small.clone();
    assert_eq!(fit(&mut small, MOST, Remainder::OfTask), []);
    assert_eq!(small, whole);
}

#[test]
fn each_cut_is_marked_and_named_by_its_place_in_the_whole() {
    let history: Vec<Value> = (0..300).map(|n| json!({ "seq": n, "data": { "message": "x".repeat(3_000) } })).collect();
    let mut task = fields(json!({ "task": { "history": history, "prompt": "p".repeat(60_000) } }));
    let whole = Value::Object(task.clone());
    let cuts = fit(&mut task, MOST, Remainder::OfTask);
    let shown = Value::Object(task);
    assert!(cost(&shown) <= MOST, "{}", cost(&shown));
    let items = shown["task"]["history"].as_array().unwrap();
    assert_eq!(items.last().unwrap()["seq"], 299, "the newest stay");
    for Cut { field, shown, of, unit } in &cuts {
        let full = whole.pointer(field).unwrap_or_else(|| panic!("{field} is no place"));
        let there = full.as_array().map_or_else(|| full.as_str().map_or(full.to_string().len(), str::len), Vec::len);
        assert!(*of == there && shown < of, "{field}: {shown} of {of} {unit}, {there}");
    }
    let prompt = cuts.iter().find(|cut| cut.field == "/task/prompt").expect("the prompt is cut");
    let mark = format!("[{} of 60000 bytes are shown here]", prompt.shown);
    assert!(shown["task"]["prompt"].as_str().unwrap().ends_with(&mark));
    let words = in_words(&cuts, Remainder::OfTask, Some("t1"));
    assert!(words.contains("/task/history (") && words.contains("of 300 items"), "{words}");
    assert!(words.contains("get_task_context with taskId t1"), "{words}");
}

#[test]
fn what_was_cut_before_tells_how_long_it_was_at_first() {
    let text = "a".repeat(99_000);
    let mut task = fields(json!({ "result": marked(&text[..64_000], 99_000), "other": text }));
    let cuts = fit(&mut task, MOST, Remainder::OfTask);
    assert_eq!(cuts.iter().map(|cut| cut.of).collect::<Vec<_>>(), [99_000, 99_000], "{cuts:?}");
    assert!(task["result"].as_str().unwrap().ends_with("a\n[12000 of 99000 bytes are shown here]"), "{task:?}");
    assert_eq!(unmarked("a\n[9 of 12 bytes are shown here]").1, 32, "somebody wrote it so");
}

#[test]
fn of_matches_the_first_stay() {
    let mut found =
        fields(json!({ "matches": (0..100).map(|n| json!({"n": n, "text": "y".repeat(4_000)})).collect::<Vec<_>>() }));
    let cuts = fit(&mut found, MOST, Remainder::OfSearch);
    assert_eq!(found["matches"][0]["n"], 0);
    assert!(in_words(&cuts, Remainder::OfSearch, None).contains("skip"));
}

#[test]
fn a_beginning_takes_no_more_than_it_may_however_it_is_written() {
    for text in ["a".repeat(100_000), "\"\n".repeat(50_000), "\u{1}".repeat(100_000), "ü".repeat(50_000)] {
        let shown = beginning(&text, PROMPT);
        assert!(!shown.is_empty() && cost_of(shown) <= PROMPT, "{}", cost_of(shown));
    }
    assert_eq!(beginning("short", PROMPT), "short");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        (0usize..20_000, "[\"\\\\\n a-zü]{1,8}").prop_map(|(n, text)| Value::from(text.repeat(n / 8))),
    ];
    leaf.prop_recursive(4, 60, 10, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..10).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_answered_fits(context in any_value(), list in prop::collection::vec(any_value(), 0..40)) {
        let mut given = fields(json!({ "context": context, "task": { "history": list } }));
        fit(&mut given, MOST / 2, Remainder::OfTask);
        prop_assert!(cost(&Value::Object(given)) <= MOST / 2);
    }
}
