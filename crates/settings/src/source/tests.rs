//! Strict reading: each kind of fault with its line and column, all at once, and no secret in any message.

use std::collections::BTreeMap;
use std::time::Duration;

use rstest::rstest;
use serde::Deserialize;

use super::node::Node;
use super::parse::parse;
use super::read_yaml;
use crate::source_location::{ConfigFault, Layer};
use crate::span::{Span, maybe_span};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sample {
    #[serde(with = "Span")]
    ttl: Duration,
    #[serde(default, deserialize_with = "maybe_span")]
    ack_within: Option<Duration>,
    count: u32,
    #[serde(default)]
    names: Vec<String>,
    mode: Mode,
    #[serde(default)]
    below: BTreeMap<String, Below>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Off,
    Listed,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Below {
    display_name: String,
    #[serde(default)]
    yes: bool,
}

const GOOD: &str = "ttl: 1h30m\ncount: 3\nmode: off\n";

fn faults(text: &str) -> Vec<String> {
    match read_yaml::<Sample>("sample.yaml", text) {
        Ok(value) => panic!("{text:?} was read as {value:?}"),
        Err(faults) => faults.list().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_right_text_is_read() {
    let read: Sample = read_yaml("sample.yaml", GOOD).unwrap();
    assert_eq!(read.ttl, Duration::from_secs(5400));
    assert_eq!(read.mode, Mode::Off);
    assert_eq!(read.ack_within, None);
}

#[rstest]
#[case::unknown_key("ackwithin: 5m\n", "sample.yaml:4:1: unknown key `ackwithin`: did you mean `ackWithin`?")]
#[case::far_key(
    "colour: red\n",
    "sample.yaml:4:1: unknown key `colour`: known here: ttl, ackWithin, count, names, mode, below"
)]
#[case::deep_key(
    "below:\n  a: {displayName: A, yess: true}\n",
    "sample.yaml:5:23: unknown key `below.a.yess`: did you mean `yes`?"
)]
#[case::twice("count: 4\n", "sample.yaml:4:1: `count` stands here twice: line 2 has it already")]
#[case::twice_below(
    "below:\n  a: {displayName: A}\n  a: {displayName: B}\n",
    "sample.yaml:6:3: `below.a` stands here twice: line 5 has it already"
)]
#[case::missing("below:\n  a: {yes: true}\n", "sample.yaml:5:6: `below.a` lacks `displayName`")]
#[case::number_for_text(
    "names: [a, 12]\n",
    "sample.yaml:4:12: `names.1` wants text, got the number `12`: put it in quotes"
)]
#[case::text_for_list("names: a\n", "sample.yaml:4:8: `names` wants a list, got the text `a`")]
#[case::text_for_map("below: 7\n", "sample.yaml:4:8: `below` wants keys and values, got the number `7`")]
#[case::word_for_truth(
    "below:\n  a: {displayName: A, yes: on}\n",
    "sample.yaml:5:28: `below.a.yes` wants `true` or `false`, got the text `on`"
)]
#[case::number_for_span(
    "ackWithin: 30\n",
    "sample.yaml:4:12: `ackWithin` wants a duration such as `30s`, `5m`, `1h30m`, got the number `30`"
)]
#[case::no_span(
    "ackWithin: soon\n",
    "sample.yaml:4:12: `ackWithin` wants a duration such as `30s`, `5m`, `1h30m`, got the text `soon`"
)]
fn each_fault_says_where_and_what_would_be_right(#[case] more: &str, #[case] expected: &str) {
    assert_eq!(faults(&format!("{GOOD}{more}")), [expected]);
}

#[test]
fn every_fault_of_a_text_is_told_at_once() {
    let text = "ttl: never\ncount: -1\nmode: lsited\nnames: {}\nbelow:\n  a: {displayName: 5}\nextra: 1\n";
    assert_eq!(
        faults(text),
        [
            "sample.yaml:1:6: `ttl` wants a duration such as `30s`, `5m`, `1h30m`, got the text `never`",
            "sample.yaml:2:8: `count` wants a whole number from 0 up, got the number `-1`",
            "sample.yaml:3:7: `mode` wants `off` or `listed`, got `lsited`: did you mean `listed`?",
            "sample.yaml:4:8: `names` wants a list, got keys and values",
            "sample.yaml:6:20: `below.a.displayName` wants text, got the number `5`: put it in quotes",
            "sample.yaml:7:1: unknown key `extra`: known here: ttl, ackWithin, count, names, mode, below",
        ]
    );
}

#[rstest]
#[case::unclosed("ttl: [1\n", 2)]
#[case::at_sign("ttl: 1s\nnames: [@dev]\n", 2)]
#[case::tab("ttl:\n\t- a\n", 2)]
#[case::two_documents("ttl: 1s\n---\nttl: 2s\n", 2)]
#[case::merge_key("ttl: &a {x: 1}\nbelow: {<<: *a}\n", 2)]
fn a_text_that_is_no_yaml_is_refused_with_its_line(#[case] text: &str, #[case] line: u32) {
    let error = read_yaml::<Sample>("sample.yaml", text).unwrap_err();
    let [fault] = error.list() else { panic!("{error}") };
    assert!(fault.line.abs_diff(line) <= 1 && fault.line > 0, "{fault}");
    assert!(fault.message.starts_with("not readable as YAML: "), "{fault}");
    assert!(!fault.message.contains('\n'), "{fault}");
}

#[rstest]
#[case::by_key("below:\n  a: {displayName: A, apiKey: hunter2secret}\n", 5)]
#[case::by_shape("names: [x, ghp_0123456789abcdefghijABCDEFGHIJ012345]\n", 4)]
#[case::by_address("names: [\"https://ada:hunter2secret@host.example/\"]\n", 4)]
fn a_secret_is_refused_and_told_to_nobody(#[case] more: &str, #[case] line: u32) {
    let error = read_yaml::<Sample>("sample.yaml", &format!("{GOOD}{more}")).unwrap_err();
    let [fault] = error.list() else { panic!("{error}") };
    assert_eq!(fault.line, line);
    assert!(fault.message.contains("use a `*_FILE` variable or the environment"), "{fault}");
    assert!(!fault.message.contains("hunter2") && !fault.message.contains("ghp_"), "{fault}");
}

#[test]
fn a_key_that_names_a_file_is_no_secret() {
    let error = faults(&format!("{GOOD}tokenFile: /run/secrets/token\n"));
    assert!(error[0].contains("unknown key `tokenFile`"), "{error:?}");
}

#[test]
fn an_alias_bomb_and_a_huge_file_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(", ")));
    }
    assert!(faults(&bomb)[0].contains("not readable as YAML"));
    assert!(faults(&"#\n".repeat(200_000))[0].contains("262144 is the most"));
}

fn tree(layer: Layer, name: &str, text: &str) -> Node {
    let mut faults: Vec<ConfigFault> = Vec::new();
    let tree = parse(layer, name, text, &mut faults).unwrap();
    assert_eq!(faults, []);
    tree
}

#[test]
fn a_layer_goes_over_the_one_below_key_by_key_and_null_removes_an_entry() {
    let mut below = tree(Layer::Defaults, "a.yaml", "x: {a: 1, b: [1, 2], c: {d: 1}}\ny: 2\n");
    below.lay(tree(Layer::File, "a.yaml", "x:\n  b: [3]\n  c: null\n  e: 5\n"));
    below.drop_nulls(&["x"]);
    assert_eq!(below.shown(), "{x: {a: 1, b: [3], e: 5}, y: 2}");
    assert_eq!(below.place_of(&["x", "b"]).to_string(), "a.yaml:2:6");
    assert_eq!(below.place_of(&["x", "a"]).to_string(), "defaults");
}
