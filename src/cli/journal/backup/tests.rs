//! What `backup` does, tried.

use super::*;
use crate::cli::exit::Exit;

#[test]
fn a_copy_that_cannot_be_where_it_is_to_be_is_a_mistake_in_what_was_typed() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(is_free(&dir.path().join("new.db")), Ok(()));
    assert_eq!(is_free(Path::new("new-in-no-folder.db")), Ok(()));
    for taken in [dir.path().to_owned(), dir.path().join("none/new.db")] {
        let problem = is_free(&taken).unwrap_err();
        assert_eq!(problem.exit(), Exit::Configuration);
        assert!(problem.words().contains("next: "), "{}", problem.words());
    }
}
