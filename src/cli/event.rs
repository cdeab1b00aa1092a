//! `callboard event …`: what happened, and what happens; JSON is one event a line.

use std::collections::VecDeque;
use std::io::Write as _;
use std::time::Duration;

use super::client::StreamItem;
use super::follow;
use super::prelude::*;
use crate::actors::noticeboard::check_types;

/// How many of the newest events are shown when nothing is asked for.
const LATEST: usize = 20;
/// How long a stream that was to end may be silent: the numbers have no gap, so this is not waited for in a whole hub.
const SILENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Subcommand)]
pub(super) enum EventVerb {
    List(ListArgs),
    Follow(FollowArgs),
}

/// Show what happened, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard event list                         the last 20
  callboard event list --type task --limit 0   all that is kept of tasks
  callboard event list --after 0 -o json       all that is kept, one JSON object a line")]
pub(super) struct ListArgs {
    /// Begin behind the event of this number
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// The last so many, 20 without --after; 0 for all
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    only: OnlyArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Show what happens from now on, until you stop it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard event follow
  callboard event follow --type task,question --agent fullstack-1
  callboard event follow --after 0 -o json     from the first that is kept, one JSON object a line")]
pub(super) struct FollowArgs {
    /// Begin behind the event of this number
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    #[command(flatten)]
    only: OnlyArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Which events are meant; all when nothing is said.
#[derive(Debug, Args)]
struct OnlyArgs {
    /// Only these types or families of types, as task,question.asked
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Only those about this task, by its id or how it begins
    #[arg(long)]
    task: Option<String>,
    /// Only those about this agent, by its id or how it begins
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

impl OnlyArgs {
    /// The same with whole ids, where some were given by how they begin; refused where a type is none.
    async fn whole(&self, hub: &HubClient) -> Result<Self, Problem> {
        check_types(&self.types).map_err(|unknown| Problem::configuration(unknown.to_string()))?;
        let whole = async |kind, given: &Option<String>| match given {
            None => Ok(None),
            Some(given) => match to_look(hub, kind, given).await {
                // Events are kept of what is there no longer.
                Err(problem) if problem.exit() == Exit::NotFound => Ok(Some(given.clone())),
                found => found.map(Some),
            },
        };
        let (task, agent) = (whole(NamedKind::Task, &self.task).await?, whole(NamedKind::Agent, &self.agent).await?);
        Ok(Self { types: self.types.clone(), task, agent })
    }

    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if !self.types.is_empty() {
            query.push(("types", self.types.join(",")));
        }
        query.extend(self.task.clone().map(|task| ("task", task)));
        query.extend(self.agent.clone().map(|agent| ("agent", agent)));
        query
    }

    fn is_all(&self) -> bool {
        self.query().is_empty()
    }

    fn means(&self, event: &Value) -> bool {
        let kind = str_at(event, "type").unwrap_or_default();
        let is_of =
            |wanted: &String| kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let about = |what: &str, wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|wanted| str_at(event, &format!("subject.{what}")) == Some(wanted))
        };
        (self.types.is_empty() || self.types.iter().any(is_of))
            && about("task", &self.task)
            && about("agent", &self.agent)
    }
}

pub(super) async fn run(verb: &EventVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        EventVerb::List(args) => list(args, hub).await,
        EventVerb::Follow(args) => {
            let after = match args.after {
                Some(after) => after,
                None => hub.position().await?,
            };
            let mut stream = hub.events(after, args.only.whole(hub).await?.query());
            loop {
                print(&stream.next().await?, args.output)?;
            }
        }
    }
}

/// Reads all up to the newest, also of those that are not meant: only so the end is known without waiting.
async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let newest = hub.position().await?;
    let only = args.only.whole(hub).await?;
    let limit = match (args.limit, args.after) {
        (Some(0), _) | (None, Some(_)) => None,
        (limit, _) => Some(limit.unwrap_or(LATEST)),
    };
    // Where all are meant, the last of them begin at a known number.
    let last = limit.filter(|_| only.is_all()).and_then(|limit| u64::try_from(limit).ok());
    let first = args.after.unwrap_or_default();
    let mut shown = last.map_or(first, |last| first.max(newest.saturating_sub(last)));
    let mut all = shown - first;
    let mut kept = VecDeque::new();
    let mut stream = hub.events(shown, Vec::new());
    while shown < newest {
        let Ok(heard) = tokio::time::timeout(SILENCE, stream.next()).await else { break };
        let heard = heard?;
        if let StreamItem::Event(event) = &heard {
            shown = event.get("seq").and_then(Value::as_u64).unwrap_or(shown);
            if !only.means(event) {
                continue;
            }
            all += 1;
        }
        match limit {
            None => print(&heard, args.output)?,
            Some(limit) => {
                kept.push_back(heard);
                while kept.len() > limit {
                    kept.pop_front();
                }
            }
        }
    }
    let count = kept.len();
    kept.iter().try_for_each(|heard| print(heard, args.output))?;
    if limit.is_some() && u64::try_from(count).is_ok_and(|count| count < all) {
        writeln!(std::io::stderr(), "{count} of {all}; --limit 0 for all")?;
    }
    Ok(())
}

fn print(heard: &StreamItem, output: OutputArgs) -> Result<(), Problem> {
    match heard {
        StreamItem::Event(event) => follow::print(event, output.is_json()),
        StreamItem::Missed { count, after } => follow::print_gap(*count, *after, output.is_json()),
    }
}

#[cfg(test)]
mod tests;
