//! `search_session_history`: lines of terminals, also of those that have ended.

use futures_util::future::join_all;
use regex::RegexBuilder;

use super::prelude::*;
use super::terminals::not_found;
use crate::domain::ids::TerminalId;
use crate::transcripts::Search;

/// The most memory that an expression may take once it is compiled, in bytes.
const SIZE: usize = 1024 * 1024;
/// The longest expression, in bytes.
const LONGEST: usize = 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchSessionHistory {
    /// What a line must have in it: a regular expression, without references and look-around.
    query: String,
    /// Only in this session; in all of yours when left out.
    #[serde(default)]
    session_id: Option<String>,
    /// How many lines before and after come with each match, 0 to 10; 3 when left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    context_lines: Option<usize>,
    /// How many matches are given at most, 1 to 100; 10 when left out. All are counted.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    max_results: Option<usize>,
    /// How many matches are passed over first: how many you have seen. 0 when left out, and 10000 at most.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    skip: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What was found, of the session that printed last first.
    matches: Vec<Matched>,
    /// How many there are in all.
    total_matches: u64,
    /// In how many sessions was looked.
    searched_sessions: u64,
}

/// A line that matches.
#[derive(Debug, Serialize, JsonSchema)]
struct Matched {
    session_id: String,
    /// Which line, from 1.
    line_number: u64,
    matched_text: String,
    /// What stands above it, oldest first.
    context_before: Vec<String>,
    /// What stands below it.
    context_after: Vec<String>,
    /// When it was printed, RFC 3339.
    timestamp: String,
}

impl Verb for SearchSessionHistory {
    const NAME: &'static str = "search_session_history";
    const TITLE: &'static str = "Look for lines in terminals";
    const DESCRIPTION: &'static str = "\
        Find lines that were printed in your terminals, also in sessions that have ended, by a regular expression.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;
    const REST: Option<Remainder> = Some(Remainder::OfSearch);

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let whose = call.whose();
        let only = match &input.session_id {
            Some(given) => Some(TerminalId::parse(given.trim()).map_err(|_| not_found(given))?),
            None => None,
        };
        let search = Search {
            pattern: pattern(&input.query)?,
            only,
            whose,
            context: input.context_lines.unwrap_or(3),
            skip: input.skip.unwrap_or_default(),
            most: input.max_results.unwrap_or(10),
        };
        // What is drawn is written first: so one place is looked in.
        let open = call.hub.supervisor.terminals().await.map_err(refuse::fault)?;
        join_all(open.iter().map(async |terminal| terminal.flush().await.ok())).await;
        let found = call.hub.shelf.search(search).await.map_err(refuse::fault)?;
        if found.searched == 0
            && let Some(given) = &input.session_id
        {
            // A session of theirs in which nothing was printed has nothing to find.
            call.terminal(given).await?;
        }
        let message = format!("{} lines match.", found.total);
        let matches = found.matches.into_iter().map(|found| Matched {
            session_id: found.terminal.to_string(),
            line_number: found.line_number,
            matched_text: found.text,
            context_before: found.before,
            context_after: found.after,
            timestamp: found.at.to_string(),
        });
        let matches = matches.collect();
        Ok(Answer::new(message, Output { matches, total_matches: found.total, searched_sessions: found.searched }))
    }
}

fn pattern(query: &str) -> Result<regex::Regex> {
    let no = |why: String| Refusal::new("INVALID_REGEX", format!("the query is no regular expression: {why}"));
    if query.is_empty() || query.len() > LONGEST {
        return Err(no(format!("it must have 1 to {LONGEST} bytes")));
    }
    let built = RegexBuilder::new(query).size_limit(SIZE).dfa_size_limit(SIZE).build();
    // The whole error draws the expression, over several lines; its last line says what is wrong.
    built.map_err(|error| no(error.to_string().lines().last().unwrap_or_default().trim().to_owned()))
}
