//! A disk that notes down what is done to it, and can say what a loss of power leaves.

use std::collections::BTreeMap;

use crate::support::dice::Dice;

/// The files of a disk, by name.
pub(super) type Image = BTreeMap<String, Vec<u8>>;

const SECTOR: usize = 512;

/// What is done to a disk, or told to a client.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Bytes are written; they may be lost until the next sync of the file.
    Write { file: String, offset: usize, bytes: Vec<u8> },
    /// The file is cut or grown, likewise.
    Resize { file: String, length: usize },
    /// What was done to the file so far stays.
    Sync { file: String },
    /// The file is removed; that stays at once.
    Remove { file: String },
    /// A client was told that so many appends of the history are kept.
    Acknowledged { appends: usize },
}

/// What becomes of the steps that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// All are gone.
    Everything,
    /// All but the newest reached the disk, and that one only in part.
    TornTail,
    /// Each is kept, gone or torn, as the dice fall.
    Scattered,
}

/// What is on the disk for certain, and what may be.
#[derive(Debug, Default)]
pub(super) struct Platter {
    certain: Image,
    pending: Vec<Step>,
}

impl Platter {
    /// One more step is done.
    pub(super) fn take(&mut self, step: &Step) {
        match step {
            Step::Write { .. } | Step::Resize { .. } => self.pending.push(step.clone()),
            Step::Sync { file } => {
                let (synced, pending) = self.pending.drain(..).partition(|step| touches(step, file));
                self.pending = pending;
                let synced: Vec<Step> = synced;
                synced.iter().for_each(|step| do_to(&mut self.certain, step));
                self.certain.entry(file.clone()).or_default();
            }
            Step::Remove { file } => {
                self.pending.retain(|step| !touches(step, file));
                self.certain.remove(file);
            }
            Step::Acknowledged { .. } => {}
        }
    }

    /// Whether anything could be lost now.
    pub(super) fn is_settled(&self) -> bool {
        self.pending.is_empty()
    }

    /// What is found when the power is back.
    pub(super) fn left(&self, loss: Loss, dice: &mut Dice) -> Image {
        let mut image = self.certain.clone();
        let newest = self.pending.len().saturating_sub(1);
        for (number, step) in self.pending.iter().enumerate() {
            let step = match loss {
                Loss::Everything => None,
                Loss::TornTail if number == newest => torn(step, dice),
                Loss::TornTail => Some(step.clone()),
                Loss::Scattered => match dice.below(3) {
                    0 => None,
                    1 => torn(step, dice),
                    _ => Some(step.clone()),
                },
            };
            step.iter().for_each(|step| do_to(&mut image, step));
        }
        image
    }
}

/// Does a step to the files, as the kernel would.
pub(super) fn do_to(image: &mut Image, step: &Step) {
    match step {
        Step::Write { file, offset, bytes } => {
            let contents = image.entry(file.clone()).or_default();
            let end = offset + bytes.len();
            if contents.len() < end {
                contents.resize(end, 0);
            }
            contents[*offset..end].copy_from_slice(bytes);
        }
        Step::Resize { file, length } => image.entry(file.clone()).or_default().resize(*length, 0),
        Step::Remove { file } => drop(image.remove(file)),
        Step::Sync { .. } | Step::Acknowledged { .. } => {}
    }
}

fn touches(step: &Step, name: &str) -> bool {
    match step {
        Step::Write { file, .. } | Step::Resize { file, .. } | Step::Sync { file } | Step::Remove { file } => {
            file == name
        }
        Step::Acknowledged { .. } => false,
    }
}

/// The beginning of a write, up to a sector's end or into the middle of one. The size of a file changes or does not.
fn torn(step: &Step, dice: &mut Dice) -> Option<Step> {
    let Step::Write { file, offset, bytes } = step else { return None };
    let kept = dice.below(bytes.len() + 1);
    let kept = if dice.below(2) == 0 { kept - kept % SECTOR } else { kept };
    Some(Step::Write { file: file.clone(), offset: *offset, bytes: bytes[..kept].to_vec() })
}

#[test]
fn what_was_synced_stays_and_what_was_not_may_be_lost_or_torn() {
    let file = || "a".to_owned();
    let mut platter = Platter::default();
    platter.take(&Step::Write { file: file(), offset: 0, bytes: b"kept".to_vec() });
    platter.take(&Step::Sync { file: file() });
    platter.take(&Step::Write { file: file(), offset: 4, bytes: vec![b'x'; 2_000] });
    assert!(!platter.is_settled());
    let lengths = |loss| -> Vec<usize> {
        (0..50)
            .map(|seed| platter.left(loss, &mut Dice(seed))["a"].len())
            .inspect(|length| assert!(*length >= 4))
            .collect()
    };
    assert!(lengths(Loss::Everything).iter().all(|length| *length == 4));
    assert!(lengths(Loss::TornTail).iter().any(|length| (5..2_004).contains(length)));
    assert!(lengths(Loss::Scattered).contains(&2_004));
    platter.take(&Step::Remove { file: file() });
    assert!(platter.is_settled() && platter.left(Loss::Everything, &mut Dice(0)).is_empty());
}
