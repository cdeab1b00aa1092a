//! What `watched` does, tried.

use std::collections::BTreeSet;

use super::super::text_file::READ;
use super::*;
use crate::{LoadRequest, load};

#[test]
fn what_is_read_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    for (below, file, text) in [
        (Workflows::FOLDER, "fix.yaml", "name: fix\ndescription: d\nsteps: [{name: a, tool: t}]\n"),
        (Workflows::FOLDER, "mend.yml", "name: mend\ndescription: d\nsteps: [{name: a, tool: t}]\n"),
        (SystemPrompts::FOLDER, "designer.md", "Be brief."),
        (SystemPrompts::FOLDER, "_base.md", "Be kind."),
    ] {
        fs::create_dir_all(folder.path().join(below)).unwrap();
        fs::write(folder.path().join(below).join(file), text).unwrap();
    }
    READ.take();
    load(&LoadRequest { config_dir: Some(folder.path().to_owned()), ..LoadRequest::default() }).unwrap();
    SystemPrompts::load(Some(folder.path())).unwrap();
    let read: BTreeSet<_> = READ.take();
    let watched: BTreeSet<_> = watched(folder.path()).iter().map(|file| folder.path().join(file)).collect();
    assert_eq!(read, watched);
    assert!(watched.contains(&folder.path().join("workflows/mend.yml")));
}
