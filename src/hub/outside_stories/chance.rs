//! The numbers of a seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The same numbers for the same seed. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Chance(Arc<AtomicU64>);

impl Chance {
    pub(super) fn of(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)))
    }

    /// A number from 0, below `bound`.
    pub(super) fn below(&self, bound: u64) -> u64 {
        let step = |x: u64| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 7);
            x ^ (x << 17)
        };
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(step(x))).unwrap();
        (step(before) >> 33) % bound
    }

    pub(super) fn one_in(&self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}
