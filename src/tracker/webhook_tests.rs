//! A tracker that nobody here knows, by webhook: what it is told, under which id, signed, and what its answers mean.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rstest::rstest;
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::Sha256;

use super::comment::{Before, Fail, Outside, Written};
use super::{Tracker, TrackerDestination};
use crate::actors::forge::ForgeClocks;
use crate::actors::outbox::Destination as _;
use crate::clock::{Clock, FakeMachine};
use crate::domain::task::{Artifact, ArtifactKind, KeptText, TaskRecord};
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::journal::samples::{agent_id, by, task_id};
use crate::journal::{Append, Entry};
use crate::settings::{Settings, TrackerKind};

/// The secret of the specification's own example.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW: Timestamp = Timestamp(1_780_000_000_000);

/// A receiver on loopback that gives these answers, one to each request, and what it heard.
fn receiver(answers: Vec<&'static str>) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/comments", listener.local_addr().unwrap().port());
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut text, mut piece) = (String::new(), [0; 4_096]);
            let whole = |text: &str| {
                let (head, body) = text.split_once("\r\n\r\n")?;
                let length = head.to_lowercase().lines().find_map(|line| {
                    line.strip_prefix("content-length:").and_then(|length| length.trim().parse::<usize>().ok())
                })?;
                (body.len() >= length).then(|| (head.to_lowercase(), body.to_owned()))
            };
            let request = loop {
                if let Some(whole) = whole(&text) {
                    break whole;
                }
                let count = stream.read(&mut piece).unwrap();
                text.push_str(std::str::from_utf8(&piece[..count]).unwrap());
            };
            tell.send(request).unwrap();
            let end = "Content-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(format!("HTTP/1.1 {answer}\r\n{end}").as_bytes()).unwrap();
        }
    });
    (url, heard)
}

fn tracker(url: &str) -> Tracker {
    tracker_by(url, Clock::starting_at(NOW))
}

fn tracker_by(url: &str, clock: Clock) -> Tracker {
    let mut hub = Settings::defaults().hub;
    (hub.tracker.kind, hub.tracker.base_url, hub.tracker.allow_private) =
        (TrackerKind::Webhook, Some(url.to_owned()), true);
    Tracker::load(&hub, Some(SecretString::from(SECRET)), clock).unwrap().unwrap()
}

fn comment(changed: bool) -> Outside {
    Outside {
        item: WorkItem::parse("SHOP-7").unwrap(),
        mark: "<!-- callboard:0123456789abcdef -->".to_owned(),
        body: "Old or new?".to_owned(),
        earlier: Vec::new(),
        agent: "fullstack-1".to_owned(),
        since: NOW,
        changed,
    }
}

async fn puts(tracker: &Tracker, key: &str, changed: bool) -> Result<Written, Fail> {
    tracker.0.put(key, &comment(changed), Before::default(), &ForgeClocks::default()).await
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no {name} in {head}"))
}

#[tokio::test]
async fn a_comment_is_created_and_updated_under_one_id_and_signed() {
    let (url, heard) = receiver(vec!["204 No Content", "200 OK"]);
    let tracker = tracker(&url);
    for (key, changed, answer) in [("tracker.d_7_0", false, "answered 204"), ("tracker.d_9_0", true, "answered 200")] {
        let written = puts(&tracker, key, changed).await.unwrap();
        assert_eq!((written.receipt.as_str(), written.called.as_str()), (answer, "0123456789abcdef"));
    }
    let ids: Vec<Value> = heard
        .iter()
        .zip([("comment.created", "tracker_d_7_0"), ("comment.updated", "tracker_d_9_0")])
        .map(|((head, body), (kind, key))| {
            assert_eq!(header(&head, "webhook-id"), key);
            let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(&SECRET["whsec_".len()..]).unwrap()).unwrap();
            mac.update(format!("{key}.{}.{body}", header(&head, "webhook-timestamp")).as_bytes());
            // The head was made small: so is what is expected.
            let signed = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())).to_lowercase();
            assert_eq!(header(&head, "webhook-signature"), signed);
            let said: Value = serde_json::from_str(&body).unwrap();
            assert_eq!((&said["type"], &said["data"]["issue"]["id"]), (&json!(kind), &json!("SHOP-7")));
            assert_eq!(said["data"]["comment"]["body"], "Old or new?");
            assert_eq!(said["data"]["comment"]["author"], "fullstack-1");
            said["data"]["comment"]["id"].clone()
        })
        .collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1], "whoever sees the second knows which comment it is");
    assert_ne!(ids[0], "", "{ids:?}");
}

#[tokio::test]
async fn what_is_signed_is_dated_by_the_machines_clock_and_not_by_the_hubs() {
    let (url, heard) = receiver(vec!["204 No Content"]);
    let machine = FakeMachine::showing(NOW);
    let clock = machine.clock();
    let hour = Duration::from_hours(1);
    machine.set_back(2 * hour);
    clock.look();
    assert!(clock.now() >= NOW);
    tracker_by(&url, clock)
        .0
        .put("tracker.d_7_0", &comment(false), Before::default(), &ForgeClocks::default())
        .await
        .unwrap();
    let (head, _) = heard.recv().unwrap();
    let signed_at = Timestamp(header(&head, "webhook-timestamp").parse::<u64>().unwrap() * 1_000);
    assert!(signed_at < NOW - hour, "{signed_at}");
}

#[rstest]
#[case::not_understood("400 Bad Request", None)]
#[case::no_such_item("404 Not Found", None)]
#[case::gone("410 Gone", None)]
#[case::refused("422 Unprocessable Content", None)]
#[case::a_fault("500 Internal Server Error", Some(None))]
#[case::too_many("429 Too Many Requests\r\nRetry-After: 90", Some(Some(90)))]
#[case::away_for_long("503 Service Unavailable\r\nRetry-After: 999999", Some(Some(3_600)))]
#[case::not_let_in("401 Unauthorized", Some(None))]
#[tokio::test]
async fn an_answer_says_whether_it_is_tried_again_and_when(
    #[case] answer: &'static str,
    #[case] again: Option<Option<u64>>,
) {
    let (url, _heard) = receiver(vec![answer]);
    let failed = puts(&tracker(&url), "tracker.d_7_0", false).await.unwrap_err();
    let error = format!("answered {}", &answer[..3]);
    let expected = match again {
        None => Fail::Never(error),
        Some(after) => Fail::Later { error, after: after.map(Duration::from_secs) },
    };
    assert_eq!(failed, expected);
}

#[tokio::test]
async fn nobody_who_listens_is_tried_again() {
    let failed = puts(&tracker("http://127.0.0.1:9/"), "tracker.d_7_0", false).await;
    assert!(matches!(&failed, Err(Fail::Later { after: None, .. })), "{failed:?}");
}

#[test]
fn a_completion_closes_the_thread_with_its_summary_and_where_to_look() {
    let url = "https://forge.example/acme/shop/pull/7".to_owned();
    let pull = Artifact { kind: ArtifactKind::Pr, url: Some(url), path: None, text: None, title: None };
    let completed = |posted_to: Option<&str>| TaskRecord::Completed {
        agent: agent_id("fullstack-1"),
        message: KeptText::inline("The login works.".to_owned()),
        diff: None,
        artifacts: vec![pull.clone()],
        evidence: None,
        posted_to: posted_to.map(|item| WorkItem::parse(item).unwrap()),
    };
    let entry = |posted_to| Entry::of_task(&task_id(1), None, completed(posted_to));
    let destination = TrackerDestination::new(tracker("http://127.0.0.1:9/"));
    let rows = destination.wants(&Append::new(NOW, by(), vec![entry(Some("SHOP-7")), entry(None)]));
    assert_eq!(rows.len(), 1, "only where the task is tied to a work item");
    assert_eq!((rows[0].summary.as_str(), rows[0].lane.as_str()), ("a completion on SHOP-7", "shop-7"));
    let text = rows[0].body["text"].as_str().unwrap();
    assert_eq!(text, "Done. The login works.\n\n- https://forge.example/acme/shop/pull/7");
}
