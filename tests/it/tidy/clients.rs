//! The README's table of how long each client waits is `config/clients.yaml`, row by row.

use super::tree;

const BEGIN: &str = "<!-- clients: begin";
const END: &str = "<!-- clients: end -->";

#[test]
fn the_table_of_clients_in_the_readme_says_what_the_configuration_says() {
    let text = |path: &str, name: &str| {
        let found = tree::read(path, &[name]);
        found.into_iter().find(|source| source.path.ends_with(name)).expect("it is there").text
    };
    let (readme, clients) = (text("", "README.md"), text("config", "clients.yaml"));
    let (_, from) = readme.split_once(BEGIN).expect("the README has the table");
    let (shown, _) = from.split_once(END).expect("it ends");
    let shown: Vec<_> = shown.lines().filter(|line| line.starts_with("| `")).collect();
    let meant = rows(&clients);
    assert!(meant.len() > 10, "{meant:?}");
    assert_eq!(shown, meant, "put these rows into the README:\n{}", meant.join("\n"));
}

#[test]
fn a_row_is_read_from_the_names_and_their_fields() {
    let text = "clients:\n  slow:\n    waitCap: 45s\n    progress: true\n    source: a | b\n  fast:\n    waitCap: 5s\n";
    assert_eq!(rows(text), ["| `slow…` | 45s | a \\| b |", "| `fast…` | 5s |  |"]);
}

/// A row for each client, in the order of the file. The name is a beginning of those that clients declare.
fn rows(text: &str) -> Vec<String> {
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let indent = line.len() - line.trim_start().len();
        match (indent, key, rows.last_mut()) {
            (2, name, _) => rows.push((name.to_owned(), String::new(), String::new())),
            (4, "waitCap", Some(row)) => value.trim().clone_into(&mut row.1),
            (4, "source", Some(row)) => row.2 = value.trim().replace('|', "\\|"),
            _ => {}
        }
    }
    let shown = |name: &str| if name == "unknown" { "any other".to_owned() } else { format!("{name}…") };
    rows.into_iter().map(|(name, cap, source)| format!("| `{}` | {cap} | {source} |", shown(&name))).collect()
}
