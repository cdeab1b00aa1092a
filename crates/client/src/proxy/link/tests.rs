//! What `link` does, tried.

use super::*;

#[test]
fn a_pause_is_never_longer_than_said_and_never_shorter_than_its_half() {
    for _ in 0..1_000 {
        let pause = jittered(Duration::from_secs(4));
        assert!(pause >= Duration::from_secs(2) && pause <= Duration::from_secs(4), "{pause:?}");
    }
}
