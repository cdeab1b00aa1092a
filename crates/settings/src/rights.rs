//! Lists of names where `*` is everybody: `canDelegateTo`, `canAssignTo`.

use std::collections::BTreeSet;

use serde::de::{Deserialize, Deserializer, Error as _, Unexpected};

use crate::domain::task::RightsSet;

pub(super) fn rights<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RightsSet, D::Error> {
    let names = BTreeSet::<String>::deserialize(deserializer)?;
    if names.contains("*") {
        return Ok(RightsSet::All);
    }
    match names.iter().find(|name| name.trim().is_empty()) {
        Some(name) => Err(D::Error::invalid_value(Unexpected::Str(name), &"names of roles and agents, or `*`")),
        None => Ok(RightsSet::Only(names)),
    }
}

pub(super) fn maybe_rights<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RightsSet>, D::Error> {
    struct Read(RightsSet);
    impl<'de> Deserialize<'de> for Read {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            rights(deserializer).map(Self)
        }
    }
    Ok(Option::<Read>::deserialize(deserializer)?.map(|read| read.0))
}
