//! What every vault promises, on a disk and in a database, and how its texts lie on the disk.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use super::{DISCORD, Folder, PUSH_KEY, TOKENS, Vault};

/// `open` opens the same empty vault each time.
pub(crate) fn keeps_its_promises(open: impl Fn() -> Arc<dyn Vault>) {
    let vault = open();
    let (secret, other) = ("webhooks/builds.41.0", "webhooks/alerts.7.0");
    for name in [TOKENS, DISCORD, PUSH_KEY, secret] {
        assert_eq!(vault.read(name).unwrap(), None, "{name}");
        let missing = vault.need(name).unwrap_err().to_string();
        assert_eq!(missing, format!("failed to read `{}`: there is none", vault.shown(name)));
        assert!(vault.shown(name).ends_with(name), "{}", vault.shown(name));
        vault.remove(name);
    }
    assert_eq!(vault.secrets().unwrap(), [""; 0]);
    let texts =
        [(TOKENS, "{}"), (DISCORD, "{\"a\":\"\\u0000ü\"}"), (PUSH_KEY, "key\n"), (secret, "one\n"), (other, "")];
    for (name, text) in texts {
        vault.write(name, "of before").unwrap();
        vault.write(name, text).unwrap();
    }
    for vault in [&vault, &open()] {
        for (name, text) in texts {
            assert_eq!(vault.read(name).unwrap().as_deref(), Some(text), "{name}");
            assert_eq!(vault.need(name).unwrap(), text);
        }
        let mut secrets = vault.secrets().unwrap();
        secrets.sort();
        assert_eq!(secrets, [other, secret, PUSH_KEY]);
    }
    vault.remove(secret);
    assert_eq!(vault.read(secret).unwrap(), None, "at once");
    // A database may hear of it a little later.
    while open().read(secret).unwrap().is_some() {
        std::thread::yield_now();
    }
    assert_eq!(open().read(other).unwrap().as_deref(), Some(""), "it alone");
}

#[test]
fn a_data_directory_keeps_its_promises() {
    let dir = tempfile::tempdir().unwrap();
    keeps_its_promises(|| Folder::at(dir.path()));
}

#[test]
fn texts_are_files_of_their_own_and_their_owners_alone() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Folder::at(dir.path());
    let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
    for name in [TOKENS, DISCORD, PUSH_KEY, "webhooks/builds.41.0"] {
        vault.write(name, "x").unwrap();
        assert_eq!((fs::read_to_string(dir.path().join(name)).unwrap().as_str(), mode(name)), ("x", 0o600), "{name}");
    }
    assert_eq!(mode("webhooks"), 0o700);
    // What others may read is not believed, but for a secret in a folder that they may not enter.
    for (name, believed) in [(TOKENS, false), (PUSH_KEY, false), ("webhooks/builds.41.0", true), (DISCORD, true)] {
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(0o644)).unwrap();
        assert_eq!(vault.read(name).is_ok(), believed, "{name}");
    }
}
