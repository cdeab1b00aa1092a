//! What lies over what, where it came from, and what follows for one agent, one task, one wait.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use rstest::rstest;
use tempfile::TempDir;

use crate::domain::agent::{ClientDoor, DeclaredClient};
use crate::domain::ids::{AgentId, PrincipalId, RoleId};
use crate::domain::permission::{Deed, Whose};
use crate::domain::samples::plain_task;
use crate::domain::task::{OnTimeout, RightsSet, TaskSpec};
use crate::domain::time::{Millis, Timestamp};
use crate::{FlagValue, LoadRequest, Loaded, Settings, load};

/// A request over a folder of the given files.
pub(super) fn request(files: &[(&str, &str)]) -> (LoadRequest, TempDir) {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (LoadRequest { config_dir: Some(folder.path().to_owned()), ..LoadRequest::default() }, folder)
}

pub(super) fn loaded(files: &[(&str, &str)]) -> Loaded {
    let (request, _folder) = request(files);
    load(&request).unwrap()
}

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn files_go_over_defaults_variables_over_files_and_flags_over_all() {
    let hub = "listen: 127.0.0.1:1\nleases:\n  ttl: 1h\n  ackWithin: 1m\n  maxAttempts: 7\n";
    let (mut request, _folder) = request(&[("hub.yaml", hub)]);
    request.environment = environment(&[("CALLBOARD_LISTEN", "127.0.0.1:2"), ("CALLBOARD_LEASES_ACK_WITHIN", "2m")]);
    request.flags =
        vec![FlagValue { flag: "--listen".to_owned(), path: "listen".to_owned(), value: "127.0.0.1:3".to_owned() }];
    let loaded = load(&request).unwrap();

    let hub = &loaded.settings.hub;
    assert_eq!(hub.listen.port(), 3);
    assert_eq!(hub.leases.ack_within, Duration::from_secs(120));
    assert_eq!(hub.leases.ttl, Duration::from_secs(3600));
    assert_eq!(hub.leases.max_attempts, 7);
    assert_eq!(hub.leases.aging_after, Duration::from_secs(600));

    let origin = |path: &str| loaded.origins[path].to_string();
    assert_eq!(origin("listen"), "--listen");
    assert_eq!(origin("leases.ackWithin"), "CALLBOARD_LEASES_ACK_WITHIN");
    assert_eq!(origin("leases.ttl"), "hub.yaml:3:8");
    assert_eq!(origin("leases.agingAfter"), "defaults");
    assert_eq!(origin("roles.designer.displayName"), "defaults");
    let shown = loaded.shown.iter().find(|shown| shown.path == "leases.ttl").unwrap();
    assert_eq!((shown.value.as_str(), shown.origin.as_str()), ("1h", "hub.yaml:3:8"));
}

#[test]
fn variables_carry_numbers_truths_and_lists() {
    let request = LoadRequest {
        environment: environment(&[
            ("CALLBOARD_LIMITS_BURST", "9"),
            ("CALLBOARD_DISCORD_MESSAGE_CONTENT", "false"),
            ("CALLBOARD_ALLOWED_HOSTS", "a.example, b.example"),
            ("CALLBOARD_QUESTIONS_REMINDERS", "10,20"),
            ("CALLBOARD_DISCORD_GUILDS", "123,456"),
            ("CALLBOARD_LEASES_TTL", ""),
            ("CALLBOARD_URL", "http://127.0.0.1:7420"),
            ("PATH", "/bin"),
        ]),
        ..LoadRequest::default()
    };
    let loaded = load(&request).unwrap();
    let hub = &loaded.settings.hub;
    assert_eq!(hub.limits.burst, 9);
    assert!(!hub.discord.message_content);
    assert_eq!(hub.allowed_hosts, ["a.example", "b.example"]);
    assert_eq!(hub.questions.reminders, [10, 20]);
    assert_eq!(hub.discord.guilds.len(), 2);
    assert_eq!(hub.leases.ttl, Duration::from_secs(1800), "an empty variable counts as not set");
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[rstest]
#[case(&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")], "/s/callboard")]
#[case(&[("HOME", "/h/")], "/h/.local/state/callboard")]
#[case(&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")], "/h/.local/state/callboard")]
#[case(&[("CALLBOARD_DATA_DIR", "/d"), ("HOME", "/h")], "/d")]
#[case(&[], "")]
#[case(&[("HOME", "")], "")]
fn the_data_folder_is_found(#[case] pairs: &[(&str, &str)], #[case] expected: &str) {
    let request = LoadRequest { environment: environment(pairs), ..LoadRequest::default() };
    assert_eq!(load(&request).unwrap().settings.hub.data_dir.to_str(), Some(expected));
}

#[test]
fn roles_are_laid_over_key_by_key_and_null_removes_one() {
    let agents = "roles:\n  designer: null\n  full-stack-engineer: {ttl: 2h, canDelegateTo: [pm, Testing]}\n  \
                  reviewer: {displayName: Reviewer, aliases: [Rev]}\nagents:\n  fs-1: {role: coding, ttl: 3h}\n";
    let agents = agents.replace("Testing", "testing");
    let warned = load(&{
        let (request, folder) = request(&[("agents.yaml", &agents)]);
        std::mem::forget(folder);
        request
    });
    let error = warned.unwrap_err();
    // Other roles still name the designer, which is a fault and not a silent loss of a right.
    assert!(error.to_string().contains("`roles.project-manager.canDelegateTo` names `designer`"), "{error}");

    let agents = agents.replace("designer: null", "project-manager: {canDelegateTo: [coding]}\n  designer: null");
    let roles = loaded(&[("agents.yaml", &agents)]).settings.roles;
    assert!(roles.find("designer").is_none());
    let (_, coder) = roles.find("coding").unwrap();
    assert_eq!(coder.ttl, Some(Duration::from_secs(7200)));
    assert_eq!(coder.display_name, "FullStack");
    let ids = ["project-manager", "test-engineer"].map(str::to_owned);
    assert_eq!(coder.can_delegate_to, RightsSet::Only(ids.into()), "aliases become ids");
    assert!(roles.find("REV").is_some());
    assert_eq!(roles.agents.values().next().unwrap().role.as_str(), "full-stack-engineer");
}

fn spec(ttl: Option<u64>, worktree: Option<bool>) -> TaskSpec {
    TaskSpec {
        ttl: ttl.map(|seconds| Millis(seconds * 1000)),
        worktree,
        ..plain_task("abcdefgh12345678", Timestamp(0))
    }
}

#[test]
fn the_task_goes_before_the_agent_the_agent_before_the_role_the_role_before_the_hub() {
    let agents = "roles:\n  designer: {ttl: 2h, worktree: true, onTimeout: escalate}\n\
                  agents:\n  d-1: {role: designer, ttl: 3h, ackWithin: 9s}\n";
    let settings = loaded(&[("agents.yaml", agents)]).settings;
    let agent = AgentId::parse("d-1").unwrap();
    let role = |name: &str| RoleId::parse(name).unwrap();
    let hours = |hours: u64| Millis(hours * 3_600_000);

    let terms = settings.lease_terms(Some(&agent), &role("designer"), &spec(Some(5), Some(false)));
    assert_eq!((terms.ttl, terms.worktree), (Millis(5_000), false));
    let terms = settings.lease_terms(Some(&agent), &role("designer"), &spec(None, None));
    assert_eq!((terms.ttl, terms.ack_within, terms.worktree), (hours(3), Millis(9_000), true));
    assert_eq!(terms.on_timeout, OnTimeout::Escalate);
    assert_eq!(terms.escalate_to.map(|target| target.to_string()).as_deref(), Some("role:project-manager"));
    let terms = settings.lease_terms(None, &role("designer"), &spec(None, None));
    assert_eq!((terms.ttl, terms.ack_within), (hours(2), Millis(300_000)));
    let terms = settings.lease_terms(None, &role("stranger"), &spec(None, None));
    assert_eq!((terms.ttl, terms.max_attempts, terms.worktree), (Millis(1_800_000), 3, false));
    assert_eq!((terms.last_holder_hold, terms.escalate_to), (Millis(30_000), None));
    assert_eq!(terms.role, role("stranger"));
    assert_eq!(settings.max_concurrent(&agent, &role("designer")), 1);
}

#[rstest]
#[case(None, 45)]
#[case(Some("somebody-new"), 45)]
#[case(Some("claude-code"), 280)]
#[case(Some("Claude-Code"), 280)]
#[case(Some("claude-ai"), 45)]
#[case(Some("codex-mcp-client"), 280)]
#[case(Some("gemini-cli-mcp-client"), 280)]
#[case(Some("mcp-client-of-somebody"), 45)]
#[case(Some("copilot-cli"), 280)]
#[case(Some("copilot for JetBrains"), 25)]
#[case(Some("opencode"), 280)]
#[case(Some("@cline/core"), 45)]
#[case(Some("continue-cli-client"), 45)]
#[case(Some("mcp-use"), 280)]
#[case(Some("google-adk"), 4)]
#[case(Some("unknown"), 45)]
fn the_wait_cap_follows_the_beginning_of_the_declared_name(#[case] client: Option<&str>, #[case] seconds: u64) {
    let client = client.map(DeclaredClient::named);
    assert_eq!(Settings::defaults().wait_cap(client.as_ref()), Duration::from_secs(seconds));
}

#[rstest]
#[case::with_a_user_it_declares_tasks("claude-code", ClientDoor::Stdio, true, 100)]
#[case::over_either_door("claude-code", ClientDoor::Http, true, 100)]
#[case::without_one_it_does_not("claude-code", ClientDoor::Http, false, 280)]
#[case::it_bears_little_over_stdio("google-adk", ClientDoor::Stdio, false, 4)]
#[case::and_much_over_http("google-adk", ClientDoor::Http, false, 280)]
#[case::most_rows_are_for_both_doors("@cline/core", ClientDoor::Http, false, 45)]
#[case::and_for_both_kinds("codex", ClientDoor::Stdio, true, 280)]
fn the_wait_cap_follows_the_door_and_the_tasks_where_a_row_tells_them_apart(
    #[case] name: &str,
    #[case] door: ClientDoor,
    #[case] tasks: bool,
    #[case] seconds: u64,
) {
    let client = DeclaredClient::new(name, Some("1"), door, tasks);
    assert_eq!(Settings::defaults().wait_cap(Some(&client)), Duration::from_secs(seconds));
}

#[rstest]
#[case::no_time_is_the_cap_of_the_client(Some("codex-mcp-client"), None, 280)]
#[case::also_of_another(Some("claude-code"), None, 280)]
#[case::and_of_an_impatient_one(Some("google-adk"), None, 4)]
#[case::the_default_is_for_who_is_in_no_row(Some("somebody-new"), None, 45)]
#[case::and_for_who_declares_nothing(None, None, 45)]
#[case::what_was_asked_is_within_the_cap(Some("codex"), Some(1000), 280)]
#[case::and_else_what_was_asked(Some("claude-code"), Some(99), 99)]
#[case::also_of_an_unknown_one(None, Some(99), 45)]
#[case::nothing_is_nothing(None, Some(0), 0)]
fn a_wait_is_what_was_asked_within_the_cap_and_else_the_cap_of_a_known_client(
    #[case] client: Option<&str>,
    #[case] asked: Option<u64>,
    #[case] seconds: u64,
) {
    let client = client.map(DeclaredClient::named);
    let waits = Settings::defaults().wait_for(client.as_ref(), asked.map(Duration::from_secs));
    assert_eq!(waits, Duration::from_secs(seconds));
}

#[test]
fn the_most_that_the_operator_allows_and_the_default_are_for_everybody_else() {
    let seconds = Duration::from_secs;
    let short = loaded(&[("hub.yaml", "waits: {default: 5s, max: 20s}\n")]).settings;
    let [codex, mine, new] = ["codex", "mine-9", "somebody-new"].map(DeclaredClient::named);
    assert_eq!(short.wait_for(Some(&codex), Some(seconds(1000))), seconds(20));
    assert_eq!(short.wait_for(Some(&codex), None), seconds(20));
    assert_eq!(short.wait_for(Some(&new), None), seconds(5));
    let own = "clients:\n  unknown: {waitCap: 30s, checked: 2026-11-25, source: ours}\n  \
               mine: {waitCap: 1m, measured: \"7\", checked: 2026-11-25, source: ours}\n";
    let own = loaded(&[("clients.yaml", own)]).settings;
    assert_eq!(own.wait_for(Some(&mine), None), seconds(60));
    assert_eq!(own.wait_for(Some(&new), None), seconds(30), "no longer than the row for all others");
}

#[test]
fn a_person_may_what_is_listed_and_who_is_not_listed_may_what_the_scope_allows() {
    let text = "people:\n  ada: {principal: \"person:ada\", displayName: Ada L, canApprove: [coding, ops-1]}\n  \
                bob: {principal: \"person:bob\", canAnswer: [], canOperate: [\"*\"]}\n";
    let people = loaded(&[("people.yaml", text)]).settings.people;
    let may = |who: &str, deed, agent: &str, role: &str| {
        let whose = Whose::Agent { agent: AgentId::parse(agent).unwrap(), role: Some(RoleId::parse(role).unwrap()) };
        people.decide(&PrincipalId::parse(who).unwrap(), deed, &whose).is_ok()
    };
    // `coding` is a name of the role `full-stack-engineer`.
    assert!(may("person:ada", Deed::JudgeWork, "fullstack-1", "full-stack-engineer"));
    assert!(may("person:ada", Deed::JudgeWork, "ops-1", "ops-engineer"));
    assert!(!may("person:ada", Deed::JudgeWork, "ops-2", "ops-engineer"));
    assert!(may("person:ada", Deed::AnswerQuestion, "ops-2", "ops-engineer"), "what is not said is not narrowed");
    assert!(!may("person:bob", Deed::AnswerQuestion, "fullstack-1", "full-stack-engineer"));
    assert!(may("person:bob", Deed::RetryTask, "fullstack-1", "full-stack-engineer"));
    assert!(may("operator", Deed::AnswerQuestion, "fullstack-1", "full-stack-engineer"));
    let name = |who: &str| people.display_name(&PrincipalId::parse(who).unwrap());
    assert_eq!((name("person:ada"), name("person:bob"), name("operator")), (Some("Ada L"), Some("bob"), None));
}

#[test]
fn a_person_is_found_by_each_identity() {
    let text = "people:\n  ada: {discord: \"42\", github: Ada-L, principal: \"person:ada\"}\n";
    let settings = loaded(&[("people.yaml", text)]).settings;
    let people = &settings.people;
    assert_eq!(people.by_discord(crate::Snowflake(42)).map(|(name, _)| name), Some("ada"));
    assert_eq!(settings.person_at("github", "ada-l").map(|(name, _)| name), Some("ada"));
    let principal = PrincipalId::parse("person:ada").unwrap();
    assert_eq!(people.by_principal(&principal).map(|(name, _)| name), Some("ada"));
    assert!(settings.person_at("github", "bob").is_none());
}

#[test]
fn a_login_is_its_sources_own() {
    let source = |name: &str, scheme: &str| format!("    {name}: {{scheme: {scheme}, secretFile: /etc/s}}\n");
    let hub = |sources: &[String]| format!("webhooks:\n  in:\n{}", sources.concat());
    let text =
        "people:\n  ada: {github: ada, forge: ada-f, tracker: ada.t}\n  eve: {github: eve, logins: {forge: ada}}\n";
    let named = |hub: &str| {
        let settings = loaded(&[("hub.yaml", hub), ("people.yaml", text)]).settings;
        move |source: &str, login: &str| settings.person_at(source, login).map(|(name, _)| name.to_owned())
    };
    let both = named(&hub(&[source("github", "github"), source("forge", "gitea"), source("board", "standard")]));
    let found = |source, login| both(source, login).unwrap_or_default();
    assert_eq!([found("github", "Ada"), found("forge", "ada-f"), found("board", "ada.t")], ["ada", "ada", "ada"]);
    assert_eq!([found("forge", "ada"), found("forge", "eve"), found("board", "ada")], ["eve", "", ""]);
    // Where none is called `github`, it is the only one of that scheme; of two it is neither.
    let one = named(&hub(&[source("work", "github"), source("forge", "gitea")]));
    assert_eq!(one("work", "ada").as_deref(), Some("ada"));
    let two = named(&hub(&[source("work", "github"), source("home", "github"), source("forge", "gitea")]));
    assert_eq!([two("work", "ada"), two("home", "ada")], [None, None]);
}

#[test]
fn patterns_are_added_by_name_and_taken_away_again() {
    use crate::domain::prompt::PromptKind;
    let text = "prompts:\n  lane: {ends: \"which lane\", kind: choice, choices: [a, b]}\n  gone: null\n\
        dangerWords: [evacuate]\n";
    let patterns = loaded(&[("patterns.yaml", text)]).settings.patterns;
    assert_eq!(patterns.judge("Which lane"), (PromptKind::Choice, false));
    assert_eq!(patterns.judge("Evacuate it? (yes/no)"), (PromptKind::YesNo, true));
    let shown = loaded(&[("patterns.yaml", text)]).shown;
    let lane = shown.iter().find(|shown| shown.path == "patterns.prompts.lane.kind").unwrap();
    assert_eq!((lane.value.as_str(), lane.origin.as_str()), ("choice", "patterns.yaml:2:36"));
}
