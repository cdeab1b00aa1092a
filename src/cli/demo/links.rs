//! Where to look when the round is over.

use std::path::Path;

use super::script::operator_of;
use crate::cli::open::link;
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::hub::Hub;

pub fn is_over() -> Result<(), Problem> {
    say("the round is whole: every step was seen by a client")
}

/// What a hub with a stage around the round holds.
const STAGE: &str = ", and seven scripted agents go on in it. Some of
them wait for you: two questions with a deadline, a change to review, a task that is stuck, a terminal at its prompt";

/// Prints a link that logs in, how to make another, and how to look inside from a terminal.
pub async fn look_inside(hub: &Hub, task: &str, staged: bool) -> Result<(), Problem> {
    let stage = if staged { STAGE } else { "" };
    let link = link(&operator_of(hub)?, false).await?.here;
    let (url, token) = (hub.url(), hub.operator_token().display());
    let data_dir = hub.operator_token().parent().unwrap_or(Path::new(".")).display();
    let me = std::env::args().next().unwrap_or_else(|| "callboard".to_owned());
    say(&format!(
        "
the round is whole: every step was seen by a client. The hub stays up{stage}.

Open the page with this link, within a minute; it works once:
  {link}
Another one, whenever you need it:
  {me} --data-dir {data_dir} open --print

The same from a terminal:
  {me} --data-dir {data_dir} inbox list
  {me} --data-dir {data_dir} task show {task}
  {me} --data-dir {data_dir} task add @TestEngineer \"try it yourself\"
  {me} --data-dir {data_dir} event list --after 0
  curl -sH \"Authorization: Bearer $(cat {token})\" {url}/admin/actors
Ctrl-C ends it."
    ))
}
