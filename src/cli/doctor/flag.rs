//! What an entry sets by a flag or by a variable.

use crate::cli::connect::Found;

/// What an entry's command is told by a flag, or else by a variable that the entry sets.
pub(super) fn set(found: &Found, name: &str, by_variable: &str) -> Option<String> {
    let Found::Stdio { arguments, .. } = found else { return None };
    flag(arguments, name).or_else(|| variable(found, by_variable))
}

/// The value of a flag, in either of its spellings.
pub(super) fn flag(arguments: &[String], name: &str) -> Option<String> {
    arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix(name)? {
        "" => arguments.get(at + 1).cloned(),
        rest => rest.strip_prefix('=').map(str::to_owned),
    })
}

pub(super) fn variable(found: &Found, name: &str) -> Option<String> {
    let Found::Stdio { environment, .. } = found else { return None };
    environment.get(name)?.as_ref().ok().filter(|value| !value.is_empty()).cloned()
}
