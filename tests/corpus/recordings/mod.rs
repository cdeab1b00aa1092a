//! The recordings of real programs, and how their files are read and written. `tests/corpus/README.md` describes them.

mod folder;
mod labels;
mod pack;
pub(crate) mod recording;
mod screens;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

pub(crate) use folder::{read_folders, write_folder};
pub(crate) use labels::{apply_labels, label_lines};
pub(crate) use pack::unpack;
pub(crate) use recording::Recording;
pub(crate) use screens::as_text;

use pack::pack;

/// The ending of a file with what was recorded of a group.
const PACK: &str = ".jsonl.gz";
/// The ending of the file beside it with the labels.
const LABELS: &str = ".tsv";

/// Programs that were recorded and labelled together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The name of its two files, without their endings.
    pub(crate) name: String,
    /// By program, then by name of the recording, each once.
    pub(crate) recordings: Vec<Recording>,
}

/// The folder of the corpus.
pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

/// Every group, by name.
///
/// # Errors
/// A file cannot be read, a pack is damaged, or its labels are those of other moments.
pub(crate) fn all_groups() -> anyhow::Result<Vec<Group>> {
    let folder = corpus().join("groups");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        names.extend(file.strip_suffix(PACK).map(str::to_owned));
    }
    names.sort();
    names.iter().map(|name| Group::read(name)).collect()
}

impl Group {
    /// The files of the group of this name: its pack and its labels.
    pub(crate) fn files(name: &str) -> [PathBuf; 2] {
        [PACK, LABELS].map(|ending| corpus().join("groups").join(format!("{name}{ending}")))
    }

    /// Reads a group from its files.
    ///
    /// # Errors
    /// A file cannot be read, the pack is damaged, or the labels are those of other moments.
    pub(crate) fn read(name: &str) -> anyhow::Result<Self> {
        let [packed, labels] = Self::files(name);
        let bytes = fs::read(&packed).with_context(|| format!("cannot read `{}`", packed.display()))?;
        let mut recordings = unpack(&bytes).with_context(|| format!("`{}` is damaged", packed.display()))?;
        let text = fs::read_to_string(&labels).with_context(|| format!("cannot read `{}`", labels.display()))?;
        apply_labels(&text, &mut recordings).with_context(|| format!("`{}`", labels.display()))?;
        Ok(Self { name: name.to_owned(), recordings })
    }

    /// Takes these recordings in: one of the same program and name is replaced. Returns how many were.
    pub(crate) fn take(&mut self, recordings: Vec<Recording>) -> usize {
        let before = self.recordings.len() + recordings.len();
        let all = std::mem::take(&mut self.recordings).into_iter().chain(recordings);
        let by_name: BTreeMap<_, _> = all.map(|it| ((it.program.clone(), it.name.clone()), it)).collect();
        self.recordings = by_name.into_values().collect();
        before - self.recordings.len()
    }

    /// What its files hold, in the order of [`Self::files`]. The same recordings always give the same bytes.
    ///
    /// # Errors
    /// None that is expected: a recording can always be written as JSON.
    pub(crate) fn contents(&self) -> anyhow::Result<[Vec<u8>; 2]> {
        Ok([pack(&self.recordings)?, label_lines(&self.recordings).into_bytes()])
    }
}
