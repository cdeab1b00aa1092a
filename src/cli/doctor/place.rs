//! The data directory, as it lies on the disk: whoever can read it is the operator.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::finding::Finding;
use crate::audit::FILE as AUDIT;
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, TOKEN_FILE};

const CHECK: &str = "data directory";

/// The files that nobody else may read.
const PRIVATE: [&str; 4] = ["tokens", TOKEN_FILE, AUDIT, "callboard.db"];

/// Looks at it.
pub(super) fn look(globals: &GlobalArgs) -> Vec<Finding> {
    match globals.data_dir() {
        Ok(dir) => vec![at(&dir)],
        Err(problem) => vec![Finding::of_problem(CHECK, &problem).next("callboard config check")],
    }
}

/// Looks at this one.
pub(super) fn at(dir: &Path) -> Finding {
    let shown = dir.display();
    let Some(mode) = mode(dir) else {
        return Finding::skipped(CHECK, format!("`{shown}` is not there: no hub has served from it"))
            .next("callboard serve, or set CALLBOARD_DATA_DIR");
    };
    if mode & 0o077 == 0 {
        return Finding::good(CHECK, format!("`{shown}` is yours alone"));
    }
    let open = PRIVATE.iter().find(|name| self::mode(&dir.join(name)).is_some_and(|mode| mode & 0o077 != 0));
    match open {
        Some(name) => {
            let message = format!("others may read `{}`", dir.join(name).display());
            Finding::wrong(CHECK, Exit::Configuration, message).next(format!("chmod -R go= '{shown}'"))
        }
        None if mode & 0o022 != 0 => {
            let message = format!("others may put files into `{shown}`");
            Finding::wrong(CHECK, Exit::Configuration, message).next(format!("chmod -R go= '{shown}'"))
        }
        None => Finding::doubtful(CHECK, format!("others may list `{shown}`, and read none of its secrets"))
            .next(format!("chmod -R go= '{shown}'")),
    }
}

fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|about| about.permissions().mode() & 0o777)
}
