//! A device hears through a push service that is no friend: what it reads, and what becomes of it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    PushDevice, PushKeys, WebhookDestination, added_destinations, draw_secret, hearing, load_added, may_be_pressed,
    public_key, write_secret,
};
use crate::actors::Credentials;
use crate::actors::outbox::Destination as _;
use crate::clock::Clock;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::{Delivery, DeliveryId, SendOutcome};
use crate::domain::principal::{By, Surface};
use crate::domain::session::question::permission::Permission;
use crate::domain::session::question::{Danger, QuestionRecord, QuestionSpec};
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::journal::vault::{Folder, Vault};
use crate::journal::{Append, Entry, HubRecord, Record};

/// The device of RFC 8291, appendix A.
const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
const NOW: Timestamp = Timestamp(1_780_000_000_000);

fn bytes(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

fn kept(folder: &TempDir) -> Arc<dyn Vault> {
    Folder::at(folder.path())
}

/// A device at this address, with its keys in the folder.
fn device(folder: &TempDir, url: &str) -> Webhook {
    let (url, events) = (url.to_owned(), vec!["hub".to_owned()]);
    let sample = crate::journal::samples::webhook("phone", 0);
    let webhook = Webhook { url, events, push: true, allow_private: true, ..sample };
    let keys: PushKeys = serde_json::from_value(json!({ "p256dh": POINT, "auth": AUTH })).unwrap();
    assert!(!format!("{keys:?}").contains(AUTH), "no log shows it");
    write_secret(&*kept(folder), &webhook.secret_file, &keys.text(None)).unwrap();
    webhook
}

/// A push service that takes one message and gives this answer: its origin, and the head and the body that it got.
fn push_service(answer: &'static str) -> (String, JoinHandle<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut got, mut piece) = (Vec::new(), [0; 8_192]);
        loop {
            let count = stream.read(&mut piece).unwrap();
            got.extend_from_slice(&piece[..count]);
            let Some(end) = got.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = String::from_utf8(got[..end].to_vec()).unwrap().to_lowercase();
            let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse::<usize>();
            if got.len() >= end + 4 + length.unwrap() {
                stream.write_all(answer.as_bytes()).unwrap();
                return (String::from_utf8(got[..end].to_vec()).unwrap(), got[end + 4..].to_vec());
            }
        }
    });
    (origin, heard)
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let named = |line: &'a str| line.split_once(": ").filter(|(key, _)| key.eq_ignore_ascii_case(name));
    head.lines().find_map(named).unwrap_or_else(|| panic!("no `{name}` in {head}")).1
}

/// What the device reads, by a library that is not ours.
fn opened(body: Vec<u8>) -> Value {
    let private = p256::SecretKey::from_slice(&bytes(PRIVATE)).unwrap();
    let auth: [u8; 16] = bytes(AUTH).try_into().unwrap();
    serde_json::from_slice(&web_push_native::decrypt(body, &private, &auth.into()).unwrap()).unwrap()
}

#[tokio::test]
async fn a_push_service_gets_what_it_checks_and_the_device_reads_no_text() {
    let folder = TempDir::new().unwrap();
    let (origin, heard) = push_service("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let webhook = device(&folder, &format!("{origin}/push/barracuda"));
    let subscription = load_added(&webhook, &kept(&folder)).unwrap();
    let subject = json!({ "session": "s_1" });
    let event = json!({
        "type": "question.asked", "id": "ev_7", "time": "2026-05-28T20:26:40Z", "subject": subject,
        "data": { "questionId": "q_1", "question": "Drop swordfish?", "options": ["drop swordfish", "no"] },
    });
    assert!(subscription.post.send("m", NOW, event.to_string()).await.is_taken());
    let (head, body) = heard.join().unwrap();
    let told = json!({
        "type": "question.asked", "id": "ev_7", "time": "2026-05-28T20:26:40Z", "subject": subject, "question": "q_1",
    });
    assert_eq!(opened(body), told, "no word of the question leaves the hub");
    assert_eq!((header(&head, "content-encoding"), header(&head, "ttl")), ("aes128gcm", "86400"));
    let topic = header(&head, "topic");
    assert!(topic.len() == 32 && !topic.contains("q_1"), "{topic}");

    let (token, key) = header(&head, "authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(key, public_key(&*kept(&folder)).unwrap(), "the key that browsers subscribe with");
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = Signature::from_slice(&bytes(signature)).unwrap();
    VerifyingKey::from_sec1_bytes(&bytes(key)).unwrap().verify(signed.as_bytes(), &signature).unwrap();
    let claims: Value = serde_json::from_slice(&bytes(signed.split_once('.').unwrap().1)).unwrap();
    assert_eq!(claims["aud"], json!(origin), "the origin alone, and not the secret path");
    assert_eq!(claims["exp"], json!(NOW.0 / 1_000 + 12 * 3_600));
}

/// What becomes of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Delivered,
    Forgotten,
    DeadLetter,
    Again(Option<Duration>),
}

#[rstest]
#[case("HTTP/1.1 201 Created", End::Delivered)]
#[case("HTTP/1.1 404 Not Found", End::Forgotten)]
#[case("HTTP/1.1 410 Gone", End::Forgotten)]
#[case("HTTP/1.1 413 Payload Too Large", End::DeadLetter)]
#[case("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30", End::Again(Some(Duration::from_secs(30))))]
#[case("HTTP/1.1 503 Service Unavailable", End::Again(None))]
#[case("", End::Again(None))]
#[tokio::test]
async fn whatever_a_push_service_answers_has_its_end(#[case] answer: &'static str, #[case] end: End) {
    let folder = TempDir::new().unwrap();
    let whole = format!("{answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let (origin, heard) = push_service(if answer.is_empty() { "" } else { whole.leak() });
    let webhook = device(&folder, &format!("{origin}/push/barracuda"));
    let destination =
        |clock| WebhookDestination::kept(&webhook, hearing(&webhook, &kept(&folder)), clock, Credentials::default());
    let sent_to = destination(Clock::starting_at(NOW));
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let append = Append::new(NOW, by, vec![Entry::of_hub(HubRecord::Started { version: "1".to_owned() })]);
    let new = sent_to.wants(&append).remove(0);
    let outcome = sent_to.send(&Delivery::new(DeliveryId { seq: 7, part: 0 }, NOW, new)).await;
    heard.join().unwrap();
    let seen = match &outcome {
        SendOutcome::Delivered { .. } => End::Delivered,
        SendOutcome::Unwanted { by, .. } if *by == webhook.added_by => End::Forgotten,
        SendOutcome::Refused { .. } => End::DeadLetter,
        SendOutcome::Retry { after, .. } => End::Again(*after),
        other => panic!("{other:?}"),
    };
    assert_eq!(seen, end, "{outcome:?}");
    assert!(!format!("{outcome:?}").contains("barracuda"), "the address is a secret of the device: {outcome:?}");
    let is_gone = end == End::Forgotten;
    assert_eq!(folder.path().join("webhooks").join(&webhook.secret_file).exists(), !is_gone);
    assert_eq!(sent_to.wants(&append).is_empty(), is_gone, "nothing more is written for one that is gone");
    assert_eq!(sent_to.fault().is_some(), is_gone);
    let restarted = destination(Clock::starting_at(NOW));
    assert_eq!((restarted.fault().is_some(), restarted.wants(&append).is_empty()), (is_gone, is_gone));
}

#[tokio::test]
async fn the_key_of_the_hub_is_its_owners_alone_and_outlives_a_restart() {
    let folder = TempDir::new().unwrap();
    let key = public_key(&*kept(&folder)).unwrap();
    let (by, clock) = (PrincipalId::parse("hub").unwrap(), Clock::starting_at(NOW));
    assert_eq!(
        added_destinations(&[], &[].into(), |_| false, &by, &kept(&folder), (&clock, &Credentials::default())).len(),
        0
    );
    assert_eq!(public_key(&*kept(&folder)).unwrap(), key, "what nothing names is removed; it is not");
    let file = folder.path().join("webhooks/push.key");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&file, "spoilt").unwrap();
    assert!(public_key(&*kept(&folder)).is_err(), "a new one in its place would void every subscription unseen");
}

/// A question of an agent's, with its danger.
fn asked(danger: Option<Danger>) -> Append {
    let spec = QuestionSpec { danger, ..crate::journal::samples::question_spec(1) };
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let session = spec.session_id.clone();
    let record = Record::Question(QuestionRecord::Asked { spec: Box::new(spec) });
    Append::new(NOW, by, vec![Entry::of_session(&session, None, None, record)])
}

#[rstest]
#[case::without_words(false, None, false)]
#[case::harmless(true, None, true)]
#[case::doubtful(true, Some(Danger::Acts), false)]
#[case::dangerous(true, Some(Danger::Declared), false)]
#[tokio::test]
async fn a_question_that_may_be_answered_brings_a_ticket_for_it_alone(
    #[case] push_text: bool,
    #[case] danger: Option<Danger>,
    #[case] answers: bool,
) {
    let folder = TempDir::new().unwrap();
    let (origin, heard) = push_service("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let webhook = Webhook { push_text, events: vec!["question".to_owned()], ..device(&folder, &format!("{origin}/x")) };
    let keys: PushKeys = serde_json::from_value(json!({ "p256dh": POINT, "auth": AUTH })).unwrap();
    write_secret(&*kept(&folder), &webhook.secret_file, &keys.text(Some(&draw_secret().unwrap()))).unwrap();
    let (clock, credentials) = (Clock::starting_at(NOW), Credentials::default());
    let sent_to = WebhookDestination::kept(&webhook, hearing(&webhook, &kept(&folder)), clock, credentials.clone());
    let append = asked(danger);
    let new = sent_to.wants(&append).remove(0);
    let delivery = Delivery::new(DeliveryId { seq: 7, part: 0 }, NOW, new);
    assert!(matches!(sent_to.send(&delivery).await, SendOutcome::Delivered { .. }));
    let said = opened(heard.join().unwrap().1);
    assert_eq!((said.get("text").is_some(), said.get("answer").is_some()), (push_text, answers), "{said}");
    if answers {
        let (own, ticket) = (PushDevice::load(&kept(&folder), &webhook).unwrap(), &said["answer"]["ticket"]);
        let (ticket, question) = (ticket.as_str().unwrap(), said["question"].as_str().unwrap());
        assert_eq!((own.gave(ticket, question), own.gave(ticket, "q_0"), own.gave("", question)), (true, false, false));
    }

    // Whoever was shut out hears no more, also of what waits.
    credentials.begin(|_| None);
    assert_eq!(sent_to.wants(&append), []);
    assert!(matches!(sent_to.send(&delivery).await, SendOutcome::Unwanted { by, .. } if by == webhook.added_by));
    assert!(sent_to.fault().is_some_and(|why| why.contains("no token")));
}

#[rstest]
#[case::harmless(|_: &mut QuestionSpec| (), true)]
#[case::destroys_by_a_yes(|spec: &mut QuestionSpec| spec.question = "Drop the production database?".to_owned(), false)]
#[case::destroys_by_an_option(|spec: &mut QuestionSpec| spec.options[0] = "rm -rf /".to_owned(), false)]
#[case::longer_than_what_is_shown(|spec: &mut QuestionSpec| spec.question = "a".repeat(301), false)]
#[case::an_option_longer_than_its_button(|spec: &mut QuestionSpec| spec.options[0] = "a".repeat(41), false)]
#[case::has_no_options(|spec: &mut QuestionSpec| spec.options.clear(), false)]
fn only_what_is_shown_whole_and_destroys_nothing_is_pressed(
    #[case] change: fn(&mut QuestionSpec),
    #[case] pressed: bool,
) {
    let mut spec = crate::journal::samples::question_spec(1);
    change(&mut spec);
    assert_eq!(may_be_pressed(&spec), pressed, "{spec:?}");
}

#[test]
fn leave_for_a_tool_is_never_given_by_a_press() {
    let mut spec = crate::journal::samples::question_spec(1);
    spec.permission = Some(Box::new(Permission::new("Bash".to_owned(), "d".to_owned(), &"ls".into(), None)));
    assert!(!may_be_pressed(&spec));
}
