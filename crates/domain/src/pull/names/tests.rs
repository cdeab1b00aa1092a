//! What `names` does, tried.

use super::address;

#[test]
fn an_address_is_taken_as_a_name_and_no_secret_stays() {
    for (given, taken) in [
        ("acme/shop", "acme/shop"),
        ("/srv/git/shop.git", "/srv/git/shop.git"),
        ("/srv/git/a@b/shop", "/srv/git/a@b/shop"),
        ("a folder of mine", "a folder of mine"),
        ("C:/work/shop", "C:/work/shop"),
        ("https://github.com/acme/shop", "acme/shop"),
        ("https://ann:ghp_secret@github.com/acme/shop.git", "acme/shop"),
        ("https://ghp_secret@github.com/acme/shop/", "acme/shop"),
        ("HTTPS://x-access-token:s@crt@git.example.org:8443/acme/shop.git?token=secret#main", "acme/shop"),
        ("git@github.com:acme/shop.git", "acme/shop"),
        ("ann:secret@git.example.org:acme/shop.git", "acme/shop"),
        ("git.example.org:acme/shop", "acme/shop"),
        ("ssh://git@git.example.org:2222/acme/shop.git", "acme/shop"),
        ("ghp_secret@github.com/acme/shop", "acme/shop"),
        ("github.com/acme/shop", "acme/shop"),
        ("file:///srv/git/shop.git", "/srv/git/shop.git"),
        ("https://ann:secret@dev.example.org/org/project/_git/shop", "https://dev.example.org/org/project/_git/shop"),
        ("https://ann:secret@git.example.org", "https://git.example.org/"),
        ("ann:secret@git.example.org", "git.example.org"),
        ("git@git.example.org:group/sub/shop.git", "git.example.org:group/sub/shop.git"),
    ] {
        assert_eq!(address(given), taken, "{given}");
        assert!(!address(given).contains("secret"), "{given}");
        assert_eq!(address(taken), taken, "a second time");
    }
}
