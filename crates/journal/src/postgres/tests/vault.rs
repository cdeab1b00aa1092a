//! What is kept beside the journal, in the database: by one hub at a time, and brought in from a data directory once.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use super::super::{PgReader, PgVault, open};
use super::fixture::InDatabase;
use super::write;
use crate::samples::*;
use crate::vault::tests::keeps_its_promises;
use crate::vault::{Folder, TOKENS, Vault as _};
use crate::{Seq, Store as _, WriteError};

const SECRET: &str = "webhooks/builds.41.0";

/// With nothing in the data directory.
fn kept(reader: &PgReader) -> PgVault {
    PgVault::open(reader, &*Folder::at(tempfile::tempdir().unwrap().path())).unwrap()
}

#[test]
fn a_database_keeps_its_promises() {
    let bench = InDatabase::begun();
    keeps_its_promises(|| Arc::new(kept(&bench.reader)));
    let vault = kept(&bench.reader);
    assert!(!format!("{vault:?}").contains("key"), "no log shows what it keeps: {vault:?}");
}

#[test]
fn who_lost_the_team_keeps_no_token_any_more() {
    let mut first = InDatabase::begun();
    let before = kept(&first.reader);
    before.write(TOKENS, "one").unwrap();
    before.write(SECRET, "kept").unwrap();
    let (_store, reader) = first.taken();
    let refused = before.write(TOKENS, "two").unwrap_err().to_string();
    assert!(refused.contains("another hub has taken it; start this hub again"), "{refused}");
    assert_eq!(before.read(TOKENS).unwrap().as_deref(), Some("one"), "what failed is not shown");
    before.remove(SECRET);
    let lost = write(&mut first, says(1)).unwrap_err();
    assert!(matches!(lost, WriteError::Fault(_)), "the journal ends with it: {lost:?}");
    let after = kept(&reader);
    assert_eq!(after.read(TOKENS).unwrap().as_deref(), Some("one"));
    assert_eq!(after.read(SECRET).unwrap().as_deref(), Some("kept"));
}

/// Texts move the version, and no number: records go on behind them.
#[test]
fn texts_and_records_take_turns() {
    let mut bench = InDatabase::begun();
    let vault = kept(&bench.reader);
    write(&mut bench, creates(spec(1))).unwrap();
    vault.write(TOKENS, "one").unwrap();
    write(&mut bench, says(1)).unwrap();
    vault.write(TOKENS, "two").unwrap();
    assert_eq!(bench.store.position(), Seq(2));
    let InDatabase { store, reader, place, .. } = bench;
    drop((store, reader, vault));
    let (mut store, reader) = open(&place).unwrap();
    assert!(store.write(&[says(1)]).remove(0).is_ok());
    assert_eq!(kept(&reader).read(TOKENS).unwrap().as_deref(), Some("two"));
}

#[test]
fn a_data_directory_is_brought_in_whole_and_once() {
    let (bench, dir) = (InDatabase::begun(), tempfile::tempdir().unwrap());
    let folder = Folder::at(dir.path());
    let texts = [(TOKENS, "{\"pepper\":1}"), (SECRET, "whsec\n"), ("webhooks/push.key", "k\n"), ("discord.json", "{}")];
    for (name, text) in texts {
        folder.write(name, text).unwrap();
    }
    let tokens = dir.path().join(TOKENS);
    fs::set_permissions(&tokens, Permissions::from_mode(0o644)).unwrap();
    let refused = PgVault::open(&bench.reader, &*folder).unwrap_err().to_string();
    assert!(refused.contains("chmod 600"), "{refused}");
    assert_eq!(kept(&bench.reader).secrets().unwrap(), [""; 0], "all of it, or nothing");
    fs::set_permissions(&tokens, Permissions::from_mode(0o600)).unwrap();
    let vault = PgVault::open(&bench.reader, &*folder).unwrap();
    let held = |vault: &PgVault| texts.map(|(name, _)| vault.read(name).unwrap());
    let all = texts.map(|(_, text)| Some(text.to_owned()));
    assert_eq!((held(&vault), held(&kept(&bench.reader))), (all.clone(), all.clone()));
    // From now on the database is right, whatever lies there and whoever may read it.
    folder.write(TOKENS, "older").unwrap();
    folder.write("webhooks/late.1.0", "late\n").unwrap();
    fs::set_permissions(&tokens, Permissions::from_mode(0o644)).unwrap();
    let again = PgVault::open(&bench.reader, &*folder).unwrap();
    assert_eq!((held(&again), again.secrets().unwrap().len()), (all, 2));
    assert_eq!(fs::read_to_string(&tokens).unwrap(), "older", "what lies there stays");
}
