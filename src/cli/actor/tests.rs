//! What `actor` does, tried.

use super::*;

#[test]
fn a_tree_is_listed_with_each_actor_below_its_supervisor() {
    let tree = json!({"id": "supervisor", "children": [{"id": "a", "children": [{"id": "b"}]}, {"id": "c"}]});
    let mut actors = Vec::new();
    flatten(tree, 0, &mut actors);
    let shown: Vec<_> = actors.iter().map(|actor| (text(actor, "id"), actor["depth"].as_u64())).collect();
    let expected = [("supervisor", 0), ("a", 1), ("b", 2), ("c", 1)];
    assert_eq!(shown, expected.map(|(id, depth)| (id.to_owned(), Some(depth))));
}
