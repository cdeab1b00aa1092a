//! How each client is started, resumed and read, as data; and what is made of it for one run.
//!
//! The text of a task is the program's standard input: no shell reads it, and it may be longer than an argument. A
//! token is in a file for its owner alone or in the environment. Neither is among the arguments, which every user of
//! the machine can list.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::domain::on_call::RunToken;
use crate::domain::text;

const PRESETS: &str = include_str!("presets.yaml");

/// The variables of the host's environment that every program is given. None of callboard's own is among them.
const COMMON: &str = "PATH HOME USER LOGNAME SHELL LANG LC_* TZ TERM TMPDIR XDG_* SSL_CERT_FILE SSL_CERT_DIR \
                      NODE_EXTRA_CA_CERTS *_proxy *_PROXY";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Presets {
    presets: BTreeMap<String, Preset>,
}

/// How one client is run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Preset {
    /// What to type where its program is not there.
    pub(super) install: Option<String>,
    pub(super) start: Vec<String>,
    /// Empty where it cannot resume a conversation.
    pub(super) resume: Vec<String>,
    /// Whether it is spoken to by the Agent Client Protocol, in which a conversation goes on by its id.
    acp: bool,
    /// Whether it prints only at its end.
    pub(super) quiet: bool,
    mcp: Option<McpEntry>,
    /// What switches off the user's own entry, where both would become one.
    pub(super) own_entry_off: Vec<String>,
    pub(super) environment: Vec<String>,
    /// Variables that are set for it.
    variables: BTreeMap<String, String>,
    pub(super) output: OutputRules,
    /// By what an end at a limit is known, one without a login, and one for a conversation that is too long.
    pub(super) limits: EndRules,
    pub(super) auth: EndRules,
    pub(super) context: EndRules,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct McpEntry {
    file: String,
    tools: Option<String>,
    variable: Option<String>,
}

/// How a client's output is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OutputRules {
    pub(super) form: Form,
    pub(super) conversation: Places,
    pub(super) result: ResultRule,
    pub(super) usage: UsageRule,
    pub(super) error: ErrorRule,
}

/// What a client prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    /// Nothing that is read.
    #[default]
    Text,
    /// One document at its end.
    Json,
    /// A document a line.
    Jsonl,
}

/// JSON pointers, the likeliest first.
pub(super) type Places = Vec<String>;
/// The values by which an event is known; `*` is any that is there.
pub(super) type When = BTreeMap<String, Value>;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ResultRule {
    pub(super) when: When,
    pub(super) at: Places,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UsageRule {
    pub(super) when: When,
    pub(super) sums: Sums,
    pub(super) input: Places,
    pub(super) output: Places,
    pub(super) cached: Places,
    pub(super) cost: Places,
    pub(super) turns: Places,
    pub(super) duration: Places,
}

/// What the numbers of an event are the sum of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sums {
    Each,
    #[default]
    Process,
    Conversation,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ErrorRule {
    pub(super) when: When,
    pub(super) status: Places,
    pub(super) kind: Places,
    pub(super) message: Places,
}

/// How an end of one reason looks, beside the status of its model's answer (429 for a limit, 401 and 403 for a login).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct EndRules {
    pub(super) kinds: Vec<String>,
    /// Parts of an error's message, or of the last lines of a client that told neither a result nor an error.
    pub(super) words: Vec<String>,
    pub(super) exits: Vec<i32>,
    /// What stands in the message before the time of day at which the limit ends, in the host's own time zone.
    pub(super) clock: Option<String>,
}

#[derive(Debug)]
pub(super) struct RunInput<'a> {
    /// The role's system prompt; may be empty.
    pub(super) system: &'a str,
    pub(super) text: &'a str,
    pub(super) conversation: Option<&'a str>,
    /// Where the hub speaks MCP.
    pub(super) url: &'a str,
    pub(super) token: &'a RunToken,
    /// The folder of this run alone, outside of the workspace.
    pub(super) folder: &'a Path,
    /// Where it works, and the folder that this is or is a worktree of.
    pub(super) working: &'a Path,
    pub(super) workspace: &'a Path,
    /// Whether the user has an entry of callboard's in the client's own settings.
    pub(super) has_own_entry: bool,
    /// What the user adds to the arguments, and puts in front of the program.
    pub(super) extra: &'a [String],
    pub(super) wrap: &'a [String],
}

/// What is to be started.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) argv: Vec<String>,
    /// What it reads: the whole task.
    pub(super) stdin: String,
    pub(super) environment: BTreeMap<String, String>,
    /// Files to be written for their owner alone: the name in the run's folder, and the text.
    pub(super) files: Vec<(&'static str, String)>,
}

/// Why there is nothing to start, as a sentence.
pub(super) type LaunchError = String;

/// The files of a run's folder: its MCP entry, its token, and its task.
const MCP_FILE: &str = "mcp.json";
const TOKEN_FILE: &str = "token";
const TASK_FILE: &str = "task.md";

impl Preset {
    /// The preset of a name; `Err` names those that there are, or what is wrong with the file.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let mut presets = all()?;
        let known = presets.keys().cloned().collect::<Vec<_>>().join(", ");
        presets.remove(name).ok_or_else(|| {
            format!(
                "there is no preset `{}`; there are {known}, and `-- COMMAND` for anything else",
                text::shorten(name, 40)
            )
        })
    }

    /// Any other program: it cannot resume.
    pub(super) fn command(command: &[String]) -> Self {
        Self { start: command.to_vec(), ..Self::default() }
    }

    pub(super) fn can_resume(&self) -> bool {
        self.acp || !self.resume.is_empty()
    }

    /// What is to be started for a run. Fails where the conversation's id has no shape of one, or the client cannot go
    /// on with any.
    pub(super) fn launch(&self, run: &RunInput<'_>) -> Result<Launch, LaunchError> {
        let template = match run.conversation {
            Some(id) if !is_conversation(id) => return Err(format!("`{}` is no conversation", text::shorten(id, 40))),
            Some(_) if self.acp => &self.start,
            Some(_) if self.can_resume() => &self.resume,
            Some(_) => return Err("this client cannot resume a conversation".to_owned()),
            None => &self.start,
        };
        let text = whole_text(run.system, run.text);
        let own_off = if run.has_own_entry { self.own_entry_off.as_slice() } else { &[] };
        let place = |name: &str| run.folder.join(name).display().to_string();
        let fill = |part: &String| {
            part.replace("{url}", run.url)
                .replace("{conversation}", run.conversation.unwrap_or_default())
                .replace("{mcp}", &place(MCP_FILE))
                .replace("{ownEntryOff}", &own_off.concat())
        };
        let mut argv: Vec<String> = run.wrap.iter().map(|part| run.placed(part)).collect();
        if self.acp {
            let own = std::env::current_exe().map_err(|error| format!("this program does not find itself: {error}"))?;
            argv.extend([own.display().to_string(), "acp".to_owned()]);
            argv.extend(run.conversation.map(|id| format!("--resume={id}")));
            argv.push("--".to_owned());
        }
        for part in template {
            match part.as_str() {
                "{extra}" => argv.extend_from_slice(run.extra),
                "{ownEntryOff}" => argv.extend_from_slice(own_off),
                _ => argv.push(fill(part)),
            }
        }
        let named = [
            ("CALLBOARD_TOKEN", run.token.0.clone()),
            ("CALLBOARD_TOKEN_FILE", place(TOKEN_FILE)),
            ("CALLBOARD_TASK_FILE", place(TASK_FILE)),
            ("CALLBOARD_URL", run.url.trim_end_matches('/').trim_end_matches("/mcp").to_owned()),
            ("CALLBOARD_MCP_URL", run.url.to_owned()),
        ];
        let mut environment: BTreeMap<_, _> = named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        environment.extend(self.variables.iter().map(|(name, text)| (name.clone(), fill(text))));
        let mut files = vec![(TOKEN_FILE, format!("{}\n", run.token.0)), (TASK_FILE, text.clone())];
        if let Some(mcp) = &self.mcp {
            environment.extend(mcp.variable.clone().map(|variable| (variable, place(MCP_FILE))));
            files.push((MCP_FILE, mcp.text(run.url, run.token)));
        }
        Ok(Launch { argv, stdin: text, environment, files })
    }

    /// Which variables of the host's environment a run is given.
    pub(super) fn inherited(&self, of: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
        let is_named = |name: &str| {
            let own = self.environment.iter().map(String::as_str);
            COMMON.split_whitespace().chain(own).any(|pattern| matches(pattern, name))
        };
        of.filter(|(name, _)| !name.starts_with("CALLBOARD_") && is_named(name)).collect()
    }
}

impl RunInput<'_> {
    /// A part of what is put in front of the program.
    fn placed(&self, part: &str) -> String {
        let shown = |path: &Path| path.display().to_string();
        part.replace("{folder}", &shown(self.working))
            .replace("{workspace}", &shown(self.workspace))
            .replace("{run}", &shown(self.folder))
    }
}

impl McpEntry {
    fn text(&self, url: &str, token: &RunToken) -> String {
        let json = |text: &str| Value::from(text).to_string();
        let url = &self.tools.as_ref().map_or_else(|| url.to_owned(), |tools| format!("{url}?tools={tools}"));
        self.file.replace("{url}", &json(url)).replace("{bearer}", &json(&format!("Bearer {}", token.0)))
    }
}

fn all() -> Result<BTreeMap<String, Preset>, String> {
    let presets: Presets =
        serde_saphyr::from_str(PRESETS).map_err(|error| format!("the presets are not readable: {error}"))?;
    Ok(presets.presets)
}

/// A name with a `*` at its beginning or its end, which stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(begin), _) => name.starts_with(begin),
        (None, Some(end)) => name.ends_with(end),
        (None, None) => pattern == name,
    }
}

fn whole_text(system: &str, text: &str) -> String {
    // Some programs end a text at a NUL.
    let text = if system.trim().is_empty() { text.to_owned() } else { format!("{}\n\n{text}", system.trim_end()) };
    text.replace('\0', "")
}

/// Whether a text can be the id of a conversation, and no option of the client's command line.
pub(super) fn is_conversation(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
