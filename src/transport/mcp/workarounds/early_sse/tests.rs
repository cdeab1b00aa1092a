//! What `early_sse` does, tried.

use http::StatusCode;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::*;

fn answers_after(span: Duration, response: fn() -> Response) -> Answering {
    Box::pin(async move {
        sleep(span).await;
        response()
    })
}

fn json(status: StatusCode) -> Response {
    let mut response = Response::new(Body::from("{\"a\":\n1}"));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn events() -> Response {
    let mut response = Response::new(Body::from("data: {}\n\n"));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

async fn text_of(response: Response) -> String {
    let bytes = response.into_body().collect().await.expect("a whole body").to_bytes();
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_at_once_keeps_its_status() {
    let response =
        answer_early(answers_after(Duration::from_millis(900), || json(StatusCode::NOT_FOUND)), Exit::default()).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_begins_within_a_second_and_says_every_ten_that_it_lives() {
    let begun = Instant::now();
    let response = answer_early(answers_after(Duration::from_secs(25), events), Exit::default()).await;
    assert_eq!(begun.elapsed(), TIMEOUT);
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert_eq!(text_of(response).await, ": waiting\n\n: waiting\n\n: waiting\n\ndata: {}\n\n");
    assert_eq!(begun.elapsed(), Duration::from_secs(25));
}

#[tokio::test(start_paused = true)]
async fn streams_that_began_apart_say_at_the_same_moments_that_they_live() {
    let begun = next_beat(Duration::from_secs(1));
    let says = async |after| {
        sleep_until(begun + Duration::from_millis(after)).await;
        let mut body = stream_of(None, Stage::Parked(Parked::new(std::future::pending(), None))).into_body();
        let mut moments = Vec::new();
        for _ in 0..4 {
            body.frame().await.expect("a comment").expect("a frame");
            moments.push(begun.elapsed());
        }
        moments
    };
    let (one, other) = tokio::join!(says(100), says(900));
    assert_eq!((one[0].as_millis(), other[0].as_millis()), (100, 900), "the first one comes at once");
    assert_eq!(one[1..], other[1..], "the others together");
    assert!(one.windows(2).all(|pair| pair[1] - pair[0] <= COMMENT_EVERY), "{one:?}");
}

#[tokio::test(start_paused = true)]
async fn a_late_json_answer_becomes_one_event() {
    let response = answer_early(answers_after(Duration::from_secs(2), || json(StatusCode::OK)), Exit::default()).await;
    assert_eq!(text_of(response).await, ": waiting\n\ndata: {\"a\":1}\n\n");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_may_name_a_session_keeps_its_headers_however_late_it_is() {
    let late = || async {
        sleep(Duration::from_secs(3)).await;
        [("mcp-session-id", "s1")]
    };
    let door = axum::Router::new().fallback(late).layer(axum::middleware::from_fn(early_sse));
    let asked = async |version| {
        let request = Request::post("/").header("mcp-protocol-version", version).body(Body::empty());
        door.clone().oneshot(request.expect("a request")).await.expect("an answer")
    };
    assert_eq!(asked("2025-11-25").await.headers()["mcp-session-id"], "s1");
    assert_eq!(asked("2026-07-28").await.headers()[header::CONTENT_TYPE], "text/event-stream");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_body_drops_the_call() {
    let token = CancellationToken::new();
    let guard = token.clone().drop_guard();
    let answering = Box::pin(async move {
        let _guard = guard;
        std::future::pending::<Response>().await
    });
    let response = answer_early(answering, Exit::default()).await;
    assert!(!token.is_cancelled());
    drop(response);
    assert!(token.is_cancelled());
}

/// A call that the library lets go after `at`, and that comes to its answer after `span` more.
async fn parks(at: Duration, span: Duration) -> Response {
    let exit = Exit::default();
    let door = exit.clone();
    let answering = Box::pin(async move {
        sleep(at).await;
        let answer = async move {
            sleep(span).await;
            Bytes::from_static(b"{}")
        };
        door.leave(Parked::new(answer, None));
        json(StatusCode::IM_A_TEAPOT)
    });
    answer_early(answering, exit).await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_left_the_library_begins_and_says_that_it_lives_like_any_other() {
    let begun = Instant::now();
    let response = parks(Duration::ZERO, Duration::from_secs(25)).await;
    assert_eq!(begun.elapsed(), TIMEOUT);
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert_eq!(text_of(response).await, ": waiting\n\n: waiting\n\n: waiting\n\ndata: {}\n\n");
    assert_eq!(begun.elapsed(), Duration::from_secs(25));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_left_the_library_and_is_soon_answered_needs_no_comment() {
    let begun = Instant::now();
    let response = parks(Duration::ZERO, Duration::from_millis(500)).await;
    assert_eq!(begun.elapsed(), Duration::from_millis(500));
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    assert_eq!(text_of(response).await, "{}");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_leave_the_library_late() {
    let response = parks(Duration::from_secs(3), Duration::from_secs(4)).await;
    assert_eq!(text_of(response).await, ": waiting\n\ndata: {}\n\n");
}
