//! Pull requests of a session or of a task, in words.

use serde_json::Value;

use super::output::cell::{at, str_at, text};
use crate::domain::text::{for_terminal, shorten};

/// How much of a title is shown, in characters.
const TITLE: usize = 80;

/// A paragraph of the pull requests in this answer, two lines for each; nothing where there are none.
pub(super) fn pull_requests(of: &Value) -> String {
    let Some(pulls) = at(of, "pullRequests").and_then(Value::as_array).filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let mut words = "\npull requests\n".to_owned();
    for pull in pulls {
        let number = at(pull, "number").map(|number| format!("#{number}")).unwrap_or_default();
        let is = |flag: &str, word: &str| {
            if at(pull, flag).and_then(Value::as_bool).unwrap_or_default() { word.to_owned() } else { String::new() }
        };
        let pending = str_at(pull, "pending").map(|deed| format!(", {} asked for", for_terminal(deed)));
        let (draft, outdated) = (is("draft", ", draft"), is("outdated", ", may be outdated"));
        let state = [text(pull, "state"), draft, pending.unwrap_or_default(), outdated].concat();
        let title = for_terminal(&shorten(str_at(pull, "title").unwrap_or_default(), TITLE)).into_owned();
        words.push_str(&format!("    {}{number}  {state}  {title}\n", text(pull, "repository")));
        let known = ["url", "workItem", "trouble"].into_iter().filter_map(|field| {
            let said = str_at(pull, field)?;
            let name = if field == "workItem" { "for " } else { "" };
            Some(format!("{name}{}", for_terminal(&said.replace('\n', " "))))
        });
        let branch = format!("{} of {}", text(pull, "prId"), text(pull, "headBranch"));
        let more: Vec<String> = std::iter::once(branch).chain(known).collect();
        words.push_str(&format!("        {}\n", more.join("  ")));
    }
    words
}

#[cfg(test)]
mod tests;
