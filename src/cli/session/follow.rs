//! `callboard session follow`: what a session's program prints.

use std::time::Duration;

use crate::cli::prelude::*;

/// How long the hub holds a question that has no answer yet, in seconds.
const HELD: u64 = 20;
/// How long a session in which nothing was printed yet is left alone.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// How many lines are shown at first.
const LINES: usize = 40;

/// Show what is printed in a session's terminal, and what is printed from then on
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard session follow SESSION               the last 40 lines, then what comes
  callboard session follow SESSION --lines 500   more of them
  callboard session follow SESSION --once        what is there, and no more")]
pub(in crate::cli) struct FollowArgs {
    /// The session's id or how it begins, or the name of a monitor
    session: String,
    /// How many lines to begin with
    #[arg(long, short = 'n', default_value_t = LINES)]
    lines: usize,
    /// End where the transcript ends
    #[arg(long)]
    once: bool,
}

pub(super) async fn run(args: &FollowArgs, hub: &HubClient) -> Result<(), Problem> {
    let session = to_look(hub, NamedKind::Session, &args.session).await?;
    let session = session.as_str();
    let transcript = match hub.get(&["api", "v1", "sessions", session, "transcript"], &[]).await {
        Err(problem) if problem.exit() == Exit::NotFound => {
            // One that is there, and in which nothing was printed yet, has an empty output.
            let nothing = hub.get(&["api", "v1", "sessions", session, "output"], &[]).await?;
            say(&format!("Nothing was printed in session {} yet.", for_terminal(session)))?;
            nothing
        }
        other => other?,
    };
    let text = str_at(&transcript, "text").unwrap_or_default();
    let lines: Vec<&str> = text.trim_end_matches('\n').lines().collect();
    for line in &lines[lines.len().saturating_sub(args.lines)..] {
        say(&for_terminal(line))?;
    }
    let mut since = position(&transcript);
    if args.once {
        return Ok(());
    }
    loop {
        let query = [("since", since.to_string()), ("wait", HELD.to_string())];
        let read = hub.get_on(&["api", "v1", "sessions", session, "output"], &query).await?;
        let missed = read.get("missedBytes").and_then(Value::as_u64).unwrap_or_default();
        if missed > 0 {
            say(&format!("…  {missed} bytes were missed: this reader was too slow"))?;
        }
        let new = str_at(&read, "newContent").unwrap_or_default();
        if !new.is_empty() {
            say(for_terminal(new).trim_end_matches('\n'))?;
        }
        since = position(&read);
        if since == 0 {
            // Where nothing was printed yet, the hub does not hold the question.
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }
}

fn position(answer: &Value) -> u64 {
    answer.get("filePosition").and_then(Value::as_u64).unwrap_or_default()
}
