//! Every way in which a wait over a socket ends, and what becomes of what was on its way.

use std::time::Duration;

use futures_util::SinkExt as _;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::client::{Client, Era, Hall};

const SOON: Duration = Duration::from_secs(1);

/// How a client leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// It says so.
    Closes,
    /// Its process is killed.
    Dies,
    /// It calls the wait off, and stays.
    Cancels,
}

impl Leaves {
    async fn by(self, mut client: Client, wait: u64) -> Option<Client> {
        match self {
            Self::Closes => {
                client.ws.send(Message::Close(None)).await.expect("sent");
                None
            }
            Self::Dies => None,
            Self::Cancels => {
                let params = json!({"requestId": wait, "reason": "enough"});
                let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
                client.says(&cancel.to_string()).await;
                Some(client)
            }
        }
    }
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_who_waits(
    #[values(Era::Legacy, Era::Modern)] era: Era,
    #[values(Leaves::Closes, Leaves::Dies, Leaves::Cancels)] how: Leaves,
) {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", era).await;
    let wait = client.begins(era, "wait_for_prompt", json!({"timeout": 60})).await;
    hall.until_it_is("a1", "waiting").await;
    let left = how.by(client, wait).await;
    assert!(hall.while_it_is("a1", "waiting").await < SOON);
    let task = hall.assigns("a1").await;
    assert_eq!(hall.state(&task).await, "QUEUED", "nobody waits for it");
    if let Some(mut client) = left {
        let next = client.calls(era, "wait_for_prompt", json!({})).await;
        assert_eq!((&next["taskId"], &next["leaseEpoch"]), (&json!(task), &json!(1)), "the old wait said nothing");
    }
    hall.ends().await;
}

/// Two wait for the same; the first is offered it.
async fn offered_to_the_first(hall: &Hall, era: Era) -> (Client, Client, String) {
    let (mut first, _) = hall.agent("a1", era).await;
    let (mut second, _) = hall.agent("a2", era).await;
    first.begins(era, "wait_for_prompt", json!({"timeout": 90})).await;
    hall.until_it_is("a1", "waiting").await;
    second.begins(era, "wait_for_prompt", json!({"timeout": 90})).await;
    hall.until_it_is("a2", "waiting").await;
    let task = hall.assigns("role:coding").await;
    (first, second, task)
}

fn offer(said: &Value) -> (Value, Value) {
    let fields = &said["result"]["structuredContent"];
    (fields["taskId"].clone(), fields["leaseEpoch"].clone())
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn an_offer_that_a_dead_peer_never_read_goes_to_the_next(#[values(Era::Legacy, Era::Modern)] era: Era) {
    let hall = Hall::new().await;
    let (first, mut second, task) = offered_to_the_first(&hall, era).await;
    hall.until_it_is("a1", "working").await;
    let begun = Instant::now();
    drop(first);
    assert_eq!(offer(&second.hears().await), (json!(task), json!(2)));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    hall.ends().await;
}

#[rstest]
#[tokio::test(start_paused = true)]
async fn an_offer_that_was_read_by_who_then_dies_goes_to_the_next(#[values(Era::Legacy, Era::Modern)] era: Era) {
    let hall = Hall::new().await;
    let (mut first, mut second, task) = offered_to_the_first(&hall, era).await;
    assert_eq!(offer(&first.hears().await), (json!(task), json!(1)));
    first.listens_for(SOON).await;
    drop(first);
    assert_eq!(offer(&second.hears().await), (json!(task), json!(2)));
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_whose_reader_went_on_stays_with_it() {
    let hall = Hall::new().await;
    let (mut first, mut second, task) = offered_to_the_first(&hall, Era::Modern).await;
    assert_eq!(offer(&first.hears().await), (json!(task), json!(1)));
    first.listens_for(SOON).await;
    first.calls(Era::Modern, "list_agents", json!({})).await;
    drop(first);
    assert_eq!(second.hears().await["result"]["structuredContent"]["status"], "IDLE");
    assert_eq!(hall.state(&task).await, "ASSIGNED");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_vanishes_without_a_word_is_missed_by_the_second_ping() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 100})).await;
    hall.until_it_is("a1", "waiting").await;
    // It is still there, and reads nothing: no ping is answered.
    let gone = hall.while_it_is("a1", "waiting").await;
    assert!(gone > Duration::from_secs(20) && gone < Duration::from_secs(42), "{gone:?}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_answers_pings_waits_as_long_as_it_may() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 100})).await;
    let heard = client.listens_for(Duration::from_secs(99)).await;
    assert!(heard.is_empty(), "{heard:?}");
    assert_eq!(client.hears().await["result"]["structuredContent"]["status"], "IDLE");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_asks_and_never_reads_is_sent_away_and_slows_nobody() {
    let hall = Hall::with(64, |settings| settings.hub.limits.mcp_body = 64 * 1024).await;
    let (mut other, _) = hall.agent("a2", Era::Modern).await;
    let mut glutton = hall.opens(&hall.house.agent_token("a1")).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let asks = async {
        for _ in 0..100 {
            if glutton.ws.send(Message::text(list.to_string())).await.is_err() {
                return true;
            }
        }
        sleep(Duration::from_secs(5)).await;
        glutton.ws.send(Message::text(list.to_string())).await.is_err()
    };
    let sent_away = timeout(Duration::from_secs(60), asks).await.expect("it is not left hanging");
    assert!(sent_away, "a hundred answers were kept for who reads none");
    assert_eq!(other.calls(Era::Modern, "list_agents", json!({})).await["success"], true);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn when_the_hub_goes_down_waits_are_answered_and_sockets_closed() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 100})).await;
    hall.until_it_is("a1", "waiting").await;
    let begun = Instant::now();
    hall.house.backstage.drain();
    hall.end.cancel();
    let said = client.hears().await;
    assert_eq!(said["result"]["structuredContent"]["message"], "The hub is going down for a moment.");
    assert_eq!(client.is_closed_by().await, Some(1001));
    hall.ends().await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_offer_that_was_read_outlives_a_gentle_end_of_the_hub() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 100})).await;
    hall.until_it_is("a1", "waiting").await;
    let task = hall.assigns("a1").await;
    client.hears().await;
    client.listens_for(SOON).await;
    hall.end.cancel();
    assert_eq!(client.is_closed_by().await, Some(1001));
    sleep(SOON).await;
    assert_eq!(hall.state(&task).await, "ASSIGNED");
    hall.ends().await;
}
