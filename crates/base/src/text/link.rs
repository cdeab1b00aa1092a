//! Links that agents and people hand in, and that somebody will click on.
//!
//! Only what a browser opens as a page of the web: no `javascript:`, no `data:`, nothing that is relative to wherever
//! it is shown, and nobody's name and password before the host, which would make it look like another's.

use thiserror::Error;

/// Why a text is no link. A fragment that follows the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Of another scheme, or of none.
    #[error("must be an absolute link that begins with https:// or http://")]
    Scheme,
    /// Nothing, or nothing sensible, stands where the host should.
    #[error("must name a host after https:// or http://")]
    Host,
    /// A name or a password stands before the host.
    #[error("must not have a name or a password before the host")]
    Credentials,
    /// A blank, a control character or a quotation mark.
    #[error("must not have blanks or quotation marks in it: write them as %20 and %22")]
    Characters,
}

/// Passes an absolute link of the web, as `https://forge.example/acme/shop/pull/7`.
///
/// # Errors
/// What is wrong with it.
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
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://forge.example/acme/shop/pull/7")]
    #[case("HTTPS://forge.example")]
    #[case("http://127.0.0.1:3000/pr?id=7#top")]
    #[case("https://[::1]:8080/x")]
    #[case("https://bücher.example/ä?q=%20")]
    #[case("https://forge.example/a@b")]
    fn a_link_of_the_web_passes(#[case] link: &str) {
        assert_eq!(check_link(link), Ok(()));
    }

    #[rstest]
    #[case("javascript:alert(1)", LinkError::Scheme)]
    #[case("JavaScript://x/%0aalert(1)", LinkError::Scheme)]
    #[case("data:text/html,x", LinkError::Scheme)]
    #[case("file:///etc/passwd", LinkError::Scheme)]
    #[case("ftp://forge.example", LinkError::Scheme)]
    #[case("//forge.example/1", LinkError::Scheme)]
    #[case("/pull/7", LinkError::Scheme)]
    #[case("forge.example/pull/7", LinkError::Scheme)]
    #[case("42", LinkError::Scheme)]
    #[case(" https://forge.example", LinkError::Scheme)]
    #[case("https:/forge.example", LinkError::Scheme)]
    #[case("https://", LinkError::Host)]
    #[case("https:///pull/7", LinkError::Host)]
    #[case("https://?x", LinkError::Host)]
    #[case("https://.", LinkError::Host)]
    #[case("https://forge.example:port/", LinkError::Host)]
    #[case("https://[::1", LinkError::Host)]
    #[case("https://forge.example@evil.example/", LinkError::Credentials)]
    #[case("https://me:secret@forge.example/", LinkError::Credentials)]
    #[case("https://forge.example/a b", LinkError::Characters)]
    #[case("https://forge.example/\"onclick=", LinkError::Characters)]
    #[case("https://forge.example\\@evil.example", LinkError::Characters)]
    fn anything_else_is_refused_with_what_is_wrong(#[case] link: &str, #[case] error: LinkError) {
        assert_eq!(check_link(link), Err(error));
    }
}
