//! Reads back from its file how a client is configured.

use std::time::Duration;

use serde_json::Value;

use super::client::{Client, marked};
use super::entry::NAME;
use super::json::Document;
use super::toml;
use super::variables::{Given, Values, filled};
use crate::place::variable;

/// What a client's file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Stdio {
        command: String,
        arguments: Vec<String>,
        environment: Values,
        /// How long a call may take, where the file says so.
        tool_timeout: Option<Duration>,
    },
    Http {
        url: String,
        /// What each request carries.
        headers: Values,
        /// How long a call may take, where the file says so.
        tool_timeout: Option<Duration>,
    },
}

impl Client {
    /// What a file of this client says of callboard; none where it says nothing.
    pub fn found(self, text: &str) -> Result<Option<Found>, String> {
        let (_, text) = marked(text);
        let entry = match self.dialect() {
            Some(dialect) => {
                let document = Document::read(text, dialect)?;
                document.find(self.tables(&document), NAME)?
            }
            None => toml::entry(text, NAME)?,
        };
        entry.map(|entry| self.read(&entry)).transpose()
    }

    fn read(self, entry: &Value) -> Result<Found, String> {
        let tool_timeout = self.tool_timeout(entry);
        let filled = |text: &str| filled(self, text, &variable);
        // What names a variable that is not set here stays as it is written, and is found to lead nowhere.
        let plain = |text: &str| filled(text).unwrap_or_else(|_| text.to_owned());
        let texts = |name: &str| -> Vec<String> {
            let items = entry[name].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(plain).collect()
        };
        let values = |name: &str| -> Values {
            let items = entry[name].as_object().into_iter().flatten();
            items.filter_map(|(name, value)| Some((name.clone(), filled(value.as_str()?)))).collect()
        };
        let url = ["url", "httpUrl"].iter().find_map(|name| entry[*name].as_str());
        if let Some(url) = url {
            let headers = if self == Self::Codex { codex_headers(entry) } else { values("headers") };
            return Ok(Found::Http { url: plain(url), headers, tool_timeout });
        }
        let (command, arguments) = match &entry["command"] {
            Value::String(command) => (plain(command), texts("args")),
            Value::Array(_) => {
                let mut whole = texts("command").into_iter();
                (whole.next().unwrap_or_default(), whole.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => (String::new(), Vec::new()),
        };
        if command.is_empty() {
            return Err(format!("the entry `{NAME}` has neither a command nor a URL"));
        }
        let environment = values(if self == Self::Opencode { "environment" } else { "env" });
        Ok(Found::Stdio { command, arguments, environment, tool_timeout })
    }
}

/// Codex names variables in fields of their own: one for the token, and a table for other headers.
fn codex_headers(entry: &Value) -> Values {
    let of = |name: &Value| -> Given {
        let name = name.as_str().unwrap_or_default();
        variable(name).ok_or_else(|| name.to_owned())
    };
    let literal = entry["http_headers"].as_object().into_iter().flatten();
    let literal = literal.filter_map(|(name, value)| Some((name.clone(), Ok(value.as_str()?.to_owned()))));
    let named = entry["env_http_headers"].as_object().into_iter().flatten();
    let named = named.map(|(name, value)| (name.clone(), of(value)));
    let token = entry.get("bearer_token_env_var").map(of);
    let token = token.map(|token| ("Authorization".to_owned(), token.map(|token| format!("Bearer {token}"))));
    literal.chain(named).chain(token).collect()
}
