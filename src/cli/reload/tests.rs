//! What `reload` does, tried.

use super::*;
use crate::settings::{FlagValue, LoadRequest, load};

fn shown(flags: &[(&str, &str)]) -> Vec<ShownSetting> {
    let flag = |(path, value): &(&str, &str)| {
        let (path, value) = ((*path).to_owned(), (*value).to_owned());
        FlagValue { flag: format!("--{path}"), path, value }
    };
    let request = LoadRequest { flags: flags.iter().map(flag).collect(), ..LoadRequest::default() };
    load(&request).unwrap().shown
}

#[test]
fn what_a_running_hub_does_not_change_is_named() {
    let before = bound(&shown(&[]));
    let changed = [("listen", "127.0.0.1:1"), ("log.format", "json"), ("log.level", "debug"), ("leases.ttl", "1h")];
    let now = bound(&shown(&changed));
    assert_eq!(differ(&before, &now).into_iter().collect::<Vec<_>>(), ["listen", "log.format"]);
    assert!(differ(&now, &now).is_empty());
}

#[test]
fn every_key_that_is_bound_at_the_start_is_a_key() {
    let shown = shown(&[]);
    for key in BOUND_AT_START {
        let known = shown.iter().any(|one| one.path == key || one.path.starts_with(&format!("{key}.")));
        // These two are absent until somebody sets them.
        assert!(known || matches!(key, "tls" | "behindProxy"), "{key}");
    }
}

#[test]
fn of_discord_the_connection_waits_for_a_restart_and_all_else_is_read_as_it_is() {
    let before = bound(&shown(&[]));
    let now = bound(&shown(&[("discord.messageContent", "false"), ("discord.threadPerTask", "false")]));
    assert_eq!(differ(&before, &now).into_iter().collect::<Vec<_>>(), ["discord.messageContent"]);
}

#[test]
fn a_prompt_and_a_workflow_that_change_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    for (below, file) in [("system-prompts", "designer.md"), ("workflows", "fix.yaml")] {
        let before = look(folder.path());
        fs::create_dir(folder.path().join(below)).unwrap();
        fs::write(folder.path().join(below).join(file), "Be brief.").unwrap();
        let written = look(folder.path());
        assert_ne!(written, before, "{file}");
        fs::write(folder.path().join(below).join(file), "Be brief, and kind.").unwrap();
        assert_ne!(look(folder.path()), written, "{file}");
    }
}
