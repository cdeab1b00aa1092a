//! Reads the files of the repository, leaving out what tools put there.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const NOT_OURS: [&str; 5] = ["target", "node_modules", ".git", ".cache", "__pycache__"];

/// A file, with its path from the root, `/` between its parts.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    /// A made-up file, to show a rule what it should complain of.
    pub(super) fn made_up(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The lines with their numbers, counted from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The lines that are code: comments stand outside the rules about code.
    pub(super) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// `path:line`.
    pub(super) fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

/// Where the repository lies.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` (`""`: everything) whose name ends in one of `endings`, by path.
pub(super) fn read(folder: &str, endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    found
        .into_iter()
        .filter(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)))
        .map(|path| Source {
            text: fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display())),
            path: path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"),
        })
        .collect()
}

/// Every Rust source of ours.
pub(super) fn rust() -> Vec<Source> {
    let found = read("", &[".rs"]);
    assert!(found.len() > 40, "found only {} Rust files: is the walk broken?", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                walk(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}
