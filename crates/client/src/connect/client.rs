//! Which file a client reads, and how an entry is written there: formats as their makers documented in autumn 2026.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::entry::{Entry, NAME, VARIABLE};
use super::json::{Dialect, Document};
use super::{Scope, toml};
use crate::place::variable;
use crate::problem::Problem;

/// What Visual Studio Code asks its user for, once, and keeps encrypted.
const INPUT: &str = "callboard-token";

/// Where the second `OpenCode` keeps its servers.
const OPENCODE_2: &[&str] = &["mcp", "servers"];

/// A client whose file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Code, of Anthropic.
    Claude,
    /// Codex, of OpenAI.
    Codex,
    /// Gemini CLI, of Google.
    Gemini,
    /// Qwen Code, which began as Gemini CLI and reads the same form.
    Qwen,
    /// Cursor, the editor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// `OpenCode`.
    Opencode,
    /// Any other: the entry is printed.
    Json,
}

/// Those that have a file.
pub const KNOWN: [Client; 7] =
    [Client::Claude, Client::Codex, Client::Gemini, Client::Qwen, Client::Cursor, Client::Vscode, Client::Opencode];

impl Client {
    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Opencode => "opencode",
            Self::Json => "json",
        }
    }

    /// As it calls itself in its handshake, which is how `clients.yaml` knows it.
    pub const fn declared(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex-mcp-client",
            Self::Gemini => "gemini-cli-mcp-client",
            Self::Qwen => "qwen-cli-mcp-client",
            Self::Cursor => "cursor-vscode",
            Self::Vscode => "visual studio code",
            Self::Opencode => "opencode",
            Self::Json => "unknown",
        }
    }

    /// The file; none where the entry is only printed.
    pub fn file(self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        let below = match (self, scope) {
            (Self::Claude, Scope::User) => ".claude.json",
            (Self::Claude, Scope::Project) => ".mcp.json",
            (Self::Codex, Scope::User | Scope::Project) => ".codex/config.toml",
            (Self::Gemini, Scope::User | Scope::Project) => ".gemini/settings.json",
            (Self::Qwen, Scope::User | Scope::Project) => ".qwen/settings.json",
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
        let file = placed(scope, below)?;
        // OpenCode reads either, and people have one of them.
        let other = file.with_extension("jsonc");
        let other = (self == Self::Opencode && !file.exists() && other.exists()).then_some(other);
        Ok(Some(other.unwrap_or(file)))
    }

    /// The file's text with the entry in it. The error says why the text cannot be read as what it should be.
    pub(super) fn put(self, text: &str, entry: &Entry) -> Result<String, String> {
        let (mark, text) = marked(text);
        let put = |text: &str| {
            let Some(dialect) = self.dialect() else { return toml::put(text, NAME, &toml::block(NAME, entry)) };
            let document = Document::read(text, dialect)?;
            let tables = self.tables(&document);
            self.put_json(&document, tables, &self.fields(entry, tables))
        };
        put(text).map(|put| format!("{mark}{put}"))
    }

    /// The file's text without the entry, or with the one from before; `was` tells what else is there for its sake.
    /// Fails as [`Client::put`] does, and where there is none.
    pub(super) fn take(self, text: &str, was: &str) -> Result<String, String> {
        let ((mark, text), (_, was)) = (marked(text), marked(was));
        let Some(dialect) = self.dialect() else { return Ok(format!("{mark}{}", toml::take(text, NAME, was)?)) };
        let (document, was) = (Document::read(text, dialect)?, Document::read(was, dialect)?);
        document.take(self.tables(&document), NAME, &was)?;
        if self == Self::Vscode {
            document.take_item(&["inputs"], &json!({"id": INPUT}), &was)?;
        }
        Ok(format!("{mark}{}", document.text_after(&was)))
    }

    fn put_json(
        self,
        document: &Document,
        tables: &[&str],
        entry: &serde_json::Map<String, Value>,
    ) -> Result<String, String> {
        document.put(tables, NAME, entry)?;
        // Visual Studio Code asks for what an entry names `${input:…}` by what stands in `inputs`.
        if self == Self::Vscode && document.text().contains(&format!("${{input:{INPUT}}}")) {
            let asks = json!({
                "type": "promptString", "id": INPUT, "description": "Token of your callboard agent", "password": true,
            });
            document.put_item(&["inputs"], &asks)?;
        }
        Ok(document.text())
    }

    /// A file that has nothing but the entry.
    pub(super) fn example(self, entry: &Entry) -> String {
        self.put("", entry).unwrap_or_default()
    }

    /// What it reads in its file; none where that is TOML.
    pub(super) const fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Claude | Self::Cursor | Self::Json => Some(Dialect::Plain),
            Self::Gemini | Self::Qwen => Some(Dialect::Comments),
            Self::Vscode | Self::Opencode => Some(Dialect::CommentsAndCommas),
            Self::Codex => None,
        }
    }

    /// The object that the entries stand in, by the way to it in this file.
    pub(super) fn tables(self, document: &Document) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Gemini | Self::Qwen | Self::Cursor | Self::Json => &["mcpServers"],
            Self::Vscode => &["servers"],
            // The second OpenCode reads the first one's form too; a file that has its own is not to be mixed.
            Self::Opencode if document.holds_objects(OPENCODE_2) => OPENCODE_2,
            Self::Opencode => &["mcp"],
            Self::Codex => &["mcp_servers"],
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
            Self::Gemini | Self::Qwen => entry["timeout"].as_u64().map(Duration::from_millis),
            // The first one has a number there, which is for its start.
            Self::Opencode => entry["timeout"]["request"].as_u64().map(Duration::from_millis),
            Self::Cursor | Self::Vscode | Self::Json => None,
        }
    }

    fn fields(self, entry: &Entry, tables: &[&str]) -> serde_json::Map<String, Value> {
        let value = match entry {
            Entry::Stdio { command, arguments } => self.stdio(command, arguments),
            Entry::Http { url } => self.http(url),
        };
        let Value::Object(mut fields) = value else { return serde_json::Map::new() };
        // There a server is there unless it is `disabled`.
        if tables == OPENCODE_2 {
            fields.remove("enabled");
        }
        fields
    }

    fn stdio(self, command: &str, arguments: &[String]) -> Value {
        match self {
            Self::Claude | Self::Vscode => json!({"type": "stdio", "command": command, "args": arguments}),
            Self::Gemini | Self::Qwen | Self::Cursor | Self::Json | Self::Codex => {
                json!({"command": command, "args": arguments})
            }
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
            Self::Gemini | Self::Qwen => json!({"httpUrl": url, "headers": bearer(format!("${{{VARIABLE}}}"))}),
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
}

/// A file's text without the byte order mark that some editors begin it with, and that mark: it stays where it is.
pub(super) fn marked(text: &str) -> (&'static str, &str) {
    const MARK: &str = "\u{feff}";
    text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest))
}

/// What moves a folder of the user's elsewhere: what paths begin with, the variable, and what of the path stays.
const MOVED: [(&str, &str, &str); 4] = [
    (".codex/", "CODEX_HOME", ""),
    (".claude.json", "CLAUDE_CONFIG_DIR", ".claude.json"),
    (".claude/", "CLAUDE_CONFIG_DIR", ""),
    (".config/", "XDG_CONFIG_HOME", ""),
];

/// Where a scope's file lies.
pub(super) fn placed(scope: Scope, below: &str) -> Result<PathBuf, Problem> {
    match scope {
        Scope::User => {
            let home = etcetera::home_dir()
                .map_err(|error| Problem::failed("failed to find your home").because(error.to_string()))?;
            Ok(moved(below, &variable).unwrap_or_else(|| home.join(below)))
        }
        Scope::Project => Ok(std::env::current_dir()?.join(below)),
    }
}

/// Where a file of the user's lies that a variable moves away from home; one that is no whole path moves nothing.
pub(super) fn moved(below: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    MOVED.iter().find_map(|(from, name, stays)| {
        let rest = below.strip_prefix(from)?;
        let folder = PathBuf::from(variable(name)?);
        folder.is_absolute().then(|| folder.join(format!("{stays}{rest}")))
    })
}
