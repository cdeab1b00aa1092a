//! What webhooks say, and what that means for whom.

use serde_json::json;

use super::*;

fn item(text: &str) -> WorkItem {
    WorkItem::parse(text).unwrap()
}

fn comment(text: &str) -> ItemComment {
    ItemComment {
        item: item("acme/web#12"),
        author: "ada-l".to_owned(),
        named_in: NamedIn::Forge,
        by_program: false,
        text: text.to_owned(),
        at: None,
    }
}

#[test]
fn a_work_item_is_one_printable_word() {
    for name in ["acme/web#12", " acme/web#12\n", "KB-7", "größe/x#1", &"x".repeat(200)] {
        assert_eq!(item(name).as_str(), name.trim(), "{name}");
    }
    for name in ["", "  ", "a b", "a\u{7}b", "a\u{202e}b", &"x".repeat(201)] {
        assert!(WorkItem::parse(name).is_err(), "{name:?}");
    }
    let told = WorkItem::parse(&format!("a\u{1b} {}", "x".repeat(300))).unwrap_err().to_string();
    assert!(told.contains("owner/repo#12") && !told.contains('\u{1b}') && told.len() < 300, "{told}");
}

#[test]
fn case_parts_no_work_items_as_on_forges() {
    assert_eq!(item("Acme/Web#12"), item("acme/web#12"));
    assert_ne!(item("acme/web#12"), item("acme/web#1"));
    assert!(item("Acme/Web#12").is_in("acme/web") && !item("acme/web#12").is_in("acme/we"));
    assert!(!item("KB-7").is_in("KB-7"), "another tracker's id is in no repository");
    assert_eq!(WorkItem::numbered("acme/web", 3), Some(item("acme/web#3")));
    assert_eq!(WorkItem::numbered("", 3), None);
    assert_eq!(WorkItem::numbered("a b", 3), None);
}

#[test]
fn a_work_item_is_written_as_a_text_and_read_with_the_same_rule() {
    assert_eq!(serde_json::to_value(item("KB-7")).unwrap(), json!("KB-7"));
    assert_eq!(serde_json::from_value::<WorkItem>(json!("KB-7")).unwrap().to_string(), "KB-7");
    assert!(serde_json::from_value::<WorkItem>(json!("a b")).is_err());
    assert!(serde_json::from_value::<WorkItem>(json!(7)).is_err());
}

#[test]
fn news_reach_who_works_on_the_item_or_in_the_repository() {
    let change = |items: &[&str]| Change {
        repository: "acme/web".to_owned(),
        items: items.iter().map(|name| item(name)).collect(),
        text: "a push".to_owned(),
    };
    assert!(change(&["acme/web#12"]).is_about(&item("ACME/web#12")));
    assert!(!change(&["acme/web#12"]).is_about(&item("acme/web#13")));
    assert!(change(&[]).is_about(&item("acme/web#13")), "a push is about the whole repository");
    assert!(!change(&[]).is_about(&item("acme/api#13")) && !change(&[]).is_about(&item("KB-7")));
}

#[test]
fn order_is_kept_for_each_item_and_summaries_hold_no_foreign_text() {
    let heard = Heard::Comment { comment: Box::new(comment("a secret")) };
    assert_eq!((heard.lane().as_str(), heard.summary().as_str()), ("acme/web#12", "a comment on acme/web#12"));
    let change = Change { repository: "Acme/Web".to_owned(), items: Vec::new(), text: "x".to_owned() };
    let heard = Heard::Change { change: Box::new(change) };
    assert_eq!((heard.lane().as_str(), heard.summary().as_str()), ("acme/web", "news of Acme/Web"));
}
