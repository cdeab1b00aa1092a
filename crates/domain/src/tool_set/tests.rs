//! What `tool_set` does, tried.

use rstest::rstest;

use super::*;

#[rstest]
#[case("core", [true, false, false, false, false, false])]
#[case("work", [true, true, false, false, false, false])]
#[case("forge", [false, false, true, false, false, false])]
#[case("terminals", [false, false, false, true, false, false])]
#[case("Core, permissions", [true, false, false, false, true, false])]
#[case("all", [true, true, true, true, true, true])]
fn a_list_of_sets_is_read_and_shows_what_belongs_to_them(#[case] text: &str, #[case] shown: [bool; 6]) {
    let sets: ToolSets = text.parse().expect("sets");
    assert_eq!(ToolSet::ALL.map(|set| sets.show(set)), shown);
    assert_eq!(sets.to_string().parse(), Ok(sets), "written as it is read");
}

#[rstest]
#[case("wrok", "wrok")]
#[case("core,", "")]
#[case("", "")]
fn any_other_name_is_refused(#[case] text: &str, #[case] name: &str) {
    assert_eq!(text.parse::<ToolSets>(), Err(UnknownToolSet(name.to_owned())));
}
