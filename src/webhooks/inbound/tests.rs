//! Calls as forges and trackers make them: who is taken for whom, and what is read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderName, HeaderValue};
use rstest::rstest;
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use super::signature::Verification;
use super::{NotTaken, Sources, Unsigned};
use crate::domain::hook::HookEvent;
use crate::domain::time::Timestamp;
use crate::settings::{HookFields, InboundWebhook, Settings, WebhookScheme};

const NOW: Timestamp = Timestamp(1_614_265_330_000);
/// The vectors of the two specifications.
const GITHUBS: (&str, &str, &str) = (
    "It's a Secret to Everybody",
    "Hello, World!",
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
);
const STANDARDS: [(&str, &str); 3] = [
    ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
    ("webhook-timestamp", "1614265330"),
    ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
];
const STANDARD_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const STANDARD_BODY: &str = r#"{"test": 2432232314}"#;

fn headers(all: &[(&str, &str)]) -> HeaderMap {
    let pair =
        |(name, value): &(&str, &str)| (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap());
    all.iter().map(pair).collect()
}

fn secret_in(folder: &Path, text: &str) -> std::path::PathBuf {
    let file = folder.join("secret");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn settings(scheme: WebhookScheme, secret: &str, folder: &TempDir) -> Settings {
    let mut settings = Settings::defaults();
    let (secret_file, fields) = (secret_in(folder.path(), secret), HookFields::default());
    let set = InboundWebhook { scheme, secret_file, repositories: Vec::new(), fields };
    settings.hub.webhooks.inbound.insert("one".to_owned(), set);
    settings
}

fn take(sources: &Sources, headers: &HeaderMap, body: &str) -> Result<super::Received, NotTaken> {
    take_at(sources, headers, body, NOW)
}

/// As it comes, in parts.
fn take_at(sources: &Sources, headers: &HeaderMap, body: &str, now: Timestamp) -> Result<super::Received, NotTaken> {
    let mut reading = sources.begin("one", headers)?;
    body.as_bytes().chunks(7).for_each(|part| reading.feed(part));
    reading.end(now).map(|taken| taken.received)
}

fn verify(scheme: WebhookScheme, key: &[u8], headers: &HeaderMap, body: &[u8], now: Timestamp) -> Result<(), Unsigned> {
    let mut verification = Verification::begin(scheme, key, headers)?;
    verification.feed(body);
    verification.end(now)
}

fn hex_of(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A source that signs as Gitea does.
fn gitea(secret: &str) -> Sources {
    let folder = TempDir::new().unwrap();
    Sources::load(&settings(WebhookScheme::Gitea, secret, &folder).hub).unwrap()
}

/// What a forge's event says, signed as it signs.
pub(super) fn forge(event: &str, payload: &Value) -> Result<Option<HookEvent>, NotTaken> {
    const SECRET: &str = "0123456789abcdef";
    let sources = gitea(SECRET);
    let body = payload.to_string();
    let signed = hex_of(SECRET, &body);
    let all = [("x-gitea-signature", signed.as_str()), ("x-gitea-delivery", "d1"), ("x-gitea-event", event)];
    take(&sources, &headers(&all), &body).map(|received| received.heard)
}

pub(super) fn change(event: &str, payload: &Value) -> Option<(Vec<String>, String)> {
    match forge(event, payload).unwrap()? {
        HookEvent::Change { change } => Some((change.items.iter().map(ToString::to_string).collect(), change.text)),
        other @ (HookEvent::Comment { .. } | HookEvent::Renamed { .. }) => panic!("{other:?}"),
    }
}

#[test]
fn the_vectors_of_both_specifications_verify() {
    let (secret, body, signature) = GITHUBS;
    let given = headers(&[("x-hub-signature-256", signature)]);
    assert_eq!(verify(WebhookScheme::Github, secret.as_bytes(), &given, body.as_bytes(), NOW), Ok(()));
    let given = headers(&[("x-gitea-signature", signature.trim_start_matches("sha256="))]);
    assert_eq!(verify(WebhookScheme::Gitea, secret.as_bytes(), &given, body.as_bytes(), NOW), Ok(()));
    let folder = TempDir::new().unwrap();
    let sources = Sources::load(&settings(WebhookScheme::Standard, STANDARD_SECRET, &folder).hub).unwrap();
    let received = take(&sources, &headers(&STANDARDS), STANDARD_BODY).unwrap();
    assert_eq!((received.id.as_str(), received.heard), ("msg_p5jXN8AQM9LWM0D4loKWxJek", None));
}

#[rstest]
#[case::no_signature(WebhookScheme::Github, &[], Unsigned::Missing("x-hub-signature-256"))]
#[case::empty(WebhookScheme::Github, &[("x-hub-signature-256", "")], Unsigned::Wrong)]
#[case::no_algorithm(
    WebhookScheme::Github,
    &[("x-hub-signature-256", "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")],
    Unsigned::Wrong
)]
#[case::another(
    WebhookScheme::Github,
    &[("x-hub-signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18")],
    Unsigned::Wrong
)]
#[case::half(WebhookScheme::Github, &[("x-hub-signature-256", "sha256=757107ea0eb2509fc211221c")], Unsigned::Wrong)]
#[case::no_hex(WebhookScheme::Gitea, &[("x-gitea-signature", "zz")], Unsigned::Wrong)]
#[case::sha1(WebhookScheme::Github, &[("x-hub-signature", "sha1=00")], Unsigned::Missing("x-hub-signature-256"))]
fn who_does_not_know_the_secret_is_turned_away(
    #[case] scheme: WebhookScheme,
    #[case] given: &[(&str, &str)],
    #[case] why: Unsigned,
) {
    let (secret, body, _) = GITHUBS;
    assert_eq!(verify(scheme, secret.as_bytes(), &headers(given), body.as_bytes(), NOW), Err(why));
}

#[test]
fn a_signature_of_standard_webhooks_is_over_id_time_and_body_and_good_for_five_minutes() {
    let folder = TempDir::new().unwrap();
    let sources = Sources::load(&settings(WebhookScheme::Standard, STANDARD_SECRET, &folder).hub).unwrap();
    let with = |at: usize, value: &'static str| {
        let mut all = STANDARDS;
        all[at].1 = value;
        take(&sources, &headers(&all), STANDARD_BODY).map(|_| ())
    };
    assert_eq!(with(0, "msg_another"), Err(Unsigned::Wrong.into()));
    assert_eq!(with(1, "1614265331"), Err(Unsigned::Wrong.into()));
    assert_eq!(with(2, "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), Err(Unsigned::Wrong.into()));
    let rotated = "v1,AAAA v1a,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(with(2, rotated), Ok(()), "the other secret's signature stands before it");
    assert_eq!(take(&sources, &headers(&STANDARDS), "{}").map(|_| ()), Err(Unsigned::Wrong.into()));
    let all = headers(&STANDARDS);
    let at = |seconds: i64| {
        let now = Timestamp(NOW.0.checked_add_signed(seconds * 1_000).unwrap());
        take_at(&sources, &all, STANDARD_BODY, now).map(|_| ())
    };
    assert_eq!([300, -300].map(at), [Ok(()), Ok(())]);
    assert_eq!([301, -301].map(at), [Err(Unsigned::TooOld.into()), Err(Unsigned::TooOld.into())]);
    for missing in 0..3 {
        let mut all = STANDARDS.to_vec();
        let (name, _) = all.remove(missing);
        assert_eq!(take(&sources, &headers(&all), STANDARD_BODY).unwrap_err(), Unsigned::Missing(name).into());
    }
}

#[test]
fn what_the_hub_signs_it_verifies() {
    let secret = crate::webhooks::secret::SigningSecret::parse(STANDARD_SECRET).unwrap();
    let signed = secret.sign("msg_1", 1_614_265_330, "{}");
    let all = [("webhook-id", "msg_1"), ("webhook-timestamp", "1614265330"), ("webhook-signature", signed.as_str())];
    assert_eq!(verify(WebhookScheme::Standard, secret.key(), &headers(&all), b"{}", NOW), Ok(()));
}

#[test]
fn settings_that_cannot_be_used_are_refused_all_at_once_and_show_no_secret() {
    let folder = TempDir::new().unwrap();
    let mut settings = settings(WebhookScheme::Github, "tooshort", &folder);
    let one = settings.hub.webhooks.inbound["one"].clone();
    settings.hub.webhooks.inbound.insert("Bad Name".to_owned(), one.clone());
    let nowhere = InboundWebhook { secret_file: "/nowhere/secret".into(), ..one.clone() };
    settings.hub.webhooks.inbound.insert("nowhere".to_owned(), nowhere);
    let standard = InboundWebhook { scheme: WebhookScheme::Standard, ..one };
    settings.hub.webhooks.inbound.insert("standard".to_owned(), standard);
    let faults = Sources::load(&settings.hub).unwrap_err().to_string();
    for part in ["`webhooks.in.Bad Name`", "webhooks.in.one.secretFile", "openssl rand", "nowhere", "whsec_"] {
        assert!(faults.contains(part), "{part}: {faults}");
    }
    assert!(!faults.contains("tooshort"), "{faults}");
    assert_eq!(Sources::none().begin("one", &HeaderMap::new()).map(|_| ()).unwrap_err(), NotTaken::Unknown);
}

#[test]
fn a_new_secret_counts_from_the_reload_on_and_a_broken_one_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let settings = settings(WebhookScheme::Gitea, "0123456789abcdef", &folder);
    let sources = Sources::load(&settings.hub).unwrap();
    let signed_with = |secret: &str| {
        let signed = hex_of(secret, "{}");
        let all = [("x-forgejo-signature", signed.as_str()), ("x-forgejo-delivery", "d1")];
        take(&sources, &headers(&all), "{}").is_ok()
    };
    assert!(signed_with("0123456789abcdef"));
    secret_in(folder.path(), "fedcba9876543210\n");
    assert!(!signed_with("fedcba9876543210"), "nobody said that it is to be read again");
    sources.reload(&settings.hub).unwrap();
    assert!(signed_with("fedcba9876543210") && !signed_with("0123456789abcdef"));
    secret_in(folder.path(), "short");
    assert!(sources.reload(&settings.hub).is_err());
    assert!(signed_with("fedcba9876543210"));
    assert!(!format!("{sources:?}").contains("fedcba"));
}

#[test]
fn a_comment_of_a_forge_says_who_wrote_what_where_and_whether_a_program_did() {
    let payload = |kind: &str, app: Value| {
        json!({
            "action": "created",
            "issue": {"number": 12},
            "repository": {"full_name": "acme/web"},
            "comment": {
                "body": "  keep\u{202e} it\r\n", "created_at": "2021-02-25T15:02:09Z", "performed_via_github_app": app,
                "user": {"login": "ada-l", "type": kind},
            },
        })
    };
    let comment = |payload: &Value| match forge("issue_comment", payload).unwrap() {
        Some(HookEvent::Comment { comment }) => *comment,
        other => panic!("{other:?}"),
    };
    let by_ada = comment(&payload("User", Value::Null));
    assert_eq!(
        (by_ada.item.as_str(), by_ada.author.as_str(), by_ada.text.as_str()),
        ("acme/web#12", "ada-l", "keep it")
    );
    assert_eq!((by_ada.edited, by_ada.by_program, by_ada.id), (false, false, None));
    assert_eq!(by_ada.at, Some(Timestamp(1_614_265_329_000)));
    assert!(comment(&payload("Bot", Value::Null)).by_program);
    assert!(comment(&payload("User", json!({"slug": "helper"}))).by_program);
    let mut quotes = payload("User", Value::Null);
    quotes["comment"]["body"] = json!("keep it\n\n> **fullstack-1** asks\n> <!-- callboard:00ff -->");
    quotes["comment"]["id"] = json!(7);
    quotes["comment"]["html_url"] = json!("https://github.com/Acme/web/issues/12#issuecomment-7");
    let quotes = comment(&quotes);
    assert!(quotes.text.starts_with("keep it"), "a mark can be quoted by everybody");
    assert_eq!(quotes.id.as_deref(), Some("github.com comment 7 in acme/web"));
    let mut deleted = payload("User", Value::Null);
    deleted["action"] = json!("deleted");
    assert_eq!(forge("issue_comment", &deleted).unwrap(), None, "what was said stays as it was heard");
    let mut edited = payload("User", Value::Null);
    (edited["action"], edited["changes"]) = (json!("edited"), json!({"body": {"from": "drop it"}}));
    edited["comment"]["updated_at"] = json!("2021-02-25T15:09:09Z");
    let now_says = comment(&edited);
    assert_eq!((now_says.edited, now_says.text.as_str()), (true, "keep it"));
    assert_eq!(now_says.at, Some(Timestamp(1_614_265_749_000)));
    edited["sender"] = json!({"login": "mallory", "type": "User"});
    assert_eq!(comment(&edited).author, "mallory", "whoever moderates puts no words into her mouth");
    edited["sender"] = json!({"login": "tidy[bot]", "type": "Bot"});
    assert!(comment(&edited).by_program);
    edited["changes"]["body"]["from"] = edited["comment"]["body"].clone();
    assert_eq!(forge("issue_comment", &edited).unwrap(), None, "it says the same");
    for (path, value) in [
        ("/comment/body", Value::Null),
        ("/comment/body", json!(" ")),
        ("/comment/user/login", json!("a\nb")),
        ("/comment/user/login", json!(7)),
        ("/issue/number", json!("12")),
        ("/repository/full_name", json!("a b")),
    ] {
        let mut broken = payload("User", Value::Null);
        *broken.pointer_mut(path).unwrap() = value;
        let field = path.trim_start_matches('/').replace('/', ".");
        let why = forge("issue_comment", &broken).unwrap_err();
        assert!(matches!(&why, NotTaken::Field { field: named, .. } if *named == field), "{path}: {why}");
    }
}

#[test]
fn news_of_a_repository_are_one_short_line_in_which_nobody_can_break_out() {
    let repository = json!({"full_name": "acme/web"});
    let sender = json!({"login": "mallory"});
    let title = "Closes #12, `rm -rf`\n\nIgnore all, #9999999999999999999999 and #";
    let pull = json!({"number": 15, "title": title, "body": "for #13", "merged": true});
    let payload = json!({"action": "closed", "pull_request": pull, "repository": repository, "sender": sender});
    let (items, text) = change("pull_request", &payload).unwrap();
    assert_eq!(items, ["acme/web#15", "acme/web#12", "acme/web#13"]);
    assert!(
        text.starts_with("pull request acme/web#15 was merged by `mallory`: `Closes #12, 'rm -rf'  Ignore"),
        "{text}"
    );
    assert!(!text.contains('\n') && text.len() < 250, "{text}");
    for (event, field, value, word) in [
        ("pull_request_review", "state", "approved", "was approved"),
        ("pull_request_review", "state", "changes_requested", "was sent back"),
        ("pull_request_review", "state", "commented", "was reviewed"),
        ("pull_request_approved", "type", "pull_request_review_approved", "was approved"),
        ("pull_request_rejected", "type", "pull_request_review_rejected", "was sent back"),
    ] {
        let action = if event == "pull_request_review" { "submitted" } else { "reviewed" };
        let mut payload = payload.clone();
        payload["action"] = json!(action);
        payload["review"] = json!({field: value});
        let (_, text) = change(event, &payload).unwrap();
        assert!(text.contains(word), "{event} {value}: {text}");
    }
    let push = json!({"ref": "refs/heads/main", "commits": [{}, {}], "repository": repository, "sender": sender});
    let (items, text) = change("push", &push).unwrap();
    assert_eq!((items.len(), text.as_str()), (0, "`mallory` pushed to branch `main` of acme/web: 2 commits"));
    let run = |of: &str, conclusion: &str| {
        let run = json!({"name": "ci", "conclusion": conclusion, "head_branch": "main"});
        json!({"action": "completed", of: run, "repository": repository})
    };
    let (_, text) = change("workflow_run", &run("workflow_run", "success")).unwrap();
    assert_eq!(text, "the workflow `ci` in acme/web ended on branch `main`: `success`");
    assert!(change("check_run", &run("check_run", "failure")).unwrap().1.contains("the check `ci`"));
    assert_eq!(change("check_run", &run("check_run", "success")), None);
}

#[rstest]
#[case::ping("ping", json!({"zen": "Design for failure."}))]
#[case::unknown("star", json!({"action": "created"}))]
#[case::no_event("", json!({}))]
#[case::labelled("pull_request", json!({"action": "labeled"}))]
#[case::dismissed("pull_request_review", json!({"action": "dismissed"}))]
#[case::pending("pull_request_review", json!({"action": "submitted", "review": {"state": "pending"}}))]
#[case::begun("workflow_run", json!({"action": "requested"}))]
#[case::no_object("push_of_something", json!([1, 2]))]
fn what_nobody_acts_on_is_let_pass(#[case] event: &str, #[case] payload: Value) {
    assert_eq!(forge(event, &payload), Ok(None));
}

#[test]
fn a_tracker_that_nobody_knows_is_read_by_the_names_of_its_fields() {
    let folder = TempDir::new().unwrap();
    let mut settings = settings(WebhookScheme::Standard, STANDARD_SECRET, &folder);
    let named = |fields: HookFields, payload: &Value, settings: &mut Settings| {
        settings.hub.webhooks.inbound.get_mut("one").unwrap().fields = fields;
        let sources = Sources::load(&settings.hub).unwrap();
        let secret = crate::webhooks::secret::SigningSecret::parse(STANDARD_SECRET).unwrap();
        let body = payload.to_string();
        let signed = secret.sign("m1", 1_614_265_330, &body);
        let all = [("webhook-id", "m1"), ("webhook-timestamp", "1614265330"), ("webhook-signature", signed.as_str())];
        take(&sources, &headers(&all), &body).map(|received| received.heard)
    };
    let payload = json!({"type": "comment.created", "data": {
        "comment": {"id": 9, "body": "keep it", "author": "ada.l", "createdAt": "2021-02-25T15:02:09Z"},
        "issue": {"id": 7},
    }});
    let Ok(Some(HookEvent::Comment { comment })) = named(HookFields::default(), &payload, &mut settings) else {
        panic!()
    };
    assert_eq!((comment.item.as_str(), comment.author.as_str(), comment.text.as_str()), ("7", "ada.l", "keep it"));
    assert_eq!((comment.id.as_deref(), comment.at), (Some("9"), Some(Timestamp(1_614_265_329_000))));
    let words = |text: &str| text.to_owned();
    let (kind, comment, item) = (words("event"), words("added"), words("card.key"));
    let (author, text, id, at) = (words("who.name"), words("text"), String::new(), String::new());
    let fields = HookFields { kind, comment, item, id, author, text, at };
    let payload = json!({"event": "added", "card": {"key": "KB-7"}, "who": {"name": "Ada"}, "text": "yes"});
    let Ok(Some(HookEvent::Comment { comment })) = named(fields.clone(), &payload, &mut settings) else { panic!() };
    assert_eq!((comment.item.as_str(), comment.author.as_str(), comment.at), ("KB-7", "Ada", None));
    let other = json!({"event": "moved", "card": {"key": "KB-7"}});
    assert_eq!(named(fields.clone(), &other, &mut settings), Ok(None));
    let nobody = json!({"event": "added", "card": {"key": "KB-7"}, "text": "yes"});
    let why = named(fields, &nobody, &mut settings).unwrap_err();
    assert!(matches!(&why, NotTaken::Field { field, .. } if field == "who.name"), "{why}");
}

#[rstest]
#[case::none(&[], NotTaken::NoId("x-forgejo-delivery"))]
#[case::empty(&[("x-gitea-delivery", "")], NotTaken::NoId("x-forgejo-delivery"))]
#[case::spaces(&[("x-gitea-delivery", "a b")], NotTaken::NoId("x-forgejo-delivery"))]
fn a_delivery_needs_an_id(#[case] given: &[(&str, &str)], #[case] why: NotTaken) {
    let folder = TempDir::new().unwrap();
    let sources = Sources::load(&settings(WebhookScheme::Gitea, "0123456789abcdef", &folder).hub).unwrap();
    let signed = hex_of("0123456789abcdef", "{}");
    let mut all = vec![("x-gitea-signature", signed.as_str())];
    all.extend(given);
    assert_eq!(take(&sources, &headers(&all), "{}"), Err(why));
    let signed = hex_of("0123456789abcdef", "{");
    let all = [("x-gitea-signature", signed.as_str()), ("x-gitea-delivery", "d1")];
    assert!(matches!(take(&sources, &headers(&all), "{"), Err(NotTaken::NoJson(_))));
}

/// What several sources say of a repository, each with what it lists.
#[expect(clippy::unwrap_in_result, reason = "what is made up here is whole")]
fn speaks(lists: &[(&str, &[&str])], name: &str, repository: &str) -> Result<(), NotTaken> {
    let folder = TempDir::new().unwrap();
    let mut settings = settings(WebhookScheme::Gitea, "0123456789abcdef", &folder);
    let one = settings.hub.webhooks.inbound.remove("one").unwrap();
    for (name, list) in lists {
        let repositories = list.iter().map(|entry| (*entry).to_owned()).collect();
        settings.hub.webhooks.inbound.insert((*name).to_owned(), InboundWebhook { repositories, ..one.clone() });
    }
    let sources = Sources::load(&settings.hub).unwrap();
    let body = json!({"ref": "refs/heads/main", "commits": [], "repository": {"full_name": repository}}).to_string();
    let signed = hex_of("0123456789abcdef", &body);
    let all = [("x-gitea-signature", signed.as_str()), ("x-gitea-delivery", "d1"), ("x-gitea-event", "push")];
    let mut reading = sources.begin(name, &headers(&all))?;
    reading.feed(body.as_bytes());
    reading.end(NOW).map(|_| ())
}

#[test]
fn a_source_speaks_for_the_repositories_that_it_lists_and_for_no_other_sources() {
    let alone: &[(&str, &[&str])] = &[("one", &[])];
    assert_eq!(speaks(alone, "one", "acme/web"), Ok(()), "nothing is said of any");
    let both: &[(&str, &[&str])] = &[("one", &["acme/*", "Own/Tool"]), ("two", &[])];
    for (name, repository, may) in [
        ("one", "Acme/Web", true),
        ("one", "own/tool", true),
        ("one", "own/other", false),
        ("two", "own/other", true),
        ("two", "acme/web", false),
        ("two", "ACME/web", false),
    ] {
        let said = speaks(both, name, repository);
        assert_eq!(said.is_ok(), may, "{name} {repository}: {said:?}");
        if let Err(why) = said {
            assert!(matches!(&why, NotTaken::NotIts { .. }) && why.to_string().contains(repository), "{why}");
        }
    }
    let folder = TempDir::new().unwrap();
    let mut wrong = settings(WebhookScheme::Gitea, "0123456789abcdef", &folder);
    wrong.hub.webhooks.inbound.get_mut("one").unwrap().repositories = vec!["acme".to_owned()];
    let fault = Sources::load(&wrong.hub).unwrap_err().to_string();
    assert!(fault.contains("webhooks.in.one.repositories") && fault.contains("`acme`"), "{fault}");
}

#[test]
fn a_repository_that_was_renamed_is_told_with_both_names() {
    let payload = |changes: Value| {
        json!({"action": "renamed", "changes": changes, "repository": {"full_name": "acme/site"},
            "sender": {"login": "ada-l"}})
    };
    let heard = forge("repository", &payload(json!({"repository": {"name": {"from": "web"}}}))).unwrap();
    assert_eq!(heard, Some(HookEvent::Renamed { from: "acme/web".to_owned(), to: "acme/site".to_owned() }));
    let moved = json!({"owner": {"from": {"organization": {"login": "old"}}}});
    let heard = forge(
        "repository",
        &json!({"action": "transferred", "changes": moved,
        "repository": {"full_name": "acme/site"}}),
    );
    assert_eq!(heard, Ok(Some(HookEvent::Renamed { from: "old/site".to_owned(), to: "acme/site".to_owned() })));
    assert_eq!(forge("repository", &payload(json!({}))), Ok(None));
}
