//! The table of how long each client waits in `docs/clients.md` is `config/clients.yaml`, row by row.

use super::tree;

const BEGIN: &str = "<!-- clients: begin";
const END: &str = "<!-- clients: end -->";

#[test]
fn the_table_of_clients_says_what_the_configuration_says() {
    let text = |path: &str, name: &str| {
        let found = tree::read(path, &[name]);
        found.into_iter().find(|source| source.path.ends_with(name)).expect("it is there").text
    };
    let (page, clients) = (text("docs", "clients.md"), text("config", "clients.yaml"));
    let (_, from) = page.split_once(BEGIN).expect("it has the table");
    let (shown, _) = from.split_once(END).expect("it ends");
    let shown: Vec<_> = shown.lines().filter(|line| line.starts_with("| `")).collect();
    let meant = rows(&clients);
    assert!(meant.len() > 10, "{meant:?}");
    assert_eq!(shown, meant, "put these rows into docs/clients.md:\n{}", meant.join("\n"));
}

#[test]
fn a_client_that_cuts_arguments_is_named_on_the_page() {
    let text = |path: &str, name: &str| {
        let found = tree::read(path, &[name]);
        found.into_iter().find(|source| source.path.ends_with(name)).expect("it is there").text
    };
    let (page, clients) = (text("docs", "clients.md"), text("config", "clients.yaml"));
    let mut name = "";
    let mut cuts = Vec::new();
    for line in clients.lines() {
        match line.trim() {
            "promptArguments: cut" => cuts.push(format!("| `{name}…` | cut")),
            row if line.starts_with("  ") && !line.starts_with("   ") => name = row.trim_matches([':', '"']),
            _ => {}
        }
    }
    assert!(!cuts.is_empty(), "Claude Code cuts");
    let missing: Vec<_> = cuts.iter().filter(|row| !page.contains(*row)).collect();
    assert!(missing.is_empty(), "docs/clients.md does not say so: {missing:?}");
}

#[test]
fn a_row_is_read_from_the_names_and_their_fields() {
    let text = "clients:\n  slow:\n    waitCap: 45s\n    waitCapHttp: 90s\n    progress: true\n    \
                wake: stop_hook\n    wakeSince: 1.0.2\n    checked: 2026-11-25\n    measured: 1.0.2\n    \
                source: a | b\n  \"@fast\":\n    waitCap: 5s\n    checked: 2026-10-20\n";
    assert_eq!(
        rows(text),
        [
            "| `slow…` | 45s; 90s over HTTP | stop_hook, 1.0.2 | 2026-11-25, 1.0.2 | a \\| b |",
            "| `@fast…` | 5s |  | no, looked up on 2026-10-20 |  |"
        ]
    );
}

#[derive(Default)]
struct Row {
    name: String,
    cap: String,
    wake: String,
    checked: String,
    measured: Option<String>,
    source: String,
}

impl Row {
    fn shown(&self) -> String {
        let Self { name, cap, wake, checked, measured, source } = self;
        let name = if name == "unknown" { "any other".to_owned() } else { format!("{name}…") };
        let measured = match measured {
            Some(version) => format!("{checked}, {version}"),
            None => format!("no, looked up on {checked}"),
        };
        format!("| `{name}` | {cap} | {wake} | {measured} | {source} |")
    }
}

/// A row for each client, in the order of the file. The name is a beginning of those that clients declare.
fn rows(text: &str) -> Vec<String> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let indent = line.len() - line.trim_start().len();
        let value = value.trim().trim_matches('"').to_owned();
        match (indent, key, rows.last_mut()) {
            (2, name, _) => rows.push(Row { name: name.trim_matches('"').to_owned(), ..Row::default() }),
            (4, "waitCap", Some(row)) => row.cap = value,
            (4, "waitCapHttp", Some(row)) => row.cap.push_str(&format!("; {value} over HTTP")),
            (4, "waitCapWithoutTasks", Some(row)) => {
                row.cap.push_str(&format!("; {value} without the tasks extension"));
            }
            (4, "wake", Some(row)) => row.wake = value,
            (4, "wakeSince", Some(row)) => row.wake.push_str(&format!(", {value}")),
            (4, "checked", Some(row)) => row.checked = value,
            (4, "measured", Some(row)) => row.measured = Some(value),
            (4, "source", Some(row)) => row.source = value.replace('|', "\\|"),
            _ => {}
        }
    }
    rows.iter().map(Row::shown).collect()
}
