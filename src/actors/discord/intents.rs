//! What the gateway is asked for, and the identifications that it is asked with.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use twilight_gateway::Intents;
use twilight_gateway::queue::{IDENTIFY_DELAY, Queue};

use super::memory::Shared;
use crate::clock::Clock;
use crate::settings::DiscordSettings;

/// The events that the settings need. Direct messages come in any case; the door filters them, so `discord.dm` takes
/// effect without another connection.
pub(super) fn intents(settings: &DiscordSettings) -> Intents {
    let intents = Intents::GUILDS | Intents::GUILD_MESSAGES | Intents::DIRECT_MESSAGES;
    if settings.message_content { intents | Intents::MESSAGE_CONTENT } else { intents }
}

/// Passes each wish to identify on to the gateway's loop, which knows the budget.
#[derive(Debug)]
pub(super) struct Turnstile(pub(super) mpsc::UnboundedSender<oneshot::Sender<()>>);

impl Queue for Turnstile {
    fn enqueue(&self, _: u32) -> oneshot::Receiver<()> {
        let (go, going) = oneshot::channel();
        // Refused by a loop that ended: its shard ends, too.
        let _ = self.0.send(go);
        going
    }
}

/// How long to wait before one more identification, which is counted from now on; `Err` while the budget is spent.
pub(super) fn take_identify(shared: &Shared, clock: &Clock) -> Result<Duration, Duration> {
    let now = clock.now();
    let mut taken = Ok(IDENTIFY_DELAY);
    shared.memory.send_if_modified(|memory| {
        let first = memory.identifies.count(now) == 0;
        let left = memory.identifies.take(now);
        taken = match left {
            true if first => Ok(Duration::ZERO),
            true => Ok(IDENTIFY_DELAY),
            false => Err(memory.identifies.next(now).since(now)),
        };
        left
    });
    taken
}
