//! What one service leaves for another: kept outside of both, so that nothing is lost when either is begun anew.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

/// A queue between services. Cheap to clone; putting never waits.
#[derive(Debug)]
pub struct Pending<T>(Arc<watch::Sender<VecDeque<T>>>);

impl<T> Clone for Pending<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(VecDeque::new())))
    }
}

impl<T: Send + Sync> Pending<T> {
    pub fn put(&self, one: T) {
        self.0.send_modify(|all| all.push_back(one));
    }

    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the oldest; waits until there is one.
    pub async fn take(&self) -> T {
        let mut changed = self.0.subscribe();
        loop {
            let mut taken = None;
            self.0.send_if_modified(|all| {
                taken = all.pop_front();
                false
            });
            if let Some(one) = taken {
                return one;
            }
            // It cannot be closed: this is one of its senders.
            let _ = changed.changed().await;
        }
    }
}
