//! Whether agents can open pull requests. It only reads; of an entry with `*` the folders on this disk are looked at.

use std::fs;
use std::path::Path;

use super::finding::Finding;
use super::loaded;
use crate::actors::forge::{Forge, ForgeError, Port, Surveyed};
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, secret};
use crate::clock::Clock;
use crate::domain::pull::Repository;
use crate::settings::{ForgeKind, ForgeSettings};

/// How many repositories are looked at of those that one entry stands for.
const MOST_FOLDERS: usize = 50;

/// Looks. Where agents may open pull requests nowhere there is nothing to look at.
pub(in crate::cli) async fn look(globals: &GlobalArgs) -> Vec<Finding> {
    let wrong = |message: &str| {
        let message = message.trim().replace('\n', "; ");
        vec![Finding::wrong("forge", Exit::Configuration, message).next("callboard config check")]
    };
    let loaded = match loaded(globals) {
        Ok(loaded) => loaded,
        Err(wrong) => return vec![wrong],
    };
    let set = &loaded.settings.hub.forge;
    if set.repositories.is_empty() {
        let read = match globals.config_dir() {
            Some(folder) => format!("in hub.yaml of `{}`", folder.display()),
            None => "and no folder was named: --config DIR or CALLBOARD_CONFIG".to_owned(),
        };
        let message = format!("agents may open pull requests nowhere: forge.repositories is empty, {read}");
        return vec![Finding::skipped("forge", message)];
    }
    let token = match secret("CALLBOARD_FORGE_TOKEN") {
        Ok(token) => token,
        Err(problem) => return wrong(&problem.words()),
    };
    let port = match Forge::new(token).adapter(set, Clock::system()) {
        Ok(port) => port,
        Err(error) => return vec![failed("forge".to_owned(), &error)],
    };
    match port.who().await {
        Ok(who) => {
            let mut findings = vec![Finding::good("forge", format!("{}: {who}", set.kind.as_str()))];
            for entry in set.repositories.iter().map(|entry| entry.trim()) {
                let folders = if set.kind == ForgeKind::Git { folders(entry) } else { Vec::new() };
                for folder in &folders {
                    findings.push(repository(port.as_ref(), set, folder).await);
                }
                if folders.is_empty() {
                    findings.push(repository(port.as_ref(), set, entry).await);
                }
            }
            findings
        }
        Err(error) => vec![failed("forge".to_owned(), &error)],
    }
}

/// The repositories on this disk that an entry with `*` stands for, the first of them by name.
fn folders(entry: &str) -> Vec<String> {
    let Some(start) = entry.strip_suffix('*') else { return Vec::new() };
    let Some((parent, _)) = start.rsplit_once('/') else { return Vec::new() };
    let found = fs::read_dir(if parent.is_empty() { "/" } else { parent }).into_iter().flatten().flatten();
    let is_repository = |path: &Path| path.join("HEAD").is_file() || path.join(".git").exists();
    let paths = found.map(|entry| entry.path()).filter(|path| is_repository(path));
    let mut folders: Vec<String> =
        paths.filter_map(|path| Some(path.to_str()?.to_owned())).filter(|path| path.starts_with(start)).collect();
    folders.sort();
    folders.truncate(MOST_FOLDERS);
    folders
}

async fn repository(port: &dyn Port, set: &ForgeSettings, entry: &str) -> Finding {
    let check = format!("forge {entry}");
    if entry.ends_with('*') {
        let message = match set.kind {
            ForgeKind::Git => "no repository is there",
            ForgeKind::Github | ForgeKind::Forgejo => "stands for many repositories, and none of them was looked at",
        };
        return Finding::skipped(check, message);
    }
    let repository = match Repository::parse(entry) {
        Ok(repository) => repository,
        Err(error) => {
            let message = format!("the entry of forge.repositories {error}");
            return Finding::wrong(check, Exit::Configuration, message);
        }
    };
    match port.survey(&repository).await {
        Ok(seen) => standing(check, set.kind, &seen),
        Err(error) => failed(check, &error),
    }
}

/// What a repository that is seen lets the hub do.
fn standing(check: String, kind: ForgeKind, seen: &Surveyed) -> Finding {
    let into = match &seen.default_branch {
        Some(branch) => format!("`{}` is seen, and merges into `{branch}`", seen.name),
        None => format!("`{}` is seen; agents have to name the base branch", seen.name),
    };
    if seen.may_write == Some(false) {
        let next = match kind {
            ForgeKind::Git => "give the user that runs the hub the right to write in it",
            ForgeKind::Github | ForgeKind::Forgejo => {
                "give the token's owner the right to push, and the token that to write code and pull requests"
            }
        };
        return Finding::wrong(check, Exit::Refused, format!("{into}, but the hub may not write there")).next(next);
    }
    if !seen.troubles.is_empty() {
        return Finding::doubtful(check, format!("{into}; {}", seen.troubles.join("; ")));
    }
    let may = match seen.may_write {
        Some(_) => "the hub may write there",
        None => "the forge does not say whether the hub may write there",
    };
    Finding::good(check, format!("{into}; {may}"))
}

/// What the forge's no means for who runs the hub.
fn failed(check: String, error: &ForgeError) -> Finding {
    let (exit, next) = of(error);
    Finding::wrong(check, exit, error.to_string()).next(next)
}

/// With what a check ends after this no, and what to do.
pub(super) const fn of(error: &ForgeError) -> (Exit, &'static str) {
    match error {
        ForgeError::Off(_) => (Exit::Configuration, "mend the settings, and look with callboard config check"),
        ForgeError::Unreadable(_) => (Exit::Configuration, "look whether `baseUrl` is the address of its interface"),
        ForgeError::Unauthorized => (Exit::Refused, "make a new token, and put it into the token's file"),
        ForgeError::Forbidden(_) | ForgeError::NotFound(_) | ForgeError::Refused(_) | ForgeError::Replaced(_) => {
            (Exit::Refused, "give the hub the right to it, or mend the list of repositories")
        }
        ForgeError::Unreachable(_) | ForgeError::Working(_) | ForgeError::Limited { .. } => {
            (Exit::Unreachable, "look whether this machine may call it; a hub tries again by itself")
        }
    }
}
