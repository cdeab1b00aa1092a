//! Dice that fall the same in every run.

/// A seed, and what has been thrown with it (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number from 0 up to and without `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let limit = u64::try_from(limit).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % limit).unwrap()
    }
}
