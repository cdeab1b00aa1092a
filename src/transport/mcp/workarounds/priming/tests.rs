//! What `priming` does, tried.

use futures_util::stream;
use http_body_util::BodyExt as _;

use super::*;

#[tokio::test]
async fn only_empty_events_are_left_out() {
    let frames = ["id: 0\nretry: 3000\ndata: \n\n", "data:\n\n", ": waiting\n\n", "data: {}\n\n", "id: 1\ndata: 7\n\n"];
    let frames = stream::iter(frames.map(|frame| Ok::<_, std::io::Error>(Bytes::from(frame))));
    let response = left_out(Response::new(Body::from_stream(frames)));
    let text = response.into_body().collect().await.expect("a whole body").to_bytes();
    assert_eq!(text, ": waiting\n\ndata: {}\n\nid: 1\ndata: 7\n\n");
}
