//! `callboard events`: what happened, and what happens.

use std::time::Duration;

use clap::Args;

use super::client::{Heard, HubClient};
use super::follow;
use super::output::OutputArgs;
use super::problem::Problem;

/// How many of the newest events are shown when nothing is asked for.
const LATEST: u64 = 20;
/// How long a stream that was to end may be silent: the numbers have no gap, so this is not waited for in a whole hub.
const SILENCE: Duration = Duration::from_secs(5);

/// Show what happened, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard events                     the last 20
  callboard events --after 0 -o json   all that is kept, one JSON object a line
  callboard events --follow            from now on, until you stop it")]
pub(super) struct EventsArgs {
    /// Begin behind the event of this number
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// Go on with what happens from now on
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Shows events.
pub(super) async fn run(args: &EventsArgs, hub: &HubClient) -> Result<(), Problem> {
    let newest = hub.position().await?;
    let after = args.after.unwrap_or(if args.follow { newest } else { newest.saturating_sub(LATEST) });
    let mut stream = hub.events(after, Vec::new());
    let mut shown = after;
    while args.follow || shown < newest {
        let heard = if args.follow {
            stream.next().await?
        } else {
            match tokio::time::timeout(SILENCE, stream.next()).await {
                Ok(heard) => heard?,
                Err(_) => return Ok(()),
            }
        };
        match heard {
            Heard::Event(event) => {
                shown = event.get("seq").and_then(serde_json::Value::as_u64).unwrap_or(shown);
                follow::print(&event, args.output.is_json())?;
            }
            Heard::Missed { count, after } => follow::print_gap(count, after, args.output.is_json())?,
        }
    }
    Ok(())
}
