//! What `statement` does, tried.

use super::*;
use crate::sqlite::schema;

/// Looking one id up among 100,000 costs what it costs among ten.
#[test]
fn the_beginning_of_an_id_is_looked_up_in_an_index() {
    let mut db = Connection::open_in_memory().unwrap();
    schema::create(&mut db).unwrap();
    for kind in [IdKind::Task, IdKind::Session, IdKind::Question, IdKind::Review, IdKind::Workflow] {
        let (table, id) = table_of(kind);
        let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {}", ids_sql(table, id))).unwrap();
        let plan: Vec<String> =
            explain.query_map(["a", "a~", "6"], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert!(plan[0].starts_with(&format!("SEARCH {table} USING ")), "{plan:?}");
        assert!(plan[0].ends_with(&format!("({id}>? AND {id}<?)")), "{plan:?}");
    }
}
