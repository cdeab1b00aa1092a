//! What `trace` does, tried.

use rstest::rstest;

use super::*;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[test]
fn a_trace_that_was_brought_is_read_and_written_alike() {
    let trace = Trace::brought(PARENT, Some("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")).expect("a trace");
    let parent = trace.parent.expect("a parent");
    assert_eq!(format!("00-{}-{parent}-01", trace.id), PARENT);
    assert!(parent.sampled);
    assert_eq!(trace.state.as_deref(), Some("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
    let unsampled = Trace::brought(&PARENT.replace("-01", "-02"), None).expect("a trace");
    assert_eq!((unsampled.parent.map(|parent| parent.sampled), unsampled.state), (Some(false), None));
}

#[test]
fn a_later_version_may_say_more_and_this_one_not() {
    let later = PARENT.replacen("00", "cc", 1);
    assert!(Trace::brought(&later, None).is_some());
    assert!(Trace::brought(&format!("{later}-what-comes-then"), None).is_some());
    assert!(Trace::brought(&format!("{later}x"), None).is_none());
    assert!(Trace::brought(&format!("{PARENT}-more"), None).is_none());
}

#[rstest]
#[case::nothing("")]
#[case::short("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331")]
#[case::no_version("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
#[case::no_trace("00-00000000000000000000000000000000-b7ad6b7169203331-01")]
#[case::no_span("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01")]
#[case::capitals("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01")]
#[case::signs("00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
#[case::other_dashes("00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01")]
#[case::blank(" 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
#[case::a_line("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n{\"level\":\"ERROR\"}")]
#[case::in_the_midst_of_a_letter("00-0af7651916cd43dd8448eb211c8031é9-b7ad6b7169203331-01")]
fn what_is_no_traceparent_is_nothing(#[case] text: &str) {
    assert_eq!(Trace::brought(text, Some("a=1")), None);
}

#[rstest]
#[case::nothing("")]
#[case::no_value("a")]
#[case::an_empty_value("a=")]
#[case::a_capital("A=1")]
#[case::twice("a=1,b=2,a=3")]
#[case::a_line("a=1\nb=2")]
#[case::an_escape("a=\u{1b}[2J")]
#[case::not_ascii("a=é")]
fn what_is_no_tracestate_is_left_out_and_the_trace_stays(#[case] state: &str) {
    let trace = Trace::brought(PARENT, Some(state)).expect("a trace");
    assert_eq!(trace.state, None);
}

#[test]
fn a_state_is_kept_up_to_its_limits() {
    let state = |text: &str| Trace::brought(PARENT, Some(text)).and_then(|trace| trace.state);
    let of = |many: usize| (0..many).map(|number| format!("k{number}=v")).collect::<Vec<_>>().join(",");
    assert!(state(&of(MEMBERS)).is_some());
    assert!(state(&of(MEMBERS + 1)).is_none());
    assert!(state(&format!("a={}", "v".repeat(256))).is_some());
    assert!(state(&format!("a={}", "v".repeat(257))).is_none());
    let wide = |many: usize| (0..many).map(|number| format!("k{number}={}", "v".repeat(200))).collect::<Vec<_>>();
    assert!(state(&wide(2).join(",")).is_some());
    assert!(state(&wide(3).join(",")).is_none());
    assert!(state("fw529a3039@dt=FfAAAA, ,a*b/c=1 2").is_some());
}

#[rstest]
#[case::one("userId=alice", Some("userId"))]
#[case::properties("serverNode = DF%2028 ; secret ;p=1, isProduction=false", Some("serverNode,isProduction"))]
#[case::nothing("", None)]
#[case::no_value("userId", None)]
#[case::no_token("user id=1", None)]
#[case::a_line("a=1\r\nb=2", None)]
#[case::an_escape("a=1;\u{1b}]0;x", None)]
#[case::a_quote("a=\"x\"", None)]
fn of_baggage_the_keys_are_kept(#[case] text: &str, #[case] kept: Option<&str>) {
    let trace = Trace::begun(TraceId::of(0)).with_baggage(Some(text));
    assert_eq!(trace.baggage.as_deref(), kept);
    assert_eq!(trace.id.to_string(), format!("{:032x}", 1));
}

#[test]
fn more_baggage_than_anybody_sends_is_none() {
    let kept = |text: String| Trace::begun(TraceId::of(7)).with_baggage(Some(&text)).baggage.is_some();
    let of = |many: usize| (0..many).map(|number| format!("{number}=v")).collect::<Vec<_>>().join(",");
    assert!(kept(of(BAGGAGE.1)));
    assert!(!kept(of(BAGGAGE.1 + 1)));
    assert!(kept(format!("a={}", "v".repeat(BAGGAGE.0 - 2))));
    assert!(!kept(format!("a={}", "v".repeat(BAGGAGE.0 - 1))));
}
