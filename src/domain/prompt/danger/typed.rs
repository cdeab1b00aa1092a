//! The command that a shell was given, as it still stands above a question that says nothing itself: `Continue? [y/N]`
//! far below `ada@box:~$ sudo apt purge nginx`.

use super::super::rule::View;
use crate::domain::danger::command_destroys;

/// How many rows above are looked through.
const FAR: usize = 60;

/// Whether the nearest shell above was given a command that destroys.
pub(super) fn destroys(view: View<'_>) -> bool {
    view.above().take(FAR).find_map(given).is_some_and(command_destroys)
}

/// What stands behind a shell's sign in a row: `$ git push`, `root@box:~# apt purge a`, `❯ npm ci`.
fn given(row: &str) -> Option<&str> {
    let row = row.trim_start();
    ["$ ", "# ", "% ", "❯ ", "> "].iter().find_map(|sign| {
        let (head, command) = row.split_once(sign)?;
        let alone = head.is_empty() && matches!(*sign, "$ " | "❯ ");
        let placed = !head.contains(' ') && head.contains(['@', '~', ':', ']', '\\']) || head.starts_with("PS ");
        let bare = *sign == "$ " && !head.contains(' ');
        (alone || placed || bare).then(|| command.trim()).filter(|command| !command.is_empty())
    })
}
