//! What `uplink` does, tried.

use super::*;

fn pauses(kinds: impl IntoIterator<Item = Kind>) -> (Vec<u64>, bool) {
    let mut search = Search::default();
    let told = kinds.into_iter().map(|kind| search.pauses_after(kind).as_millis().try_into().unwrap()).collect();
    (told, search.others)
}

#[test]
fn a_hub_that_is_away_is_looked_for_more_and_more_seldom() {
    let (told, others) = pauses([Kind::Lost; 10]);
    assert_eq!(told, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert!(!others);
}

#[test]
fn who_waits_for_another_host_asks_each_second_and_leaves_a_lost_hub_to_that_one() {
    let (told, others) = pauses([Kind::Taken, Kind::Taken, Kind::Taken, Kind::Taken, Kind::Lost, Kind::Lost]);
    assert_eq!(told, [250, 500, 1_000, 1_000, 60_000, 60_000]);
    assert!(others, "and says that it waited");
    assert_eq!(pauses([Kind::Taken, Kind::Lost, Kind::Lost]), (vec![250, 60_000, 60_000], true));
}

#[test]
fn an_agent_that_has_not_registered_is_asked_for_each_second() {
    assert_eq!(pauses([Kind::NotRegistered; 4]), (vec![250, 500, 1_000, 1_000], false));
}
