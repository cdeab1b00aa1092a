//! What `delivered` does, tried.

use futures_util::stream;
use http_body_util::BodyExt as _;

use super::*;

/// The lengths of what a stream of such events comes as, and after which of them it says that it is over.
async fn pieces(events: &[usize]) -> Vec<(usize, bool)> {
    let events: Vec<_> =
        events.iter().map(|length| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; *length]))).collect();
    let mut watched = Watched::new(Body::from_stream(stream::iter(events)), Slot::default());
    let mut pieces = Vec::new();
    while let Some(frame) = watched.frame().await {
        let data = frame.expect("a frame").into_data().expect("data");
        pieces.push((data.len(), http_body::Body::is_end_stream(&watched)));
    }
    pieces
}

#[tokio::test]
async fn the_last_event_of_a_stream_leaves_with_its_end() {
    assert_eq!(pieces(&[3, 5, BREATH]).await, [(3, false), (5, false), (BREATH, true)]);
}

#[tokio::test]
async fn of_a_last_event_that_the_network_would_cut_the_last_piece_leaves_with_the_end() {
    assert_eq!(pieces(&[40_000, 40_000]).await, [(40_000, false), (40_000 - BREATH, false), (BREATH, true)]);
}

#[tokio::test]
async fn what_comes_is_not_kept_back_for_what_may_follow() {
    let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"one"))]);
    let mut watched =
        Watched::new(Body::from_stream(stream::StreamExt::chain(first, stream::pending())), Slot::default());
    let frame = watched.frame().await.expect("a frame").expect("data");
    assert_eq!(frame.into_data().expect("data"), "one");
    assert!(!http_body::Body::is_end_stream(&watched));
}
