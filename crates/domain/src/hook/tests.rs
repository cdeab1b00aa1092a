//! What webhooks say, and what that means for whom.

use serde_json::json;

use super::*;
use crate::work_item::WorkItem;

fn item(text: &str) -> WorkItem {
    WorkItem::parse(text).unwrap()
}

fn comment(text: &str) -> ItemComment {
    ItemComment {
        item: item("acme/web#12"),
        id: None,
        edited: false,
        author: "ada-l".to_owned(),
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
fn what_an_older_hub_wrote_of_a_comment_is_read() {
    let old = json!({"item": "acme/web#12", "author": "ada-l", "named_in": "forge", "by_program": false,
        "text": "keep it", "at": null});
    assert_eq!(serde_json::from_value::<ItemComment>(old).unwrap(), comment("keep it"));
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
        ..Change::default()
    };
    assert!(change(&["acme/web#12"]).is_about(&item("ACME/web#12")));
    assert!(!change(&["acme/web#12"]).is_about(&item("acme/web#13")));
    assert!(change(&[]).is_about(&item("acme/web#13")), "a push is about the whole repository");
    assert!(!change(&[]).is_about(&item("acme/api#13")) && !change(&[]).is_about(&item("KB-7")));
}

#[test]
fn order_is_kept_for_each_item_and_summaries_hold_no_foreign_text() {
    let heard = HookEvent::Comment { comment: Box::new(comment("a secret")) };
    assert_eq!((heard.lane().as_str(), heard.summary().as_str()), ("acme/web#12", "a comment on acme/web#12"));
    let change = Change { repository: "Acme/Web".to_owned(), text: "x".to_owned(), ..Change::default() };
    let heard = HookEvent::Change { change: Box::new(change) };
    assert_eq!((heard.lane().as_str(), heard.summary().as_str()), ("acme/web", "news of Acme/Web"));
}

mod changes {
    use rstest::rstest;

    use super::*;
    use crate::ids::{AgentId, PullId, SessionId, TaskId};
    use crate::pull::{Branch, PullRecord, PullRequest, PullSpec, PullState, Repository, Verdict};
    use crate::review::{Change as Work, Review, ReviewState, Round};
    use crate::session::Session;
    use crate::task::KeptText;
    use crate::time::Timestamp;

    const HANDED_IN: Timestamp = Timestamp(1_800_000_000_500);

    fn task(n: u32) -> TaskId {
        TaskId::parse(&format!("task000{n}")).unwrap()
    }

    fn pull(number: Option<u64>) -> PullRequest {
        let id = PullId::parse("pr_00000001").unwrap();
        let spec = PullSpec {
            repository: Repository::parse("acme/shop").unwrap(),
            head: Branch::parse("feature/login").unwrap(),
            base: None,
            title: "x".to_owned(),
            body: String::new(),
            draft: false,
            work_item: None,
            role: None,
        };
        let mut pull = PullRequest::requested(id.clone(), Some(task(1)), &spec, Timestamp(1_000));
        if number.is_some() {
            let base = Branch::parse("main").unwrap();
            let (url, commit, adopted, place) = (None, None, None, None);
            let created = PullRecord::Created { id, number, url, base, commit, adopted, place };
            pull.apply(Timestamp(2_000), &created);
        }
        pull
    }

    fn change(numbers: &[u64], branch: Option<&str>) -> Change {
        let touched = Touched { numbers: numbers.to_vec(), branch: branch.map(str::to_owned), url: None };
        Change { repository: "ACME/Shop".to_owned(), touched, ..Change::default() }
    }

    #[rstest]
    #[case::its_number(&[7], None, true)]
    #[case::another_number(&[8], Some("feature/login"), false)]
    #[case::its_branch(&[], Some("feature/login"), true)]
    #[case::another_branch(&[], Some("Feature/login"), false)]
    #[case::neither(&[], None, false)]
    fn a_change_is_about_the_pull_request_that_it_names(
        #[case] numbers: &[u64],
        #[case] branch: Option<&str>,
        #[case] is_about: bool,
    ) {
        assert_eq!(change(numbers, branch).touches(&pull(Some(7))), is_about);
        let elsewhere = Change { repository: "acme/web".to_owned(), ..change(numbers, branch) };
        assert!(!elsewhere.touches(&pull(Some(7))));
    }

    #[test]
    fn one_without_a_number_yet_is_known_by_its_branch_and_one_that_is_over_is_not() {
        assert!(change(&[7], Some("feature/login")).touches(&pull(None)));
        let mut merged = pull(Some(7));
        merged.apply(Timestamp(3_000), &PullRecord::Merged { id: merged.id.clone() });
        assert!(!change(&[], Some("feature/login")).touches(&merged));
        assert!(change(&[7], None).touches(&merged));
    }

    #[test]
    fn the_senders_word_counts_while_it_is_newer() {
        let said = |at: Option<u64>| PullSaid {
            title: "y".to_owned(),
            draft: true,
            state: PullState::Closed,
            at: at.map(Timestamp),
        };
        assert_eq!([None, Some(2_000)].map(|at| said(at).newer_than(&pull(Some(7)))), [None, None]);
        let seen = said(Some(2_001)).newer_than(&pull(Some(7))).unwrap();
        assert_eq!((seen.title.as_str(), seen.draft, seen.state), ("y", true, PullState::Closed));
    }

    fn session(n: u32, pulls: Vec<PullRequest>) -> Session {
        let (id, agent) =
            (SessionId::parse(&format!("s_{n:08}")).unwrap(), AgentId::parse(&format!("agent-{n}")).unwrap());
        Session { pulls, ..Session::opened(id, agent, Timestamp(0)) }
    }

    /// Of task 1, handed in from session 1.
    fn review(pr_id: Option<&str>, pr_url: Option<&str>) -> Review {
        let round = Round {
            number: 1,
            agent: AgentId::parse("agent-1").unwrap(),
            session: SessionId::parse("s_00000001").ok(),
            message: KeptText::inline("done"),
            change: Work { pr_id: pr_id.map(str::to_owned), pr_url: pr_url.map(str::to_owned), ..Work::default() },
            notes: None,
            at: HANDED_IN,
            verdicts: Vec::new(),
        };
        let (rounds, comments) = (vec![round], Vec::new());
        let (opened_at, updated_at) = (HANDED_IN, HANDED_IN);
        Review { task: task(1), state: ReviewState::Open, rounds, comments, opened_at, updated_at }
    }

    #[rstest]
    #[case::the_hubs_name(Some("pr_00000001"), None, true, true)]
    #[case::a_number(Some("#7"), None, true, false)]
    #[case::the_whole_name(Some("Acme/shop#7"), None, true, true)]
    #[case::a_link(None, Some("https://git.example/ACME/shop/pull/7/"), true, true)]
    #[case::nothing_but_the_task(None, None, true, true)]
    #[case::another_number(Some("8"), None, false, false)]
    #[case::another_link(None, Some("https://git.example/acme/shop/pull/8"), false, false)]
    #[case::another_repository(Some("acme/web#7"), None, false, false)]
    fn work_is_handed_in_with_what_it_names(
        #[case] id: Option<&str>,
        #[case] url: Option<&str>,
        #[case] own: bool,
        #[case] of_another_session: bool,
    ) {
        let mut change = change(&[7], None);
        change.touched.url = Some("https://git.example/acme/shop/pull/7".to_owned());
        for (n, expected) in [(1, own), (2, of_another_session)] {
            let sessions = [session(n, vec![pull(Some(7))])];
            assert_eq!(is_handed_in(&review(id, url), &change, &sessions), expected, "session {n}");
        }
        let mut by_agent = review(id, url);
        by_agent.rounds[0].session = None;
        assert_eq!(is_handed_in(&by_agent, &change, &[session(1, vec![pull(Some(7))])]), own);
        by_agent.rounds.clear();
        assert!(!is_handed_in(&by_agent, &change, &[session(1, vec![pull(Some(7))])]));
    }

    #[test]
    fn a_verdict_is_a_persons_and_later_than_the_work() {
        let at = |at: u64| Some(Timestamp(at));
        let review = |verdict, by_program, at, commit: Option<&str>| {
            let commit = commit.map(str::to_owned);
            SaidReview { verdict, author: "ada".into(), by_program, text: String::new(), url: None, at, commit }
        };
        let on = |commit: Option<&str>| {
            let mut on = self::review(None, None);
            on.rounds[0].change.commit = commit.map(str::to_owned);
            on
        };
        let (yes, no, later, before) =
            (Verdict::Approved, Verdict::ChangesRequested, at(HANDED_IN.0), HANDED_IN.0 - 1_000);
        let said =
            |verdict, by_program, at, commit| judgement(&review(verdict, by_program, at, commit), &on(Some("c1")));
        // Gitea's has no time, so it may be delivered, or sent again, when the work is another one.
        assert_eq!(said(yes, false, None, Some("c1")), Ok(Judgement::Approve));
        for commit in [Some("c0"), None] {
            assert_eq!(said(yes, false, None, commit), Err(NoJudgement::OtherCommit));
            assert_eq!(said(yes, false, later, commit), Err(NoJudgement::OtherCommit));
            assert_eq!(said(no, false, None, commit), Err(NoJudgement::OtherCommit));
            assert_eq!(said(no, false, at(HANDED_IN.0 - 500), commit), Ok(Judgement::RequestChanges));
        }
        assert_eq!(said(yes, false, at(before), Some("c1")), Err(NoJudgement::Earlier));
        assert_eq!(said(yes, true, None, Some("c1")), Err(NoJudgement::ByProgram));
        for verdict in [Verdict::Commented, Verdict::Dismissed] {
            assert_eq!(said(verdict, true, None, Some("c1")), Err(NoJudgement::NoVerdict));
        }
        // Of one that nobody here opened the commit is not known, and it cannot be merged here.
        assert_eq!(judgement(&review(yes, false, later, Some("c9")), &on(None)), Ok(Judgement::Approve));
        assert_eq!(judgement(&review(yes, false, None, Some("c9")), &on(None)), Err(NoJudgement::OtherCommit));
        let words = [NoJudgement::NoVerdict, NoJudgement::ByProgram, NoJudgement::Earlier, NoJudgement::OtherCommit];
        assert_eq!(words.map(|why| why.to_string().len() > 15), [true; 4]);
    }
}

mod meanings {
    use super::*;
    use crate::ids::{AgentId, PrincipalId, QuestionId, SessionId};
    use crate::principal::Surface;
    use crate::session::question::{Answerer, QuestionKind, QuestionRecord, QuestionSpec, Resolution, ResolutionType};
    use crate::session::{Bond, Session, SessionRecord, WorkflowStatus};
    use crate::time::Timestamp;

    const ASKED: Timestamp = Timestamp(1_800_000_000_500);

    fn session(n: u32) -> Session {
        let id = SessionId::parse(&format!("s_{n:08}")).unwrap();
        Session::opened(id, AgentId::parse("fullstack-1").unwrap(), Timestamp(1_800_000_000_000))
    }

    fn id(n: u32) -> QuestionId {
        QuestionId::parse(&format!("q_{n:08}")).unwrap()
    }

    fn asks(session: Session, n: u32) -> Session {
        asks_for(session, n, &[])
    }

    fn asks_for(mut session: Session, n: u32, options: &[&str]) -> Session {
        let spec = QuestionSpec {
            work_item: None,
            id: id(n),
            session_id: session.id.clone(),
            agent_id: session.agent.clone(),
            task_id: None,
            kind: QuestionKind::Decision,
            permission: None,
            question: "Old or new?".to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
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

    /// Somebody answered on the page, a minute after it was asked.
    fn resolved(mut session: Session, n: u32) -> Session {
        let at = Timestamp(ASKED.0 + 60_000);
        let principal = PrincipalId::parse("person:bob").unwrap();
        let by = Answerer { principal, display_name: "Bob".to_owned(), surface: Surface::Page };
        let resolution = Resolution { kind: ResolutionType::Human, value: "old".to_owned(), by, at };
        session.hear(at, &QuestionRecord::Resolved { id: id(n), resolution: Box::new(resolution) });
        session
    }

    fn means_at(millis: u64, comment: &ItemComment, linked: &[Session]) -> Result<(String, Awaited), NoAnswer> {
        let meant = meaning(comment, linked, Timestamp(millis));
        meant.map(|(session, awaited)| (session.id.to_string(), awaited))
    }

    fn means(comment: &ItemComment, linked: &[Session]) -> Result<(String, Awaited), NoAnswer> {
        means_at(ASKED.0 + 90_000, comment, linked)
    }

    #[test]
    fn a_comment_answers_the_one_thing_that_is_waited_for() {
        let said = comment("keep it");
        let the = |n: u32, awaited| Ok((format!("s_{n:08}"), awaited));
        assert_eq!(means(&said, &[]), Err(NoAnswer::NothingAsked));
        assert_eq!(means(&said, &[session(1), session(2)]), Err(NoAnswer::NothingAsked));
        let answers = |n: u32| Awaited::Answer(id(n), "keep it".to_owned());
        assert_eq!(means(&said, &[session(1), asks(session(2), 7)]), the(2, answers(7)));
        assert_eq!(means(&said, &[blocked(session(1))]), the(1, Awaited::WayOn("keep it".to_owned())));
        let late = overdue(asks(session(1), 7), 7);
        assert_eq!(means(&said, &[blocked(late.clone())]), the(1, answers(7)), "it is blocked by that");
        assert_eq!(means(&said, &[asks(late.clone(), 8)]), the(1, answers(8)), "the open one comes first");
        let both = overdue(asks(late, 8), 8);
        assert_eq!(means(&said, &[both]), Err(NoAnswer::SeveralAsked));
        assert_eq!(means(&said, &[asks(session(1), 7), blocked(session(2))]), Err(NoAnswer::SeveralAsked));
    }

    #[test]
    fn what_a_program_wrote_or_was_written_before_answers_nothing() {
        let linked = [asks(session(1), 7)];
        let at = |millis: u64| ItemComment { at: Some(Timestamp(millis)), ..comment("keep it") };
        assert_eq!(means(&at(ASKED.0 - 1_001), &linked), Err(NoAnswer::Earlier));
        assert!(means(&at(ASKED.0 - 1_000), &linked).is_ok(), "not by more than a second");
        assert!(means(&at(ASKED.0 + 1), &linked).is_ok());
        let by_program = ItemComment { by_program: true, ..comment("keep it") };
        assert_eq!(means(&by_program, &linked), Err(NoAnswer::ByProgram));
        let words = [
            NoAnswer::NothingAsked,
            NoAnswer::SeveralAsked,
            NoAnswer::Earlier,
            NoAnswer::ByProgram,
            NoAnswer::NotAnOption(id(7)),
            NoAnswer::OnlyQuotes,
        ];
        assert_eq!(words.map(|why| why.to_string().len() > 15), [true; 6]);
    }

    #[test]
    fn talk_answers_no_question_that_has_options() {
        let linked = [asks_for(session(1), 7, &["old", "new"])];
        assert_eq!(
            means(&comment("> Old or new?\n\n2."), &linked).map(|(_, awaited)| awaited),
            Ok(Awaited::Answer(id(7), "new".to_owned()))
        );
        let talk = comment("What? Why? Who asked for that?");
        assert_eq!(means(&talk, &linked), Err(NoAnswer::NotAnOption(id(7))));
        assert_eq!(means(&comment("> old"), &[asks(session(1), 7)]), Err(NoAnswer::OnlyQuotes));
        assert_eq!(means(&comment("> old"), &[blocked(session(1))]), Err(NoAnswer::OnlyQuotes));
    }

    #[test]
    fn what_would_have_answered_the_last_question_is_late_and_talk_about_it_is_not() {
        const MINUTE: u64 = 60_000;
        let (choice, open) = (resolved(asks_for(session(1), 7, &["old", "new"]), 7), resolved(asks(session(2), 8), 8));
        let late = |text: &str, after: u64, session: &Session| {
            let meant = means_at(ASKED.0 + MINUTE + after, &comment(text), std::slice::from_ref(session));
            match meant {
                Ok((_, Awaited::Late(_, value))) => Some(value),
                Ok(other) => panic!("{other:?}"),
                Err(NoAnswer::NothingAsked) => None,
                Err(why) => panic!("{why}"),
            }
        };
        assert_eq!(late("New.", 1_000, &choice), Some("new".to_owned()));
        assert_eq!(late("New.", 24 * 60 * MINUTE, &choice), Some("new".to_owned()));
        assert_eq!(late("New.", 24 * 60 * MINUTE + 1, &choice), None, "a day later it is talk");
        assert_eq!(late("Why old?", 1_000, &choice), None);
        assert_eq!(late("the blue one", 10 * MINUTE, &open), Some("the blue one".to_owned()));
        assert_eq!(late("Thanks!", 11 * MINUTE, &open), None);
        let crossed = ItemComment { at: Some(Timestamp(ASKED.0 + 5_000)), ..comment("the blue one") };
        let meant = means_at(ASKED.0 + 99 * MINUTE, &crossed, std::slice::from_ref(&open));
        assert!(matches!(meant, Ok((_, Awaited::Late(..)))), "it was written before the answer: {meant:?}");
        let before = ItemComment { at: Some(Timestamp(ASKED.0 - 5_000)), ..comment("new") };
        assert_eq!(means(&before, std::slice::from_ref(&choice)), Err(NoAnswer::NothingAsked));
        let edited = ItemComment { edited: true, ..comment("new") };
        assert_eq!(means(&edited, &[choice]), Err(NoAnswer::NothingAsked));
    }
}
