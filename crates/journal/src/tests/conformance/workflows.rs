//! Runs of workflows: listed, filtered, page by page.

use super::TestStore;
use crate::domain::ids::{PrincipalId, WorkflowId};
use crate::domain::workflow::run::{RunStatus, WorkflowRecord, WorkflowRun};
use crate::samples::{at, by, workflow, workflow_records};
use crate::{Append, Counted, Entry, PageRequest, ReadError, Row, WorkflowFilter};

/// The run of this number began at so many seconds, and this happened to it.
fn began(bench: &mut impl TestStore, number: u32, seconds: u64, owner: &str, more: &[WorkflowRecord]) -> WorkflowRun {
    let WorkflowRecord::Started { plan, parameters, .. } = workflow_records().remove(0) else { panic!("a beginning") };
    let started = WorkflowRecord::Started {
        owner: PrincipalId::parse(owner).unwrap(),
        plan,
        parameters,
        unsure: Default::default(),
    };
    let id = WorkflowId::parse(&format!("w_0000000{number}")).unwrap();
    let mut run = WorkflowRun::from_started(id, at(seconds), &started).unwrap();
    more.iter().for_each(|record| run.apply(at(seconds + 1), record));
    let entries = [started].into_iter().chain(more.iter().cloned()).map(|record| Entry::of_workflow(&run, record));
    let rows = vec![Row::Workflow(Box::new(run.clone()))];
    bench.write(Append { rows, ..Append::new(at(seconds), by(), entries.collect()) });
    run
}

fn ids(runs: &[WorkflowRun]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str().trim_start_matches("w_0000000")).collect()
}

pub(super) fn runs_are_listed_by_their_beginning_filtered_and_page_by_page(mut bench: impl TestStore) {
    began(&mut bench, 1, 10, "agent:ann", &[WorkflowRecord::Cancelled]);
    began(&mut bench, 2, 20, "person:ada", &[]);
    // Two of one moment: the id decides.
    began(&mut bench, 4, 30, "agent:ann", &[WorkflowRecord::Expired]);
    began(&mut bench, 3, 30, "agent:ann", &[]);
    let bench = bench.reopen();
    let listed = |filter: WorkflowFilter| {
        let found = bench.reader().workflows(&filter, 9).unwrap();
        assert_eq!(bench.reader().count(Counted::Workflows(&filter)), Ok(found.len() as u64));
        ids(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let any = WorkflowFilter::default;
    assert_eq!(listed(any()), ["4", "3", "2", "1"]);
    assert_eq!(listed(WorkflowFilter { states: vec![RunStatus::Working], ..any() }), ["3", "2"]);
    let over = vec![RunStatus::Cancelled, RunStatus::Expired];
    assert_eq!(listed(WorkflowFilter { states: over, ..any() }), ["4", "1"]);
    let ada = Some(PrincipalId::parse("person:ada").unwrap());
    assert_eq!(listed(WorkflowFilter { owner: ada, ..any() }), ["2"]);
    assert_eq!(listed(WorkflowFilter { name: Some(workflow().plan.name), ..any() }).len(), 4);
    assert_eq!(listed(WorkflowFilter { name: Some("other".to_owned()), ..any() }), [""; 0]);
    let (mut cursor, mut pages) = (None, Vec::new());
    loop {
        let page = bench.reader().workflow_page(&any(), &PageRequest { limit: 3, cursor }).unwrap();
        pages.push(ids(&page.items).join(""));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, ["432", "1"]);
    for foreign in ["", "7", "x.w_00000001", "7.'; DROP TABLE workflows"] {
        let page = PageRequest { limit: 2, cursor: Some(foreign.to_owned()) };
        let refused = bench.reader().workflow_page(&any(), &page).map(|page| page.items.len());
        assert_eq!(refused, Err(ReadError::Cursor { given: foreign.to_owned() }));
    }
}
