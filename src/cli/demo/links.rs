//! Where to look when the round is over.

use std::path::Path;

use crate::cli::output::say;
use crate::cli::problem::Problem;

/// Prints how to look inside; `over` when there is nothing left to look into.
pub(in crate::cli) fn look_inside(url: &str, operator_token: &Path, task: &str, over: bool) -> Result<(), Problem> {
    if over {
        return say("the round is whole: every step was seen by a client");
    }
    let token = operator_token.display();
    let data_dir = operator_token.parent().unwrap_or(operator_token).display();
    say(&format!(
        "the round is whole: every step was seen by a client, and the hub stays up. Look inside:
  callboard --data-dir {data_dir} task show {task}
  callboard --data-dir {data_dir} events --after 0
  curl -sH \"Authorization: Bearer $(cat {token})\" {url}/admin/actors
Ctrl-C ends it."
    ))
}
