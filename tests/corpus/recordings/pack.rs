//! A pack: JSON Lines, one recording a line, compressed with gzip. `zcat` reads it too.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use super::recording::Recording;

/// Packs recordings. gzip's header carries neither a time nor a name, so that the same recordings give the same bytes.
///
/// # Errors
/// None that is expected: a recording can always be written as JSON.
pub(crate) fn pack(recordings: &[Recording]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    for recording in recordings {
        serde_json::to_writer(&mut encoder, recording)?;
        encoder.write_all(b"\n")?;
    }
    Ok(encoder.finish()?)
}

/// The recordings of a pack, without their labels.
///
/// # Errors
/// It is no gzip, was cut off or altered, or a line is no recording.
pub(crate) fn unpack(bytes: &[u8]) -> anyhow::Result<Vec<Recording>> {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text)?;
    let recording = |(index, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("line {} is no recording", index + 1))
    };
    text.lines().enumerate().map(recording).collect()
}
