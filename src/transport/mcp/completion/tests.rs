//! What `completion` does, tried.

use super::*;

#[test]
fn a_hundred_names_are_told_and_how_many_there_are() {
    let all = (0..250).rev().map(|number| format!("a{number:03}")).collect();
    let told = fitting(all, "a1");
    assert_eq!((told.values.len(), told.total, told.has_more), (100, Some(100), Some(false)));
    assert_eq!(told.values.first().map(String::as_str), Some("a100"));
    let told = fitting((0..250).map(|number| format!("a{number:03}")).collect(), "");
    assert_eq!((told.values.len(), told.total, told.has_more), (100, Some(250), Some(true)));
}
