//! The command that a shell was given, as it still stands above a question that says nothing itself: `Continue? [y/N]`
//! far below `ada@box:~$ sudo apt purge nginx`.

use super::super::line::given_to_a_shell;
use super::super::rule::View;
use crate::danger::command_destroys;

/// How many rows above are looked through.
const FAR: usize = 60;

/// Whether the nearest shell above was given a command that destroys.
pub(super) fn destroys(view: View<'_>) -> bool {
    view.above().take(FAR).find_map(given_to_a_shell).is_some_and(command_destroys)
}
