//! What `permissions.yaml` says of somebody on Discord: by their id, else by their roles there.

use crate::domain::discord::{Act, Grant, Grants};
use crate::domain::permission::Whose;
use crate::settings::{self, Settings, Snowflake};

/// Asks the entries that speak of this user, who has these roles, each with its name where that counts.
pub fn by_entries<T>(settings: &Settings, user: u64, roles: &[(u64, String)], ask: impl FnOnce(&Grants<'_>) -> T) -> T {
    let given = &settings.permissions;
    if let Some(grant) = given.users.get(&Snowflake(user)) {
        let entry = format!("users.{user}");
        return ask(&Grants::User(granted(&entry, grant)));
    }
    // Digits are an id, and match nothing else: a role of any name is made in a moment.
    let is_of = |key: &str| match Snowflake::parse(key) {
        Some(wanted) => roles.iter().any(|(id, _)| *id == wanted.0),
        None => roles.iter().any(|(_, name)| !name.is_empty() && name.eq_ignore_ascii_case(key)),
    };
    let entries: Vec<_> = given.roles.iter().filter(|(key, _)| is_of(key)).collect();
    let entries: Vec<_> = entries.into_iter().map(|(key, grant)| (format!("roles.{key}"), grant)).collect();
    ask(&Grants::Roles(entries.iter().map(|(entry, grant)| granted(entry, grant)).collect()))
}

/// Which roles of the server may do this, as Discord shows them.
pub fn roles_that_may(settings: &Settings, act: Act, whose: &Whose) -> Vec<String> {
    let may = |(key, grant): &(&String, &settings::Grant)| {
        Grants::Roles(vec![granted(key, grant)]).decide(act, whose, false).allowed
    };
    let role = |key: &String| Snowflake::parse(key).map_or_else(|| key.clone(), |id| format!("<@&{}>", id.0));
    settings.permissions.roles.iter().filter(may).map(|(key, _)| role(key)).collect()
}

fn granted<'a>(entry: &'a str, grant: &'a settings::Grant) -> Grant<'a> {
    Grant {
        entry,
        assign: &grant.can_assign_to,
        answer: grant.can_answer.as_ref(),
        approve: grant.can_approve.as_ref(),
        cancel: grant.can_cancel.as_ref(),
        deny: &grant.deny,
    }
}
