//! Who sees a channel, computed as Discord computes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const ADMINISTRATOR: u64 = 1 << 3;
const VIEW_CHANNEL: u64 = 1 << 10;

/// What a channel changes of what one role or member may, in Discord's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overwrite {
    /// A role, a member, or the guild for everybody.
    pub whom: u64,
    /// What it allows.
    pub allow: u64,
    /// What it denies.
    pub deny: u64,
}

impl Overwrite {
    /// One that hides a channel from everybody in the guild.
    pub const fn hides(guild: u64) -> Self {
        Self { whom: guild, allow: 0, deny: VIEW_CHANNEL }
    }
}

/// Whether a member with these roles sees a channel.
///
/// What the roles give together counts, then what the channel changes for everybody, for roles, for the member.
/// `rights` are those of the guild's roles, by id; an unknown one gives nothing.
pub fn sees_channel(
    guild: u64,
    (user, roles): (u64, &[u64]),
    rights: &BTreeMap<u64, u64>,
    changes: &[Overwrite],
) -> bool {
    let given = roles.iter().chain([&guild]).filter_map(|role| rights.get(role)).fold(0, |all, one| all | one);
    let is_for: [&dyn Fn(u64) -> bool; 3] =
        [&|whom| whom == guild, &|whom| roles.contains(&whom), &|whom| whom == user];
    let may = is_for.iter().fold(given, |may, is_for| {
        let of = changes.iter().filter(|one| is_for(one.whom));
        let (allow, deny) = of.fold((0, 0), |(allow, deny), one| (allow | one.allow, deny | one.deny));
        (may & !deny) | allow
    });
    given & ADMINISTRATOR != 0 || may & VIEW_CHANNEL != 0
}
