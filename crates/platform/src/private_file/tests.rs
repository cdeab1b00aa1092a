//! What `private_file` does, tried.

use rstest::rstest;
use rustix::fs::Mode;
use tempfile::tempdir;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_is_replaced_whole_and_its_neighbours_stay() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("x.token");
    let neighbours = ["x.new", "x.token.new", ".x.token", "x.token.callboard-new"].map(|name| folder.path().join(name));
    for neighbour in &neighbours {
        fs::write(neighbour, "somebody's").unwrap();
    }
    fs::write(&path, "old").unwrap();
    set(&path, 0o644);
    replace(&path, b"new").unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("new", 0o600));
    set(&path, 0o640);
    rewrite(&path, b"newer").unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("newer", 0o640));
    for neighbour in &neighbours {
        assert_eq!(fs::read_to_string(neighbour).unwrap(), "somebody's", "{}", neighbour.display());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + neighbours.len(), "no draft is left");
}

#[test]
fn what_cannot_be_written_leaves_no_draft_and_no_harm() {
    let folder = tempdir().unwrap();
    let taken = folder.path().join("folder");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), "").unwrap();
    replace(&taken, b"text").unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(create(&taken).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
}

#[rstest]
#[case(0o600, Ok(()))]
#[case(0o400, Ok(()))]
#[case(0o640, Err("others may read it"))]
#[case(0o604, Err("others may read it"))]
#[case(0o620, Err("others may read it"))]
fn a_file_of_our_own_is_its_owners_alone(#[case] mode: u32, #[case] expected: Result<(), &str>) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("tokens");
    assert!(read_own(&path).unwrap().is_none());
    fs::write(&path, "text").unwrap();
    set(&path, mode);
    match (read_own(&path), expected) {
        (Ok(text), Ok(())) => assert_eq!(text.as_deref(), Some("text")),
        (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
        (found, _) => panic!("{mode:o}: {found:?}"),
    }
}

/// Of a file with this mode, below a folder with that one.
#[rstest]
#[case(0o755, 0o600, Ok(()))]
#[case(0o755, 0o640, Ok(()))]
#[case(0o755, 0o440, Ok(()))]
#[case(0o755, 0o644, Err("everybody may read"))]
#[case(0o755, 0o444, Err("everybody may read"))]
#[case(0o755, 0o660, Err("others may write"))]
#[case(0o755, 0o602, Err("others may write"))]
#[case(0o750, 0o660, Err("others may write"))]
#[case(0o750, 0o644, Ok(()))]
#[case(0o700, 0o666, Ok(()))]
fn a_file_that_was_handed_over_is_no_secret_of_everybodys(
    #[case] above: u32,
    #[case] of_file: u32,
    #[case] expected: Result<(), &str>,
) {
    // Not below the folder for temporary files of this test alone, which nobody else may enter.
    let base = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp").unwrap();
    let folder = base.path().join("secrets");
    fs::create_dir(&folder).unwrap();
    set(&folder, above);
    let path = folder.join("secret");
    fs::write(&path, "text").unwrap();
    set(&path, of_file);
    match (read_given(&path), expected) {
        (Ok(text), Ok(())) => assert_eq!(text, "text"),
        (Err(error), Err(words)) => {
            let said = error.to_string();
            assert!(said.contains(words) && said.contains(&path.display().to_string()), "{said}");
        }
        (found, _) => panic!("{above:o}/{of_file:o}: {found:?}"),
    }
}

/// Opened as any file is, a pipe without a writer would hold this test for ever.
#[rstest]
#[case::a_pipe("pipe")]
#[case::a_folder("folder")]
#[case::a_device("device")]
fn what_is_no_regular_file_is_refused_without_waiting_for_it(#[case] what: &str) {
    let folder = tempdir().unwrap();
    let mut path = folder.path().join("token");
    match what {
        "pipe" => rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RUSR | Mode::WUSR).unwrap(),
        "folder" => fs::create_dir(&path).unwrap(),
        _ => path = PathBuf::from("/dev/null"),
    }
    for refused in [read_own(&path).map(drop), read_given(&path).map(drop), read_plain(&path).map(drop)] {
        let said = refused.unwrap_err().to_string();
        assert!(said.contains(&format!("is a {what}, and not a regular file")), "{said}");
    }
}

#[test]
fn files_of_other_users_are_believed_by_root_alone() {
    for (user, owner, expected) in [(7, 7, true), (7, 0, true), (7, 8, false), (0, 8, true)] {
        assert_eq!(believes(user, owner), expected, "{user} reads a file of {owner}");
    }
}

#[test]
fn a_folder_that_others_may_write_is_refused() {
    let folder = tempdir().unwrap();
    for (mode, is_good) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false), (0o1777, false)] {
        set(folder.path(), mode);
        let checked = check_folder(folder.path());
        assert_eq!(checked.is_ok(), is_good, "{mode:o}: {checked:?}");
    }
}
