//! What is said of a pull request: on the forge beside its agent's words, and to its agent of how it stands.

use std::collections::BTreeSet;

use rstest::rstest;

use super::*;
use crate::work_item::WorkItem;

#[rstest]
#[case("Signs in.", Some("acme/web#12"), "Signs in.\n\nWork item: acme/web#12")]
#[case("", Some("KB-7"), "Work item: KB-7")]
#[case("Signs in.", None, "Signs in.")]
#[case("Work item: KB-7\n\nMore.", Some("KB-7"), "Work item: KB-7\n\nMore.")]
#[case("x\n", Some("@ada"), "x\n\nWork item: `@ada`")]
#[case("x", Some("<!--`"), "x\n\nWork item: `<!--'`")]
fn the_text_on_the_forge_names_the_work_item_once(#[case] body: &str, #[case] item: Option<&str>, #[case] text: &str) {
    let item = item.map(|item| WorkItem::parse(item).unwrap());
    assert_eq!(with_work_item(body, item.as_ref()), text);
    assert_eq!(with_work_item(text, item.as_ref()), text, "said again it stands there once");
}

#[test]
fn how_it_stands_is_a_sentence_in_which_nobody_can_break_out() {
    let said = |who: &str, verdict| {
        let (commit, at) = (None, None);
        Reviewed { who: who.to_owned(), verdict, standing: ReviewerRole::Writer, commit, at }
    };
    let check = |name: &str, end: Option<&str>| Check {
        name: name.to_owned(),
        status: if end.is_some() { "completed" } else { "queued" }.to_owned(),
        conclusion: end.map(str::to_owned),
    };
    let mut look = PullLook {
        seen: PullSeen {
            title: "x".to_owned(),
            draft: false,
            state: PullState::Open,
            base: None,
            commit: None,
            place: None,
        },
        mergeable: Some(true),
        checks: Vec::new(),
        runs_checks: true,
        reviews: Vec::new(),
        base_changed_at: Ok(None),
        fork: None,
        lost: BTreeSet::new(),
        unresolved_threads: None,
        sizes: Sizes::default(),
    };
    assert_eq!(look.sentence(), "It is open now.");
    look.checks = vec![check("build", Some("success"))];
    assert_eq!(look.sentence(), "It is open now; all checks are green.");
    look.reviews = vec![said("ada", Verdict::Approved), said("bob", Verdict::ChangesRequested)];
    look.checks.extend((0..7).map(|n| check(&format!("c{n}`\n"), (n > 0).then_some("failure"))));
    (look.mergeable, look.seen.draft) = (Some(false), true);
    let expected = "It is open and a draft now; approved by `ada`; changes are wanted by `bob`; check `c0' ` is \
        queued, check `c1' ` ended with failure, check `c2' ` ended with failure, check `c3' ` ended with failure, \
        check `c4' ` ended with failure and 2 more; it conflicts with its base.";
    assert_eq!(look.sentence(), expected);
    look.seen = PullSeen {
        title: "x".to_owned(),
        draft: false,
        state: PullState::Merged,
        base: None,
        commit: None,
        place: None,
    };
    assert_eq!(look.sentence(), "It is merged now.");
}
