//! The table of deeds, and what a list says of whom.

use rstest::rstest;

use super::{Deed, PersonRights, Right, Whose};
use crate::ids::{AgentId, RoleId};
use crate::routing::{KnownAgent, Roster};
use crate::task::RightsSet;

const RIGHTS: [Right; 4] = [Right::Assign, Right::Answer, Right::Approve, Right::Operate];

fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

fn role(id: &str) -> RoleId {
    RoleId::parse(id).unwrap()
}

fn names(names: &[&str]) -> RightsSet {
    RightsSet::Only(names.iter().map(|name| (*name).to_owned()).collect())
}

fn of(id: &str, in_role: &str) -> Whose {
    Whose::Agent { agent: agent(id), role: Some(role(in_role)) }
}

/// One list for one right, another for the rest.
fn rights<'a>(one: Right, list: &'a RightsSet, rest: &'a RightsSet, deny: &'a RightsSet) -> PersonRights<'a> {
    let of = |right| Some(if right == one { list } else { rest });
    PersonRights {
        assign: of(Right::Assign),
        answer: of(Right::Answer),
        approve: of(Right::Approve),
        operate: of(Right::Operate),
        deny,
    }
}

#[test]
fn each_deed_passes_by_its_own_rights_and_by_no_other() {
    let (everybody, nobody) = (RightsSet::All, RightsSet::none());
    for deed in Deed::ALL {
        for right in RIGHTS {
            let only_this = rights(right, &everybody, &nobody, &nobody);
            let passed = only_this.decide(deed, &of("coder-1", "coder")).is_ok();
            assert_eq!(passed, deed.rights().contains(&right), "{deed:?} by {right:?}");
        }
    }
}

#[test]
fn every_deed_needs_a_right_and_says_what_it_is() {
    let said: std::collections::BTreeSet<&str> = Deed::ALL.into_iter().map(Deed::words).collect();
    assert_eq!(said.len(), Deed::ALL.len());
    assert!(Deed::ALL.into_iter().all(|deed| !deed.rights().is_empty()));
    assert!(Deed::ALL.windows(2).all(|pair| pair[0] < pair[1]), "each once");
}

#[rstest]
#[case::by_id(&["coder-1"], of("coder-1", "coder"), true)]
#[case::by_role(&["coder"], of("coder-1", "coder"), true)]
#[case::another_of_the_role(&["coder-2"], of("coder-1", "coder"), false)]
#[case::a_role_for_whoever_comes(&["coder"], Whose::Role { role: RoleId::parse("coder").unwrap() }, true)]
#[case::one_of_the_role_is_not_the_role(&["coder-1"], Whose::Role { role: RoleId::parse("coder").unwrap() }, false)]
#[case::nobodys_yet(&["coder", "coder-1"], Whose::Anybody, false)]
#[case::everybodys(&["coder", "coder-1"], Whose::Everybody, false)]
fn a_list_reaches_whom_it_names(#[case] list: &[&str], #[case] whose: Whose, #[case] passes: bool) {
    let (list, everybody, nobody) = (names(list), RightsSet::All, RightsSet::none());
    let given = rights(Right::Operate, &list, &everybody, &nobody);
    assert_eq!(given.decide(Deed::CancelTask, &whose).is_ok(), passes);
    let wide = PersonRights { assign: None, answer: None, approve: None, operate: None, deny: &nobody };
    assert_eq!(wide.decide(Deed::CancelTask, &whose), Ok(()), "without a list it reaches everybody");
    let denied = PersonRights { deny: &list, ..wide };
    let no = denied.decide(Deed::CancelTask, &whose);
    // What is everybody's is kept from whoever is kept from anybody.
    assert_eq!(no.is_err(), passes || whose == Whose::Everybody, "{no:?}");
}

#[test]
fn a_refusal_names_who_what_and_the_key_that_says_so() {
    let (list, everybody, nobody) = (names(&["coder-2"]), RightsSet::All, RightsSet::none());
    let uncovered = rights(Right::Approve, &list, &everybody, &nobody).decide(Deed::JudgeWork, &of("coder-1", "coder"));
    let sentence = "may not judge the work of `coder-1`: see `canApprove` in config/people.yaml";
    assert_eq!(uncovered.unwrap_err().to_string(), sentence);
    let deny = names(&["coder"]);
    let denied = rights(Right::Approve, &everybody, &everybody, &deny).decide(Deed::JudgeWork, &of("coder-1", "coder"));
    assert_eq!(denied.unwrap_err().key, "deny");
}

#[test]
fn approving_needs_its_own_list_where_merges_need_an_approval() {
    let (everybody, nobody, others) = (RightsSet::All, RightsSet::none(), names(&["coder-2"]));
    let none = PersonRights { assign: None, answer: None, approve: None, operate: None, deny: &nobody };
    let whose = of("coder-1", "coder");
    let key = |rights: PersonRights<'_>, given| rights.approves(&whose, given).map_err(|no| no.key);
    assert_eq!((key(none, false), key(none, true)), (Ok("canAnswer"), Err("canApprove")));
    let given = PersonRights { approve: Some(&everybody), answer: Some(&nobody), ..none };
    assert_eq!((key(given, false), key(given, true)), (Ok("canApprove"), Ok("canApprove")));
    let to_others = PersonRights { approve: Some(&others), ..none };
    assert_eq!((key(to_others, false), key(to_others, true)), (Err("canApprove"), Err("canApprove")));
    // Without a list of its own it follows what may be answered.
    let answers_others = PersonRights { answer: Some(&others), ..none };
    assert_eq!((key(answers_others, false), key(answers_others, true)), (Err("canApprove"), Err("canApprove")));
    let denied = PersonRights { deny: &everybody, ..given };
    assert_eq!((key(denied, false), key(denied, true)), (Err("deny"), Err("deny")));
}

#[rstest]
#[case::nothing_denied(RightsSet::All, &[], RightsSet::All)]
#[case::a_role(RightsSet::All, &["tester"], names(&["coder", "loner"]))]
#[case::one_of_a_role(RightsSet::All, &["coder-1"], names(&["coder-2", "tester", "loner"]))]
#[case::one_who_was_named(names(&["coder-1", "tester"]), &["coder-1"], names(&["tester"]))]
#[case::by_the_role_of_one_who_was_named(names(&["coder-1", "tester"]), &["coder"], names(&["tester"]))]
#[case::somebody_else(names(&["coder"]), &["tester"], names(&["coder"]))]
#[case::all_of_them(names(&["coder"]), &["coder", "coder-1"], names(&[]))]
fn what_is_denied_is_taken_out_by_id_and_by_role(
    #[case] given: RightsSet,
    #[case] denied: &[&str],
    #[case] left: RightsSet,
) {
    let known = |id: &str, in_role: Option<&str>| {
        (agent(id), KnownAgent { display_name: id.to_owned(), role: in_role.map(role) })
    };
    let agents = [
        known("coder-1", Some("coder")),
        known("coder-2", Some("coder")),
        known("tester-1", Some("tester")),
        known("loner", None),
    ];
    let roster = Roster { agents: agents.into(), ..Roster::default() };
    let denied = names(denied);
    assert_eq!(given.without(&denied, &roster), left);
    assert!(left.within(&given, &roster), "it only ever shrinks (D1)");
    assert_eq!(given.without(&RightsSet::All, &roster), RightsSet::none());
}
