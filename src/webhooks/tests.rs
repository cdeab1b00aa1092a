//! Where webhooks may go, how they are signed, which settings are refused, and what a delivery says.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::dns::Resolve as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::egress::{Egress, PublicOnly, is_public, look_up};
use super::secret::SigningSecret;
use super::sender::{Answer, WebhookSender};
use super::subscription::Subscription;
use super::{Hearing, WebhookDestination, added_destinations, write_secret};
use crate::actors::Credentials;
use crate::actors::outbox::Destination as _;
use crate::clock::Clock;
use crate::domain::agent::AgentRecord;
use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName, SendOutcome};
use crate::domain::principal::{By, Surface};
use crate::domain::text::with_causes;
use crate::domain::time::Timestamp;
use crate::journal::vault::Folder;
use crate::journal::{Append, Entry, HubRecord};
use crate::settings::OutboundWebhook;

/// The secret of the specification's own example.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A secret that only its owner may read.
pub(crate) fn write_sample_secret(path: &Path) {
    fs::write(path, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn set(folder: &TempDir, url: &str, events: &[&str], allow_private: bool) -> OutboundWebhook {
    let secret_file = folder.path().join("secret");
    write_sample_secret(&secret_file);
    let events = events.iter().map(|name| (*name).to_owned()).collect();
    OutboundWebhook { url: url.to_owned(), secret_file, events, allow_private }
}

#[test]
fn only_addresses_of_the_public_internet_are_public() {
    let private = [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.0.1", "192.0.0.8", "192.0.2.1",
        "192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::",
        "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
        "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:101::1", "3fff::1", "fc00::1", "fd12::1", "fe80::1",
        "fec0::1", "ff02::1",
    ];
    for text in private {
        assert!(!is_public(text.parse::<IpAddr>().unwrap()), "{text}");
    }
    for text in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2002:101:101::1", "64:ff9b::101:101"] {
        assert!(is_public(text.parse::<IpAddr>().unwrap()), "{text}");
    }
}

/// The example of the specification.
#[test]
fn a_message_is_signed_as_the_specification_shows() {
    let secret = SigningSecret::parse(SECRET).unwrap();
    let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
    assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    for text in ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64!"] {
        assert!(SigningSecret::parse(text).is_err(), "{text}");
    }
    assert!(!format!("{secret:?}").contains("MfKQ"), "it is shown by nothing");
}

/// Until then by both, as whoever receives it may have either.
#[tokio::test]
async fn for_a_day_a_message_is_signed_by_the_secret_before_too() {
    const OLDER: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let (url, heard) = receiver_of(3);
    let [newer, older] = [SECRET, OLDER].map(|secret| SigningSecret::parse(secret).unwrap());
    let (until, url) = (Timestamp(1_780_000_090_000), Url::parse(&url).unwrap());
    let post = WebhookSender::new(url, newer.clone(), true).unwrap().also_signed(older.clone(), until);
    for (at, both) in [(until.0 - 90_000, true), (until.0 - 1_000, true), (until.0, false)] {
        assert!(post.send("m_1", Timestamp(at), "{}".to_owned()).await.is_taken());
        let mut expected = newer.sign("m_1", at / 1_000, "{}");
        if both {
            expected = format!("{expected} {}", older.sign("m_1", at / 1_000, "{}"));
        }
        let head = heard.recv().unwrap();
        assert!(head.contains(&format!("webhook-signature: {expected}\r\n")), "{head}");
    }
}

/// Takes so many messages on loopback; their heads.
fn receiver_of(messages: usize) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        for _ in 0..messages {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut text, mut piece) = (String::new(), [0; 4_096]);
            while !text.ends_with("\r\n\r\n{}") {
                let count = stream.read(&mut piece).unwrap();
                text.push_str(std::str::from_utf8(&piece[..count]).unwrap());
            }
            tell.send(text).unwrap();
            stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
        }
    });
    (url, heard)
}

#[test]
fn settings_that_could_not_work_or_would_be_unsafe_are_refused_with_the_key() {
    let folder = TempDir::new().unwrap();
    let refused = |set: &OutboundWebhook| Subscription::load("ci", set).map(|one| one.name).unwrap_err();
    for (url, key, word) in [
        ("nowhere", "url", "is no URL"),
        ("ftp://example.com/", "url", "must be `https://`"),
        ("http://example.com/", "url", "allowPrivate"),
        ("https://example.com/a\r\nX: y", "url", "no line break"),
        ("https://example.com/\u{1b}[2J", "url", "no control character"),
        ("https://ann:secret@example.com/", "url", "no password"),
        ("https://169.254.169.254/latest", "url", "169.254.169.254 is no public address"),
        ("https://[::ffff:127.0.0.1]/", "url", "is no public address"),
        ("https://0x7f.1/", "url", "127.0.0.1 is no public address"),
        ("https://LOCALHOST/", "url", "127.0.0.1 is no public address"),
        ("https://hub.localhost/", "url", "127.0.0.1 is no public address"),
    ] {
        let (named, why) = refused(&set(&folder, url, &[], false));
        assert!(named == key && why.contains(word), "{url}: {named}: {why}");
    }
    let (key, why) = refused(&set(&folder, "https://example.com/", &["task.made"], false));
    assert!(key == "events" && why.contains("task.made"), "{key}: {why}");
    let good = set(&folder, "https://example.com/?key=k", &["task", "question.asked"], false);
    assert_eq!(Subscription::load("No Name", &good).unwrap_err().0, "");
    let file = good.secret_file.clone();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(refused(&good).1.contains("chmod 600"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "a secret").unwrap();
    let (key, why) = refused(&good);
    assert!(key == "secretFile" && why.contains("whsec_") && !why.contains("a secret"), "{key}: {why}");
    fs::remove_file(&file).unwrap();
    assert!(refused(&good).1.contains("failed to read"));
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_not_connected_to() {
    let found = PublicOnly(look_up).resolve("localhost".parse().unwrap()).await;
    let refused = found.err().expect("localhost is no public name").to_string();
    assert!(refused.contains("is no public address"), "{refused}");
}

/// A name that leads to a public address when it is looked up first, and to this machine from then on.
fn turns_inward(_: String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let first = ASKED.fetch_add(1, Ordering::Relaxed) == 0;
    let address = if first { [1, 1, 1, 1] } else { [127, 0, 0, 1] };
    async move { Ok(vec![SocketAddr::from((address, 0))]) }.boxed()
}

#[tokio::test]
async fn a_name_that_was_public_a_moment_ago_is_not_connected_to_where_it_leads_here_now() {
    let names = PublicOnly(turns_inward);
    let judged = names.resolve("rebinds.example".parse().unwrap()).await;
    assert!(judged.is_ok_and(|mut found| found.all(|address| is_public(address.ip()))), "it is public at first");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://rebinds.example:{}/", listener.local_addr().unwrap().port());
    let client = Egress { allow_private: false }.client_by(names).unwrap();
    let refused = with_causes(&client.post(url).send().await.unwrap_err());
    assert!(refused.contains("127.0.0.1 is no public address"), "{refused}");
    assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock, "nobody came");
}

/// A receiver that answers once, and what it heard.
fn receiver(answer: &'static str) -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = String::new();
        while !heard.contains("\"data\"") {
            let mut bytes = [0; 4_096];
            let count = stream.read(&mut bytes).unwrap();
            heard.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
        stream.write_all(answer.as_bytes()).unwrap();
        heard
    });
    (port, heard)
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = TempDir::new().unwrap();
    let (port, heard) = receiver(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let webhook = Subscription::load("ci", &set(&folder, &format!("http://127.0.0.1:{port}/"), &[], true)).unwrap();
    let answer = webhook.post.send("m1", Timestamp(1_700_000_000_000), json!({"data": 1}).to_string()).await;
    assert_eq!(answer, Answer::Status { code: 302, retry_after: None });
    assert!(!answer.is_taken() && answer.error().unwrap().contains("not followed"));
    assert!(heard.join().unwrap().contains("webhook-signature: v1,"));
}

#[tokio::test]
async fn a_delivery_says_the_event_with_the_number_that_it_got() {
    let folder = TempDir::new().unwrap();
    let webhook = Subscription::load("ci", &set(&folder, "https://example.com/", &["hub"], false)).unwrap();
    let destination = WebhookDestination::new(webhook, Clock::starting_at(Timestamp(5)));
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let started = || Entry::of_hub(HubRecord::Started { version: "1".to_owned() });
    let coder = AgentId::parse("coder-1").unwrap();
    let other = Entry::of_agent(&coder, AgentRecord::NoticesHeard { ids: BTreeSet::new() });
    let append = Append::new(Timestamp(7), by, vec![started(), other, started()]);
    let wanted = destination.wants(&append);
    let last = append.entries.len() - 1;
    assert_eq!(wanted.len(), 2, "what it did not ask for is left out");
    assert!(wanted.iter().all(|new| new.lane == "hub" && new.summary == "hub.started of hub"), "{wanted:?}");
    let id = DeliveryId { seq: 40, part: 1 };
    let delivery = Delivery::new(id, Timestamp(7), wanted[1].clone());
    let said: Value = serde_json::from_str(&super::destination::event_of(&delivery).unwrap()).unwrap();
    let seq = 40 + last;
    assert_eq!(
        (&said["seq"], &said["id"], &said["cause"]),
        (&json!(seq), &json!(format!("ev_{seq}")), &json!("ev_40"))
    );
    assert_eq!((&said["type"], &said["data"]["version"]), (&json!("hub.started"), &json!("1")));
    destination.has_dead_letters(true);
    assert_eq!(destination.wants(&append), [], "it is stopped while a dead letter stands");
    destination.has_dead_letters(false);
    assert_eq!(destination.wants(&append).len(), 2);
}

#[tokio::test]
async fn a_webhook_that_turns_does_so_with_its_own_record_alone() {
    let folder = TempDir::new().unwrap();
    let subscription = |events: &[&str]| {
        let set = set(&folder, "https://example.com/", events, false);
        Hearing::On(Box::new(Subscription::load("builds", &set).unwrap()))
    };
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let append = |record: HubRecord| Append::new(Timestamp(7), by.clone(), vec![Entry::of_hub(record)]);
    let started = append(HubRecord::Started { version: "1".to_owned() });
    let webhook = crate::journal::samples::webhook("builds", 0);
    let clock = Clock::starting_at(Timestamp(5));
    let kept = |hearing| WebhookDestination::kept(&webhook, hearing, clock.clone(), Credentials::default());
    let with = HubRecord::WebhookAdded { webhook: Box::new(webhook.clone()) };
    let made = kept(subscription(&[])).turning(Hearing::NotYet, with.clone());
    assert_eq!(made.wants(&started), [], "it is not there yet");
    let other = HubRecord::WebhookAdded { webhook: Box::new(crate::journal::samples::webhook("alerts", 0)) };
    assert_eq!(made.wants(&append(other)), []);
    assert_eq!(made.wants(&append(with)), [], "its own record is not for it");
    assert_eq!(made.wants(&started).len(), 1);

    let with = HubRecord::WebhookRemoved { name: "builds".to_owned(), generation: 41 };
    let by_ann = PrincipalId::parse("person:ann").unwrap();
    let gone = kept(Hearing::Removed(by_ann.clone())).turning(subscription(&[]), with.clone());
    let waiting = gone.wants(&started).remove(0);
    assert_eq!(waiting.destination, "webhook.builds.41");
    assert_eq!((gone.wants(&append(with)), gone.wants(&started)), (Vec::new(), Vec::new()));
    let delivery = Delivery::new(DeliveryId { seq: 3, part: 0 }, Timestamp(7), waiting);
    let reason = "the webhook `builds` was removed".to_owned();
    assert_eq!(gone.send(&delivery).await, SendOutcome::Unwanted { by: by_ann, reason });
}

#[tokio::test]
async fn one_whose_secret_is_gone_is_stopped_and_says_why_and_what_nothing_names_is_removed() {
    let folder = TempDir::new().unwrap();
    let (kept, lost) = (crate::journal::samples::webhook("kept", 0), crate::journal::samples::webhook("lost", 0));
    let vault = Folder::at(folder.path());
    write_secret(&*vault, &kept.secret_file, SECRET).unwrap();
    write_secret(&*vault, "orphan.3.0", SECRET).unwrap();
    let by = PrincipalId::parse("hub").unwrap();
    let counts = [("webhook.old.7", DeliveryStateName::Pending), ("webhook.hub-yaml", DeliveryStateName::Pending)];
    let counts = counts.map(|(name, state)| ((name.to_owned(), state), 1)).into();
    let clock = Clock::starting_at(Timestamp(5));
    let all = added_destinations(&[kept, lost], &counts, |_| false, &by, &vault, (&clock, &Credentials::default()));
    let seen: Vec<_> = all.iter().map(|one| (one.name().to_owned(), one.fault())).collect();
    assert_eq!((seen[0].0.as_str(), &seen[0].1), ("webhook.kept.41", &None));
    assert_eq!(seen[1].0, "webhook.lost.41");
    assert!(seen[1].1.as_ref().unwrap().contains("failed to read"), "{seen:?}");
    assert_eq!(seen[2].0, "webhook.old.7", "what waits for one that was removed is dropped by it");
    assert_eq!(seen.len(), 3, "what waits for one of hub.yaml goes on waiting");
    let left: Vec<_> =
        fs::read_dir(folder.path().join("webhooks")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["kept.41.0"]);
}
