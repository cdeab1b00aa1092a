//! The service behind the door: takes each event, and handles it in a future of its own.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::task::JoinSet;

use super::door::DiscordDoor;
use super::turn::Turn;
use super::{backfill, changed, commands, interaction, message};
use crate::actors::discord::GatewayEvent;
use crate::actors::service::{Look, Service};
use crate::domain::discord::DiscordMessage;

const AT_ONCE: usize = 64;

impl Service for DiscordDoor {
    fn run(&self) -> BoxFuture<'static, String> {
        let door = self.clone();
        async move {
            // What a run before this one had under way ended with it, and may come again.
            door.under_way.send_modify(BTreeMap::clear);
            door.lately.send_modify(BTreeSet::clear);
            let mut handled: JoinSet<()> = JoinSet::new();
            let before = door.clone();
            handled.spawn(async move { interaction::ends_those_before(&before).await });
            let older = door.clone();
            handled.spawn(async move {
                if let Err(error) = older.places.read_older(&older.hub.journal).await {
                    tracing::warn!("threads of older tasks are not known: {error}");
                }
            });
            loop {
                while handled.len() >= AT_ONCE {
                    handled.join_next().await;
                }
                while handled.try_join_next().is_some() {}
                let event = door.events.take().await;
                if let GatewayEvent::Happened(name, data) = &event {
                    changed::note_gone(&door, name, data);
                }
                // Before any event behind it is begun.
                let turn = door.turn(event.channel());
                let door = door.clone();
                handled.spawn(async move { handle(door, event, turn).await });
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        let detail = json!({ "waiting": self.events.len() });
        Look { state: "running".to_owned(), detail, errors: Vec::new() }
    }
}

async fn handle(door: DiscordDoor, event: GatewayEvent, turn: Turn) {
    match event {
        GatewayEvent::Began => {
            backfill::read(&door).await;
            changed::look_again(&door).await;
        }
        GatewayEvent::Happened(name, data) => match name.as_str() {
            "MESSAGE_CREATE" => {
                if let Some(heard) = DiscordMessage::read(&data) {
                    message::heard(&door, &heard, turn).await;
                    door.decided.notify_one();
                }
            }
            "MESSAGE_UPDATE" => changed::edited(&door, &data, turn).await,
            "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK" => changed::deleted(&door, &data).await,
            "INTERACTION_CREATE" => {
                interaction::came(&door, &data, turn).await;
                door.decided.notify_one();
            }
            "GUILD_CREATE" => commands::set(&door, &data).await,
            _ => {}
        },
    }
}
