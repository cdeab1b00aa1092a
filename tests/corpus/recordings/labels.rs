//! The labels of a group as plain text, so that a change of one shows in a diff and is made with an editor.
//!
//! A moment is a line of columns, separated by tabs: recording, bytes printed by then, kinds, danger and, if there is
//! one, a remark.

use anyhow::{Context as _, bail, ensure};
use callboard_detect::prompt::PromptKind;

use super::recording::{Label, Recording};

/// The first line of a file of labels.
const HEAD: &str = "recording\tat\twaits for\tdanger\tremark\n";
/// In the column of kinds: the program does not wait.
const NOTHING: &str = "-";
/// In the column of danger.
const DANGEROUS: &str = "dangerous";
const SAFE: &str = "safe";

/// The labels of these recordings, in their order.
pub(crate) fn label_lines(recordings: &[Recording]) -> String {
    let mut text = HEAD.to_owned();
    for recording in recordings {
        for moment in &recording.moments {
            let Label { kinds, dangerous, note } = &moment.label;
            let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            let names = if names.is_empty() { NOTHING.to_owned() } else { names.join(",") };
            let danger = if *dangerous { DANGEROUS } else { SAFE };
            text.push_str(&format!("{}\t{}\t{names}\t{danger}", recording.path(), moment.at));
            note.iter().for_each(|note| text.extend(["\t", note]));
            text.push('\n');
        }
    }
    text
}

/// Gives each moment its label.
///
/// # Errors
/// A line is no label, or the lines are not one for each moment of the recordings, in their order.
pub(crate) fn apply_labels(text: &str, recordings: &mut [Recording]) -> anyhow::Result<()> {
    let lines = text.strip_prefix(HEAD).with_context(|| format!("the first line is not `{}`", HEAD.trim_end()))?;
    // Counted from 1, and the head is the first.
    let mut lines = lines.lines().zip(2..);
    for recording in recordings {
        let path = recording.path();
        for moment in &mut recording.moments {
            let wanted = format!("{path}\t{}", moment.at);
            let (line, number) = lines.next().with_context(|| format!("`{wanted}` has no label"))?;
            let label = line.strip_prefix(&wanted).and_then(|rest| rest.strip_prefix('\t'));
            let label = label.with_context(|| format!("line {number} is not of `{wanted}`, which comes next"))?;
            moment.label = parse(label).with_context(|| format!("line {number}"))?;
        }
    }
    match lines.next() {
        Some((line, number)) => bail!("line {number} is of no moment: `{line}`"),
        None => Ok(()),
    }
}

/// Reads the columns behind the first two.
fn parse(columns: &str) -> anyhow::Result<Label> {
    let columns: Vec<&str> = columns.split('\t').collect();
    let (kinds, danger, note) = match columns[..] {
        [kinds, danger] => (kinds, danger, None),
        [kinds, danger, note] => (kinds, danger, Some(note.to_owned())),
        _ => bail!("a line has four columns, or five with a remark"),
    };
    let kind = |name: &str| PromptKind::parse(name).with_context(|| format!("there is no kind `{name}`"));
    let kinds = if kinds == NOTHING { Vec::new() } else { kinds.split(',').map(kind).collect::<Result<_, _>>()? };
    let dangerous = match danger {
        DANGEROUS => true,
        SAFE => false,
        other => bail!("`{other}` is neither `{DANGEROUS}` nor `{SAFE}`"),
    };
    ensure!(!dangerous || !kinds.is_empty(), "what does not wait is not dangerous");
    Ok(Label { kinds, dangerous, note })
}
