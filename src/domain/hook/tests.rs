//! What webhooks say, and what that means for whom.

use serde_json::json;

use super::*;
use crate::domain::work_item::WorkItem;

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
fn the_hub_knows_its_own_comments_by_their_mark() {
    assert!(is_own(&format!("**fullstack-1** asks\n\n{OWN_MARK}00ff -->")));
    assert!(!is_own("<!-- a note -->") && !is_own("callboard: yes"));
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

mod meanings {
    use super::*;
    use crate::domain::ids::{AgentId, QuestionId, SessionId};
    use crate::domain::session::question::{QuestionKind, QuestionRecord, QuestionSpec};
    use crate::domain::session::{Bond, Session, SessionRecord, WorkflowStatus};
    use crate::domain::time::Timestamp;

    const ASKED: Timestamp = Timestamp(1_800_000_000_500);

    fn session(n: u32) -> Session {
        let id = SessionId::parse(&format!("s_{n:08}")).unwrap();
        Session::opened(id, AgentId::parse("fullstack-1").unwrap(), Timestamp(1_800_000_000_000))
    }

    fn id(n: u32) -> QuestionId {
        QuestionId::parse(&format!("q_{n:08}")).unwrap()
    }

    fn asks(mut session: Session, n: u32) -> Session {
        let spec = QuestionSpec {
            work_item: None,
            id: id(n),
            session_id: session.id.clone(),
            agent_id: session.agent.clone(),
            task_id: None,
            kind: QuestionKind::Decision,
            question: "Old or new?".to_owned(),
            options: Vec::new(),
            default_action: "old".to_owned(),
            danger: None,
            allow_free_text: false,
            asked_at: ASKED,
            expires_at: Timestamp(ASKED.0 + 60_000),
            reminders: Vec::new(),
            sanitized: None,
        };
        session.hear(ASKED, &QuestionRecord::Asked { spec: Box::new(spec) });
        session
    }

    fn overdue(mut session: Session, n: u32) -> Session {
        session.hear(Timestamp(ASKED.0 + 60_000), &QuestionRecord::Overdue { id: id(n) });
        session
    }

    fn blocked(mut session: Session) -> Session {
        session.apply(ASKED, &SessionRecord::status(WorkflowStatus::Blocked, "no key", Bond::Own));
        session
    }

    fn means(comment: &ItemComment, linked: &[Session]) -> Result<(String, Awaited), NoAnswer> {
        meaning(comment, linked).map(|(session, awaited)| (session.id.to_string(), awaited))
    }

    #[test]
    fn a_comment_answers_the_one_thing_that_is_waited_for() {
        let said = comment("keep it");
        let the = |n: u32, awaited| Ok((format!("s_{n:08}"), awaited));
        assert_eq!(means(&said, &[]), Err(NoAnswer::NothingAsked));
        assert_eq!(means(&said, &[session(1), session(2)]), Err(NoAnswer::NothingAsked));
        assert_eq!(means(&said, &[session(1), asks(session(2), 7)]), the(2, Awaited::Answer(id(7))));
        assert_eq!(means(&said, &[blocked(session(1))]), the(1, Awaited::WayOn));
        let late = overdue(asks(session(1), 7), 7);
        assert_eq!(means(&said, &[blocked(late.clone())]), the(1, Awaited::Answer(id(7))), "it is blocked by that");
        assert_eq!(means(&said, &[asks(late.clone(), 8)]), the(1, Awaited::Answer(id(8))), "the open one comes first");
        let both = overdue(asks(late, 8), 8);
        assert_eq!(means(&said, &[both]), Err(NoAnswer::SeveralAsked));
        assert_eq!(means(&said, &[asks(session(1), 7), blocked(session(2))]), Err(NoAnswer::SeveralAsked));
    }

    #[test]
    fn what_a_program_wrote_or_was_written_before_answers_nothing() {
        let linked = [asks(session(1), 7)];
        let at = |millis: u64| ItemComment { at: Some(Timestamp(millis)), ..comment("keep it") };
        assert_eq!(means(&at(ASKED.0 - 1_000), &linked), Err(NoAnswer::Earlier));
        assert!(means(&at(ASKED.0 - 500), &linked).is_ok(), "its time was cut to the second");
        assert!(means(&at(ASKED.0 + 1), &linked).is_ok());
        let by_program = ItemComment { by_program: true, ..comment("keep it") };
        assert_eq!(means(&by_program, &linked), Err(NoAnswer::ByProgram));
        let words = [NoAnswer::NothingAsked, NoAnswer::SeveralAsked, NoAnswer::Earlier, NoAnswer::ByProgram];
        assert_eq!(words.map(|why| why.to_string().len() > 15), [true; 4]);
    }
}
