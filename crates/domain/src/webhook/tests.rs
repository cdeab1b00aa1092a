//! What `webhook` does, tried.

use super::*;

#[test]
fn a_destination_says_which_webhook_of_that_name_it_is() {
    let (added_by, at) = (PrincipalId::parse("person:ann").expect("a person"), Timestamp(7));
    let webhook = Webhook {
        name: "builds".to_owned(),
        generation: 41,
        version: 0,
        url: "https://example.com/".to_owned(),
        events: Vec::new(),
        allow_private: false,
        secret_file: "builds.41.0".to_owned(),
        previous_secret: None,
        push: false,
        push_text: false,
        added_by,
        added_at: at,
        changed_at: at,
    };
    assert_eq!(webhook.destination(), "webhook.builds.41");
    assert_eq!(added_name(&webhook.destination()), Some("builds"));
    for other in ["webhook.builds", "webhook.builds.x", "tracker", "hooks.in.7", "webhook."] {
        assert_eq!(added_name(other), None, "{other}");
    }
}

#[test]
fn a_type_is_wanted_by_its_name_by_that_of_its_family_or_by_all() {
    let events = ["task".to_owned(), "question.asked".to_owned()];
    for (kind, wanted) in [("task.created", true), ("question.asked", true), ("question.resolved", false)] {
        assert_eq!(wants(&events, kind), wanted, "{kind}");
    }
    assert!(wants(&[], "hub.started"));
}

#[test]
fn a_url_is_shown_as_far_as_it_holds_no_secret() {
    for (url, shown) in [
        ("https://example.com/a?key=k", "https://example.com/a?…"),
        ("https://example.com/a", "https://example.com/a"),
        ("https://example.com/a/", "https://example.com/a"),
        ("https://example.com", "https://example.com"),
        ("https://example.com?key=k", "https://example.com?…"),
        ("https://hooks.example.com:8443/services/T0/B0/XyZ", "https://hooks.example.com:8443/services/…"),
        ("https://example.com/a/b?key=k", "https://example.com/a/…"),
        ("https://example.com/a#key", "https://example.com/a"),
    ] {
        assert_eq!(shown_url(url), shown);
    }
}
