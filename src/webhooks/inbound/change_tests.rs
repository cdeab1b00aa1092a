//! Which pull request a delivery is about, what a review says and by whom, and what tells two deliveries of one thing.

use rstest::rstest;
use serde_json::{Value, json};

use super::forge::{self, DeliverySubject};
use super::not_taken::NotTaken;
use super::tests::forge as heard;
use crate::domain::hook::{Change, HookEvent, SaidReview, Touched};
use crate::domain::pull::{PullState, Verdict};
use crate::domain::time::Timestamp;

fn change(event: &str, payload: &Value) -> Option<Change> {
    match heard(event, payload).unwrap()? {
        HookEvent::Change { change } => Some(*change),
        other @ (HookEvent::Comment { .. } | HookEvent::Renamed { .. }) => panic!("{other:?}"),
    }
}

fn payload(action: &str) -> Value {
    json!({
        "action": action,
        "repository": {"full_name": "acme/web", "id": 1},
        "sender": {"login": "ada-l", "type": "User"},
        "pull_request": {
            "number": 15, "title": "Log in", "body": "for #13", "state": "open", "draft": false, "merged": false,
            "html_url": "https://git.example/acme/web/pull/15", "updated_at": "2021-02-25T15:02:09Z",
            "head": {"ref": "feature/login", "repo": {"full_name": "Acme/Web"}},
        },
    })
}

#[test]
fn what_happened_to_a_pull_request_says_which_and_how_it_looks() {
    let change = change("pull_request", &payload("ready_for_review")).unwrap();
    let expected = Touched {
        numbers: vec![15],
        branch: Some("feature/login".to_owned()),
        url: Some("https://git.example/acme/web/pull/15".to_owned()),
    };
    assert_eq!((&change.touched, change.echoes, change.items.len()), (&expected, true, 2));
    let said = change.said.unwrap();
    assert_eq!((said.title.as_str(), said.draft, said.state), ("Log in", false, PullState::Open));
    assert_eq!(said.at, Some(Timestamp(1_614_265_329_000)));
    assert_eq!(change.review, None);
}

#[rstest]
#[case("opened", "open", false, "was opened", true, 2)]
#[case("edited", "open", false, "was changed", true, 1)]
#[case("converted_to_draft", "open", false, "is a draft again", true, 1)]
#[case("reopened", "open", false, "was opened again", false, 2)]
#[case("closed", "closed", false, "was closed without a merge", false, 2)]
#[case("closed", "closed", true, "was merged", false, 2)]
fn what_the_hub_may_have_done_itself_is_an_echo(
    #[case] action: &str,
    #[case] state: &str,
    #[case] merged: bool,
    #[case] words: &str,
    #[case] echoes: bool,
    #[case] items: usize,
) {
    let mut given = payload(action);
    (given["pull_request"]["state"], given["pull_request"]["merged"]) = (json!(state), json!(merged));
    let change = change("pull_request", &given).unwrap();
    assert!(change.text.contains(words), "{}", change.text);
    assert_eq!((change.echoes, change.items.len()), (echoes, items));
    let known = change.said.unwrap().state;
    assert_eq!(
        known,
        if merged {
            PullState::Merged
        } else if state == "open" {
            PullState::Open
        } else {
            PullState::Closed
        }
    );
}

#[test]
fn a_branch_of_a_fork_is_another_one() {
    let mut given = payload("opened");
    given["pull_request"]["head"]["repo"]["full_name"] = json!("mallory/web");
    assert_eq!(change("pull_request", &given).unwrap().touched.branch, None);
    let run = |fork: &str| {
        let run = json!({"name": "ci", "conclusion": "failure", "head_branch": "feature/login",
        "head_repository": {"full_name": fork}, "pull_requests": [
            {"number": 15, "base": {"repo": {"id": 1}}}, {"number": 99, "base": {"repo": {"id": 2}}}, {"number": 16},
        ]});
        json!({"action": "completed", "repository": {"full_name": "acme/web", "id": 1}, "workflow_run": run})
    };
    let own = change("workflow_run", &run("acme/Web")).unwrap().touched;
    assert_eq!((own.numbers.as_slice(), own.branch.as_deref()), (&[15, 16][..], Some("feature/login")));
    assert_eq!(change("workflow_run", &run("mallory/web")).unwrap().touched.branch, None);
    let check =
        json!({"name": "ci", "conclusion": "failure", "check_suite": {"head_branch": null}, "pull_requests": []});
    let check = json!({"action": "completed", "repository": {"full_name": "acme/web"}, "check_run": check});
    assert_eq!(change("check_run", &check).unwrap().touched, Touched::default());
}

#[test]
fn a_push_is_about_its_branch_and_a_tag_about_none() {
    let push = |reference: &str| json!({"ref": reference, "commits": [], "repository": {"full_name": "acme/web"}});
    let branch = |reference: &str| change("push", &push(reference)).unwrap().touched.branch;
    assert_eq!(branch("refs/heads/feature/login").as_deref(), Some("feature/login"));
    assert_eq!(branch("refs/tags/v1"), None);
}

fn review(event: &str, review: Value) -> Result<SaidReview, NotTaken> {
    let mut given = payload(if review.get("type").is_none() { "submitted" } else { "reviewed" });
    given["review"] = review;
    match heard(event, &given)? {
        Some(HookEvent::Change { change }) => Ok(change.review.unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_review_of_github_says_who_wrote_what_and_whether_a_program_did() {
    let said = |kind: &str, app: Value, state: &str| {
        let user = json!({"login": "bob-b", "type": kind});
        let url = "https://git.example/acme/web/pull/15#review-3";
        let given = json!({"id": 3, "state": state, "body": " Rename\u{202e} it. ", "user": user, "html_url": url,
            "submitted_at": "2021-02-25T15:02:09Z", "performed_via_github_app": app});
        review("pull_request_review", given).unwrap()
    };
    let by_bob = said("User", Value::Null, "CHANGES_REQUESTED");
    assert_eq!((by_bob.author.as_str(), by_bob.text.as_str(), by_bob.by_program), ("bob-b", "Rename it.", false));
    assert_eq!((by_bob.verdict, by_bob.at), (Verdict::ChangesRequested, Some(Timestamp(1_614_265_329_000))));
    assert_eq!(by_bob.url.as_deref(), Some("https://git.example/acme/web/pull/15#review-3"));
    assert!(said("Bot", Value::Null, "approved").by_program);
    assert!(said("User", json!({"slug": "helper"}), "approved").by_program);
    assert_eq!(said("User", Value::Null, "commented").verdict, Verdict::Commented);
    let bad = review("pull_request_review", json!({"state": "approved", "user": {"login": "a\nb"}})).unwrap_err();
    assert!(matches!(&bad, NotTaken::Field { field, .. } if field == "review.user.login"), "{bad}");
    let script = review("pull_request_review", json!({"state": "approved", "html_url": "javascript:x"})).unwrap();
    assert_eq!((script.url, script.text.as_str()), (None, ""));
}

#[rstest]
#[case("pull_request_review_approved", Verdict::Approved)]
#[case("pull_request_review_rejected", Verdict::ChangesRequested)]
#[case("pull_request_review_comment", Verdict::Commented)]
fn a_review_of_gitea_is_its_senders_and_says_which_way_it_goes_by_its_type(
    #[case] kind: &str,
    #[case] verdict: Verdict,
    // What no signature covers decides nothing.
    #[values("pull_request_approved", "pull_request_rejected", "push", "x")] header: &str,
) {
    let said = review(header, json!({"type": kind, "content": "Rename it."})).unwrap();
    assert_eq!((said.verdict, said.author.as_str(), said.text.as_str()), (verdict, "ada-l", "Rename it."));
    assert_eq!((said.by_program, said.commit, said.at), (false, None, None));
}

#[rstest]
#[case("https://git.example/sub/Acme/Web/pulls/15/", true)]
#[case("https://git.example/acme/shop/pull/15", false)]
#[case("https://git.example/acme/web/pull/16", false)]
#[case("https://git.example/acme/shop?x=/acme/web/pull/15", false)]
#[case("javascript:/acme/web/pull/15", false)]
fn a_source_names_by_a_link_nothing_but_the_pull_request_that_it_is_about(#[case] link: &str, #[case] is_it: bool) {
    let mut given = payload("submitted");
    given["pull_request"]["html_url"] = json!(link);
    given["review"] = json!({"id": 3, "state": "approved", "commit_id": "c1", "user": {"login": "bob-b"}});
    assert_eq!(change("pull_request_review", &given).unwrap().touched.url.is_some(), is_it);
}

#[test]
fn another_event_of_a_person_is_no_verdict_whatever_its_header_says() {
    let mut label = payload("label_updated");
    label["commit_id"] = json!("c1");
    for header in ["pull_request_approved", "pull_request_review", "pull_request_rejected"] {
        assert_eq!(change(header, &label), None, "{header}");
        // GitHub's comment on a line names a review by its number alone.
        let mut line = payload("created");
        line["comment"] = json!({"id": 7, "body": "x", "pull_request_review_id": 3, "user": {"login": "bob-b"}});
        assert_eq!(change(header, &line), None, "{header}");
    }
}

#[test]
fn a_review_says_of_which_commit_it_is_and_a_dismissal_is_heard_as_another_delivery() {
    let mut given = payload("submitted");
    given["review"] = json!({"id": 3, "state": "approved", "commit_id": "c1", "user": {"login": "bob-b"}});
    assert_eq!(change("x", &given).unwrap().review.unwrap().commit.as_deref(), Some("c1"));
    let submitted = forge::told(&given);
    (given["action"], given["review"]["state"]) = (json!("dismissed"), json!("dismissed"));
    let dismissed = change("x", &given).unwrap();
    assert_eq!(dismissed.review.unwrap().verdict, Verdict::Dismissed);
    assert!(dismissed.text.contains("dismissed"), "{}", dismissed.text);
    assert_ne!(forge::told(&given), submitted, "it is no repeat");
    // Gitea says it beside the review.
    let mut given = payload("reviewed");
    (given["review"], given["commit_id"]) = (json!({"type": "pull_request_review_approved"}), json!("c2"));
    assert_eq!(change("x", &given).unwrap().review.unwrap().commit.as_deref(), Some("c2"));
}

#[test]
fn deliveries_that_tell_of_one_comment_have_one_name_for_it() {
    let told = |kind: &str, id: u64, repository: &str, url: &str| {
        forge::told(&json!({kind: {"id": id, "html_url": url}, "repository": {"full_name": repository}}))
    };
    let url = "https://Git.example:8443/acme/web/issues/12#issuecomment-7";
    let one = told("comment", 7, "Acme/Web", url).unwrap();
    assert_eq!(
        one,
        DeliverySubject { host: Some("git.example:8443".to_owned()), name: "comment 7 in acme/web".to_owned() }
    );
    assert_eq!(told("comment", 7, "acme/web", url), Some(one.clone()));
    for other in [
        told("comment", 8, "acme/web", url),
        told("comment", 7, "acme/api", url),
        told("review", 7, "acme/web", url),
        told("comment", 7, "acme/web", "https://git.example/acme/web/issues/12"),
    ] {
        assert_ne!(other, Some(one.clone()));
    }
    assert_eq!(told("comment", 7, "acme/web", "no link").unwrap().host, None);
    assert_eq!(forge::told(&payload("opened")), None);
}
