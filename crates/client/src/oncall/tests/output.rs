//! What clients print, in order, at a limit, and made to harm.

use std::sync::LazyLock;

use proptest::prelude::*;
use rstest::rstest;

use crate::domain::task::{Limited, RunEnd, Usage, Usd};
use crate::domain::time::Timestamp;
use crate::oncall::judge::{WallClock, judge};
use crate::oncall::output::{OutputReader, Reading, Stream};
use crate::oncall::presets::Preset;

const CLOCK: WallClock = WallClock { now: Timestamp(1_764_331_200_000), ahead: 60 };

fn read(client: &str, out: &str, error: &str) -> Reading {
    read_after(client, Usage::default(), out, error)
}

/// A backslash at the end of a line joins it with the next one, so that long lines fit here.
fn read_after(client: &str, before: Usage, out: &str, error: &str) -> Reading {
    let out = out.replace("\\\n", "");
    let mut reader = OutputReader::new(&Preset::named(client).unwrap(), before);
    // In pieces that end anywhere.
    out.as_bytes().chunks(7).for_each(|bytes| {
        reader.take(Stream::Out, bytes);
    });
    error.as_bytes().chunks(5).for_each(|bytes| {
        reader.take(Stream::Error, bytes);
    });
    reader.finish()
}

fn tokens(input: u64, output: u64, cached: Option<u64>) -> Usage {
    Usage { input_tokens: Some(input), output_tokens: Some(output), cached_tokens: cached, ..Usage::default() }
}

const CLAUDE: &str = r#"{"type":"system","subtype":"init","session_id":"3f1c-a"}
{"type":"assistant","message":{"content":[{"type":"text","text":"Looking."}]},"session_id":"3f1c-a"}
{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"3f1c-a",\
"num_turns":4,"duration_ms":9000,"total_cost_usd":0.0312,\
"usage":{"input_tokens":120,"output_tokens":45,"cache_read_input_tokens":900},"permission_denials":[]}
"#;
const CODEX: &str = r#"{"type":"thread.started","thread_id":"0199-b"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":300,"cached_input_tokens":200,"output_tokens":30}}
"#;
const GEMINI: &str = r#"Loaded cached credentials.
{
  "session_id": "77-c",
  "response": "Done.",
  "stats": {
    "models": {
      "one": { "tokens": { "prompt": 10, "candidates": 2, "cached": 1 } },
      "two": { "tokens": { "prompt": 5, "candidates": 3, "cached": 0 } }
    }
  }
}
"#;
const QWEN: &str = r#"[{"type":"system","session_id":"q-1"},
{"type":"result","is_error":false,"result":"Done.","session_id":"q-1",\
"usage":{"input_tokens":8,"output_tokens":2},"stats":{}}]
"#;
const OPENCODE: &str = r#"{"type":"step_start","sessionID":"ses_1"}
{"type":"text","sessionID":"ses_1","part":{"text":"Looking."}}
{"type":"step_finish","sessionID":"ses_1","part":{"tokens":{"input":10,"output":1,"cache":{"read":4}},"cost":0.001}}
{"type":"text","sessionID":"ses_1","part":{"text":"Done."}}
{"type":"step_finish","sessionID":"ses_1","part":{"tokens":{"input":20,"output":2,"cache":{"read":6}},"cost":0.002}}
"#;
const COPILOT: &str = r#"{"type":"assistant.message","data":{"content":"Done."}}
{"type":"result","sessionId":"c-9","exitCode":0,"usage":{"premiumRequests":1,"sessionDurationMs":4000}}
"#;

const CLAUDE_LIMIT: &str = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":429,\
"api_error_type":"rate_limit_error","terminal_reason":"api_error",\
"result":"API Error: Request rejected (429) · later","session_id":"3f1c-a"}
"#;
const CODEX_LIMIT: &str = r#"{"type":"thread.started","thread_id":"0199-b"}
{"type":"turn.failed","error":{\
"message":"You’ve hit your usage limit. Upgrade or try again at 4:24 PM."}}
"#;
const CODEX_QUOTA: &str = r#"{"type":"turn.failed","error":{\
"message":"Quota exceeded. Check your plan and billing details."}}"#;
const GEMINI_LIMIT: &str = r#"Attempt 1 failed
{
  "error": {
    "type": "Error",
    "message": "You have exhausted your daily quota on this model.",
    "code": 429
  }
}
"#;
const COPILOT_LIMIT: &str = r#"{"type":"session.error","data":{\
"errorType":"rate_limit","statusCode":429,"message":"429 later"}}
{"type":"result","sessionId":"c-9","exitCode":1,"usage":{"premiumRequests":0,"sessionDurationMs":900}}
"#;
const COPILOT_ACP_LIMIT: &str = r#"{"type":"session","sessionId":"c-9"}
{"type":"result","stopReason":"end_turn","text":"Error: 429 later","usage":null,"_meta":null}
"#;
const CODEX_ACP_LIMIT: &str = r#"{"type":"session","sessionId":"0199-b"}
{"type":"error","error":{"code":-32603,"message":"Internal error","method":"session/prompt","data":{\
"message":"You’ve hit your usage limit. Try again at 4:24 PM.","codexErrorInfo":"usageLimitExceeded"}}}
"#;
const CODEX_ACP: &str = r#"{"type":"session","sessionId":"0199-b"}
{"type":"result","stopReason":"cancelled","text":"","usage":{"inputTokens":3,"outputTokens":3,"cachedReadTokens":0}}
{"type":"result","stopReason":"end_turn","text":"Done.","usage":{"inputTokens":1,"outputTokens":2,"cachedReadTokens":1}}
"#;

const CLAUDE_LOGGED_OUT: &str = "Not logged in · Please run /login\n";
const CLAUDE_NO_LOGIN: &str = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":null,\
"result":"Not logged in · Please run /login","session_id":"3f1c-a"}
"#;
const CLAUDE_LONG: &str = r#"{"stop_reason":"stop_sequence","session_id":"3f1c-a","is_error":true,\
"subtype":"success","api_error_status":400,"api_error_type":"invalid_request_error","type":"result",\
"result":"Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2641"}
"#;
const CODEX_NO_LOGIN: &str = r#"{"type":"error","message":"Reconnecting... 5/5 (unexpected status 401 Unauthorized)"}
{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided: scri*ted. \
You can find your API key at https://platform.openai.com/account/api-keys., url: http://127.0.0.1:33287/v1/responses"}}
"#;
const CODEX_NO_KEY: &str = r#"{"type":"turn.failed","error":{"message":"Missing environment variable: `OPENAI_KEY`."}}
"#;
const CODEX_LONG: &str = r#"{"type":"turn.failed","error":{\
"message":"Codex ran out of room in the model's context window. Start a new thread or clear earlier history."}}
"#;
const GEMINI_NO_LOGIN: &str = r#"{
  "session_id": "12e71015-73a2",
  "error": {
    "type": "Error",
    "message": "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
    "code": 41
  }
}
"#;
const GEMINI_LONG: &str = r#"Error when talking to Gemini API Full report available at: /tmp/gemini-client-error.json
    at async Turn.run (file:///usr/lib/gemini-cli/bundle/chunk.js:333001:24) {
  status: 400
}
{
  "session_id": "2bca62eb-6946",
  "error": {
    "type": "Error",
    "message": "{\"error\":{\"message\":\"The input token count exceeds the maximum number of tokens allowed.\"}}",
    "code": 400
  }
}
"#;
const QWEN_NO_LOGIN: &str = r#"[{"type":"system","session_id":"q-1"},\
{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"q-1",\
"error":{"message":"Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey."}}]
"#;
const QWEN_BAD_KEY: &str = r#"Ripgrep not available: spawn rg EACCES. Falling back to built-in grep.
{
  "error": {
    "type": "AlreadyReportedError",
    "message": "[API Error: 401 Incorrect API key provided: scri*ted.]",
    "code": 1
  }
}
"#;
const QWEN_LONG: &str = r#"{
  "error": {
    "type": "AlreadyReportedError",
    "message": "[API Error: 400 This model's maximum context length is 128000 tokens. However, your messages]",
    "code": 1
  }
}
"#;
const OPENCODE_NO_LOGIN: &str = r#"{"type":"error","sessionID":"ses_1",\
"error":{"name":"ProviderAuthError","data":{"providerID":"anthropic","message":"anthropic is not there"}}}
"#;
const OPENCODE_BAD_KEY: &str = r#"{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{\
"message":"Incorrect API key provided: scri*ted.","statusCode":401,"isRetryable":false}}}
"#;
const OPENCODE_LONG: &str = r#"{"type":"error","sessionID":"ses_1",\
"error":{"name":"ContextOverflowError","data":{"message":"Input exceeds context window of this model"}}}
"#;
const COPILOT_NO_LOGIN: &str = "Error: No authentication information found.\n\
Copilot can be authenticated with GitHub using an OAuth Token or a Fine-Grained Personal Access Token.\n";
const COPILOT_BAD_KEY: &str = r#"{"type":"session.error","data":{"errorType":"authentication",\
"message":"Authentication failed with provider at http://127.0.0.1:41619/v1 (HTTP 401)."}}
{"type":"result","sessionId":"c-9","exitCode":1,"usage":{"premiumRequests":0,"sessionDurationMs":2803}}
"#;
const COPILOT_LONG: &str = r#"{"type":"session.error","data":{"errorType":"query","statusCode":400,\
"message":"400 This model's maximum context length is 128000 tokens."}}
"#;
const ACP_NO_LOGIN: &str = r#"{"type":"error","error":{"code":-32000,"message":"Authentication required"}}
"#;
const CODEX_ACP_LONG: &str = r#"{"type":"error","error":{"code":-32603,"message":"Internal error","data":{\
"message":"Codex ran out of room","codexErrorInfo":"contextWindowExceeded"}}}
"#;

#[rstest]
#[case::claude("claude", CLAUDE, "3f1c-a", Usage {
    cost_usd: Some(Usd(31_200)), turns: Some(4), duration_ms: Some(9_000), ..tokens(120, 45, Some(900))
})]
#[case::codex("codex", CODEX, "0199-b", tokens(300, 30, Some(200)))]
#[case::gemini("gemini", GEMINI, "77-c", tokens(15, 5, Some(1)))]
#[case::qwen("qwen", QWEN, "q-1", tokens(8, 2, None))]
#[case::opencode("opencode", OPENCODE, "ses_1", Usage { cost_usd: Some(Usd(3_000)), ..tokens(30, 3, Some(10)) })]
#[case::copilot("copilot", COPILOT, "c-9", Usage { duration_ms: Some(4_000), ..Usage::default() })]
#[case::codex_acp("codex-acp", CODEX_ACP, "0199-b", tokens(4, 5, Some(1)))]
fn an_end_in_order_is_read(#[case] client: &str, #[case] out: &str, #[case] conversation: &str, #[case] usage: Usage) {
    let reading = read(client, out, "a warning\n");
    assert_eq!(reading.conversation.as_deref(), Some(conversation));
    assert_eq!(reading.result.as_deref(), Some("Done."));
    assert_eq!(reading.usage, usage);
    assert_eq!(reading.error, None);
    let preset = Preset::named(client).unwrap();
    assert_eq!(judge(&preset, &reading, Some(0), false, CLOCK), (RunEnd::NoReport, None));
}

#[rstest]
#[case::claude("claude", 1, CLAUDE_LIMIT, "", None)]
#[case::codex("codex", 1, CODEX_LIMIT, "", Some("2025-11-28T15:24:00.000Z"))]
#[case::codex_quota("codex", 1, CODEX_QUOTA, "", None)]
#[case::gemini("gemini", 173, "", GEMINI_LIMIT, None)]
#[case::gemini_by_its_code("gemini", 173, "", "", None)]
#[case::copilot("copilot", 1, COPILOT_LIMIT, "", None)]
#[case::copilot_acp("copilot-acp", 0, COPILOT_ACP_LIMIT, "", None)]
#[case::codex_acp("codex-acp", 1, CODEX_ACP_LIMIT, "", Some("2025-11-28T15:24:00.000Z"))]
fn a_limit_is_read(
    #[case] client: &str,
    #[case] exit: i32,
    #[case] out: &str,
    #[case] error: &str,
    #[case] until: Option<&str>,
) {
    let reading = read(client, out, error);
    let limited = Limited { until: until.map(|until| Timestamp::parse(until).unwrap()), account: None };
    let preset = Preset::named(client).unwrap();
    assert_eq!(judge(&preset, &reading, Some(exit), false, CLOCK), (RunEnd::Limited, Some(limited)), "{reading:?}");
    assert!(reading.usage.is_unknown(), "unknown is not 0: {reading:?}");
    assert_eq!(reading.result, None, "the words of an error are no result");
}

/// What clients print that have no login, or whose conversation is too long: exit code, standard output, errors.
#[rstest]
#[case::claude("claude", 1, "", CLAUDE_LOGGED_OUT, RunEnd::Auth)]
#[case::claude_by_its_result("claude", 1, CLAUDE_NO_LOGIN, "", RunEnd::Auth)]
#[case::claude_long("claude", 1, CLAUDE_LONG, "", RunEnd::Context)]
#[case::codex("codex", 1, CODEX_NO_LOGIN, "", RunEnd::Auth)]
#[case::codex_without_its_key("codex", 1, CODEX_NO_KEY, "", RunEnd::Auth)]
#[case::codex_long("codex", 1, CODEX_LONG, "", RunEnd::Context)]
#[case::gemini("gemini", 41, "", GEMINI_NO_LOGIN, RunEnd::Auth)]
#[case::gemini_by_its_code("gemini", 41, "", "", RunEnd::Auth)]
#[case::gemini_long("gemini", 1, "", GEMINI_LONG, RunEnd::Context)]
#[case::qwen("qwen", 1, QWEN_NO_LOGIN, "", RunEnd::Auth)]
#[case::qwen_by_its_last_lines("qwen", 1, "", QWEN_BAD_KEY, RunEnd::Auth)]
#[case::qwen_long("qwen", 1, "", QWEN_LONG, RunEnd::Context)]
#[case::opencode("opencode", 1, OPENCODE_NO_LOGIN, "", RunEnd::Auth)]
#[case::opencode_by_its_status("opencode", 1, OPENCODE_BAD_KEY, "", RunEnd::Auth)]
#[case::opencode_long("opencode", 1, OPENCODE_LONG, "", RunEnd::Context)]
#[case::copilot("copilot", 1, "", COPILOT_NO_LOGIN, RunEnd::Auth)]
#[case::copilot_by_its_kind("copilot", 1, COPILOT_BAD_KEY, "", RunEnd::Auth)]
#[case::copilot_long("copilot", 1, COPILOT_LONG, "", RunEnd::Context)]
#[case::by_the_protocol("gemini-acp", 1, ACP_NO_LOGIN, "", RunEnd::Auth)]
#[case::codex_by_the_protocol("codex-acp", 1, CODEX_ACP_LONG, "", RunEnd::Context)]
fn an_end_without_a_status_is_known_by_its_words(
    #[case] client: &str,
    #[case] exit: i32,
    #[case] out: &str,
    #[case] error: &str,
    #[case] reason: RunEnd,
) {
    let (reading, preset) = (read(client, out, error), Preset::named(client).unwrap());
    assert_eq!(judge(&preset, &reading, Some(exit), false, CLOCK), (reason, None), "{reading:?}");
    // The same words of an agent that told a result are none of its client's.
    let told = Reading { result: Some(format!("{out}{error}")), ..Reading::default() };
    assert_eq!(judge(&preset, &told, Some(0), false, CLOCK).0, RunEnd::NoReport);
}

#[test]
fn a_limit_in_the_midst_of_work_is_read_with_what_was_used_before_it() {
    let out = COPILOT_ACP_LIMIT.replace(r#""usage":null"#, r#""usage":{"inputTokens":7,"outputTokens":2}"#);
    let (reading, preset) = (read("copilot-acp", &out, ""), Preset::named("copilot-acp").unwrap());
    assert_eq!(judge(&preset, &reading, Some(0), false, CLOCK).0, RunEnd::Limited, "{reading:?}");
    assert_eq!(reading.usage, tokens(7, 2, None));
}

#[test]
fn words_long_before_the_end_are_no_reason() {
    let error = format!("Not logged in\n{}", "going on\n".repeat(30));
    let (reading, preset) = (read("claude", "", &error), Preset::named("claude").unwrap());
    assert_eq!(judge(&preset, &reading, Some(1), false, CLOCK).0, RunEnd::Crashed);
}

#[rstest]
#[case("qwen")]
#[case("opencode")]
fn who_hangs_at_a_limit_says_nothing_and_was_ended(#[case] client: &str) {
    let (reading, preset) = (read(client, "", ""), Preset::named(client).unwrap());
    assert_eq!(reading, Reading::default());
    assert_eq!(judge(&preset, &reading, Some(130), true, CLOCK), (RunEnd::Killed, None));
}

#[test]
fn what_an_agent_says_of_limits_is_no_limit() {
    let out = CODEX.replace("Done.", "You've hit your usage limit: try again at 4:24 PM. 429 rate_limit");
    let (reading, preset) = (read("codex", &out, ""), Preset::named("codex").unwrap());
    assert_eq!(judge(&preset, &reading, Some(0), false, CLOCK), (RunEnd::NoReport, None));
    assert_eq!(judge(&preset, &reading, Some(1), false, CLOCK), (RunEnd::Crashed, None));
}

#[test]
fn an_error_that_something_came_after_is_over() {
    let error = "{\"type\":\"session.error\",\"data\":{\"errorType\":\"rate_limit\"}}\n";
    assert!(read("copilot", &format!("{error}{COPILOT}"), "").error.is_none());
    assert!(read("copilot", &format!("{COPILOT}{error}"), "").error.is_some());
}

#[test]
fn a_resumed_thread_tells_sums_of_which_the_earlier_part_is_known() {
    let before = tokens(250, 10, None);
    assert_eq!(read_after("codex", before, CODEX, "").usage, tokens(50, 20, Some(200)));
    assert_eq!(read_after("gemini", before, GEMINI, "").usage, tokens(15, 5, Some(1)), "these are of the process");
}

#[test]
fn a_line_without_an_end_is_left_out_and_the_next_line_is_read() {
    let mut reader = OutputReader::new(&Preset::named("codex").unwrap(), Usage::default());
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..64 {
        reader.take(Stream::Out, &piece);
        reader.take(Stream::Error, &piece[..64]);
    }
    assert!(!reader.take(Stream::Out, b"\n"));
    assert!(reader.take(Stream::Out, CODEX.as_bytes()), "the conversation is known now");
    let reading = reader.finish();
    assert_eq!((reading.too_long, reading.result.as_deref()), (1, Some("Done.")));

    let mut reader = OutputReader::new(&Preset::named("gemini").unwrap(), Usage::default());
    for _ in 0..8 {
        reader.take(Stream::Out, &piece);
    }
    assert_eq!(reader.finish(), Reading { too_long: 1, ..Reading::default() });
}

#[rstest]
#[case::half("{\"type\":\"thread.started\",\"thread_id\":\"ab")]
#[case::deep(&"[".repeat(100_000))]
#[case::many_beginnings(&"{\n".repeat(100_000))]
#[case::another_kind("{\"thread_id\":7}\n{\"thread_id\":null}\n3\n\"x\"\n")]
#[case::an_option("{\"thread_id\":\"--help\"}\n")]
#[case::hidden("{\"thread_id\":\"ab\u{202e}cd\"}\n")]
#[case::negative("{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":-1,\"output_tokens\":1.5}}")]
fn what_is_no_output_of_the_client_tells_nothing(#[case] out: &str) {
    let nothing = |client: &str, out: &str, error: &str| {
        let reading = read(client, out, error);
        assert_eq!(reading, Reading { last_words: reading.last_words.clone(), ..Reading::default() });
    };
    nothing("codex", out, out);
    nothing("gemini", &out.replace("thread_id", "session_id"), out);
}

#[test]
fn texts_are_cleaned_and_secrets_are_out() {
    let secret = format!("cb_a_{}", "a1".repeat(20));
    let out = CODEX.replace("Done.", &format!("D\u{202e}one \\u001b[31m {secret}"));
    assert_eq!(read("codex", &out, "").result.as_deref(), Some("Done  [secret]"));
}

static PRESETS: LazyLock<[Preset; 6]> = LazyLock::new(|| {
    ["claude", "codex", "gemini", "qwen", "opencode", "copilot"].map(|name| Preset::named(name).unwrap())
});

proptest! {
    #[test]
    fn no_bytes_harm_a_reader(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0_usize..400) {
        for preset in PRESETS.iter() {
            let mut reader = OutputReader::new(preset, Usage::default());
            let (one, other) = bytes.split_at(cut.min(bytes.len()));
            reader.take(Stream::Out, one);
            reader.take(Stream::Error, one);
            reader.take(Stream::Out, other);
            let reading = reader.finish();
            prop_assert!(reading.usage.is_unknown());
        }
    }
}
