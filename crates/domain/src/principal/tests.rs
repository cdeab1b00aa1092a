//! What `principal` does, tried.

use super::*;

const SCOPES: [Scope; 5] = [Scope::Agent, Scope::Host, Scope::View, Scope::Operate, Scope::Admin];

#[test]
fn a_scope_covers_itself_and_what_is_below_it_and_an_agents_stands_apart() {
    let covered = |have: Scope| -> Vec<String> {
        SCOPES.into_iter().filter(|wanted| have.covers(*wanted)).map(|scope| scope.to_string()).collect()
    };
    assert_eq!(covered(Scope::Agent), ["agent"]);
    assert_eq!(covered(Scope::Host), ["host"]);
    assert_eq!(covered(Scope::View), ["view"]);
    assert_eq!(covered(Scope::Operate), ["view", "operate"]);
    assert_eq!(covered(Scope::Admin), ["view", "operate", "admin"]);
}

#[test]
fn a_principal_may_what_one_of_its_scopes_covers() {
    let agent = AgentId::parse("ann").unwrap();
    let principal = |kind, scopes: &[Scope]| Principal {
        id: PrincipalId::parse("somebody").unwrap(),
        display_name: "Somebody".to_owned(),
        kind,
        scopes: scopes.iter().copied().collect(),
    };
    let worker = principal(PrincipalKind::Agent { agent: agent.clone() }, &[Scope::Agent]);
    assert_eq!(worker.agent(), Some(&agent));
    let (run, task) = (RunId::parse("run_01abcdef").unwrap(), TaskId::parse("01abcdef").unwrap());
    let kind = PrincipalKind::Run { agent: agent.clone(), run: run.clone(), task: task.clone() };
    let on_call = principal(kind, &[Scope::Agent]);
    assert_eq!((on_call.agent(), on_call.run(), worker.run()), (Some(&agent), Some((&run, &task)), None));
    assert_eq!([Scope::Agent, Scope::View].map(|scope| worker.may(scope)), [true, false]);
    let person = principal(PrincipalKind::Person, &[Scope::Agent, Scope::Operate]);
    assert_eq!(person.agent(), None);
    let may = [Scope::Agent, Scope::View, Scope::Admin].map(|scope| person.may(scope));
    assert_eq!(may, [true, true, false]);
    assert!(!principal(PrincipalKind::Service, &[]).may(Scope::View));
}

#[test]
fn a_surface_is_read_as_it_is_written() {
    for surface in Surface::ALL {
        assert_eq!(Surface::parse(surface.as_str()), Some(surface));
        assert_eq!(serde_json::to_value(surface).unwrap(), surface.as_str());
    }
    assert_eq!(Surface::parse("Agent"), None);
}
