//! What `text_file` does, tried.

use rustix::fs::{CWD, Mode, mkfifoat};

use super::read_text;

/// Opened as any file is, it would hold the hub for ever.
#[test]
fn a_pipe_among_the_settings_is_refused_without_waiting_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub.yaml");
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    let refused = read_text(&path).unwrap_err().to_string();
    assert!(refused.contains("is a pipe, and not a regular file"), "{refused}");
}
