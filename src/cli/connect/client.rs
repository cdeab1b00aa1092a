//! Which file a client reads, and how the entry of a stdio server is written there. The formats as their makers
//! documented them in the autumn of 2026.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{ConnectArgs, Scope, json, toml};
use crate::cli::place::{data_dir as found_dir, variable};
use crate::cli::problem::Problem;

/// How the entry is called in every file.
pub(super) const NAME: &str = "callboard";

/// A client whose file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
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

/// What the client is to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
}

impl Entry {
    /// This program as a proxy of that agent. A data directory that was named goes with it: the client's environment is
    /// not this one.
    pub(super) fn of(args: &ConnectArgs, data_dir: Option<&Path>) -> Result<Self, Problem> {
        let command = std::env::current_exe()?.display().to_string();
        let mut arguments = vec!["proxy".to_owned(), "--agent".to_owned(), args.agent.to_string()];
        let mut add = |flag: &str, value: Option<String>| {
            arguments.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        };
        add("--role", args.role.clone());
        add("--url", args.url.clone());
        let named = data_dir.is_some() || variable("CALLBOARD_DATA_DIR").is_some();
        let dir = if named { Some(std::path::absolute(found_dir(data_dir)?)?.display().to_string()) } else { None };
        add("--data-dir", dir);
        Ok(Self { command, arguments })
    }
}

impl Client {
    /// The file; none where the entry is only printed.
    pub(super) fn file(self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        let base = match scope {
            Scope::User => etcetera::home_dir()
                .map_err(|error| Problem::failed("failed to find your home").because(error.to_string()))?,
            Scope::Project => std::env::current_dir()?,
        };
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
        Ok(Some(base.join(below)))
    }

    /// The file's text with the entry in it.
    ///
    /// # Errors
    /// Why the text cannot be read as what it should be.
    pub(super) fn put(self, text: &str, entry: &Entry) -> Result<String, String> {
        match self.table() {
            Some(table) => json::put(text, table, NAME, &self.value(entry)),
            None => Ok(toml::put(text, &toml::block(NAME, entry))),
        }
    }

    /// The file's text with that entry which another text has; what `put` does with an entry that is known as text.
    ///
    /// # Errors
    /// As [`Client::put`], and where the other text has none.
    pub(super) fn put_from(self, text: &str, other: &str) -> Result<String, String> {
        let Some(table) = self.table() else {
            let block = toml::find(other, NAME).ok_or("there is no entry of callboard's in it")?;
            return Ok(toml::put(text, block));
        };
        let value = json::find(other, table, NAME)?.ok_or("there is no entry of callboard's in it")?;
        json::put_text(text, table, NAME, value)
    }

    /// A file that has nothing but the entry.
    pub(super) fn example(self, entry: &Entry) -> String {
        self.put("", entry).unwrap_or_default()
    }

    /// The object that the entries stand in; none where the file is TOML.
    const fn table(self) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Gemini | Self::Cursor | Self::Json => Some("mcpServers"),
            Self::Vscode => Some("servers"),
            Self::Opencode => Some("mcp"),
            Self::Codex => None,
        }
    }

    fn value(self, entry: &Entry) -> Value {
        let Entry { command, arguments } = entry;
        match self {
            Self::Claude | Self::Vscode => json!({"type": "stdio", "command": command, "args": arguments}),
            Self::Gemini | Self::Cursor | Self::Json | Self::Codex => json!({"command": command, "args": arguments}),
            Self::Opencode => {
                let whole: Vec<_> = std::iter::once(command).chain(arguments).collect();
                json!({"type": "local", "command": whole, "enabled": true})
            }
        }
    }
}
