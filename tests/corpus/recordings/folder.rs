//! Recordings as the recorder writes them: a folder `PROGRAM/NAME` with `case.json` and `output.raw`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use callboard_detect::prompt::PromptKind;
use serde::{Deserialize, Serialize};

use super::recording::{Label, Moment, Observed, Recording};

const CASE: &str = "case.json";
const OUTPUT: &str = "output.raw";

/// `case.json`.
#[derive(Serialize, Deserialize)]
struct Case {
    program: String,
    version: String,
    command: String,
    rows: u16,
    cols: u16,
    states: Vec<State>,
}

/// A moment with its label.
#[derive(Serialize, Deserialize)]
struct State {
    at: usize,
    quiet_ms: u64,
    answered: bool,
    host: Observed,
    waiting: bool,
    kinds: Vec<PromptKind>,
    dangerous: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Every recording in this folder or below it, by path.
///
/// # Errors
/// There is none, or one that cannot be read or contradicts itself.
pub(crate) fn read_folders(folder: &Path) -> anyhow::Result<Vec<Recording>> {
    let mut found = Vec::new();
    walk(folder, &mut found)?;
    ensure!(!found.is_empty(), "no `{CASE}` in or below `{}`", folder.display());
    found.iter().map(|it| read(it).with_context(|| format!("`{}`", it.display()))).collect()
}

/// Writes a recording into `PROGRAM/NAME` below `folder`.
///
/// # Errors
/// A folder or a file cannot be written.
pub(crate) fn write_folder(recording: &Recording, folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join(&recording.program).join(&recording.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let Recording { program, name: _, version, command, rows, cols, moments, output } = recording.clone();
    let case = Case { program, version, command, rows, cols, states: moments.into_iter().map(State::from).collect() };
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    case.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    text.push(b'\n');
    fs::write(folder.join(CASE), text).with_context(|| format!("cannot write into `{}`", folder.display()))?;
    fs::write(folder.join(OUTPUT), output).with_context(|| format!("cannot write into `{}`", folder.display()))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if folder.join(CASE).is_file() {
        found.push(folder.to_owned());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut paths = entries.map(|entry| entry.map(|it| it.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    paths.iter().filter(|path| path.is_dir()).try_for_each(|path| walk(path, found))
}

fn read(folder: &Path) -> anyhow::Result<Recording> {
    let Case { program, version, command, rows, cols, states } =
        serde_json::from_str(&fs::read_to_string(folder.join(CASE)).context(CASE)?).context(CASE)?;
    let output = fs::read(folder.join(OUTPUT)).context(OUTPUT)?;
    let name = folder.canonicalize()?.file_name().context("it has no name")?.to_string_lossy().into_owned();
    let plain = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '/');
    ensure!(plain(&program) && plain(&name), "neither program nor name may be empty or hold blanks or `/`");
    ensure!(!states.is_empty(), "it has no moments");
    let mut before = 0;
    for state in &states {
        let at = state.at;
        ensure!(before <= at && at <= output.len(), "at {at}: moments are in order, and within the output");
        ensure!(state.waiting != state.kinds.is_empty(), "at {at}: what waits has a kind, and nothing else has one");
        ensure!(state.waiting || !state.dangerous, "at {at}: what does not wait is not dangerous");
        let note = state.note.as_deref().unwrap_or("-");
        ensure!(!note.is_empty() && !note.contains(['\t', '\n']), "at {at}: a note is a line without tabs");
        before = at;
    }
    let moments = states.into_iter().map(Moment::from).collect();
    Ok(Recording { program, name, version, command, rows, cols, moments, output })
}

impl From<State> for Moment {
    fn from(state: State) -> Self {
        let State { at, quiet_ms, answered, host, waiting: _, kinds, dangerous, note } = state;
        Self { at, quiet_ms, answered, host, label: Label { kinds, dangerous, note } }
    }
}

impl From<Moment> for State {
    fn from(moment: Moment) -> Self {
        let waiting = moment.label.waits();
        let Moment { at, quiet_ms, answered, host, label: Label { kinds, dangerous, note } } = moment;
        Self { at, quiet_ms, answered, host, waiting, kinds, dangerous, note }
    }
}
