//! Names on a forge: of repositories and of branches.

use std::fmt;

use thiserror::Error;

use crate::names::as_text;

/// The longest name of an owner or a repository, and the longest branch.
const LONGEST_PART: usize = 100;
const LONGEST_BRANCH: usize = 244;

/// A repository: `owner/name` on a forge, or a folder of this machine where there is none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repository {
    Named { owner: String, name: String },
    Folder(String),
}

/// A branch, as git lets one be called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("must be `owner/name`, as `acme/shop`, or the whole path of a folder")]
    Repository,
    #[error("must be the name of a branch, as `feature/login`: no spaces, none of ~^:?*[\\, no `..`")]
    Branch,
}

impl Repository {
    /// Reads `owner/name`, also with `.git` behind it, or a whole path. Fails when it is neither.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        if text.starts_with('/') {
            let path = text.trim_end_matches('/');
            let is_plain = path.split('/').all(|part| part != "." && part != "..");
            let fits = is_plain && path.len() > 1 && path.len() <= 4_096 && !path.chars().any(char::is_control);
            return if fits { Ok(Self::Folder(path.to_owned())) } else { Err(NameError::Repository) };
        }
        let (owner, name) = text.split_once('/').ok_or(NameError::Repository)?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        if is_part(owner) && is_part(name) {
            Ok(Self::Named { owner: owner.to_owned(), name: name.to_owned() })
        } else {
            Err(NameError::Repository)
        }
    }

    pub fn on_forge(&self) -> Option<(&str, &str)> {
        match self {
            Self::Named { owner, name } => Some((owner, name)),
            Self::Folder(_) => None,
        }
    }
}

/// A repository as people name it, without what only its owner may know.
///
/// Of the address of a clone, as `https://user:token@git.example.org/acme/shop.git` or
/// `git@git.example.org:acme/shop.git`, it is the `owner/name`. Where that has another form, its user, password and
/// query are left out. A path or a name stays as it is.
pub fn address(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('/') {
        return text.to_owned();
    }
    let (scheme, rest) = text.split_once("://").map_or((None, text), |(scheme, rest)| (Some(scheme), rest));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    // Whatever stands before the last `@` of the host is a user, or more.
    let (user, host) = host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user), host));
    let path = match (scheme, host.split_once(':')) {
        (Some(scheme), _) if scheme.eq_ignore_ascii_case("file") && host.is_empty() => return format!("/{path}"),
        (Some(_), _) => path.to_owned(),
        // A letter alone is a drive.
        (None, Some((name, begins))) if name.len() > 1 => format!("{begins}/{path}"),
        (None, _) if host.contains('.') && path.contains('/') => path.to_owned(),
        (None, _) if user.is_some() => format!("{host}/{path}"),
        (None, _) => return text.to_owned(),
    };
    let path = path.trim_matches('/');
    let short = path.strip_suffix(".git").unwrap_or(path);
    match (short.split_once('/'), scheme) {
        (Some((owner, name)), _) if is_part(owner) && is_part(name) => short.to_owned(),
        (_, Some(scheme)) => format!("{scheme}://{host}/{path}"),
        (_, None) if user.is_some() => rest.rsplit_once('@').map_or(rest, |(_, rest)| rest).to_owned(),
        (_, None) => text.to_owned(),
    }
}

fn is_part(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !text.is_empty() && text.len() <= LONGEST_PART && text.chars().all(fits) && text != "." && text != ".."
}

/// Whether a list admits a repository: by its name, or by `acme/*` or `/srv/git/*`. Forges do not tell cases apart,
/// folders do; `*` alone admits no folder.
pub fn is_allowed(list: &[String], repository: &Repository) -> bool {
    let name = repository.to_string();
    let same = |one: &str, other: &str| match repository {
        Repository::Named { .. } => one.eq_ignore_ascii_case(other),
        Repository::Folder(_) => one == other && other.starts_with('/'),
    };
    list.iter().map(|entry| entry.trim()).any(|entry| match entry.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|begins| same(begins, start)),
        None => same(&name, entry.trim_end_matches('/')),
    })
}

impl Branch {
    /// Reads the name of a branch. Fails when git would not let a branch be called so.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        let wrong = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
        let fits = text.len() <= LONGEST_BRANCH
            && !text.starts_with('-')
            && !text.ends_with('.')
            && !text.contains("..")
            && !text.contains("@{")
            && !text.contains(wrong)
            && text.split('/').all(is_part);
        if fits { Ok(Self(text.to_owned())) } else { Err(NameError::Branch) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { owner, name } => write!(f, "{owner}/{name}"),
            Self::Folder(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Repository);
as_text!(Branch);

#[cfg(test)]
mod tests;
