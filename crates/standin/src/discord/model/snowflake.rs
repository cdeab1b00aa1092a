//! Ids and timestamps as Discord writes them: an id carries its moment, and a timestamp has six digits and `+00:00`.

use crate::time::Timestamp;

/// A snowflake: milliseconds since 2015 in the upper 42 bits, a counter in the lower 22.
pub type Id = u64;

/// 2015-01-01T00:00:00Z, from which snowflakes count.
const EPOCH: u64 = 1_420_070_400_000;
const COUNTER_BITS: u32 = 22;

/// The id of the `count`th thing, made at `at`. Two ids of one millisecond differ by the counter.
pub(crate) const fn id_at(at: Timestamp, count: u64) -> Id {
    (at.0.saturating_sub(EPOCH) << COUNTER_BITS) | (count & ((1 << COUNTER_BITS) - 1))
}

/// When `id` was made.
pub(crate) const fn made_at(id: Id) -> Timestamp {
    Timestamp((id >> COUNTER_BITS) + EPOCH)
}

/// `2026-11-21T10:40:17.172000+00:00`.
pub(crate) fn written(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}000+00:00", text.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_when_it_was_made_and_grows() {
        let at = Timestamp(1_795_000_000_123);
        assert_eq!(made_at(id_at(at, 7)), at);
        assert!(id_at(at, 7) < id_at(at, 8));
        assert!(written(at).ends_with(".123000+00:00"), "{}", written(at));
    }
}
