//! Which file a client reads, and how an entry is written there. The formats as their makers documented them in the
//! autumn of 2026.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::entry::Entry;
use super::{Scope, json, toml};
use crate::cli::problem::Problem;

/// How the entry is called in every file.
pub(super) const NAME: &str = "callboard";

/// The variable, in the client's environment, from which it takes the token of an entry over HTTP.
pub(super) const VARIABLE: &str = "CALLBOARD_TOKEN";

/// What Visual Studio Code asks its user for, once, and keeps encrypted.
const INPUT: &str = "callboard-token";

/// Where the second `OpenCode` keeps its servers.
const OPENCODE_2: &[&str] = &["mcp", "servers"];

/// How long Codex may wait for a call, in seconds: a wait of the hub's ends before.
pub(super) const CODEX_SECONDS: u64 = 300;

/// A client whose file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// `OpenCode`.
    Opencode,
    /// Any other: the entry is printed.
    Json,
}

/// Those that have a file.
pub(in crate::cli) const KNOWN: [Client; 6] =
    [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor, Client::Vscode, Client::Opencode];

impl Client {
    /// As it is typed.
    pub(in crate::cli) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Opencode => "opencode",
            Self::Json => "json",
        }
    }

    /// As it calls itself in its handshake, which is how `clients.yaml` knows it.
    pub(in crate::cli) const fn declared(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex-mcp-client",
            Self::Gemini => "gemini-cli-mcp-client",
            Self::Cursor => "cursor-vscode",
            Self::Vscode => "visual studio code",
            Self::Opencode => "opencode",
            Self::Json => "unknown",
        }
    }

    /// The file; none where the entry is only printed.
    pub(in crate::cli) fn file(self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        let below = match (self, scope) {
            (Self::Claude, Scope::User) => ".claude.json",
            (Self::Claude, Scope::Project) => ".mcp.json",
            (Self::Codex, Scope::User | Scope::Project) => ".codex/config.toml",
            (Self::Gemini, Scope::User | Scope::Project) => ".gemini/settings.json",
            (Self::Cursor, Scope::User | Scope::Project) => ".cursor/mcp.json",
            (Self::Vscode, Scope::User) if cfg!(target_os = "macos") => {
                "Library/Application Support/Code/User/mcp.json"
            }
            (Self::Vscode, Scope::User) => ".config/Code/User/mcp.json",
            (Self::Vscode, Scope::Project) => ".vscode/mcp.json",
            (Self::Opencode, Scope::User) => ".config/opencode/opencode.json",
            (Self::Opencode, Scope::Project) => "opencode.json",
            (Self::Json, Scope::User | Scope::Project) => return Ok(None),
        };
        base(scope).map(|base| Some(base.join(below)))
    }

    /// The file's text with the entry in it.
    ///
    /// # Errors
    /// Why the text cannot be read as what it should be.
    pub(super) fn put(self, text: &str, entry: &Entry) -> Result<String, String> {
        let text = match self.tables(text) {
            Some(tables) => json::put(text, tables, NAME, &self.value(entry, tables))?,
            None => toml::put(text, NAME, &toml::block(NAME, entry))?,
        };
        self.with_input(text)
    }

    /// The file's text with that entry which another text has; what `put` does with an entry that is known as text.
    ///
    /// # Errors
    /// As [`Client::put`], and where the other text has none.
    pub(super) fn put_from(self, text: &str, other: &str) -> Result<String, String> {
        let none = "there is no entry of callboard's in it";
        let text = match self.tables(other) {
            None => toml::put_from(text, NAME, other)?.ok_or(none)?,
            Some(tables) => json::put_text(text, tables, NAME, json::find(other, tables, NAME)?.ok_or(none)?)?,
        };
        self.with_input(text)
    }

    /// A file that has nothing but the entry.
    pub(super) fn example(self, entry: &Entry) -> String {
        self.put("", entry).unwrap_or_default()
    }

    /// The object that the entries stand in, by the way to it in this text; none where the file is TOML.
    pub(super) fn tables(self, text: &str) -> Option<&'static [&'static str]> {
        match self {
            Self::Claude | Self::Gemini | Self::Cursor | Self::Json => Some(&["mcpServers"]),
            Self::Vscode => Some(&["servers"]),
            // The second OpenCode reads the first one's form too; a file that has its own is not to be mixed.
            Self::Opencode if json::holds_objects(text, OPENCODE_2) => Some(OPENCODE_2),
            Self::Opencode => Some(&["mcp"]),
            Self::Codex => None,
        }
    }

    /// How long a call may take that asks for nothing else, by the client's own file; none where it is not said there.
    pub(super) fn tool_timeout(self, entry: &Value) -> Option<Duration> {
        match self {
            Self::Codex => {
                entry["tool_timeout_sec"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            }
            // What is less than a second there, Claude Code passes over.
            Self::Claude => entry["timeout"].as_u64().filter(|millis| *millis >= 1_000).map(Duration::from_millis),
            Self::Gemini => entry["timeout"].as_u64().map(Duration::from_millis),
            // The first one has a number there, which is for its start.
            Self::Opencode => entry["timeout"]["request"].as_u64().map(Duration::from_millis),
            Self::Cursor | Self::Vscode | Self::Json => None,
        }
    }

    fn value(self, entry: &Entry, tables: &[&str]) -> Value {
        let mut value = match entry {
            Entry::Stdio { command, arguments } => self.stdio(command, arguments),
            Entry::Http { url } => self.http(url),
        };
        // There a server is there unless it is `disabled`.
        if tables == OPENCODE_2
            && let Some(fields) = value.as_object_mut()
        {
            fields.remove("enabled");
        }
        value
    }

    fn stdio(self, command: &str, arguments: &[String]) -> Value {
        match self {
            Self::Claude | Self::Vscode => json!({"type": "stdio", "command": command, "args": arguments}),
            Self::Gemini | Self::Cursor | Self::Json | Self::Codex => json!({"command": command, "args": arguments}),
            Self::Opencode => {
                let whole: Vec<_> = std::iter::once(command).chain(arguments.iter().map(String::as_str)).collect();
                json!({"type": "local", "command": whole, "enabled": true})
            }
        }
    }

    /// Each names the variable in its own way; none holds the token.
    fn http(self, url: &str) -> Value {
        let bearer = |token: String| json!({ "Authorization": format!("Bearer {token}") });
        match self {
            Self::Claude | Self::Json => {
                json!({"type": "http", "url": url, "headers": bearer(format!("${{{VARIABLE}}}"))})
            }
            Self::Gemini => json!({"httpUrl": url, "headers": bearer(format!("${{{VARIABLE}}}"))}),
            Self::Cursor => json!({"url": url, "headers": bearer(format!("${{env:{VARIABLE}}}"))}),
            Self::Vscode => json!({"type": "http", "url": url, "headers": bearer(format!("${{input:{INPUT}}}"))}),
            // Without `oauth: false` a 401 would send it looking for an authorisation server.
            Self::Opencode => {
                let headers = bearer(format!("{{env:{VARIABLE}}}"));
                json!({"type": "remote", "url": url, "oauth": false, "headers": headers, "enabled": true})
            }
            Self::Codex => json!({"url": url, "bearer_token_env_var": VARIABLE}),
        }
    }

    /// Visual Studio Code asks for what an entry names `${input:…}` by what stands in `inputs`.
    fn with_input(self, text: String) -> Result<String, String> {
        if self != Self::Vscode || !text.contains(&format!("${{input:{INPUT}}}")) {
            return Ok(text);
        }
        let asks = json!({
            "type": "promptString", "id": INPUT, "description": "Token of your callboard agent", "password": true,
        });
        json::put_item(&text, "inputs", INPUT, &asks)
    }
}

/// The folder that a scope's files lie in.
pub(super) fn base(scope: Scope) -> Result<PathBuf, Problem> {
    match scope {
        Scope::User => {
            etcetera::home_dir().map_err(|error| Problem::failed("failed to find your home").because(error.to_string()))
        }
        Scope::Project => Ok(std::env::current_dir()?),
    }
}
