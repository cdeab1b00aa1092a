//! How each client is started, resumed and read, as data; and what is made of it for one run.
//!
//! The text of a task becomes one argument of the program, or its standard input: no shell reads it. A token is in a
//! file for its owner alone or in the environment, never among the arguments, which every user of the machine can list.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::domain::on_call::RunToken;
use crate::domain::text;

const PRESETS: &str = include_str!("presets.yaml");

/// The longest text that is passed as an argument, in bytes; Linux takes 128 KiB.
const LONGEST_ARGUMENT: usize = 120 * 1024;

/// The variables of the host's environment that every program is given. None of callboard's own is among them.
const COMMON: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "TERM",
    "TMPDIR",
    "XDG_*",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "*_proxy",
    "*_PROXY",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Presets {
    presets: BTreeMap<String, Preset>,
}

/// How one client is run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Preset {
    /// What to type where its program is not there.
    pub(super) install: Option<String>,
    pub(super) start: Vec<String>,
    /// Empty where it cannot resume a conversation.
    #[serde(default)]
    pub(super) resume: Vec<String>,
    /// Whether it is spoken to by the Agent Client Protocol, in which a conversation goes on by its id.
    #[serde(default)]
    acp: bool,
    /// Whether it prints only at its end.
    #[serde(default)]
    pub(super) quiet: bool,
    mcp: Option<McpEntry>,
    /// What switches off the user's own entry, where both would become one.
    #[serde(default)]
    pub(super) own_entry_off: Vec<String>,
    #[serde(default)]
    pub(super) environment: Vec<String>,
    #[serde(default)]
    pub(super) output: OutputRules,
    #[serde(default)]
    pub(super) limits: LimitRules,
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

/// How a limit looks, beside the status 429.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitRules {
    pub(super) kinds: Vec<String>,
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
    /// What it reads; none where its standard input is empty.
    pub(super) stdin: Option<String>,
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

    /// Any other program: it is given the text on its standard input, and cannot resume.
    pub(super) fn command(command: &[String]) -> Self {
        Self {
            install: None,
            start: command.to_vec(),
            resume: Vec::new(),
            acp: false,
            quiet: false,
            mcp: None,
            own_entry_off: Vec::new(),
            environment: Vec::new(),
            output: OutputRules::default(),
            limits: LimitRules::default(),
        }
    }

    pub(super) fn can_resume(&self) -> bool {
        self.acp || !self.resume.is_empty()
    }

    /// What is to be started for a run. Fails where the text is too long for the client, or the conversation's id has
    /// no shape of one.
    pub(super) fn launch(&self, run: &RunInput<'_>) -> Result<Launch, LaunchError> {
        let template = match run.conversation {
            Some(id) if !is_conversation(id) => return Err(format!("`{}` is no conversation", text::shorten(id, 40))),
            Some(_) if self.acp => &self.start,
            Some(_) if self.can_resume() => &self.resume,
            Some(_) => return Err("this client cannot resume a conversation".to_owned()),
            None => &self.start,
        };
        let text = whole_text(run.system, run.text);
        let by_argument = template.iter().any(|part| part == "{text}");
        if by_argument && text.len() > LONGEST_ARGUMENT {
            let length = text.len();
            return Err(format!("the task has {length} bytes; this client takes {LONGEST_ARGUMENT} at most"));
        }
        let place = |name: &str| run.folder.join(name).display().to_string();
        let fill = |part: &String| match part.as_str() {
            // A text that begins with a dash would be taken for an option.
            "{text}" if text.starts_with('-') => format!("\n{text}"),
            "{text}" => text.clone(),
            _ => part
                .replace("{url}", run.url)
                .replace("{conversation}", run.conversation.unwrap_or_default())
                .replace("{mcp}", &place(MCP_FILE)),
        };
        let mut argv: Vec<String> = run.wrap.iter().map(|part| run.placed(part)).collect();
        if self.acp {
            let own = std::env::current_exe().map_err(|error| format!("this program does not find itself: {error}"))?;
            argv.extend([own.display().to_string(), "acp".to_owned()]);
            argv.extend(run.conversation.map(|id| format!("--resume={id}")));
            argv.push("--".to_owned());
        }
        for part in template {
            if part == "{extra}" {
                argv.extend_from_slice(run.extra);
                argv.extend(run.has_own_entry.then_some(&self.own_entry_off).into_iter().flatten().cloned());
            } else {
                argv.push(fill(part));
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
        let mut files = vec![(TOKEN_FILE, format!("{}\n", run.token.0)), (TASK_FILE, text.clone())];
        if let Some(mcp) = &self.mcp {
            environment.extend(mcp.variable.clone().map(|variable| (variable, place(MCP_FILE))));
            files.push((MCP_FILE, mcp.text(run.url, run.token)));
        }
        Ok(Launch { argv, stdin: (!by_argument).then_some(text), environment, files })
    }

    /// Which variables of the host's environment a run is given.
    pub(super) fn inherited(&self, of: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
        let is_named = |name: &str| {
            let patterns = COMMON.iter().copied().chain(self.environment.iter().map(String::as_str));
            patterns.into_iter().any(|pattern| matches(pattern, name))
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
    // No program can be given a NUL as an argument.
    let text = if system.trim().is_empty() { text.to_owned() } else { format!("{}\n\n{text}", system.trim_end()) };
    text.replace('\0', "")
}

/// Whether a text can be the id of a conversation, and no option of the client's command line.
pub(super) fn is_conversation(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
