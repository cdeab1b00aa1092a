//! A recording: what a program printed, and at which moments it waited for what.

use std::fs;
use std::path::Path;
use std::time::Duration;

use callboard::domain::danger::command_destroys;
use callboard::domain::prompt::{Host, PromptKind, Reader};
use serde::Deserialize;

/// A scenario of a program.
pub(super) struct Case {
    pub(super) program: String,
    pub(super) name: String,
    pub(super) rows: u16,
    pub(super) cols: u16,
    pub(super) output: Vec<u8>,
    pub(super) states: Vec<State>,
}

/// A moment of it, with its label.
pub(super) struct State {
    /// How many bytes were printed by then.
    pub(super) at: usize,
    pub(super) quiet: Duration,
    pub(super) answered: bool,
    pub(super) host: Host,
    pub(super) waiting: bool,
    /// The kind, and others that are as good; the first is the best.
    pub(super) kinds: Vec<PromptKind>,
    pub(super) dangerous: bool,
}

#[derive(Deserialize)]
struct File {
    program: String,
    #[serde(default)]
    command: String,
    rows: u16,
    cols: u16,
    states: Vec<FileState>,
}

#[derive(Deserialize)]
struct FileState {
    at: usize,
    quiet_ms: u64,
    answered: bool,
    host: FileHost,
    waiting: bool,
    kinds: Vec<String>,
    dangerous: bool,
}

#[derive(Deserialize)]
struct FileHost {
    reader: String,
    echo: Option<bool>,
    canonical: Option<bool>,
}

impl Case {
    /// Every recording, by program and name.
    pub(super) fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/prompts");
        let mut found = Vec::new();
        for program in folders(&root) {
            for scenario in folders(&program) {
                let text = fs::read_to_string(scenario.join("case.json")).unwrap();
                let file: File = serde_json::from_str(&text).unwrap();
                let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
                let destroys = command_destroys(last(&file.command));
                let mut states: Vec<State> = file.states.into_iter().map(State::from).collect();
                states.iter_mut().for_each(|state| state.host.destroys = destroys);
                states.sort_by_key(|state| state.at);
                let output = fs::read(scenario.join("output.raw")).unwrap();
                found.push(Self { program: file.program, name, rows: file.rows, cols: file.cols, output, states });
            }
        }
        assert!(!found.is_empty(), "no recordings in `{}`", root.display());
        found
    }
}

/// What a host would read of the program that asks: the last command of a scenario's script, without what it is sent.
fn last(script: &str) -> &str {
    let command = script.strip_prefix("bash --norc -c ").unwrap_or(script);
    let ends = ["; ", "&& ", "|| ", "| ", "\n"];
    let command = command.trim_end_matches([';', ' ', '\n']);
    let from = ends.iter().filter_map(|end| command.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    command[from..].split(['<', '"', '\'']).next().unwrap_or_default().trim()
}

fn folders(of: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

impl From<FileState> for State {
    fn from(file: FileState) -> Self {
        let reader = match file.host.reader.as_str() {
            "reads" => Reader::Reads,
            "polls" => Reader::Polls,
            "busy" => Reader::Busy,
            "gone" => Reader::Gone,
            "unknown" => Reader::Unknown,
            other => panic!("there is no reader `{other}`"),
        };
        Self {
            at: file.at,
            quiet: Duration::from_millis(file.quiet_ms),
            answered: file.answered,
            host: Host { reader, echo: file.host.echo, canonical: file.host.canonical, destroys: false },
            waiting: file.waiting,
            kinds: file.kinds.iter().map(|kind| PromptKind::parse(kind).unwrap()).collect(),
            dangerous: file.dangerous,
        }
    }
}
