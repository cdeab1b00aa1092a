//! What `runner` does, tried.

use super::*;

#[test]
fn the_offset_of_a_zone_is_read() {
    let read = ["+0000", "+0530", "-0800", "UTC", "", "+1"].map(offset);
    assert_eq!(read, [Some(0), Some(330), Some(-480), None, None, None]);
}
