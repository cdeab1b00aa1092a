//! What is refused: faults with their places, all files at once, and a port that others could listen in on.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rstest::rstest;
use secrecy::ExposeSecret as _;
use tempfile::TempDir;

use super::layers::{loaded, request};
use crate::{FlagValue, LoadRequest, Origins, Settings, TlsSettings, check_bind, check_files, load, secret};

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let (request, _folder) = request(files);
    match load(&request) {
        Ok(_) => panic!("{files:?} was accepted"),
        Err(faults) => faults.list().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn the_faults_of_all_files_are_told_at_once() {
    let faults = faults(&[
        ("hub.yaml", "listn: 127.0.0.1:1\nleases: {ttl: 30}\n"),
        ("agents.yaml", "roles:\n  coder: {displayName: Coder, canDelegateTo: [test-enginer]}\n"),
        ("permissions.yaml", "roles:\n  dev: {canAssignTo: []}\n  dev: {canAssignTo: [\"*\"]}\n"),
        ("clients.yaml", "clients: [\n"),
    ]);
    assert_eq!(faults.len(), 5, "{faults:#?}");
    assert!(faults[0].starts_with("agents.yaml:2:47: `roles.coder.canDelegateTo` names `test-enginer`"), "{faults:#?}");
    assert!(faults[0].contains("did you mean `test-engineer`?"), "{faults:#?}");
    assert!(faults[1].starts_with("clients.yaml:"), "{faults:#?}");
    assert_eq!(faults[2], "hub.yaml:1:1: unknown key `listn`: did you mean `listen`?");
    assert!(faults[3].starts_with("hub.yaml:2:15: `leases.ttl` wants a duration"), "{faults:#?}");
    assert_eq!(faults[4], "permissions.yaml:3:3: `roles.dev` stands here twice: line 2 has it already");
}

#[rstest]
#[case(
    "hub.yaml",
    "listen: localhost\n",
    "hub.yaml:1:9: `listen` wants an address and a port such as `127.0.0.1:7420`"
)]
#[case("hub.yaml", "listen: null\n", "hub.yaml:1:9: `listen` wants text, got nothing")]
#[case("hub.yaml", "waits: {default: 10m}\n", "hub.yaml:1:18: `waits.default` must not be longer than `waits.max`")]
#[case("hub.yaml", "leases: {ttl: 0s}\n", "hub.yaml:1:15: `leases.ttl` must be longer than nothing")]
#[case("hub.yaml", "limits: {mailbox: 0}\n", "hub.yaml:1:19: `limits.mailbox` must be at least 1")]
#[case(
    "hub.yaml",
    "questions: {reminders: [50, 120]}\n",
    "hub.yaml:1:29: `questions.reminders.1` must be a percentage"
)]
#[case("hub.yaml", "tls: {certFile: a.pem}\n", "hub.yaml:1:6: `tls` has a `certFile` and needs its `keyFile`")]
#[case(
    "hub.yaml",
    "behindProxy: {publicUrl: \"https://h\"}\n",
    "`behindProxy` has a `publicUrl` and needs `trustedProxies`"
)]
#[case("hub.yaml", "behindProxy: {trustedProxies: [\"10.0.0.0/8\"]}\n", "needs the `publicUrl` that people use")]
#[case(
    "hub.yaml",
    "behindProxy: {trustedProxies: [\"10.0.0.0/8\"], publicUrl: \"https://h.example/callboard\"}\n",
    "`behindProxy.publicUrl` must be an address without a path, as `https://hub.example`"
)]
#[case(
    "hub.yaml",
    "behindProxy: {trustedProxies: [\"10.0.0.0/8\"], publicUrl: \"https://h.example?x\"}\n",
    "`behindProxy.publicUrl` must be an address without a path"
)]
#[case("hub.yaml", "behindProxy: {trustedProxies: [proxy]}\n", "wants an address or a network such as `10.0.0.0/8`")]
#[case("hub.yaml", "store: sqlite.db\n", "hub.yaml:1:8: `store` must be `postgres://USER@HOST/DATABASE`, or null")]
#[case("hub.yaml", "node: {name: a}\n", "hub.yaml:1:14: `node.name` needs `store`")]
#[case(
    "hub.yaml",
    "store: postgres://ada@localhost/db\nnode: {name: \"A b\"}\n",
    "hub.yaml:2:14: `node.name` must be 1 to 32 lower-case letters"
)]
#[case("hub.yaml", "node: {publicUrl: \"https://h/p\"}\n", "`node.publicUrl` must be an address without a path")]
#[case(
    "hub.yaml",
    "store: postgres://ada@localhost/db\nnode: {name: a}\nmonitor: {roots: [/var/log]}\n",
    "hub.yaml:3:18: `monitor.roots` names folders of this machine"
)]
#[case(
    "hub.yaml",
    "store: postgres://ada@localhost/db\nnode: {name: a}\nforge: {kind: git, repositories: [/srv/git/*]}\n",
    "`forge.repositories` names folders of this machine, and with `node.name` another one may take over"
)]
#[case("hub.yaml", "store: \"postgres://ada:s3cret@localhost/db\"\n", "`store` holds a secret")]
#[case("hub.yaml", "store: postgres://ada@localhost/db?password=s3cret\n", "comes by CALLBOARD_STORE_PASSWORD")]
#[case("hub.yaml", "allowedOrigins: [\"https://h/x\"]\n", "`allowedOrigins.0` must be an origin alone")]
#[case("hub.yaml", "journal: {synchronous: ful}\n", "wants `full` or `normal`, got `ful`: did you mean `full`?")]
#[case("hub.yaml", "log: {level: loud}\n", "hub.yaml:1:14: `log.level` wants `error` or `warn`")]
#[case(
    "hub.yaml",
    "discord: {guilds: [123456789]}\n",
    "`discord.guilds.0` wants text, got the number `123456789`: put it in quotes"
)]
#[case(
    "hub.yaml",
    "discord: {apiBase: \"https://evil.example\"}\n",
    "hub.yaml:1:20: `discord.apiBase` must point to this machine"
)]
#[case("hub.yaml", "discord: {dm: on}\n", "hub.yaml:1:15: `discord.dm` wants `off` or `listed`, got `on`")]
#[case("hub.yaml", "discord: {token: abc}\n", "hub.yaml:1:11: `token` holds a secret: use a `*_FILE` variable")]
#[case("hub.yaml", "forge: {kind: forgejo}\n", "`forge.baseUrl` is needed for this `forge.kind`")]
#[case(
    "hub.yaml",
    "forge: {kind: forgejo, baseUrl: \"http://git.example\"}\n",
    "hub.yaml:1:33: `forge.baseUrl` must begin with `https://`: the token goes there"
)]
#[case(
    "hub.yaml",
    "tracker: {kind: github, baseUrl: \"http://10.0.0.7\", allowPrivate: true}\n",
    "`tracker.baseUrl` must begin with `https://`: the token goes there"
)]
#[case(
    "hub.yaml",
    "webhooks: {out: {ci: {url: ftp://h, secretFile: s}}}\n",
    "`webhooks.out.ci.url` must be an `https://`"
)]
#[case(
    "agents.yaml",
    "agents:\n  a: {role: coderr}\n",
    "agents.yaml:2:13: `agents.a.role` names the unknown role `coderr`"
)]
#[case("agents.yaml", "agents:\n  A B: {role: pm}\n", "`A B` is not an agent id: it must match ^[a-z0-9]")]
#[case(
    "agents.yaml",
    "roles:\n  x: {displayName: X, aliases: [PM]}\n",
    "agents.yaml:2:33: `roles.x.aliases` has `PM`, which means `project-manager`"
)]
#[case(
    "agents.yaml",
    "roles:\n  x: {displayName: X, maxConcurrent: 0}\n",
    "`roles.x.maxConcurrent` must be at least 1"
)]
#[case("agents.yaml", "roles:\n  x: {displayName: X, budget: {perDay: 5 EUR}}\n", "`5 USD`, or `200000 tokens`")]
#[case("agents.yaml", "roles:\n  x: {displayName: X, budget: {perday: 5 USD}}\n", "did you mean `perDay`?")]
#[case("agents.yaml", "roles:\n  x: {displayName: X, remind: [recconect]}\n", "did you mean `reconnect`?")]
#[case(
    "agents.yaml",
    "roles:\n  x: {displayName: X, completion: {minEvidence: proof}}\n",
    "wants `said` or `self_checked`"
)]
#[case(
    "permissions.yaml",
    "roles: {a: {canAssignTo: [], canAsignTo: []}}\n",
    "unknown key `roles.a.canAsignTo`: did you mean `canAssignTo`?"
)]
#[case("permissions.yaml", "users: {ada: {canAssignTo: []}}\n", "wants a Discord id, all digits, got the text `ada`")]
#[case("permissions.yaml", "roles: {\"@dev\": {canAssignTo: []}}\n", "must be a role's id, or its name without `@`")]
#[case(
    "people.yaml",
    "people:\n  a: {discord: \"1\"}\n  b: {discord: \"1\"}\n",
    "people.yaml:3:16: `people.b.discord` is `a`'s already"
)]
#[case(
    "people.yaml",
    "people:\n  anna: {principal: anna}\n",
    "people.yaml:2:21: `people.anna.principal` is nobody's: `anna`; write `operator`, or as `callboard token list` \
     shows it, `person:anna`"
)]
#[case(
    "people.yaml",
    "people:\n  a: {tracker: Ada}\n  b: {tracker: ada}\n",
    "people.yaml:3:16: `people.b.tracker` is `a`'s already"
)]
#[case(
    "people.yaml",
    "people:\n  a: {discord: \"1\", canAprove: []}\n",
    "people.yaml:2:21: unknown key `people.a.canAprove`: did you mean `canApprove`?"
)]
#[case("people.yaml", "people:\n  a: {discord: \"1\", canAnswer: ann}\n", "people.yaml:2:32: `people.a.canAnswer`")]
#[case("patterns.yaml", "prompts: {a: {ends: \"it>\"}}\n", "patterns.yaml:1:14: `prompts.a` lacks `kind`")]
#[case("patterns.yaml", "prompts: {a: {ends: \"it>\", kind: yesno}}\n", "did you mean `yes_no`?")]
#[case(
    "patterns.yaml",
    "prompts:\n  a: {ends: \"> \", kind: text}\n",
    "patterns.yaml:2:13: `prompts.a.ends` must have 3 to 128 characters on one line"
)]
#[case(
    "patterns.yaml",
    "prompts:\n  A b: {ends: \"it>\", kind: text}\n",
    "patterns.yaml:2:3: `prompts.A b` must be a name of small letters, digits, `-` and `_`"
)]
#[case("patterns.yaml", "dangerWords: [drop it, it]\n", "patterns.yaml:1:24: `dangerWords` names `it`")]
#[case("patterns.yaml", "dangerWord: [drop it]\n", "unknown key `dangerWord`: did you mean `dangerWords`?")]
#[case("clients.yaml", "clients: {unknown: null}\n", "`clients.unknown` is missing")]
#[case(
    "clients.yaml",
    "clients: {x: {waitCap: 1s, checked: lately, source: s}}\n",
    "`clients.x.checked` must be a day such as"
)]
#[case(
    "clients.yaml",
    "clients:\n  x: {waitCap: 1s, waitCapHttp: 0s, checked: 2026-11-28, source: s}\n",
    "`clients.x.waitCapHttp` must be longer than nothing"
)]
#[case("workflows/release.yaml", "name: release\nsteps: [\n", "workflows/release.yaml:")]
#[case("workflows", "name: release\n", "workflows: must be a folder of `.yaml` files that can be read")]
#[case("upstreams.yaml", "upstreams: [\n", "upstreams.yaml:")]
#[case("agents.yaml", "unknownRoles: {capability: [a]}\n", "unknown key `unknownRoles.capability`")]
fn a_fault_is_told_with_its_place(#[case] file: &str, #[case] text: &str, #[case] expected: &str) {
    let faults = faults(&[(file, text)]);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].contains(expected), "{faults:#?}");
}

#[test]
fn a_faulty_variable_and_a_faulty_flag_are_named() {
    let request = LoadRequest {
        environment: BTreeMap::from([("CALLBOARD_LEASES_TTL".to_owned(), "soon".to_owned())]),
        flags: vec![FlagValue { flag: "--listen".to_owned(), path: "listen".to_owned(), value: "here".to_owned() }],
        ..LoadRequest::default()
    };
    let error = load(&request).unwrap_err().to_string();
    assert!(error.contains("--listen: `listen` wants an address and a port"), "{error}");
    assert!(error.contains("CALLBOARD_LEASES_TTL: `leases.ttl` wants a duration"), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_a_fault() {
    let request = LoadRequest { config_dir: Some(PathBuf::from("/no/such/folder")), ..LoadRequest::default() };
    assert!(load(&request).unwrap_err().to_string().contains("no such folder"));
}

#[test]
fn what_is_odd_is_a_warning() {
    let (mut request, _folder) = request(&[
        ("agent.yaml", "roles: {}\n"),
        ("permissions.yaml", "roles:\n  dev: {canAssignTo: [full-stack, fs-9]}\n"),
        ("people.yaml", "people:\n  ada: {canAnswer: [fs-9]}\n"),
    ]);
    request.environment = BTreeMap::from([("CALLBOARD_LISTN".to_owned(), "x".to_owned())]);
    let warnings: Vec<String> = load(&request).unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 5, "{warnings:#?}");
    assert!(warnings[0].contains("CALLBOARD_LISTN: nothing reads this variable; did you mean `CALLBOARD_LISTEN`?"));
    assert!(warnings[1].contains("agent.yaml: nothing reads this file; did you mean `agents.yaml`?"));
    assert!(warnings[2].contains("people.yaml:2:3: `people.ada` is nobody on any surface"), "{warnings:#?}");
    assert!(warnings[3].contains("people.yaml:2:21: `people.ada.canAnswer` names `fs-9`"), "{warnings:#?}");
    assert!(warnings[4].contains("permissions.yaml:2:35: `roles.dev.canAssignTo` names `fs-9`"));
}

#[rstest]
#[case::somebody_on_discord_whom_nobody_knows(
    "hub.yaml",
    "discord:\n  roles: {\"123456789012345678\": test-enginer}\n",
    "hub.yaml:2:33: `discord.roles.123456789012345678` names `test-enginer`, which is unknown: did you mean \
     `test-engineer`?"
)]
#[case::nobody_by_default(
    "hub.yaml",
    "discord: {defaultAgent: fs-9}\n",
    "`discord.defaultAgent` names `fs-9`, which is unknown"
)]
#[case::a_folder_on_a_forge(
    "hub.yaml",
    "forge: {kind: github, repositories: [acme/*, /srv/git/*]}\n",
    "hub.yaml:1:46: `forge.repositories.1` names a folder: on a forge it is `owner/name`"
)]
#[case::a_name_without_a_forge(
    "hub.yaml",
    "forge: {repositories: [/srv/git/*, acme/shop]}\n",
    "`forge.repositories.1` names no folder: with `forge.kind: git` it is a whole path, as `/srv/git/*`"
)]
#[case::another_server("upstreams.yaml", "upstreams: {}\n", "`upstreams.yaml` is checked, and nothing uses it yet")]
fn what_nothing_uses_and_whom_nobody_knows_is_a_warning(
    #[case] file: &str,
    #[case] text: &str,
    #[case] expected: &str,
) {
    let warnings: Vec<String> = loaded(&[(file, text)]).warnings.iter().map(ToString::to_string).collect();
    let [warning] = &warnings[..] else { panic!("{warnings:#?}") };
    assert!(warning.contains(expected), "{warning}");
}

#[test]
fn what_says_what_this_version_does_is_no_warning() {
    let here = "forge: {kind: forgejo, baseUrl: \"http://127.0.0.1:3000\", repositories: [acme/*]}\n\
        tracker: {kind: webhook, baseUrl: \"http://10.0.0.7/in\", allowPrivate: true}\n";
    assert_eq!(loaded(&[("hub.yaml", here)]).warnings, []);
    let text = "roles:\n  designer: {completion: {minEvidence: ci}}\n  tailor: {}\n";
    assert_eq!(loaded(&[("agents.yaml", text), ("workflows/README.md", "how to\n")]).warnings, []);
}

#[test]
fn a_port_that_others_could_listen_in_on_is_refused() {
    let mut hub = Settings::defaults().hub;
    assert!(check_bind(&hub, &Origins::new()).is_ok());
    hub.listen = "0.0.0.0:7420".parse().unwrap();
    let error = check_bind(&hub, &Origins::new()).unwrap_err().to_string();
    for word in ["`tls`", "`certFile`", "`keyFile`", "`behindProxy`", "`trustedProxies`", "`publicUrl`"] {
        assert!(error.contains(word), "{error}");
    }
    hub.listen = "[::1]:7420".parse().unwrap();
    assert!(check_bind(&hub, &Origins::new()).is_ok());

    let proxy =
        "listen: 0.0.0.0:7420\nbehindProxy: {trustedProxies: [\"10.0.0.0/8\"], publicUrl: \"https://hub.example\"}\n";
    let mut hub = loaded(&[("hub.yaml", proxy)]).settings.hub;
    assert!(check_bind(&hub, &Origins::new()).is_ok());
    if let Some(proxy) = &mut hub.behind_proxy {
        proxy.trusted_proxies.clear();
        proxy.public_url.clear();
    }
    assert_eq!(check_bind(&hub, &Origins::new()).unwrap_err().list().len(), 2);
    let tls = "listen: 0.0.0.0:7420\ntls: {certFile: a.pem, keyFile: b.pem}\n";
    assert!(check_bind(&loaded(&[("hub.yaml", tls)]).settings.hub, &Origins::new()).is_ok());
}

#[test]
fn whoever_set_the_address_is_named_and_not_always_the_file() {
    let (mut request, _folder) = request(&[("hub.yaml", "listen: 0.0.0.0:1\n")]);
    let said = |request: &LoadRequest| {
        let loaded = load(request).unwrap();
        check_bind(&loaded.settings.hub, &loaded.origins).unwrap_err().to_string()
    };
    assert!(said(&request).contains("hub.yaml:1:"), "{}", said(&request));
    request.environment.insert("CALLBOARD_LISTEN".to_owned(), "0.0.0.0:2".to_owned());
    assert!(said(&request).starts_with("CALLBOARD_LISTEN: `listen: 0.0.0.0:2`"), "{}", said(&request));
    let (flag, path) = ("--listen".to_owned(), "listen".to_owned());
    request.flags.push(FlagValue { flag, path, value: "0.0.0.0:0".to_owned() });
    assert!(said(&request).starts_with("--listen: `listen: 0.0.0.0:0`"), "{}", said(&request));
}

#[test]
fn a_role_without_a_display_name_is_called_by_its_id() {
    let roles = "roles: {data-scientist: {capabilities: [statistics]}}\n";
    let settings = loaded(&[("agents.yaml", roles)]).settings;
    let (id, role) = settings.roles.find("@DataScientist").expect("it is found by that name");
    assert_eq!((id.as_str(), role.display_name.as_str()), ("data-scientist", "DataScientist"));
}

#[test]
fn files_that_everybody_may_write_and_keys_that_everybody_may_read_are_refused() {
    let chmod = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let (request, folder) = request(&[("hub.yaml", "{}\n"), ("key.pem", ""), ("cert.pem", "")]);
    let mut hub = load(&request).unwrap().settings.hub;
    let (hub_yaml, key) = (folder.path().join("hub.yaml"), folder.path().join("key.pem"));
    hub.tls = Some(TlsSettings { cert_file: folder.path().join("cert.pem"), key_file: key.clone() });
    chmod(&key, 0o600);
    chmod(&hub_yaml, 0o644);
    check_files(&hub, Some(folder.path())).unwrap();

    chmod(folder.path(), 0o700);
    chmod(&key, 0o644);
    check_files(&hub, Some(folder.path())).expect("nobody else may enter its folder");
    chmod(folder.path(), 0o755);
    chmod(&hub_yaml, 0o666);
    hub.tls = hub.tls.map(|tls| TlsSettings { cert_file: "/no/such/cert.pem".into(), ..tls });
    let faults = check_files(&hub, Some(folder.path())).unwrap_err();
    let words =
        ["chmod o-w", "`tls.certFile`: failed to read `/no/such/cert.pem`", "`tls.keyFile`: everybody may read"];
    assert_eq!(faults.list().len(), words.len(), "{faults}");
    for word in words {
        assert!(faults.to_string().contains(word), "{faults}");
    }
}

#[test]
fn a_secret_comes_by_variable_or_by_file_and_never_by_both() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, "hunter2\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let by_file = ("X_TOKEN_FILE".to_owned(), path.display().to_string());
    let by_text = ("X_TOKEN".to_owned(), "hunter3".to_owned());
    let get = |pairs: Vec<(String, String)>| secret(&pairs.into_iter().collect(), "X_TOKEN");

    assert!(get(vec![]).unwrap().is_none());
    assert_eq!(get(vec![by_text.clone()]).unwrap().unwrap().expose_secret(), "hunter3");
    assert_eq!(get(vec![by_file.clone()]).unwrap().unwrap().expose_secret(), "hunter2");
    let error = get(vec![by_text, by_file]).unwrap_err().to_string();
    assert!(error.contains("both set") && !error.contains("hunter"), "{error}");
    fs::write(&path, "\n").unwrap();
    assert!(get(vec![("X_TOKEN_FILE".to_owned(), path.display().to_string())]).is_err());
}
