//! What lets a client call callboard's tools without asking its user: a client that nobody sits at refuses them
//! otherwise, or does not offer them to its model.
//!
//! Each client's own words for it, as its maker documented them in the autumn of 2026. Claude Code, Codex, Gemini CLI
//! and Qwen Code were tried unattended (`tests/clients/agents`). Nothing is granted but callboard's own tools.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::{Client, marked, placed};
use super::entry::NAME;
use super::json::Document;
use super::{Scope, toml};
use crate::problem::Problem;

/// Where a client keeps what it may call unasked.
#[derive(Debug)]
pub(super) enum Grant {
    /// In callboard's own entry: a field, and its value.
    Field(&'static str, Value),
    /// In a file of its own: an item of a list.
    Item {
        /// Where the file lies, below the home or the project.
        below: &'static str,
        list: &'static [&'static str],
        /// What stands in it; a file that has one of these grants it.
        items: &'static [&'static str],
        /// What the file has to hold besides, when it is made.
        made: &'static str,
    },
    /// In no file that may be written for it: what its user does.
    ByHand(&'static str),
}

/// Claude Code reads both spellings (its permission rules for MCP).
const CLAUDE: &[&str] = &["mcp__callboard", "mcp__callboard__*"];

/// The command line of Cursor, which the editor's own settings do not reach.
const CURSOR: &[&str] = &["Mcp(callboard:*)"];

/// Both keep their rules under these names.
const ALLOWED: &[&str] = &["permissions", "allow"];

impl Client {
    /// How it is allowed to call the tools of callboard.
    pub(super) fn grant(self, scope: Scope) -> Grant {
        let item = |below, items, made| Grant::Item { below, list: ALLOWED, items, made };
        match (self, scope) {
            (Self::Claude, Scope::User) => item(".claude/settings.json", CLAUDE, ""),
            // The file that Claude Code itself writes a person's approvals to; it is in nobody's repository.
            (Self::Claude, Scope::Project) => item(".claude/settings.local.json", CLAUDE, ""),
            // Without the other two fields the command line takes the file for a broken one.
            (Self::Cursor, Scope::User) => item(
                ".cursor/cli-config.json",
                CURSOR,
                "{\n  \"version\": 1,\n  \"editor\": {\n    \"vimMode\": false\n  },\n  \"permissions\": {\n    \
                 \"allow\": [],\n    \"deny\": []\n  }\n}\n",
            ),
            (Self::Cursor, Scope::Project) => item(".cursor/cli.json", CURSOR, ""),
            (Self::Codex, _) => Grant::Field("default_tools_approval_mode", json!("approve")),
            (Self::Gemini | Self::Qwen, _) => Grant::Field("trust", json!(true)),
            (Self::Opencode, _) => Grant::ByHand(
                "OpenCode asks for no tool unless `permission` in its file says so; there, put \
                 \"callboard_*\": \"allow\" behind what asks, or start it with --auto",
            ),
            (Self::Vscode, _) => Grant::ByHand(
                "Visual Studio Code has no setting for the tools of one server: at the first call choose \
                 \"Always Allow Tools from callboard\"",
            ),
            (Self::Json, _) => Grant::ByHand("see your client's documentation for how a server's tools are allowed"),
        }
    }

    /// Whether it may call the tools unasked, by the text of its file with the entry and by the others on this machine.
    /// None where no file says so.
    pub fn may_call(self, scope: Scope, text: &str) -> Option<bool> {
        self.is_granted(scope, text, &|scope| fs::read_to_string(self.grant(scope).file(scope).ok()??).ok())
    }

    /// The same; `other` reads the file of a scope with its grants.
    pub(super) fn is_granted(self, scope: Scope, text: &str, other: &dyn Fn(Scope) -> Option<String>) -> Option<bool> {
        let read = |text: &str| Document::read(marked(text).1, self.dialect()?).ok();
        match self.grant(scope) {
            Grant::ByHand(_) => None,
            Grant::Field(name, value) => {
                let entry = match read(text) {
                    Some(document) => document.find(self.tables(&document), NAME).ok()??,
                    None => toml::entry(text, NAME).ok()??,
                };
                Some(entry[name] == value)
            }
            // What the user's file grants holds in a project, too.
            grant @ Grant::Item { .. } => {
                Some([Scope::User, scope].into_iter().filter_map(other).any(|text| grant.is_in(self, &text)))
            }
        }
    }

    /// The text of the file with the entry, in which that is allowed; as it was where it is not said there. The error
    /// says why it cannot be read as what it should be, or that it has no entry.
    pub(super) fn allow_in_entry(self, scope: Scope, text: &str) -> Result<String, String> {
        let Grant::Field(name, value) = self.grant(scope) else { return Ok(text.to_owned()) };
        let (mark, text) = marked(text);
        let Some(dialect) = self.dialect() else {
            return Ok(format!("{mark}{}", toml::set(text, NAME, name, value.as_str().unwrap_or_default())?));
        };
        let document = Document::read(text, dialect)?;
        let tables = self.tables(&document);
        let entry = document.find(tables, NAME)?;
        let Some(Value::Object(mut entry)) = entry else { return Err(format!("there is no entry `{NAME}` in it")) };
        entry.insert(name.to_owned(), value);
        document.put(tables, NAME, &entry)?;
        Ok(format!("{mark}{}", document.text()))
    }
}

impl Grant {
    /// The file that is not the one with the entry; none where there is none.
    pub(super) fn file(&self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        match self {
            Self::Item { below, .. } => placed(scope, below).map(Some),
            Self::Field(..) | Self::ByHand(_) => Ok(None),
        }
    }

    /// Whether that file's text has the item.
    pub(super) fn is_in(&self, client: Client, text: &str) -> bool {
        let Self::Item { list, items, .. } = self else { return false };
        let document = client.dialect().and_then(|dialect| Document::read(marked(text).1, dialect).ok());
        document.is_some_and(|document| items.iter().any(|item| document.lists(list, &json!(item))))
    }

    /// That file's text with the item in it. The error says why it cannot be read as what it should be.
    pub(super) fn put(&self, client: Client, text: &str) -> Result<String, String> {
        let Self::Item { list, items, made, .. } = self else { return Ok(text.to_owned()) };
        let (mark, text) = marked(text);
        let text = if text.trim().is_empty() { *made } else { text };
        let Some(dialect) = client.dialect() else { return Ok(text.to_owned()) };
        let document = Document::read(text, dialect)?;
        if !self.is_in(client, text) {
            document.put_item(list, &json!(items[0]))?;
        }
        Ok(format!("{mark}{}", document.text()))
    }

    /// That file's text without the item, or nothing of a file that was made for it; `was` tells what else is there for
    /// its sake. Fails as [`Grant::put`] does, and where there is none.
    pub(super) fn take(&self, client: Client, text: &str, was: &str) -> Result<String, String> {
        let Self::Item { list, items, made, .. } = self else { return Ok(text.to_owned()) };
        let ((mark, text), (_, was)) = (marked(text), marked(was));
        let Some(dialect) = client.dialect() else { return Ok(text.to_owned()) };
        let was_made = was.trim().is_empty();
        let was = Document::read(if was_made { made } else { was }, dialect)?;
        let document = Document::read(text, dialect)?;
        document.take_item(list, &json!(items[0]), &was)?;
        let left = document.text_after(&was);
        Ok(if was_made && left == was.text() { String::new() } else { format!("{mark}{left}") })
    }
}
