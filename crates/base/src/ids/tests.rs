//! What `ids` does, tried.

use super::*;

/// At each end of what is allowed, and one step beyond it.
#[test]
fn a_run_names_its_task_and_its_offer() {
    let task = TaskId::parse("01hzy8q3v6a7b8c9d0e1f2g3h4").unwrap();
    let run = RunId::of(&task, LeaseEpoch(37)).unwrap();
    assert_eq!(run.as_str(), "run_01hzy8q3v6a7b8c9d0e1f2g3h40011");
    assert_eq!(run.task(), Some(task.clone()));
    assert_ne!(Some(run), RunId::of(&task, LeaseEpoch(38)));
    assert_eq!(RunId::of(&task, LeaseEpoch(36_u64.pow(4))), None, "two offers never share a run");
    assert_eq!(RunId::parse("run_01abcdef").unwrap().task(), None);
}

#[test]
fn an_id_has_its_length_and_its_letters() {
    let long = |n: usize| "a".repeat(n);
    let table: [(bool, Vec<String>); 2] = [
        (true, vec![long(8), long(32), "abcd1234".to_owned()]),
        (false, vec![String::new(), long(7), long(33), "ABCD1234".to_owned(), "abcd-123".to_owned()]),
    ];
    for (right, texts) in table {
        for text in texts {
            assert_eq!(TaskId::parse(&text).is_ok(), right, "{text}");
            let minted = |prefix: &str| format!("{prefix}{text}");
            assert_eq!(SessionId::parse(&minted("s_")).is_ok(), right, "{text}");
            assert_eq!(QuestionId::parse(&minted("q_")).is_ok(), right, "{text}");
            assert_eq!(NoticeId::parse(&minted("n_")).is_ok(), right, "{text}");
            assert_eq!(CommentId::parse(&minted("c_")).is_ok(), right, "{text}");
            assert_eq!(BlobId::parse(&minted("b_")).is_ok(), right, "{text}");
            assert!(BlobId::parse(&minted("x_")).is_err(), "{text}");
        }
    }
}

#[test]
fn a_name_begins_with_a_letter_or_digit_and_ends_somewhere() {
    for (name, right) in [
        ("a".to_owned(), true),
        ("fullstack-1.b_c".to_owned(), true),
        ("a".repeat(64), true),
        ("a".repeat(65), false),
        (String::new(), false),
        ("-a".to_owned(), false),
        ("a b".to_owned(), false),
    ] {
        assert_eq!(AgentId::parse(&name).is_ok(), right, "{name}");
        assert_eq!(RoleId::parse(&name).is_ok(), right, "{name}");
        let principal = if name.len() > 64 { "a".repeat(97) } else { name.clone() };
        assert_eq!(PrincipalId::parse(&principal).is_ok(), right, "{principal}");
    }
    for (name, right) in [("A.b_c-1", true), ("", false), ("-a", false), ("a b", false)] {
        assert_eq!(TerminalId::parse(name).is_ok(), right, "{name}");
    }
    assert_eq!([64, 65].map(|length| TerminalId::parse(&"a".repeat(length)).is_ok()), [true, false]);
    assert!(PrincipalId::parse(&format!("person:{}", "a".repeat(89))).is_ok());
    assert!(PrincipalId::parse("person:Ada").is_err());
}

#[test]
fn what_is_no_id_is_said_with_its_rule_and_not_in_full() {
    let told = AgentId::parse(&"x".repeat(500)).unwrap_err().to_string();
    assert!(told.contains("an agent id"), "{told}");
    assert_eq!(told.matches('x').count(), 80, "{told}");
    assert!(serde_json::from_str::<AgentId>("\"No\"").is_err());
    assert!(serde_json::from_str::<AgentId>("7").is_err());
    assert_eq!(LeaseEpoch(1).next().to_string(), "2");
}
