//! What `link` does, tried.

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
