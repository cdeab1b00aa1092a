//! What `rest_client` does, tried.

use super::named_in;

#[test]
fn a_path_names_its_repository() {
    assert_eq!(named_in("/repos/acme/web/issues/1").as_deref(), Some("acme/web"));
    assert_eq!(named_in("/api/v1/repos/acme/web").as_deref(), Some("acme/web"));
    assert_eq!(named_in("/repositories/12/issues"), None);
}
