//! What `audit_posts` does, tried.

use super::*;

#[test]
fn the_newest_lines_are_posted_in_their_order_and_the_others_counted() {
    let item = |seq: u64| -> AuditItem {
        serde_json::from_value(json!({"n": seq, "at": "", "action": "discord.assign", "decision": "denied",
                "rule": "no entry allows it", "who": "discord:5", "through": "discord", "target": "role:x"}))
        .unwrap()
    };
    let items: Vec<_> = (1..=300).rev().map(item).collect();
    let newest: Vec<_> = items.iter().collect();
    let said = text(&newest, true);
    assert!(said.starts_with("-# at least 280 more before these") && said.ends_with("line 300"), "{said}");
    assert_eq!(said.lines().count(), LINES + 1);
    assert_eq!(text(&newest[..1], false).lines().count(), 1);
    let long: Vec<_> = items.iter().cloned().map(|item| AuditItem { rule: Some("r".repeat(500)), ..item }).collect();
    assert!(text(&long.iter().collect::<Vec<_>>(), false).encode_utf16().count() <= 2_000);
}
