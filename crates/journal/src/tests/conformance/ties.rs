//! Sessions are found by what they are tied to outside, without a look at every one of them.

use std::collections::BTreeSet;

use super::TestStore;
use crate::domain::session::{SessionRecord, Tie};
use crate::domain::work_item::WorkItem;
use crate::samples::*;
use crate::{Append, Entry, Record};

pub(super) fn a_session_is_found_by_its_work_item_its_repositories_and_the_tasks_of_its_pull_requests(
    mut bench: impl TestStore,
) {
    let item = |name: &str| WorkItem::parse(name).unwrap();
    for (n, name) in [(1, "fullstack-1"), (2, "fullstack-2"), (3, "fullstack-3")] {
        bench.write(registers(name, n, at(1)));
    }
    let linked = |n, name: &str| {
        let record = Record::Session(SessionRecord::Linked { work_item: item(name) });
        Append::new(at(2), by(), vec![Entry::of_session(&session_id(n), None, None, record)])
    };
    bench.write(linked(1, "Acme/Web#12"));
    bench.write(linked(2, "SHOP-7"));
    let requested = Record::Pull(pull_records().remove(0));
    bench.write(Append::new(at(3), by(), vec![Entry::of_session(&session_id(3), None, None, requested)]));
    let check = |reader: &dyn crate::Reader| {
        let tied = |ties: &[Tie]| -> Vec<String> {
            let found = reader.sessions_tied(&ties.iter().cloned().collect::<BTreeSet<_>>()).unwrap();
            found.iter().map(|session| session.agent.to_string()).collect()
        };
        let pull = &reader.session(&session_id(3)).unwrap().unwrap().pulls[0];
        let repository = Tie::repository(&pull.repository.to_string().to_uppercase());
        assert_eq!(tied(&[Tie::item(&item("acme/web#12"))]), ["fullstack-1"]);
        assert_eq!(tied(&[Tie::item(&item("shop-7"))]), ["fullstack-2"]);
        assert_eq!(
            tied(&[Tie::repository("ACME/web"), Tie::item(&item("SHOP-7"))])[..2],
            ["fullstack-1", "fullstack-2"]
        );
        assert!(tied(&[repository]).contains(&"fullstack-3".to_owned()));
        assert_eq!(tied(&[Tie::task(&task_id(1))]), ["fullstack-3"]);
        assert_eq!(tied(&[Tie::task(&task_id(2)), Tie::repository("acme")]), [""; 0]);
        assert_eq!(tied(&[]), [""; 0]);
    };
    check(bench.reader());
    let bench = bench.reopen();
    check(bench.reader());
}
