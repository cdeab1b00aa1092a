//! Links that agents and people hand in, and that somebody will click on.
//!
//! Only what a browser opens as a page of the web: no `javascript:`, no `data:`, nothing that is relative to wherever
//! it is shown, and nobody's name and password before the host, which would make it look like another's.

use thiserror::Error;

/// Why a text is no link. A fragment that follows the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    #[error("must be an absolute link that begins with https:// or http://")]
    Scheme,
    #[error("must name a host after https:// or http://")]
    Host,
    #[error("must not have a name or a password before the host")]
    Credentials,
    #[error("must not have blanks or quotation marks in it: write them as %20 and %22")]
    Characters,
}

/// Passes an absolute link of the web, as `https://forge.example/acme/shop/pull/7`.
pub fn check_link(text: &str) -> Result<(), LinkError> {
    let (scheme, rest) = text.split_once("://").ok_or(LinkError::Scheme)?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return Err(LinkError::Scheme);
    }
    let unfit = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
    };
    if text.contains(unfit) {
        return Err(LinkError::Characters);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(LinkError::Credentials);
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(inside) => inside.split_once(']').ok_or(LinkError::Host)?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let named = host.chars().any(char::is_alphanumeric) && !host.starts_with('.');
    let fits = port.is_empty() || port.strip_prefix(':').is_some_and(|number| number.parse::<u16>().is_ok());
    if named && fits { Ok(()) } else { Err(LinkError::Host) }
}

#[cfg(test)]
mod tests;
