//! How often a principal may call. Never an address: on a loopback everybody has the same.

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::domain::ids::PrincipalId;

#[derive(Debug)]
pub(super) struct Rate {
    limiter: DefaultKeyedRateLimiter<PrincipalId>,
    clock: DefaultClock,
    per_second: u32,
}

impl Rate {
    pub(super) fn new(per_second: u32, burst: u32) -> Self {
        let at_least_one = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_second(at_least_one(per_second)).allow_burst(at_least_one(burst));
        Self { limiter: RateLimiter::keyed(quota), clock: DefaultClock::default(), per_second }
    }

    /// Takes one; or says after how many seconds to come again.
    pub(super) fn take(&self, principal: &PrincipalId) -> Result<(), u32> {
        self.limiter.check_key(principal).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1)
        })
    }

    pub(super) const fn per_second(&self) -> u32 {
        self.per_second
    }
}
