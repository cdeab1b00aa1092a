//! What `token` does, tried.

use super::public_id;

#[test]
fn a_public_id_is_read_with_and_without_its_beginning_and_a_token_is_not() {
    assert_eq!(public_id("cb_a_0123abcd4567"), Ok("0123abcd4567".to_owned()));
    assert_eq!(public_id("0123abcd4567"), Ok("0123abcd4567".to_owned()));
    assert!(public_id(&format!("cb_a_0123abcd4567{}", "x".repeat(49))).is_err());
    assert!(public_id("../tokens").is_err());
}
