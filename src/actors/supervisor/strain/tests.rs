//! What `strain` does, tried.

use super::*;

#[test]
fn a_mailbox_is_a_strain_above_four_fifths_of_its_limit() {
    assert_eq!(strain_of_mailbox(80, 100), None);
    assert_eq!(strain_of_mailbox(81, 100), Some(Strain::Mailbox { depth: 81, limit: 100 }));
    assert_eq!(strain_of_mailbox(0, 0), None);
}
