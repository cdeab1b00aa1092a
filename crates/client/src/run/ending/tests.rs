//! What `ending` does, tried.

use std::os::unix::process::ExitStatusExt as _;

use super::*;

#[test]
fn a_code_is_passed_on_and_a_signal_becomes_one() {
    let codes = [0, 7, 255].map(|code| self::code(ExitStatus::from_raw(code << 8)));
    assert_eq!(codes, [0, 7, 255]);
    let signals = [1, 2, 9, 15].map(|signal| code(ExitStatus::from_raw(signal)));
    assert_eq!(signals, [129, 130, 137, 143]);
}
