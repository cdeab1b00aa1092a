//! What `sse` does, tried.

use super::*;

async fn read(pieces: Vec<Vec<u8>>) -> Vec<Result<Sse, sse_stream::Error>> {
    let body = reqwest::Body::wrap_stream(stream::iter(pieces.into_iter().map(Ok::<_, io::Error>)));
    events(http::Response::new(body).into()).collect().await
}

#[tokio::test]
async fn an_event_is_complete_at_the_empty_line_wherever_the_bytes_were_cut() {
    let whole = b": still here\r\n\r\nid: 7\nevent: task.created\ndata: a\r\ndata: b\n\nid: 8\n".as_slice();
    for cut in 0..whole.len() {
        let events = read(vec![whole[..cut].to_vec(), whole[cut..].to_vec()]).await;
        let events: Vec<Sse> = events.into_iter().map(Result::unwrap).collect();
        assert_eq!(events, [Sse::default().id("7").event("task.created").data("a\nb")], "cut at {cut}");
    }
}

#[tokio::test]
async fn a_line_without_end_breaks_off() {
    let half = || vec![b'x'; LONGEST_LINE / 2 + 1];
    let events = read(vec![b"data: ".to_vec(), half(), half()]).await;
    assert!(matches!(&events[..], [Err(_)]), "{events:?}");
}
