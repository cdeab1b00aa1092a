//! What `outbox` does, tried.

use super::*;
use crate::domain::ids::AgentId;

#[test]
fn what_was_not_kept_is_told_again_in_order() {
    let mut outbox = Outbox::default();
    let run = RunId::parse("run_01abcdef").unwrap();
    let parked = FromHost::Parked { slot: AgentId::parse("fs-1").unwrap() };
    let told = |outbox: &mut Outbox| outbox.again().map(|told| told.number).collect::<Vec<_>>();
    assert_eq!(outbox.put(parked.clone()).number, 1);
    outbox.put(FromHost::Started { run: run.clone(), pid: 7 });
    outbox.put(FromHost::Conversation { run: run.clone(), id: "c1".to_owned() });
    assert_eq!(told(&mut outbox), [2, 3], "a slot may be free no more");
    assert_eq!(outbox.kept(2), Some(FromHost::Started { run, pid: 7 }));
    assert_eq!(outbox.kept(2), None, "kept once");
    assert_eq!(outbox.put(parked).number, 4, "a number is never used again");
    assert_eq!(told(&mut outbox), [3]);
}
