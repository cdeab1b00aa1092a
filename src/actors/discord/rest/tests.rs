//! What `rest` does, tried.

use super::*;

#[test]
fn what_answers_a_press_carries_no_token_of_the_bot_and_all_else_does() {
    let by_token = |call: Call<'_>| request(&call, &Value::Null).unwrap().use_authorization_token();
    assert!(!by_token(Call::Answer { interaction: 1, token: "t" }));
    assert!(!by_token(Call::EditAnswer { application: 1, token: "t" }));
    assert!(by_token(Call::Post { channel: 1, file: None }) && by_token(Call::Edit { channel: 1, message: 2 }));
}

#[test]
fn a_refused_token_and_an_expired_press_are_told_apart() {
    let expired = br#"{"code": 50027, "message": "Invalid Webhook Token"}"#;
    assert!(matches!(read(401, expired, false), Err(Fail::No { code: 50_027, .. })));
    assert_eq!(read(401, b"", true), Err(token_refused()));
}

#[tokio::test(start_paused = true)]
async fn the_pauses_after_a_refused_token_grow_to_five_minutes_and_end_with_an_answer() {
    let shared = Shared::new(super::super::memory::Memory::default());
    let mut pauses = Vec::new();
    for _ in 0..8 {
        shared.token_is_refused();
        pauses.push(shared.token_pause().map_or(0, |pause| pause.as_secs()));
    }
    assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
    sleep(Duration::from_secs(300)).await;
    assert_eq!(shared.token_pause(), None);
    shared.token_is_taken();
    shared.token_is_refused();
    assert_eq!(shared.token_pause(), Some(Duration::from_secs(5)));
}
