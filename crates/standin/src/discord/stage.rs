//! The world behind one lock: every change sees the clock first, and wakes whoever waits for a change.

use std::sync::Arc;

use tokio::sync::watch;

use super::model::world::World;
use crate::time::Clock;

/// Shared by the listener, its connections and whoever plays the people.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    world: Arc<watch::Sender<World>>,
    clock: Clock,
}

impl Stage {
    pub(super) fn new(world: World, clock: Clock) -> Self {
        Self { world: Arc::new(watch::Sender::new(world)), clock }
    }

    /// Changes the world; nothing else sees it meanwhile.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let mut outcome = None;
        self.world.send_modify(|world| {
            world.now = self.clock.now() + world.ahead;
            outcome = Some(change(world));
        });
        let Some(outcome) = outcome else { unreachable!("the closure runs once") };
        outcome
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.world.borrow())
    }

    /// Waits until `look` finds something in the world; looks again after each change.
    pub(super) async fn until<T>(&self, mut look: impl FnMut(&World) -> Option<T>) -> T {
        let mut changes = self.world.subscribe();
        loop {
            if let Some(found) = look(&changes.borrow_and_update()) {
                return found;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
