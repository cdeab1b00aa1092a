//! How the server goes about a statement while it knows nothing yet of the size of its tables.

use super::*;
use crate::postgres::batch::Batch;

#[test]
fn no_append_reads_all_rows_of_a_team_for_what_goes_with_it() {
    let (database, folder) = (SERVER.database(""), tempfile::tempdir().unwrap());
    drop(open(&place(&SERVER.url("callboard", &database), folder.path())).unwrap());
    for cut in [None, Some(Seq(1))] {
        let sql = Batch { cut, ..Batch::default() }.sql();
        let nulls = vec!["NULL"; 38].join(", ");
        let plan = SERVER.sql(
            &database,
            &format!(
                "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_mergejoin = off;
                 SET enable_hashjoin = off; PREPARE one AS {sql}; EXPLAIN EXECUTE one({nulls})"
            ),
        );
        let whole: Vec<&str> = plan.lines().filter(|line| line.contains("Cond: (team = ")).collect();
        assert_eq!(whole, [""; 0], "{plan}");
    }
}
