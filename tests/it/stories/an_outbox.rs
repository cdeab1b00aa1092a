//! What could not leave the hub, as an operator at the command line finds it, and decides over it.

use std::path::Path;

use callboard::domain::ids::PrincipalId;
use callboard::domain::outbox::{DeliveryId, DeliveryRecord, NewDelivery};
use callboard::domain::principal::{By, Surface};
use callboard::domain::time::Timestamp;
use callboard::journal::sqlite::{self, Durability};
use callboard::journal::{Append, Entry, HubRecord, Reader as _, Row, Store as _};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;

const NOT_FOUND: i32 = 4;

/// A journal with two dead letters to a destination that is no longer configured. Their ids.
fn journal_with_dead_letters(data_dir: &Path) -> [String; 2] {
    let (mut store, reader) = sqlite::open(&data_dir.join("callboard.db"), Durability::Full).unwrap();
    ["a", "b"].map(|lane| {
        let by = || By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
        let mut write = |rows, record| {
            let append = Append { rows, ..Append::new(Timestamp(1_000), by(), vec![Entry::of_hub(record)]) };
            store.write(&[append]).remove(0).unwrap().first
        };
        let (destination, summary) = ("gone".to_owned(), "a task is done".to_owned());
        let new = NewDelivery { destination, lane: lane.to_owned(), summary, body: json!({"secret": "x"}) };
        let (destination, summary) = (new.destination.clone(), new.summary.clone());
        let started = HubRecord::Started { version: "1".to_owned() };
        let id = DeliveryId { seq: write(vec![Row::Outgoing(Box::new(new))], started).0, part: 0 };
        let mut after = reader.delivery(id).unwrap().unwrap();
        let reason = "410 Gone".to_owned();
        after.apply(Timestamp(2_000), &DeliveryRecord::DeadLettered { reason: reason.clone() });
        let told = HubRecord::DeliveryDeadLettered { delivery: id, destination, summary, reason };
        write(vec![Row::Delivery(Box::new(after))], told);
        id.to_string()
    })
}

/// What a command prints, and its exit code.
fn says(hub: &HubProcess, arguments: &[&str]) -> (String, Option<i32>) {
    let done = hub.command(arguments).output().unwrap();
    let words = [done.stdout, done.stderr].concat();
    (String::from_utf8(words).unwrap(), done.status.code())
}

fn json_of(hub: &HubProcess, arguments: &[&str]) -> Value {
    let (words, code) = says(hub, &[arguments, &["-o", "json"]].concat());
    assert_eq!(code, Some(0), "{words}");
    serde_json::from_str(&words).unwrap_or_else(|error| panic!("{error}: {words}"))
}

#[test]
fn what_could_not_be_delivered_is_listed_shown_retried_and_dropped_from_the_command_line() {
    let folder = TempDir::new().unwrap();
    let [first, second] = journal_with_dead_letters(folder.path());
    let hub = HubProcess::start(folder.path());
    let (listed, code) = says(&hub, &["outbox", "list", "--state", "dead-letter"]);
    assert_eq!(code, Some(0), "{listed}");
    assert!(listed.contains(&first) && listed.contains(&second) && listed.contains("410 Gone"), "{listed}");
    let (shown, _) = says(&hub, &["outbox", "show", &first]);
    assert!(shown.contains("dead_letter") && shown.contains("a task is done"), "{shown}");
    assert!(!shown.contains("secret"), "what is sent is not shown: {shown}");
    let inbox = json_of(&hub, &["inbox", "--kind", "dead-delivery"]);
    assert_eq!(inbox["total"], 2, "{inbox}");
    let item = format!("dead_delivery:{first}");
    let (retried, _) = says(&hub, &["outbox", "retry", &item]);
    assert!(retried.contains(&format!("Delivery `{first}` is pending now.")), "{retried}");
    let dropped = json_of(&hub, &["outbox", "drop", &second, "--reason", "the channel is gone"]);
    assert_eq!((&dropped["state"], &dropped["reason"]), (&json!("dropped"), &json!("the channel is gone")));
    let (again, code) = says(&hub, &["outbox", "retry", &second]);
    assert!(code != Some(0) && again.contains("nothing is left to be done with it"), "{again}");
    let (unknown, code) = says(&hub, &["outbox", "show", "d_999_0"]);
    assert_eq!(code, Some(NOT_FOUND), "{unknown}");
    assert_eq!(json_of(&hub, &["inbox"])["total"], 0);
    let _ended = hub.terminate();
    let checked = crate::support::hub_process::callboard(folder.path()).args(["journal", "verify"]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}
