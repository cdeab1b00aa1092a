//! What `body` does, tried.

use futures_util::stream;

use super::*;

const GAP: Duration = Duration::from_secs(10);

fn held(body: Body) -> (Held, Verdict) {
    let verdict = Verdict::default();
    (Held::new(body, 8, GAP, verdict.clone()), verdict)
}

fn pieces(texts: &'static [&'static str]) -> Body {
    Body::from_stream(stream::iter(texts.iter().map(|text| Ok::<_, axum::Error>(*text))))
}

#[tokio::test]
async fn a_body_may_be_as_large_as_its_limit_and_not_a_byte_more() {
    let (body, verdict) = held(pieces(&["1234", "5678"]));
    assert_eq!(body.collect().await.unwrap().to_bytes(), "12345678");
    assert_eq!(verdict.get(), None);
    let (body, verdict) = held(pieces(&["1234", "5678", "9"]));
    assert!(body.collect().await.is_err());
    assert_eq!(verdict.get(), Some(BodyFault::TooLarge { limit: 8 }));
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_too_much_is_thrown_away_to_its_end_and_not_for_ever() {
    let began = tokio::time::Instant::now();
    let slowly = |many: usize| {
        Body::from_stream(stream::unfold(0, move |count| async move {
            sleep(Duration::from_secs(1)).await;
            (count < many).then_some((Ok::<_, axum::Error>("12345"), count + 1))
        }))
    };
    let (body, verdict) = held(slowly(5));
    assert!(body.collect().await.is_err());
    assert_eq!(verdict.get(), Some(BodyFault::TooLarge { limit: 8 }));
    assert_eq!(began.elapsed(), Duration::from_secs(6), "its sender could write all of it");
    let (body, verdict) = held(slowly(100));
    assert!(body.collect().await.is_err());
    assert_eq!(verdict.get(), Some(BodyFault::TooLarge { limit: 8 }));
    assert_eq!(began.elapsed(), Duration::from_secs(6 + 2) + SPILL_FOR);
    let (body, _) = held(Body::from_stream(stream::repeat_with(|| Ok::<_, axum::Error>(Bytes::from(vec![0; 65_536])))));
    assert!(body.collect().await.is_err(), "a flood is cut off");
    assert_eq!(began.elapsed(), Duration::from_secs(6 + 2) + SPILL_FOR, "at once");
}

#[tokio::test(start_paused = true)]
async fn a_body_may_pause_a_little_and_not_longer() {
    let slowly = |pause: Duration| {
        Body::from_stream(stream::unfold(0, move |count| async move {
            sleep(pause).await;
            (count < 4).then_some((Ok::<_, axum::Error>("."), count + 1))
        }))
    };
    let (body, verdict) = held(slowly(Duration::from_secs(9)));
    assert_eq!(body.collect().await.unwrap().to_bytes(), "....", "forty seconds in all, and no pause too long");
    assert_eq!(verdict.get(), None);
    let (body, verdict) = held(slowly(Duration::from_secs(11)));
    assert!(body.collect().await.is_err());
    assert_eq!(verdict.get(), Some(BodyFault::TooSlow { gap: GAP }));
}

#[tokio::test(start_paused = true)]
async fn a_reader_may_take_its_time() {
    let (mut body, verdict) = held(pieces(&["1", "2"]));
    while let Some(frame) = body.frame().await {
        frame.unwrap();
        sleep(GAP * 3).await;
    }
    assert_eq!(verdict.get(), None);
}
