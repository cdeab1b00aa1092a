//! What `accepted` does, tried.

use futures_util::stream;
use http_body_util::BodyExt as _;
use rstest::rstest;

use super::*;

#[rstest]
#[case::none(&[], Accepted::Anything)]
#[case::anything(&["*/*"], Accepted::Anything)]
#[case::of_a_browser(&["text/html, application/xhtml+xml, */*;q=0.8"], Accepted::Anything)]
#[case::any_text(&["application/json, text/*"], Accepted::Anything)]
#[case::both(&["application/json, text/event-stream"], Accepted::AsItSays)]
#[case::both_weighed(&["application/json;q=0.5", "TEXT/Event-Stream; q=1"], Accepted::AsItSays)]
#[case::json(&["application/json"], Accepted::Json)]
#[case::json_and_no_stream(&["application/json, text/event-stream;q=0"], Accepted::Json)]
#[case::not_anything(&["application/json, */*;q=0.0"], Accepted::Json)]
#[case::stream(&["text/event-stream"], Accepted::AsItSays)]
#[case::neither(&["text/html"], Accepted::AsItSays)]
fn a_header_is_read(#[case] values: &[&'static str], #[case] wanted: Accepted) {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(header::ACCEPT, HeaderValue::from_static(value));
    }
    let (before, mut of_a_listener) = (headers.clone(), headers.clone());
    assert_eq!(Accepted::of(&Method::POST, &mut headers), wanted);
    if wanted == Accepted::AsItSays {
        assert_eq!(headers, before, "the library reads it");
    } else {
        assert_eq!(headers.get_all(header::ACCEPT).iter().collect::<Vec<_>>(), [BOTH]);
    }
    let listens = Accepted::of(&Method::GET, &mut of_a_listener);
    assert_eq!(listens == Accepted::Anything, wanted == Accepted::Anything, "a stream is no JSON");
}

async fn alone(pieces: Vec<&'static str>) -> String {
    let body = Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, axum::Error>)));
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    let response = Accepted::Json.answered(response);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let bytes = response.into_body().collect().await.expect("a whole body").to_bytes();
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn who_accepts_json_alone_gets_the_answer_alone_however_the_stream_was_cut() {
    let stream = "id: 0\nretry: 3000\ndata:\n\n: waiting\n\ndata: {\"method\":\"notifications/progress\"}\n\n\
                      id: 1\ndata: {\"id\":1,\"result\":{}}\n\n: late\n\n";
    assert_eq!(alone(vec![stream]).await, "{\"id\":1,\"result\":{}}");
    for cut in 1..stream.len() {
        let told = alone(vec![&stream[..cut], &stream[cut..]]).await;
        assert_eq!(told.trim_start(), "{\"id\":1,\"result\":{}}", "cut at {cut}");
    }
    let told = alone(vec![": waiting\n\n", ": waiting\n\n", "data: {\"error\":{}}\n\n"]).await;
    assert_eq!(told, "  {\"error\":{}}", "blanks show that it lives");
}

#[test]
fn any_other_answer_stays_as_it_is() {
    let mut response = Response::new(Body::empty());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    let kind = |response: Response| response.headers()[header::CONTENT_TYPE].clone();
    assert_eq!(kind(Accepted::Anything.answered(response)), "text/event-stream");
}
