//! What people answer to prompts outlives the hub that saw it, and is in the journal what it is in the hub.

use std::time::Duration;

use super::hub::Hub;
use crate::actors::learner::{Order, Track};
use crate::domain::ids::{PrincipalId, TerminalId};
use crate::domain::principal::{By, Surface};
use crate::domain::prompt::PromptKind;
use crate::domain::prompt::book::{KeptPattern, PatternPlace};
use crate::domain::prompt::learn::{InputSource, Provenance};
use crate::domain::terminal::TrackedInput;
use crate::domain::time::Millis;
use crate::journal::inspect::verify_reader;

const PROMPT: &str = "Restart the server? [y/n]";
const SHOP: &str = "acme/shop";

fn ada() -> By {
    By { principal: PrincipalId::parse("person:ada").unwrap(), surface: Surface::Cli }
}

/// Somebody answers so, in the shop's workspace.
async fn answers(hub: &Hub, text: &str, success: bool) {
    let input = TrackedInput {
        prompt_text: PROMPT.to_owned(),
        prompt_type: PromptKind::YesNo,
        dangerous: false,
        input_text: text.to_owned(),
        success,
        source: InputSource::UserTyped,
        provenance: Provenance::Attested,
        response_time: Millis(700),
        workspace: Some(SHOP.to_owned()),
        pattern: None,
    };
    let terminal = TerminalId::parse("term-1").unwrap();
    hub.hub.learner.track(Track { terminal, agent: None, input, by: ada(), request: None }).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
}

async fn known(hub: &Hub) -> Vec<KeptPattern> {
    hub.hub.learner.list().await.unwrap()
}

/// The records alone come to what the hub knows.
fn is_sound(hub: &Hub) {
    let report = verify_reader(&hub.reader, |_, _| {}).unwrap();
    assert_eq!(report.findings, []);
}

#[tokio::test(start_paused = true)]
async fn a_habit_is_there_after_a_crash_and_so_is_that_it_was_given_to_all_or_let_go_of() {
    let hub = Hub::new().await;
    for (text, success) in [("n", true), ("n", true), ("y", true), ("n", false), ("n", true)] {
        answers(&hub, text, success).await;
    }
    let before = known(&hub).await;
    assert_eq!((before.len(), &before[0].place), (1, &PatternPlace::of(Some(SHOP))));
    is_sound(&hub);
    let hub = hub.dies_for(Duration::from_secs(60)).await;
    assert_eq!(known(&hub).await, before);
    answers(&hub, "y", true).await;
    let own = before[0].id.clone();
    let promoted = hub.hub.learner.change(own.clone(), Order::Promote, ada(), None).await.unwrap().unwrap();
    assert_eq!(promoted.place, PatternPlace::Hub, "it holds everywhere");
    hub.hub.learner.change(own, Order::Forget, ada(), None).await.unwrap().unwrap();
    is_sound(&hub);
    let hub = hub.dies_for(Duration::from_secs(60)).await;
    assert_eq!(known(&hub).await, [promoted]);
    is_sound(&hub);
    hub.ends().await;
}
