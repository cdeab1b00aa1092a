//! What `sets` does, tried.

use super::*;
use crate::tools::table;

#[test]
fn each_name_in_a_set_is_that_of_a_tool_and_stands_in_one_set_alone() {
    let names: Vec<&str> = CORE.into_iter().chain(WORK).chain(FORGE).chain(TERMINALS).collect();
    let known: BTreeSet<&str> = table().iter().map(|entry| entry.name).collect();
    assert_eq!(names.iter().filter(|name| !known.contains(*name)).count(), 0, "{names:?}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    let rest: Vec<&str> = known.into_iter().filter(|name| set_of(name) == ToolSet::All).collect();
    assert_eq!(rest, ["cleanup_old_sessions"], "what only people may call");
    assert!(LOOP.iter().all(|name| CORE.contains(name)));
}
