//! What `skim` does, tried.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn skimmed(text: &str, part: usize) -> Option<Value> {
    let mut skim = Skim::default();
    text.as_bytes().chunks(part).for_each(|part| skim.feed(part));
    Some(serde_json::from_slice(&skim.end()?).expect("JSON"))
}

#[test]
fn a_long_push_is_read_as_far_as_its_branch_and_its_commits_are_counted() {
    let commit = json!({"id": "1".repeat(40), "message": "a \"quote\", [a list] and {more}", "added": ["a", "b"]});
    let commits = vec![commit.clone(); 20_000];
    let push = json!({"ref": "refs/heads/main", "commits": commits, "repository": {"full_name": "acme/web"}});
    let text = push.to_string();
    assert!(text.len() > 2 * 1024 * 1024);
    let found = skimmed(&text, 1_000).unwrap();
    assert_eq!((&found["ref"], &found["repository"]), (&push["ref"], &push["repository"]));
    assert_eq!((found["commits"].as_array().unwrap().len(), &found["commits"][29]), (20_000, &commit));
    assert!(found.to_string().len() < 60_000);
}

#[test]
fn a_long_text_is_cut_between_its_characters() {
    for unit in ["x", "xé", "é", "\u{1F600}", "\\\" xy"] {
        let long = json!({"a": unit.repeat(3 * TEXT), "b": 1});
        let found = skimmed(&long.to_string(), 777).unwrap();
        let kept = found["a"].as_str().unwrap();
        assert!(long["a"].as_str().unwrap().starts_with(kept) && found["b"] == 1, "{unit}");
        assert!((TEXT / 2..TEXT + 20).contains(&kept.len()), "{unit}: {}", kept.len());
    }
    // Whatever is escaped ends where it may, and is read.
    for unit in ["\\ud83d\\ude00xy", "\\u00e9xy", "\\\\uxy", "\\u00e9"] {
        let found = skimmed(&format!("{{\"a\": \"{}\", \"b\": 1}}", unit.repeat(TEXT / 2)), 999).unwrap();
        assert_eq!(found["b"], 1, "{unit}");
    }
    let escaped = format!("{{\"a\": \"{}\"}}", "\\ud83d\\ude00".repeat(65_536 / 2));
    assert_eq!(skimmed(&escaped, 5).unwrap()["a"].as_str().unwrap().chars().count(), 32_768);
}

#[test]
fn what_is_too_much_is_nothing() {
    let many: Vec<String> = (0..400_000).map(|n| format!("\"key number {n}\": {n}")).collect();
    assert_eq!(skimmed(&format!("{{{}}}", many.join(",")), 4_096), None);
    assert_eq!(skimmed(&"[".repeat(1_000), 10), None);
}

proptest! {
    #[test]
    fn what_is_short_stays_as_it_is(
        numbers in prop::collection::vec(any::<i32>(), 0..20), texts in prop::collection::vec(".{0,20}", 0..20),
        part in 1_usize..50,
    ) {
        let value = json!({"numbers": numbers, "deep": {"texts": texts, "of": [[], {}, [{"a": null}]]}, "": true});
        prop_assert_eq!(skimmed(&value.to_string(), part), Some(value.clone()));
        prop_assert_eq!(skimmed(&serde_json::to_string_pretty(&value).unwrap(), part), Some(value));
    }
}
