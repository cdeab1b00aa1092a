//! What `discord` does, tried.

use super::*;

#[test]
fn a_target_is_a_role_or_an_agent_of_one() {
    let roster = Settings::defaults().roster([]);
    let role = RoleId::parse("test-engineer").unwrap();
    assert_eq!(whose("role:test-engineer", &roster), Whose::Role { role });
    let agent = AgentId::parse("ann").unwrap();
    assert_eq!(whose("ann", &roster), Whose::Agent { agent, role: None });
}
