//! What ships: every key read and explained, the roles and reminders that agents are promised.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::files::{ALL, HUB, Trees};
use crate::schema::{self, sentence_above};
use crate::source::node::{Kind, Node};
use crate::{LoadRequest, ON_CALL, Remind, Settings, load, schemas, settable_variables};

#[test]
fn the_shipped_files_have_no_fault_and_no_warning() {
    let loaded = load(&LoadRequest::default()).unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.settings.hub.listen.to_string(), "127.0.0.1:7420");
    assert!(loaded.settings.permissions.is_empty(), "as shipped, nobody may do anything from Discord");
}

#[test]
fn the_shipped_values_are_the_promised_ones() {
    let hub = Settings::defaults().hub;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    assert_eq!(hub.leases.ttl, minutes(30));
    assert_eq!(hub.leases.ack_within, minutes(5));
    assert_eq!(hub.leases.max_attempts, 3);
    assert_eq!(hub.leases.aging_after, minutes(10));
    assert_eq!(hub.leases.last_holder_hold, Duration::from_secs(30));
    assert_eq!(hub.waits.default, Duration::from_secs(45));
    assert_eq!(hub.waits.max, Duration::from_secs(280));
    assert_eq!(hub.waits.progress_every, Duration::from_secs(10));
    assert_eq!(hub.questions.timeout, minutes(30));
    assert_eq!((hub.limits.mcp_body, hub.limits.api_body), (8 << 20, 64 << 10));
    assert_eq!((hub.limits.requests_per_second, hub.limits.burst), (50, 100));
    assert_eq!((hub.limits.queue_per_agent, hub.limits.queue_total), (1_000, 10_000));
    assert_eq!(hub.limits.delegation_depth, 3);
    assert!(hub.limits.connections > 10_000, "10,000 parked agents hold one connection each");
    assert!(hub.leases.offline_after > hub.waits.max, "an agent in a wait is not offline");
}

/// The paths of a closed map's keys, groups included.
fn keys(node: &Node, path: &str, found: &mut BTreeSet<String>) {
    for entry in node.entries() {
        let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
        keys(&entry.node, &path, found);
        found.insert(path);
    }
}

fn schema_keys(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (key, below) in properties {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        schema_keys(below, &path, found);
        found.insert(path);
    }
}

#[test]
fn every_key_of_hub_yaml_is_read_and_every_key_that_is_read_is_in_hub_yaml() {
    let trees = Trees::defaults().unwrap();
    let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
    keys(&trees.hub, "", &mut written);
    schema_keys(&schema::hub(), "", &mut read);
    assert!(written.len() > 60, "{}", written.len());
    assert_eq!(written, read);
}

#[test]
fn every_key_of_hub_yaml_has_one_sentence() {
    fn check(node: &Node) {
        for entry in node.entries() {
            let line = entry.key_place.line;
            let sentence = sentence_above(HUB.defaults, line).unwrap_or_default();
            assert!(sentence.ends_with('.'), "`{}` on line {line} has no sentence: {sentence:?}", entry.key);
            let first = sentence.chars().next();
            assert!(first.is_some_and(char::is_uppercase), "line {line}: {sentence:?}");
            let ends = sentence.matches(". ").count();
            assert_eq!(ends, 0, "one sentence on line {line}: {sentence:?}");
            check(&entry.node);
        }
    }
    check(&Trees::defaults().unwrap().hub);
}

#[test]
fn roles_are_found_by_id_alias_and_display_name() {
    let roles = Settings::defaults().roles;
    let id = |name: &str| roles.find(name).map(|(id, _)| id.as_str().to_owned());
    for (name, expected) in [
        ("pm", "project-manager"),
        ("coding", "full-stack-engineer"),
        ("testing", "test-engineer"),
        ("orc", "orchestrator"),
        ("PM", "project-manager"),
        ("@FullStack", "full-stack-engineer"),
        (" designer ", "designer"),
        ("ops-engineer", "ops-engineer"),
    ] {
        assert_eq!(id(name).as_deref(), Some(expected), "{name}");
    }
    assert_eq!(id("nobody"), None);
}

#[test]
fn exactly_four_roles_are_reminded_to_reconnect() {
    let roles = Settings::defaults().roles;
    let reminded = |what: Remind| -> Vec<&str> {
        roles.roles.iter().filter(|(_, role)| role.remind.contains(&what)).map(|(id, _)| id.as_str()).collect()
    };
    assert_eq!(
        reminded(Remind::Reconnect),
        ["full-stack-engineer", "orchestrator", "project-manager", "test-engineer"]
    );
    assert!(reminded(Remind::Cleanup).contains(&"full-stack-engineer"));
}

#[test]
fn every_file_has_a_schema_that_knows_the_keys_of_the_file() {
    let schemas = schemas();
    assert_eq!(schemas.len(), ALL.len() + 2);
    for name in ALL.iter().map(|file| file.name).chain([ON_CALL, schema::WORKFLOW]) {
        let schema = &schemas[name];
        assert_eq!(schema["additionalProperties"], Value::Bool(false), "{name}");
        assert_eq!(schema["title"], name);
    }
    let ttl = &schemas["hub.yaml"]["properties"]["leases"]["properties"]["ttl"];
    assert_eq!(ttl["type"], "string");
    assert!(ttl["description"].as_str().unwrap().starts_with("How long an acknowledged task lives"), "{ttl}");
    let role = &schemas["agents.yaml"]["properties"]["roles"]["additionalProperties"]["properties"];
    assert!(role["canDelegateTo"]["description"].is_string(), "{role}");
}

#[test]
fn every_key_of_agents_yaml_is_one_that_the_schema_knows() {
    let trees = Trees::defaults().unwrap();
    let schema = &schemas()["agents.yaml"];
    let known = &schema["properties"]["roles"]["additionalProperties"]["properties"].as_object().unwrap().clone();
    for role in trees.agents.at(&["roles"]).unwrap().entries() {
        let written: BTreeSet<&str> = role.node.entries().iter().map(|entry| entry.key.as_str()).collect();
        let read: BTreeSet<&str> = known.keys().map(String::as_str).collect();
        assert_eq!(written, read, "{}", role.key);
    }
}

#[test]
fn every_scalar_of_hub_yaml_has_a_variable() {
    let variables = settable_variables();
    for (variable, path) in [
        ("CALLBOARD_LISTEN", "listen"),
        ("CALLBOARD_DATA_DIR", "dataDir"),
        ("CALLBOARD_LEASES_TTL", "leases.ttl"),
        ("CALLBOARD_LEASES_ACK_WITHIN", "leases.ackWithin"),
        ("CALLBOARD_TLS_CERT_FILE", "tls.certFile"),
        ("CALLBOARD_BEHIND_PROXY_PUBLIC_URL", "behindProxy.publicUrl"),
        ("CALLBOARD_DISCORD_API_BASE", "discord.apiBase"),
        ("CALLBOARD_FORGE_TOKEN_FILE", "forge.tokenFile"),
    ] {
        assert_eq!(variables.get(variable).map(String::as_str), Some(path));
    }
    fn scalars(node: &Node, path: &str, found: &mut Vec<String>) {
        for entry in node.entries() {
            let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
            match &entry.node.kind {
                Kind::Map(_) => scalars(&entry.node, &path, found),
                Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) | Kind::List(_) => {
                    found.push(path);
                }
            }
        }
    }
    let mut found = Vec::new();
    scalars(&Trees::defaults().unwrap().hub, "", &mut found);
    for path in found {
        assert!(variables.values().any(|known| *known == path), "{path}");
    }
}
