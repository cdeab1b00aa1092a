//! What `stop` does, tried.

use super::*;

#[test]
fn who_has_its_own_mind_about_stopping_is_known() {
    let told = |blocked: &str, ignored: &str, caught: &str| {
        is_left(&format!("Name:\tx\nSigBlk:\t{blocked}\nSigIgn:\t{ignored}\nSigCgt:\t{caught}\n"))
    };
    let (none, stop) = ("0000000000000000", "0000000000080000");
    assert!(told(none, none, "0000000000010000"), "another signal");
    assert!(!told(stop, none, none));
    assert!(!told(none, stop, none));
    assert!(!told(none, none, stop));
    assert!(!is_left("Name:\tx\n"));
}
