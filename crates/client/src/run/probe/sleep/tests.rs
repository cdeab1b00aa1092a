//! What `sleep` does, tried.

use super::*;

#[test]
fn a_call_is_read_as_the_kernel_writes_it() {
    let line = "0 0x3 0x7ffc 0x400 0x0 0x0 0x0 0x7ffc1 0x7f2\n";
    assert_eq!(parse(line), Some((0, [3, 0x7ffc, 0x400])));
    assert_eq!(parse("running\n"), None);
    assert_eq!(parse("-1 0x7ffc 0x7f2\n"), None);
}

#[test]
fn who_is_told_by_a_signal_has_it_in_its_flags() {
    assert!(is_async("pos:\t0\nflags:\t0124002\nmnt_id:\t28\n"));
    assert!(!is_async("pos:\t0\nflags:\t0104002\nmnt_id:\t28\n"));
    assert!(!is_async(""));
}

#[test]
fn only_what_waits_for_input_counts() {
    let told = "pos:\t0\nflags:\t02\ntfd:        5 events:       19 data: 5  pos:0 ino:3 sdev:18\n\
                    tfd:        9 events:        4 data: 9\n";
    assert_eq!(watched(told), [5]);
}
