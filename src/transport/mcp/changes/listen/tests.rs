//! What `listen` does, tried.

use super::*;

#[test]
fn a_principal_listens_on_so_many_streams_and_no_more_until_one_ends() {
    let book = Listeners::default();
    let who = |name| PrincipalId::parse(name).expect("a principal");
    let mut places: Vec<Listening> = (0..PER_PRINCIPAL).filter_map(|_| book.enters(&who("agent:one"))).collect();
    assert_eq!(places.len(), PER_PRINCIPAL);
    assert!(book.enters(&who("agent:one")).is_none());
    assert!(book.enters(&who("agent:two")).is_some());
    places.pop();
    assert!(book.enters(&who("agent:one")).is_some());
    drop(places);
    assert!(book.with(|book| book.is_empty()), "nobody listens, and somebody is remembered");
}

#[test]
fn what_means_nothing_is_not_accepted_and_what_may_not_be_there_is() {
    let names = ["callboard://tasks/01m7z6awt0ea", "file:///etc/passwd"];
    let asked = SubscriptionFilter::builder().prompts_list_changed().resource_subscriptions(names).build();
    let accepted = accepted(&asked);
    assert_eq!(accepted.resource_subscriptions, Some(vec![names[0].to_owned()]));
    assert_eq!(accepted.prompts_list_changed, Some(true));
    let many = (0..NAMES + 1).map(|number| format!("callboard://tasks/0000{number:04}"));
    let many = SubscriptionFilter::builder().resource_subscriptions(many).build();
    assert_eq!(super::accepted(&many).resource_subscriptions.map(|names| names.len()), Some(NAMES));
}
