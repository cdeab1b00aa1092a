//! The hooks that `--wake` and `--permissions` write: each runs this program, and has a remark at its command's end.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::{Client, marked, placed};
use super::entry::which_hub;
use super::json::{Dialect, Document, REMARK, is_ours};
use super::{ConnectArgs, Scope};
use crate::domain::agent::WakeWay;
use crate::domain::ids::AgentId;
use crate::hook::{HookClient, Record};
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::settings::Settings;

/// The first line of the plugin.
const PLUGIN: &str = "// Written by `callboard connect`";

/// One kind of hook, as a client's file has it.
#[derive(Debug, Clone, Copy)]
struct HookFile {
    /// The command that it runs.
    verb: &'static str,
    /// Its list below `hooks`.
    event: &'static str,
    /// Which calls it is for, where the list asks that.
    matcher: Option<&'static str>,
    /// The hook's own time, in the client's own measure: two hours, or the most that the client gives it.
    timeout: u64,
    /// It runs in the background, and wakes the model by its exit code.
    rewakes: bool,
}

/// The hook in the place of a client's prompt.
const LEAVE: HookFile =
    HookFile { verb: PERMISSION, event: "PermissionRequest", matcher: Some("*"), timeout: 7_200, rewakes: false };

/// Where Qwen Code names the file from which its terminal reads new turns, and how ours end.
const DUAL: &str = "dualOutput";
const INPUT: &str = "inputFile";
const TURNS: &str = "callboard-turns";

const WAKE: &str = "wake";
const PERMISSION: &str = "permission";

impl Client {
    /// The client in the words of the commands that its hooks run.
    const fn hooks(self) -> Option<HookClient> {
        match self {
            Self::Claude => Some(HookClient::Claude),
            Self::Gemini => Some(HookClient::Gemini),
            Self::Qwen => Some(HookClient::Qwen),
            Self::Opencode => Some(HookClient::Opencode),
            Self::Codex => Some(HookClient::Codex),
            Self::Cursor | Self::Vscode | Self::Json => None,
        }
    }

    /// How `clients.yaml` says that it is woken, in the settings here.
    pub fn woken_by(self, globals: &GlobalArgs) -> WakeWay {
        let settings = globals.settings().map_or_else(|_| Settings::defaults(), |loaded| loaded.settings);
        settings.client(Some(self.declared())).map(|row| row.wake).unwrap_or_default()
    }

    const fn places(self) -> &'static [HookFile] {
        match self {
            Self::Claude => {
                &[HookFile { verb: WAKE, event: "Stop", matcher: None, timeout: 7_200, rewakes: true }, LEAVE]
            }
            Self::Gemini => {
                &[HookFile { verb: WAKE, event: "AfterAgent", matcher: None, timeout: 7_200_000, rewakes: false }]
            }
            Self::Qwen => &[HookFile { timeout: 60, ..LEAVE }],
            Self::Codex => &[LEAVE],
            Self::Cursor | Self::Vscode | Self::Opencode | Self::Json => &[],
        }
    }

    /// The file with its hooks; none where it has none.
    pub(super) fn hooks_file(self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        let below = match (self, scope) {
            (Self::Claude, Scope::User) => ".claude/settings.json",
            (Self::Claude, Scope::Project) => ".claude/settings.local.json",
            (Self::Gemini | Self::Qwen, _) => return self.file(scope),
            (Self::Codex, _) => ".codex/hooks.json",
            (Self::Opencode, Scope::User) => ".config/opencode/plugin/callboard.js",
            (Self::Opencode, Scope::Project) => ".opencode/plugin/callboard.js",
            (Self::Cursor | Self::Vscode | Self::Json, _) => return Ok(None),
        };
        placed(scope, below).map(Some)
    }

    /// What it reads in that file.
    fn hooks_dialect(self) -> Option<Dialect> {
        if self == Self::Codex { Some(Dialect::Plain) } else { self.dialect() }
    }

    /// Refuses what no hook of this client does.
    pub(super) fn check_hooks(self, args: &ConnectArgs, globals: &GlobalArgs) -> Result<(), Problem> {
        let refuse = |flag: &str, why: &str| {
            let what = format!("`connect {}` has nothing to write for {flag}", self.name());
            Err(Problem::configuration(what).because(why).next("docs/wake.md and docs/permissions.md have each client"))
        };
        let has = |verb: &str| self == Self::Opencode || self.places().iter().any(|place| place.verb == verb);
        if args.wake {
            match self.woken_by(globals) {
                WakeWay::StopHook if has(WAKE) => {}
                WakeWay::OpencodeServer if self == Self::Opencode => {}
                WakeWay::InputFile if self == Self::Qwen => {}
                WakeWay::CodexQueue => return refuse("--wake", "its proxy wakes it by itself"),
                WakeWay::Tasks | WakeWay::None | WakeWay::StopHook | WakeWay::OpencodeServer | WakeWay::InputFile => {
                    return refuse("--wake", "`wake` in its row of clients.yaml names no hook that it has");
                }
            }
        }
        if args.permissions && !has(PERMISSION) {
            return refuse("--permissions", "it has no hook that answers in the place of its own prompt");
        }
        Ok(())
    }

    /// The text of its file with the hooks that were asked for, in place of older ones. The error says why it cannot be
    /// read as what it should be, or that another plugin stands there.
    pub(super) fn put_hooks(self, text: &str, args: &ConnectArgs, globals: &GlobalArgs) -> Result<String, String> {
        let which = which_hub(globals).map_err(|problem| problem.told())?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?.display().to_string();
        let turns = self.turns_file(&args.agent, globals).filter(|_| args.wake);
        let text = &turns.map_or_else(|| Ok(text.to_owned()), |file| self.put_turns(text, &file))?;
        self.put_commands(text, [args.wake.then_some(WAKE), args.permissions.then_some(PERMISSION)], |verb| {
            let agent = args.agent.to_string();
            let words =
                [program.as_str(), verb, "--agent", agent.as_str(), "--for", self.hooks().map_or("", HookClient::name)];
            words.into_iter().map(str::to_owned).chain(which.iter().cloned()).collect()
        })
    }

    /// The file from which its terminal takes new turns, of that agent; none where it takes none so.
    pub(super) fn turns_file(self, agent: &AgentId, globals: &GlobalArgs) -> Option<String> {
        let record = Record::path(globals, agent).filter(|_| self == Self::Qwen)?;
        Some(record.with_extension(TURNS).display().to_string())
    }

    /// The text of its file in which it reads new turns from `file`. The error says that it reads another one.
    pub(super) fn put_turns(self, text: &str, file: &str) -> Result<String, String> {
        let (mark, text) = marked(text);
        let Some(dialect) = self.hooks_dialect() else { return Ok(text.to_owned()) };
        let document = Document::read(text, dialect)?;
        if let Some(Value::String(other)) = document.find(&[DUAL], INPUT)?.filter(|known| !is_turns(known)) {
            return Err(format!("its `{DUAL}.{INPUT}` is `{other}` already"));
        }
        document.put(&[], DUAL, &serde_json::Map::from_iter([(INPUT.to_owned(), json!(file))]))?;
        Ok(format!("{mark}{}", document.text()))
    }

    /// From which file of callboard's it takes new turns by this text of its file.
    fn turns_named(self, text: &str) -> Option<PathBuf> {
        let document = Document::read(marked(text).1, self.hooks_dialect()?).ok()?;
        let file = document.find(&[DUAL], INPUT).ok().flatten().filter(is_turns)?;
        file.as_str().map(PathBuf::from)
    }

    /// From which file of callboard's it takes new turns by its file of this scope.
    pub fn turns_in(self, scope: Scope) -> Option<PathBuf> {
        let file = self.hooks_file(scope).ok()??;
        self.turns_named(&fs::read_to_string(file).ok()?)
    }

    pub(super) fn put_commands(
        self,
        text: &str,
        verbs: [Option<&str>; 2],
        command: impl Fn(&str) -> Vec<String>,
    ) -> Result<String, String> {
        if self == Self::Opencode {
            if !text.trim().is_empty() && !text.starts_with(PLUGIN) {
                return Err("it is a plugin of somebody else's".to_owned());
            }
            let named = |verb: &str, place: &str| {
                let words = verbs.contains(&Some(verb)).then(|| command(verb)).or_else(|| plugin_words(text, verb));
                (format!("= {place};"), format!("= {};", json!(words)))
            };
            let plugin = format!("{PLUGIN}\n{}", include_str!("plugin.js"));
            let places = [named(WAKE, "WAKE"), named(PERMISSION, "PERMISSION")];
            return Ok(places.iter().fold(plugin, |plugin, (place, words)| plugin.replace(place, words)));
        }
        let (mark, text) = marked(text);
        let Some(dialect) = self.hooks_dialect() else { return Ok(text.to_owned()) };
        let (document, nothing) = (Document::read(text, dialect)?, Document::read("", dialect)?);
        for place in self.places().iter().filter(|place| verbs.contains(&Some(place.verb))) {
            let path = ["hooks", place.event];
            let item = place.item(&command(place.verb));
            if !document.values(&path).contains(&item) {
                document.take_item(&path, &item, &nothing)?;
                document.put_item(&path, &item)?;
            }
        }
        Ok(format!("{mark}{}", document.text()))
    }

    /// Whether the text of its file has hooks of callboard's.
    pub(super) fn has_hooks(self, text: &str) -> bool {
        text.starts_with(PLUGIN) || !self.hook_commands(text).is_empty() || self.turns_named(text).is_some()
    }

    /// The commands of the hooks of callboard's in the file of this scope.
    pub fn hooks_in(self, scope: Scope) -> Vec<String> {
        let file = self.hooks_file(scope).ok().flatten();
        let text = file.and_then(|file| fs::read_to_string(file).ok());
        text.map(|text| self.hook_commands(&text)).unwrap_or_default()
    }

    /// The commands of the hooks of callboard's in the text of its file.
    pub(super) fn hook_commands(self, text: &str) -> Vec<String> {
        if text.starts_with(PLUGIN) {
            return [WAKE, PERMISSION]
                .into_iter()
                .filter_map(|verb| plugin_words(text, verb))
                .map(|it| shell(&it))
                .collect();
        }
        let Some(document) = self.hooks_dialect().and_then(|dialect| Document::read(marked(text).1, dialect).ok())
        else {
            return Vec::new();
        };
        let items = self.places().iter().flat_map(|place| document.values(&["hooks", place.event]));
        let ours = items.filter(is_ours);
        ours.filter_map(|item| item["hooks"][0]["command"].as_str().map(str::to_owned)).collect()
    }

    /// The text of its file without them; `was` tells what else is there for their sake. Fails as `put_hooks` does.
    pub(super) fn take_hooks(self, text: &str, was: &str) -> Result<String, String> {
        if text.starts_with(PLUGIN) {
            return Ok(String::new());
        }
        if !self.has_hooks(text) {
            return Ok(text.to_owned());
        }
        let ((mark, text), (_, was)) = (marked(text), marked(was));
        let Some(dialect) = self.hooks_dialect() else { return Ok(text.to_owned()) };
        let (document, was) = (Document::read(text, dialect)?, Document::read(was, dialect)?);
        for place in self.places() {
            document.take_item(&["hooks", place.event], &place.item(&[]), &was)?;
        }
        if document.find(&[DUAL], INPUT)?.is_some_and(|file| is_turns(&file)) {
            document.take(&[DUAL], INPUT, &was)?;
        }
        Ok(format!("{mark}{}", document.text_after(&was)))
    }
}

impl HookFile {
    /// The item of the list. `exec`: the program's parent is the client, and no shell, so that it sees the client end.
    fn item(&self, words: &[String]) -> Value {
        let command = shell(words);
        let mut hook = json!({"type": "command", "command": command, "timeout": self.timeout});
        if self.rewakes {
            hook["asyncRewake"] = json!(true);
        }
        let mut item = json!({ "hooks": [hook] });
        if let Some(matcher) = self.matcher {
            item["matcher"] = json!(matcher);
        }
        item
    }
}

/// The command that a plugin runs for a verb; none where it runs none.
fn plugin_words(text: &str, verb: &str) -> Option<Vec<String>> {
    let begin = format!("const {verb} = ");
    let words = text.lines().find_map(|line| line.strip_prefix(&begin))?;
    serde_json::from_str(words.trim_end_matches(';')).ok()
}

/// Whether a client reads new turns from a file that `connect` named.
fn is_turns(file: &Value) -> bool {
    file.as_str().is_some_and(|file| file.ends_with(&format!(".{TURNS}")))
}

/// A command that a shell runs as these words, with the remark.
fn shell(words: &[String]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    format!("exec {}{REMARK}", quoted.join(" "))
}
