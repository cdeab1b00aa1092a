//! Which texts the source has for people on Discord, and that each of them was read in `phone.rs`.

use std::path::Path;

/// Where texts for Discord are built. What is told to whoever runs the hub alone (why a request was refused, how the
/// connection stands) is elsewhere: in `rest`, `gateway` and `refusal`.
const ROOMS: [&str; 3] = ["crates/domain/src/discord", "src/transport/discord", "src/actors/discord"];
const ALONE: &str = "src/tools/people/discord.rs";
const ELSEWHERE: [&str; 8] =
    ["refusal.rs", "rest.rs", "gateway.rs", "keeper.rs", "destination.rs", "carrier.rs", "retry.rs", "tests.rs"];

/// The string literals of a source, without those of the log, of attributes and of comments.
fn literals(source: &str) -> Vec<String> {
    let (mut found, mut rest, mut skipped) = (Vec::new(), source, None);
    let mut depth = 0_usize;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if rest.starts_with("tracing::") && skipped.is_none() {
            skipped = Some(depth);
            rest = &rest[9..];
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest = &rest[rest[1..].find('\'').map_or(rest.len(), |end| end + 2)..];
        } else if c == '"' {
            let mut text = String::new();
            let mut chars = rest[1..].char_indices();
            let mut end = rest.len();
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        end = at + 2;
                        break;
                    }
                    '\\' => match chars.next().map(|(_, escaped)| escaped) {
                        Some('\n') => text.push('\u{0}'),
                        Some('n') => text.push('\n'),
                        Some(other) => text.push(other),
                        None => {}
                    },
                    other => text.push(other),
                }
            }
            rest = &rest[end..];
            if skipped.is_none() {
                // What stands before the text of a line that goes on is no part of it.
                let lines = text.split('\u{0}').enumerate();
                found.push(lines.map(|(at, line)| if at > 0 { line.trim_start() } else { line }).collect());
            }
        } else {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    skipped = skipped.filter(|began| depth > *began);
                }
                _ => {}
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// A text with a hole for each time, person and room in it, which a client shows in its own words.
fn without_tags(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = ["<t:", "<@", "<#"].iter().filter_map(|tag| rest.find(tag)).min() {
        let Some(end) = rest[at..].find('>') else { break };
        out.push_str(&rest[..at]);
        out.push_str("{}");
        rest = &rest[at + end + 1..];
    }
    out + rest
}

/// The parts of a text that stand there as they are, where they are words that somebody reads.
fn words(text: &str) -> Vec<String> {
    let text = without_tags(text);
    let mut parts = vec![String::new()];
    let mut inside = false;
    for c in text.chars() {
        match c {
            '{' | '\n' if !inside => {
                inside = c == '{';
                parts.push(String::new());
            }
            '}' if inside => inside = false,
            _ if inside => {}
            c => parts.last_mut().unwrap().push(c),
        }
    }
    let reads = |part: &&str| {
        let is_word = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
        part.split(|c: char| !c.is_alphanumeric()).filter(is_word).count() >= 2 && part.contains(' ')
    };
    parts.iter().map(|part| part.trim()).filter(reads).map(str::to_owned).collect()
}

fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ROOMS.iter().flat_map(|room| std::fs::read_dir(root.join(room)).unwrap());
    let files = files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let is_here = |path: &std::path::PathBuf| !ELSEWHERE.contains(&path.file_name().unwrap().to_str().unwrap());
    files.filter(is_here).chain([root.join(ALONE)]).map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn every_text_for_a_person_is_read_in_a_play_or_is_known_to_be_in_none() {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hub/discord/tests");
    let files = std::fs::read_dir(tests.join("snapshots")).unwrap().map(|file| file.unwrap().path());
    let read: String = files.map(|path| flat(&std::fs::read_to_string(path).unwrap())).collect();
    let known = std::fs::read_to_string(tests.join("not_shown.txt")).unwrap();
    let known: Vec<_> = known.lines().filter(|line| !line.starts_with('#')).collect();
    let all = sources().into_iter().flat_map(|source| literals(&source)).flat_map(|text| words(&text));
    let unread: std::collections::BTreeSet<_> = all.filter(|part| !read.contains(&flat(part))).collect();
    let new: Vec<_> = unread.iter().filter(|part| !known.contains(&part.as_str())).collect();
    assert!(new.is_empty(), "texts that no play shows: {new:#?}");
    let shown: Vec<_> = known.iter().filter(|part| !unread.contains(**part)).collect();
    assert!(shown.is_empty(), "texts that are shown, or gone: {shown:#?}");
}

#[test]
fn texts_are_found_in_a_source_and_the_log_is_none() {
    let source = "fn a() { // \"no text at all\"\n \
                  tracing::warn!(\"not in (the) log {x}\"); b('\"', \"it is {x}, so \\\n   \
                  it is\\nsecond line\"); c(\"key\"); d(\"seen at <t:{x}:R> by him\") }";
    let found: Vec<_> = literals(source).iter().flat_map(|text| words(text)).collect();
    assert_eq!(found, ["it is", ", so it is", "second line", "seen at", "by him"]);
}
