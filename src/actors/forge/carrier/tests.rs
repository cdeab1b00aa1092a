//! What `carrier` does, tried.

use super::*;

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response<Bytes> {
    let built =
        headers.iter().fold(Response::builder().status(status), |built, (name, value)| built.header(*name, *value));
    built.body(Bytes::from(body.to_owned())).unwrap()
}

#[test]
fn a_limit_is_known_by_its_words_where_no_header_tells_of_it() {
    let now = Timestamp(1_800_000_000_000);
    let left: &[_] = &[("x-ratelimit-remaining", "4711"), ("x-ratelimit-reset", "1800003000")];
    let used: &[_] = &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000300")];
    let secondary = r#"{"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}"#;
    let of_graph = r#"{"data": null, "errors": [{"type": "RATE_LIMITED", "message": "API limit"}]}"#;
    let of_graph_too = r#"{"errors": [{"message": "You have exceeded a secondary rate limit."}]}"#;
    let title = r#"{"title": "mind the secondary rate limit", "errors": [], "message": "rate limit exceeded"}"#;
    for (status, headers, body, pause) in [
        (403, &[][..], secondary, Some(60)),
        (403, left, secondary, Some(60)),
        (403, &[][..], r#"{"message": "You have triggered an abuse detection mechanism."}"#, Some(60)),
        (403, &[][..], r#"{"message": "Resource not accessible by personal access token"}"#, None),
        (403, left, r#"{"message": "Resource not accessible by personal access token"}"#, None),
        (200, &[][..], of_graph, Some(60)),
        (200, used, of_graph, Some(300)),
        (200, &[][..], of_graph_too, Some(60)),
        (200, &[][..], title, None),
        (429, &[("retry-after", "90")][..], secondary, Some(90)),
    ] {
        let found = match judged(answer(status, headers, body), now) {
            Err(ForgeError::Limited { after }) => Some(after.as_secs()),
            Ok(_) | Err(_) => None,
        };
        assert_eq!(found, pause, "{status} {body}");
    }
}

#[test]
fn a_field_that_is_wrong_is_named_with_what_is_wrong_with_it() {
    let body = r#"{"message": "Validation Failed", "errors": [
            {"resource": "PullRequest", "field": "head", "code": "invalid"},
            {"resource": "PullRequest", "code": "custom", "message": "No commits between main and x"}]}"#;
    let error = judged(answer(422, &[], body), Timestamp(0)).unwrap_err();
    let said = "the forge refuses: Validation Failed: field head: invalid: No commits between main and x (422)";
    assert_eq!(error.to_string(), said);
}
