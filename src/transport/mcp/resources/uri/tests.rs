//! What `uri` does, tried.

use super::*;

#[test]
fn a_name_means_one_thing_and_is_written_in_one_way() {
    let names = [
        "callboard://agents", "callboard://tasks/01m7z6awt0ea", "callboard://tasks/01m7z6awt0ea/result",
        "callboard://sessions/s_01m7z6awt0ea", "callboard://workflows/w_01m7z6awt0ea",
    ];
    for name in names {
        assert_eq!(target(name).map(|target| of(&target)).as_deref(), Some(name));
    }
}

#[test]
fn what_is_nearly_a_name_is_none() {
    let others = [
        "",
        "callboard://",
        "callboard://agents/",
        "callboard://tasks",
        "callboard://tasks/",
        "callboard://tasks/../agents",
        "callboard://tasks/01m7z6awt0ea/",
        "callboard://tasks/01m7z6awt0ea/result/more",
        "callboard://tasks/01M7Z6AWT0EA",
        "callboard://sessions/01m7z6awt0ea",
        "callboard://tasks/01m7z6awt0ea?x",
        "CALLBOARD://agents",
        "file:///etc/passwd",
    ];
    for name in others {
        assert_eq!(target(name), None, "{name}");
    }
}
