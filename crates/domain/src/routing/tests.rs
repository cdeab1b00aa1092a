//! Who is meant, and who may ask whom.

mod queues;

use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::ids::{AgentId, PrincipalId, RoleId, TaskId};
use crate::invariants::d1_rights_shrink;
use crate::samples::plain_task;
use crate::task::{Origin, OriginKind, Priority, RightsSet, Target, TargetWho, TaskSpec};
use crate::time::Timestamp;

fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

fn role(id: &str) -> RoleId {
    RoleId::parse(id).unwrap()
}

fn roster() -> Roster {
    let mut roster = Roster::default();
    for (id, name, aliases) in [
        ("project-manager", "ProjectManager", vec!["pm"]),
        ("full-stack-engineer", "FullStack", vec!["coding"]),
        ("test-engineer", "TestEng", vec!["testing"]),
    ] {
        let aliases = aliases.into_iter().map(str::to_owned).collect();
        roster.roles.insert(role(id), KnownRole { display_name: name.to_owned(), aliases });
    }
    for (id, name, of) in [
        ("pm-1", "Pam", "project-manager"),
        ("fullstack-1", "FullStack", "full-stack-engineer"),
        ("fullstack-2", "FullStack", "full-stack-engineer"),
        ("test-1", "Tess", "test-engineer"),
        ("test-2", "Twin", "test-engineer"),
        ("poet-1", "Twin", "poet"),
    ] {
        roster.agents.insert(agent(id), KnownAgent { display_name: name.to_owned(), role: Some(role(of)) });
    }
    roster
}

fn only(names: &[&str]) -> RightsSet {
    RightsSet::Only(names.iter().map(|name| (*name).to_owned()).collect())
}

fn target(given: &str) -> Result<Target, TargetUnknown> {
    roster().target(given, BTreeSet::new())
}

#[rstest]
#[case::an_id("fullstack-1", "fullstack-1")]
#[case::an_id_in_capitals("FullStack-1", "fullstack-1")]
#[case::a_display_name("Tess", "test-1")]
#[case::a_display_name_with_its_sign("@tess", "test-1")]
#[case::a_name_that_several_share_and_their_role_too("@FullStack", "role:full-stack-engineer")]
#[case::a_role("role:test-engineer", "role:test-engineer")]
#[case::a_role_by_its_alias("role:PM", "role:project-manager")]
#[case::a_role_that_nobody_configured("role:poet", "role:poet")]
#[case::anybody("any", "any")]
fn a_name_means(#[case] given: &str, #[case] meant: &str) {
    assert_eq!(target(given).unwrap().to_string(), meant);
}

#[rstest]
#[case::a_slip("fulstack-1", &["fullstack-1", "fullstack-2", "role:full-stack-engineer"])]
#[case::a_slip_in_a_role("role:tset-engineer", &["role:test-engineer"])]
#[case::a_name_that_two_of_different_roles_share("Twin", &["poet-1", "test-2"])]
#[case::its_beginning("poe", &["poet-1"])]
#[case::too_little_of_its_beginning("te", &[])]
#[case::nobody("zzzzzzzz", &[])]
#[case::nothing("", &[])]
fn a_name_that_means_nobody_brings_the_nearest(#[case] given: &str, #[case] nearest: &[&str]) {
    assert_eq!(target(given).unwrap_err().nearest, nearest);
}

#[test]
fn a_name_that_several_share_is_not_called_unknown() {
    let said = |given: &str| target(given).unwrap_err().to_string();
    let shared = "`@Twin` is the name of several agents: say by its id which one you mean, `poet-1` or `test-2`";
    assert_eq!(said("@Twin"), shared);
    assert!(said("fulstack-1").starts_with("no agent or role is called `fulstack-1`; did you mean `fullstack-1`"));
    assert_eq!(said("zzzzzzzz"), "no agent or role is called `zzzzzzzz`");
}

#[test]
fn rights_name_roles_and_agents() {
    let rights = only(&["test-engineer", "fullstack-1"]);
    let may = |given: &str| rights.allows_target(&target(given).unwrap(), &roster());
    assert!(may("test-1") && may("role:testing") && may("fullstack-1"));
    assert!(!may("fullstack-2") && !may("role:coding") && !may("pm-1"));
}

#[rstest]
#[case::everybody(RightsSet::All, true)]
#[case::a_role(only(&["test-engineer"]), true)]
#[case::an_agent(only(&["poet-1"]), true)]
#[case::nobody(RightsSet::none(), false)]
#[case::somebody_who_is_not_there(only(&["painter"]), false)]
fn anybody_may_be_asked_for_as_soon_as_the_rights_cover_somebody(#[case] rights: RightsSet, #[case] may: bool) {
    assert_eq!(rights.allows_target(&target("any").unwrap(), &roster()), may);
}

#[test]
fn work_for_anybody_goes_past_those_whom_the_asker_may_not_delegate_to() {
    let candidate = |of: &str| matching::Candidate {
        role: role(of),
        capabilities: BTreeSet::new(),
        repo: None,
        waiting_since: Some(Timestamp(1)),
        last_seen: None,
        only: None,
        reserved: None,
    };
    let task = |within: RightsSet| matching::QueuedTask {
        id: TaskId::parse("task0001").unwrap(),
        target: target("any").unwrap(),
        priority: Priority::Normal,
        created_at: Timestamp(2),
        excluded: BTreeSet::new(),
        within,
        repo: None,
        held_for: None,
    };
    let (now, while_) = (Timestamp(3), std::time::Duration::from_secs(600));
    let mut matching = matching::Matching::new(while_, while_);
    matching.candidate(&agent("fullstack-1"), candidate("full-stack-engineer"));
    let narrow = task(only(&["test-engineer"]));
    matching.enqueue(narrow.clone());
    assert_eq!(matching.agent_for(now, &narrow), None);
    assert_eq!(matching.task_for(now, &agent("fullstack-1")), None);
    assert!(!matching.reachable(&narrow) && matching.reachable(&task(RightsSet::All)));
    matching.candidate(&agent("test-1"), candidate("test-engineer"));
    assert_eq!(matching.agent_for(now, &narrow), Some(agent("test-1")));
    assert_eq!(matching.task_for(now, &agent("test-1")), Some(narrow.id));
    assert_eq!(matching.agent_for(now, &task(RightsSet::All)), Some(agent("fullstack-1")));
}

#[test]
fn an_agent_by_its_id_and_by_its_role_is_the_same_agent() {
    let both = only(&["test-engineer", "pm-1"]).intersect(&only(&["test-1", "full-stack-engineer"]), &roster());
    assert_eq!(both, only(&["test-1"]));
}

#[test]
fn registration_narrows_and_never_widens() {
    let configured = only(&["test-engineer"]);
    let bound = |claim| RightsSet::bound(claim, &configured, &roster());
    assert_eq!(bound(None).granted, configured);
    let wide = only(&["test-engineer", "pm-1"]);
    assert_eq!(bound(Some(&wide)), Bound { granted: configured.clone(), cut: BTreeSet::from(["pm-1".to_owned()]) });
    assert_eq!(bound(Some(&RightsSet::All)).cut, BTreeSet::from(["*".to_owned()]));
    assert_eq!(bound(Some(&RightsSet::All)).granted, configured);
    let narrow = only(&["test-1"]);
    assert_eq!(bound(Some(&narrow)), Bound { granted: narrow.clone(), cut: BTreeSet::new() });
    assert_eq!(RightsSet::named(["testing", "Test-1"], &roster()), only(&["test-engineer", "test-1"]));
    assert_eq!(RightsSet::named(["*"], &roster()), RightsSet::All);
    let free = RightsSet::bound(Some(&wide), &RightsSet::All, &roster());
    assert_eq!(free, Bound { granted: wide, cut: BTreeSet::new() }, "nothing is cut where all is allowed");
    let all = RightsSet::bound(Some(&RightsSet::All), &RightsSet::All, &roster());
    assert_eq!(all, Bound { granted: RightsSet::All, cut: BTreeSet::new() });
}

#[test]
fn rights_are_read_out_by_name() {
    assert_eq!(RightsSet::All.to_string(), "everybody");
    assert_eq!(RightsSet::none().to_string(), "nobody");
    assert_eq!(only(&["test-1", "pm-1"]).to_string(), "`pm-1`, `test-1`");
}

fn origin(kind: OriginKind, id: &str) -> Origin {
    Origin { kind, id: id.to_owned(), display_name: id.to_owned() }
}

fn grant(held: &[&TaskSpec], rights: &RightsSet, to: &str) -> Result<Granted, DelegationRefusal> {
    grant_to(held, rights, &meant(to))
}

fn meant(given: &str) -> Target {
    target(given).unwrap()
}

/// A task that somebody asked of the delegating agent.
fn held(from: &str, depth: u32, rights: RightsSet, excluded: &[&str]) -> TaskSpec {
    let is_agent = from != "operator";
    TaskSpec {
        from: origin(if is_agent { OriginKind::Agent } else { OriginKind::Cli }, from),
        asker: PrincipalId::parse(&if is_agent { format!("agent:{from}") } else { from.to_owned() }).unwrap(),
        via: if is_agent { vec![origin(OriginKind::Discord, "ada")] } else { Vec::new() },
        parent: None,
        depth,
        rights,
        excluded: excluded.iter().map(|id| agent(id)).collect(),
        ..plain_task("task0001", Timestamp(0))
    }
}

fn grant_to(held: &[&TaskSpec], rights: &RightsSet, to: &Target) -> Result<Granted, DelegationRefusal> {
    let asker = agent("fullstack-1");
    Delegation { asker: &asker, rights, held, limit: 3 }.grant(to, &roster())
}

#[test]
fn a_task_handed_on_inherits_the_chain() {
    let work = held("pm-1", 1, RightsSet::All, &["pm-1"]);
    let granted = grant(&[&work], &only(&["test-engineer"]), "test-1").unwrap();
    assert_eq!(granted.depth, 2);
    assert_eq!(granted.rights, only(&["test-engineer"]));
    assert_eq!(granted.via.iter().map(|link| link.id.as_str()).collect::<Vec<_>>(), ["ada", "pm-1"]);
    assert_eq!(granted.excluded, BTreeSet::from([agent("pm-1"), agent("fullstack-1")]));
}

#[test]
fn who_asks_from_outside_begins_without_a_chain() {
    let Granted { rights, depth, via, excluded, parent } = Granted::from_outside();
    assert_eq!((rights, depth, via.len(), excluded.len(), parent), (RightsSet::All, 0, 0, 0, None));
}

#[test]
fn an_agent_without_work_begins_a_chain_of_its_own() {
    let granted = grant(&[], &RightsSet::All, "role:testing").unwrap();
    assert_eq!((granted.depth, granted.via.len()), (1, 0));
}

#[rstest]
#[case::the_asker_itself("fullstack-1", "DELEGATION_CYCLE")]
#[case::who_asked_for_the_work("pm-1", "DELEGATION_CYCLE")]
#[case::beyond_the_rights("fullstack-2", "DELEGATION_DENIED")]
fn work_may_not_go_to(#[case] to: &str, #[case] code: &str) {
    let work = held("pm-1", 1, RightsSet::All, &[]);
    assert_eq!(grant(&[&work], &only(&["test-engineer", "project-manager"]), to).unwrap_err().code(), code);
}

#[test]
fn three_hops_are_allowed_and_four_are_not() {
    let at = |depth| grant(&[&held("pm-1", depth, RightsSet::All, &[])], &RightsSet::All, "test-1").map(|g| g.depth);
    assert_eq!(at(2), Ok(3));
    let deep = DelegationRefusal::TooDeep { depth: 4, limit: 3 };
    assert_eq!(deep.code(), "DELEGATION_TOO_DEEP");
    assert_eq!(at(3), Err(deep));
}

#[test]
fn what_any_held_task_forbids_is_forbidden() {
    let (wide, narrow) = (held("operator", 0, RightsSet::All, &[]), held("pm-1", 2, only(&["test-1"]), &[]));
    for order in [[&wide, &narrow], [&narrow, &wide]] {
        assert_eq!(grant(&order, &RightsSet::All, "test-1").unwrap().depth, 3);
        assert_eq!(grant(&order, &RightsSet::All, "test-2").unwrap_err().code(), "DELEGATION_DENIED");
    }
    let newest_last = grant(&[&narrow, &wide], &RightsSet::All, "test-1").unwrap();
    assert_eq!(newest_last.via, [wide.from]);
}

fn any_rights() -> impl Strategy<Value = RightsSet> {
    let names = ["pm-1", "fullstack-1", "test-1", "test-2", "project-manager", "test-engineer", "full-stack-engineer"];
    let only = proptest::sample::subsequence(names.to_vec(), 0..=names.len()).prop_map(|names| only(&names));
    prop_oneof![1 => Just(RightsSet::All), 6 => only]
}

proptest! {
    #[test]
    fn rights_shrink_along_a_chain_and_no_more_than_they_must(chain in proptest::collection::vec(any_rights(), 1..5)) {
        let roster = roster();
        let effective = chain.iter().fold(RightsSet::All, |left, link| left.intersect(link, &roster));
        let links: Vec<&RightsSet> = chain.iter().collect();
        prop_assert_eq!(d1_rights_shrink(&links, &effective, &roster), Ok(()));
        for id in roster.agents.keys() {
            let target = Target { who: TargetWho::Agent(id.clone()), capabilities: BTreeSet::new() };
            let by_all = chain.iter().all(|link| link.allows_target(&target, &roster));
            prop_assert_eq!(effective.allows_target(&target, &roster), by_all);
        }
    }
}

#[test]
fn rights_that_grew_are_seen() {
    let (narrow, wide) = (only(&["test-1"]), only(&["test-engineer"]));
    assert_eq!(d1_rights_shrink(&[&wide], &narrow, &roster()), Ok(()));
    for (link, granted) in [(&narrow, &wide), (&wide, &RightsSet::All)] {
        assert!(d1_rights_shrink(&[link], granted, &roster()).is_err());
    }
}
