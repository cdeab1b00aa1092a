//! What `on_call` does, tried.

use super::*;
use crate::read_yaml;

#[test]
fn a_file_is_read() {
    let text = "hosts:\n  - {client: claude, role: dev}\n  - {command: [./agent.sh], role: dev, max: 1, wrap: []}\n\
                    wrap: [bwrap]\n";
    let file: OnCallFile = read_yaml(ON_CALL, text).unwrap();
    assert_eq!((file.hosts.len(), file.hosts[0].max, file.wrap.as_slice()), (2, 2, &["bwrap".to_owned()][..]));
    assert_eq!(file.hosts[1].wrap.as_deref(), Some(&[][..]), "none, and not the file's");
    let alone: OnCallFile = read_yaml(ON_CALL, "wrap: [bwrap]\n").unwrap();
    assert_eq!((alone.hosts.len(), alone.wrap.len()), (0, 1), "for a host of the command line");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let told = |text| read_yaml::<OnCallFile>(ON_CALL, text).unwrap_err().to_string();
    let wrong = told("hosts:\n  - {client: claude, rôle: dev}\n");
    assert!(wrong.contains("oncall.yaml:2") && wrong.contains("role"), "{wrong}");
    assert!(told("host: []\n").contains("hosts"), "a slip of the pen");
}
