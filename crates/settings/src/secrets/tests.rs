//! What `secrets` does, tried.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use secrecy::ExposeSecret as _;

use super::*;

#[test]
fn a_file_holds_one_secret_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let environment = BTreeMap::from([("A_FILE".to_owned(), file.display().to_string())]);
    for (text, read) in [("s3cret\r\n", Ok("s3cret")), ("\n", Err("is empty")), ("a\nb\n", Err("more than one line"))] {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        match (secret(&environment, "A"), read) {
            (Ok(Some(found)), Ok(read)) => assert_eq!(found.expose_secret(), read),
            (Err(fault), Err(words)) => assert!(fault.to_string().contains(words), "{fault}"),
            (found, read) => panic!("{text:?}: {found:?} and not {read:?}"),
        }
    }
}
