//! Where repositories and pull requests lie on a forge, as GitHub and Forgejo have it.

use super::error::{ForgeError, ForgeResult};
use crate::domain::pull::{PullRequest, Repository};

/// Whose a repository is, and where its things lie.
pub(super) fn root(repository: &Repository) -> ForgeResult<(&str, String)> {
    let (owner, name) = repository.on_forge().ok_or_else(|| {
        ForgeError::Refused(format!("`{repository}` is a folder: on a forge a repository is called `owner/name`"))
    })?;
    Ok((owner, format!("/repos/{owner}/{name}")))
}

pub(super) fn path(pull: &PullRequest) -> ForgeResult<String> {
    let number = pull.number.ok_or_else(|| ForgeError::Refused("it has no number there".to_owned()))?;
    Ok(format!("{}/pulls/{number}", root(&pull.repository)?.1))
}

/// A text as a part of a path, or a value of a query.
pub(super) fn escaped(text: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if safe(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
