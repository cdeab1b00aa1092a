//! A press, a modal, a command: acknowledged at once, done, answered to who pressed alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::commands;
use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use super::press::{self, PressReply};
use super::turn::Turn;
use crate::actors::discord::{Call, Fail};
use crate::domain::discord::{Press, shortened, written_at};

const COMMAND: u64 = 2;
const COMPONENT: u64 = 3;
const AUTOCOMPLETE: u64 = 4;
const MODAL: u64 = 5;
/// How long Discord takes an answer to an interaction.
const ANSWERED_WITHIN: Duration = Duration::from_secs(15 * 60);

pub(super) async fn came(door: &DiscordDoor, data: &Value, turn: Turn) {
    let Some((kind, interaction)) = Interaction::read(data) else { return };
    match kind {
        AUTOCOMPLETE => {
            drop(turn);
            let choices = commands::complete(door, &interaction).await;
            answer(door, &interaction, &json!({"type": 8, "data": {"choices": choices}})).await;
        }
        COMPONENT => match interaction.press() {
            Some(press @ (Press::Words(_) | Press::Changes(..))) => {
                drop(turn);
                let body = match press::is_refused(door, &interaction, &press).await {
                    Some(why) => {
                        json!({"type": 4, "data": {"content": why, "flags": 64, "allowed_mentions": {"parse": []}}})
                    }
                    None => modal(&press),
                };
                answer(door, &interaction, &body).await;
            }
            press => respond(door, &interaction, press, turn).await,
        },
        MODAL => match interaction.press() {
            Some(Press::Assign(message)) => hand_out(door, &interaction, message, turn).await,
            press => respond(door, &interaction, press, turn).await,
        },
        // What is to be done stands there already: it is asked to whom.
        COMMAND if interaction.message().is_some() => {
            drop(turn);
            let modal = interaction.message().map(|(message, text)| assigning(message, &text));
            answer(door, &interaction, &modal.unwrap_or_default()).await;
        }
        COMMAND => run(door, &interaction, turn).await,
        _ => {}
    }
}

async fn hand_out(door: &DiscordDoor, interaction: &Interaction, message: u64, turn: Turn) {
    if acknowledge(door, interaction).await {
        turn.comes().await;
        let text = commands::hand_out(door, interaction, message).await;
        drop(turn);
        conclude(door, interaction, text.into()).await;
    }
}

async fn run(door: &DiscordDoor, interaction: &Interaction, turn: Turn) {
    if acknowledge(door, interaction).await {
        turn.comes().await;
        let told = commands::run(door, interaction).await;
        drop(turn);
        conclude(door, interaction, told).await;
    }
}

async fn respond(door: &DiscordDoor, interaction: &Interaction, press: Option<Press>, turn: Turn) {
    if !acknowledge(door, interaction).await {
        return;
    }
    turn.comes().await;
    let told = match press {
        Some(press) => press::done(door, interaction, press).await,
        None => press::FOREIGN.to_owned().into(),
    };
    drop(turn);
    conclude(door, interaction, told).await;
}

/// Discord waits three seconds for this. A repeat of the same event is refused there, and is done once here.
async fn acknowledge(door: &DiscordDoor, interaction: &Interaction) -> bool {
    let thinks = answer(door, interaction, &json!({"type": 5, "data": {"flags": 64}})).await;
    if thinks {
        let token = interaction.token.clone();
        door.shared.memory.send_modify(|memory| drop(memory.thinking.insert(interaction.id, token)));
    }
    thinks
}

/// Ends the "thinking…" of what an earlier process acknowledged and never answered, while Discord still takes that.
pub(super) async fn ends_those_before(door: &DiscordDoor) {
    let before = door.shared.memory.borrow().thinking.clone();
    let application = door.shared.memory.borrow().application;
    for (interaction, token) in before {
        if door.hub.clock.machine_now().since(written_at(interaction)) < ANSWERED_WITHIN {
            let body = json!({"content": "⚠️ I was restarted meanwhile. If it is not done, press again."});
            door.note(door.rest.call(Call::EditAnswer { application, token: &token }, &body).await);
        }
        door.shared.memory.send_modify(|memory| drop(memory.thinking.remove(&interaction)));
    }
}

async fn answer(door: &DiscordDoor, interaction: &Interaction, body: &Value) -> bool {
    let call = Call::Answer { interaction: interaction.id, token: &interaction.token };
    match door.rest.call(call, body).await {
        Ok(_) => true,
        // Nobody knows whether it arrived: what was pressed is done, and is done once.
        Err(fail @ Fail::Later(_)) => {
            door.shared.failed(fail.to_string());
            true
        }
        Err(fail @ Fail::No { .. }) => {
            // Too late, or answered by another hub on the same token. Whoever pressed sees that, so it is not done.
            tracing::warn!("an interaction could not be acknowledged, so nothing was done: {fail}");
            door.shared.failed(fail.to_string());
            false
        }
    }
}

async fn conclude(door: &DiscordDoor, interaction: &Interaction, told: PressReply) {
    let application = door.shared.memory.borrow().application;
    let text = shortened(&told.text, 1_900);
    let body = json!({"content": text, "components": told.components, "allowed_mentions": {"parse": []}});
    door.note(door.rest.call(Call::EditAnswer { application, token: &interaction.token }, &body).await);
    door.shared.memory.send_modify(|memory| drop(memory.thinking.remove(&interaction.id)));
}

/// To whom the text of a message is handed, which may be changed before.
fn assigning(message: u64, text: &str) -> Value {
    let text: String = text.chars().take(4_000).collect();
    let agent = json!({"type": 4, "custom_id": "agent", "style": 1, "label": "Role or agent", "min_length": 1,
        "max_length": 100, "required": true});
    let prompt = json!({"type": 4, "custom_id": "text", "style": 2, "label": "What is to be done", "min_length": 1,
        "max_length": 4_000, "required": true, "value": text});
    let rows = json!([{"type": 1, "components": [agent]}, {"type": 1, "components": [prompt]}]);
    let custom_id = Press::Assign(message).to_string();
    json!({"type": 9, "data": {"custom_id": custom_id, "title": "Assign to agent", "components": rows}})
}

fn modal(press: &Press) -> Value {
    let (title, label) = if let Press::Changes(_, round) = press {
        let of_round = round.map(|round| format!(" of round {round}")).unwrap_or_default();
        (format!("Request changes{of_round}"), "What is to change?")
    } else {
        ("Answer".to_owned(), "Your answer")
    };
    let input = json!({"type": 4, "custom_id": "text", "style": 2, "label": label, "min_length": 1,
        "max_length": 4_000, "required": true});
    let rows = json!([{"type": 1, "components": [input]}]);
    json!({"type": 9, "data": {"custom_id": press.to_string(), "title": title, "components": rows}})
}
