//! Comments on their way outside, against the stand-in: once, in place, and with every refusal understood.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rstest::rstest;
use secrecy::SecretString;
use tempfile::TempDir;

use super::adapter::Adapter;
use super::comment::{Before, Fail, Outside};
use super::text::{asked, comment_mark, first_asked, posted, question_mark, replied};
use super::{Tracker, TrackerDestination};
use crate::actors::forge::ForgeClocks;
use crate::actors::outbox::Destination as _;
use crate::clock::Clock;
use crate::domain::hook::ReplyReason;
use crate::domain::outbox::{Delivery, DeliveryId};
use crate::domain::session::question::{Question, QuestionRecord, QuestionSpec, Resolution, ResolutionType};
use crate::domain::task::TaskRecord;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::journal::samples::{ada, agent_id, by, comment, question_spec, session_id, task_id};
use crate::journal::{Append, Entry, Record};
use crate::settings::{HubSettings, Settings, TrackerKind};
use callboard_standin::forge::{Fault, ForgeStandIn, Kind};

const NOW: Timestamp = Timestamp(1_780_000_000_000);

/// GitHub, with these repositories.
fn github(token: &str, repositories: &[&str]) -> (ForgeStandIn, String) {
    let github = ForgeStandIn::new(Kind::GitHub, token, callboard_standin::time::Clock::starting_at(NOW));
    repositories.iter().for_each(|name| github.repository(name, "main"));
    let url = github.listens();
    (github, url)
}

fn item() -> WorkItem {
    WorkItem::parse("acme/web#12").unwrap()
}

fn token_in(folder: &Path, text: &str) -> std::path::PathBuf {
    let file = folder.join("token");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn settings(base: &str, folder: &TempDir) -> HubSettings {
    let mut hub = Settings::defaults().hub;
    hub.tracker.kind = TrackerKind::Github;
    hub.tracker.base_url = Some(base.to_owned());
    hub.tracker.token_file = Some(token_in(folder.path(), "t0ken\n"));
    hub.tracker.repositories = vec!["Acme/Web".to_owned()];
    hub.tracker.allow_private = true;
    hub
}

fn tracker(hub: &HubSettings) -> Tracker {
    Tracker::load(hub, None, Clock::starting_at(NOW)).unwrap().unwrap()
}

fn outside(mark: &str, text: &str) -> Outside {
    Outside {
        item: item(),
        mark: mark.to_owned(),
        body: format!("{text}\n\n{mark}\n"),
        earlier: Vec::new(),
        agent: "fullstack-1".to_owned(),
        since: NOW,
        changed: false,
    }
}

/// For the first time.
async fn puts(tracker: &Tracker, comment: &Outside) -> Result<String, Fail> {
    puts_after(tracker, comment, Before::default()).await
}

async fn puts_after(tracker: &Tracker, comment: &Outside, before: Before) -> Result<String, Fail> {
    let written = tracker.0.put("tracker.d_1_0", comment, before, &ForgeClocks::default()).await?;
    Ok(written.receipt)
}

/// An attempt was made before, and nobody knows what came of it.
const TRIED: Before = Before { tried: true, id: None };

fn spec() -> QuestionSpec {
    QuestionSpec { work_item: Some(item()), ..question_spec(1) }
}

fn answered(kind: ResolutionType, value: &str) -> Question {
    let mut question = Question::asked(spec());
    let resolution = Resolution { kind, value: value.to_owned(), by: ada(), at: NOW };
    question.apply(NOW, &QuestionRecord::Resolved { id: question.spec.id.clone(), resolution: Box::new(resolution) });
    question
}

#[tokio::test]
async fn a_comment_stands_once_and_is_changed_in_place() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    (0..250).for_each(|n| github.says("acme/web#12", &format!("talk {n}")));
    let mark = question_mark(&Question::asked(spec()));
    let open = outside(&mark, "Old or new?");
    let first = puts(&tracker, &open).await.unwrap();
    assert!(first.starts_with("https://forge.example/acme/web/issues/12-"), "{first}");
    let asked = github.asked().len();
    assert_eq!(asked, 1, "what never went out is not looked for");
    assert_eq!(puts_after(&tracker, &open, TRIED).await.as_ref(), Ok(&first));
    let closed = Outside { earlier: vec![open.body.clone()], changed: true, ..outside(&mark, "Old.") };
    assert_eq!(puts(&tracker, &closed).await, Ok(first));
    let ours: Vec<_> = github.comments().into_iter().skip(250).collect();
    assert_eq!(ours.len(), 1, "{ours:?}");
    assert_eq!((ours[0].body.as_str(), ours[0].edits), (format!("Old.\n\n{mark}\n").as_str(), 1));
}

#[tokio::test]
async fn what_a_person_wrote_is_never_overwritten_whatever_it_quotes() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    let mark = question_mark(&Question::asked(spec()));
    let open = outside(&mark, "Old or new?");
    let closed = Outside { earlier: vec![open.body.clone()], changed: true, ..outside(&mark, "Old.") };
    // A reply by mail stands before the hub's own is found, and one repeats it to the letter.
    let replies = [format!("new\n\n> Old or new?\n> {mark}"), mark.clone(), open.body.clone(), closed.body.clone()];
    replies.iter().for_each(|text| github.says("acme/web#12", text));
    // With the token's own account in a person's hands.
    github.says_as("callboard-bot", "acme/web#12", &replies[0]);
    for (comment, before) in [(&open, TRIED), (&closed, TRIED), (&closed, Before::default())] {
        puts_after(&tracker, comment, before).await.unwrap();
    }
    let all = github.comments();
    let theirs: Vec<_> = all.iter().take(5).map(|comment| (comment.body.clone(), comment.edits)).collect();
    let expected: Vec<_> = replies.iter().chain([&replies[0]]).map(|text| (text.clone(), 0)).collect();
    assert_eq!(theirs, expected);
    assert_eq!((all.len(), all[5].body.as_str()), (6, closed.body.as_str()), "and the hub's own stands once");
}

#[tokio::test]
async fn where_it_stands_is_remembered_however_much_is_written_meanwhile() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    let open = outside("<!-- callboard:1 -->", "Old or new?");
    puts(&tracker, &open).await.unwrap();
    let id = github.comments()[0].id;
    (0..2_300).for_each(|n| github.says("acme/web#12", &format!("talk {n}")));
    let closed = Outside { earlier: vec![open.body.clone()], changed: true, ..outside("<!-- callboard:1 -->", "Old.") };
    puts_after(&tracker, &closed, Before { tried: false, id: Some(id) }).await.unwrap();
    assert_eq!((github.comments().len(), github.comments()[0].body.as_str()), (2_301, closed.body.as_str()));
    // An issue with so many takes another one all the same, also where an attempt may have been made.
    for before in [Before::default(), TRIED] {
        puts_after(&tracker, &outside("<!-- callboard:2 -->", "Done."), before).await.unwrap();
    }
    assert_eq!(github.comments().len(), 2_302, "the newest are looked through");
    // Somebody took it away: it is written anew.
    let gone = Before { tried: true, id: Some(7) };
    puts_after(&tracker, &outside("<!-- callboard:3 -->", "Gone."), gone).await.unwrap();
    assert_eq!(github.comments().len(), 2_303);
}

#[tokio::test]
async fn a_lost_answer_doubles_nothing() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    let it = outside("<!-- callboard:1 -->", "Done.");
    // The comment is written, and nobody hears of it.
    github.next_fault(Fault::LosesAnswers);
    assert!(matches!(puts(&tracker, &it).await, Err(Fail::Later { .. })));
    assert_eq!(github.comments().len(), 1, "it stands there");
    puts_after(&tracker, &it, TRIED).await.unwrap();
    assert_eq!(github.comments().len(), 1);
}

#[tokio::test]
async fn a_token_that_may_only_read_and_a_new_name_are_noticed_before_anybody_comments() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    let said = async || tracker.check().await.remove(0).1.map_err(|error| error.to_string());
    assert_eq!(said().await, Ok("acme/web".to_owned()));
    github.lets_only_read(true);
    let only = said().await.unwrap_err();
    assert!(only.contains("may read and not comment") && only.contains("write issues"), "{only}");
    github.lets_only_read(false);
    github.renames("acme/web", "acme/site");
    let renamed = said().await.unwrap_err();
    assert!(renamed.contains("`acme/web` is called `acme/site` now"), "{renamed}");
    let failed = puts(&tracker, &outside("<!-- callboard:1 -->", "x")).await.unwrap_err();
    assert!(matches!(&failed, Fail::Never(why) if why.contains("`acme/web` is called `acme/site` now")), "{failed:?}");
    assert!(github.comments().is_empty(), "nothing was written");
}

#[rstest]
#[case::token(401, &[], Some(Some(60)), "refuses the token")]
#[case::hourly(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1780000090")], Some(Some(90)), "no more")]
#[case::much_at_once(403, &[("retry-after", "30")], Some(Some(30)), "for 30 s")]
#[case::later(429, &[("retry-after", "7")], Some(Some(7)), "for 7 s")]
#[case::much_later(429, &[("retry-after", "999999")], Some(Some(7_200)), "for 7200 s")]
#[case::broken(502, &[], Some(None), "502")]
#[case::forbidden(403, &[("x-ratelimit-remaining", "4999"), ("x-ratelimit-reset", "1780000090")], None, "403")]
#[case::unknown(404, &[], None, "404")]
#[case::gone(410, &[], None, "404")]
#[case::invalid(422, &[], None, "422")]
#[case::elsewhere(307, &[("location", "http://127.0.0.1:1/repositories/7")], None, "was the repository renamed")]
#[tokio::test]
async fn a_refusal_is_waited_for_or_is_for_good(
    #[case] status: u16,
    #[case] headers: &[(&'static str, &str)],
    #[case] later: Option<Option<u128>>,
    #[case] word: &str,
) {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("t0ken", &["acme/web"]));
    let tracker = tracker(&settings(&url, &folder));
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    github.next_fault(Fault::Answers(status, headers));
    let failed = puts(&tracker, &outside("<!-- callboard:1 -->", "x")).await.unwrap_err();
    let (wanted, said) = match &failed {
        Fail::Later { error, after } => (Some(after.map(|span| span.as_millis().div_ceil(1_000))), error),
        Fail::Never(reason) => (None, reason),
    };
    assert_eq!(wanted, later, "{failed:?}");
    assert!(said.contains(word) && !said.contains("t0ken"), "{said}");
    puts(&tracker, &outside("<!-- callboard:1 -->", "x")).await.unwrap();
}

#[tokio::test]
async fn a_token_is_read_again_and_comments_go_nowhere_else() {
    let (folder, (github, url)) = (TempDir::new().unwrap(), github("new", &["acme/web", "acme/other"]));
    let mut hub = settings(&url, &folder);
    let tracker_ = tracker(&hub);
    let it = outside("<!-- callboard:1 -->", "x");
    assert!(matches!(puts(&tracker_, &it).await, Err(Fail::Later { after: Some(_), .. })));
    token_in(folder.path(), "new");
    puts(&tracker_, &it).await.unwrap();
    let seen = github.asked().len();
    for name in ["acme/other#1", "acme/web#x", "KB-7", "acme/../web#1", "acme/web/issues#1", "acme/web?x=1#1"] {
        let elsewhere = Outside { item: WorkItem::parse(name).unwrap(), ..it.clone() };
        assert!(matches!(puts(&tracker_, &elsewhere).await, Err(Fail::Never(_))), "{name}");
    }
    hub.tracker.allow_private = false;
    hub.tracker.base_url = Some(url.replace("http:", "https:"));
    let strict = tracker(&hub);
    let refused = puts(&strict, &it).await.unwrap_err();
    assert!(matches!(&refused, Fail::Later { error, .. } if error.contains("no public address")), "{refused:?}");
    hub.tracker.base_url = Some(url.replace("http://127.0.0.1", "https://localhost"));
    let refused = puts(&tracker(&hub), &it).await.unwrap_err();
    assert!(matches!(&refused, Fail::Later { error, .. } if error.contains("no public address")), "{refused:?}");
    assert_eq!(github.asked().len(), seen, "nobody was asked");
}

#[test]
fn what_cannot_work_is_refused_at_the_start() {
    let folder = TempDir::new().unwrap();
    let good = settings("https://api.github.com", &folder);
    let refused = |change: &dyn Fn(&mut HubSettings)| {
        let mut hub = good.clone();
        change(&mut hub);
        Tracker::load(&hub, None, Clock::starting_at(NOW)).unwrap_err().to_string()
    };
    let no_token = refused(&|hub| hub.tracker.token_file = None);
    assert!(no_token.contains("tracker.tokenFile") && no_token.contains("CALLBOARD_TRACKER_TOKEN"), "{no_token}");
    assert!(refused(&|hub| hub.tracker.repositories.clear()).contains("tracker.repositories"));
    assert!(refused(&|hub| hub.tracker.repositories.push("acme".to_owned())).contains("`acme` is not written as"));
    let plain = refused(&|hub| {
        hub.tracker.base_url = Some("http://forge.example".to_owned());
        hub.tracker.allow_private = false;
    });
    assert!(plain.contains("tracker.baseUrl") && plain.contains("https://"), "{plain}");
    let unsigned = refused(&|hub| hub.tracker.kind = TrackerKind::Webhook);
    assert!(unsigned.contains("whsec_") && !unsigned.contains("t0ken"), "{unsigned}");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.path().join("token"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(refused(&|_| ()).contains("chmod 600"));
    let mut hub = good;
    hub.tracker.token_file = None;
    let given = Tracker::load(&hub, Some(SecretString::from("t0ken")), Clock::starting_at(NOW)).unwrap().unwrap();
    assert!(matches!(given.0, Adapter::Github(_)) && !format!("{given:?}").contains("t0ken"));
    hub.tracker.kind = TrackerKind::Builtin;
    assert!(Tracker::load(&hub, None, Clock::starting_at(NOW)).unwrap().is_none());
}

#[test]
fn a_row_is_written_for_what_people_outside_should_read_and_for_nothing_else() {
    let folder = TempDir::new().unwrap();
    let destination = TrackerDestination::new(tracker(&settings("https://api.github.com", &folder)));
    let of_session = |record| Entry::of_session(&session_id(1), Some(&agent_id("fullstack-1")), None, record);
    let asked_on = |name: Option<&str>| {
        let work_item = name.map(|name| WorkItem::parse(name).unwrap());
        of_session(Record::Question(QuestionRecord::Asked { spec: Box::new(QuestionSpec { work_item, ..spec() }) }))
    };
    let remarked = |name: Option<&str>| {
        let posted_to = name.map(|name| WorkItem::parse(name).unwrap());
        Entry::of_task(&task_id(1), None, TaskRecord::Remarked { comment: comment("a secret"), posted_to })
    };
    let all = vec![
        asked_on(Some("ACME/web#12")),
        asked_on(Some("acme/other#12")),
        asked_on(None),
        remarked(Some("acme/web#12")),
        remarked(Some("acme/other#1")),
        remarked(None),
        of_session(Record::Question(QuestionRecord::Reminded { id: spec().id, percent: 50 })),
    ];
    let wanted = destination.wants(&Append::new(NOW, by(), all));
    let summaries: Vec<&str> = wanted.iter().map(|row| row.summary.as_str()).collect();
    assert_eq!(summaries, ["a question on ACME/web#12", "a comment on acme/web#12"]);
    assert_eq!(wanted[1].lane, "acme/web#12");
}

#[test]
fn what_an_agent_says_does_nothing_there_but_to_be_read() {
    let id = DeliveryId { seq: 1, part: 0 };
    let destination = TrackerDestination::new(tracker(&settings("https://api.github.com", &TempDir::new().unwrap())));
    let remark = TaskRecord::Remarked { comment: comment("x"), posted_to: Some(item()) };
    let append = Append::new(NOW, by(), vec![Entry::of_task(&task_id(1), None, remark)]);
    let delivery = Delivery::new(id, NOW, destination.wants(&append).remove(0));
    let mark = comment_mark(&delivery);
    let said =
        posted("fullstack-1", "@all look at <!-- callboard:00 -->\nFixes #12, acme/web#3\n/close &#64;ann", &mark);
    for acts in ["@all", "#12", "web#3", "\n/close", "&#64;"] {
        assert!(!said.contains(acts), "{acts}: {said}");
    }
    assert!(said.matches("<!-- callboard:").count() == 1 && said.replace('\u{200B}', "").contains("/close"), "{said}");
    let question = Question::asked(QuestionSpec { question: "Old\nor @new?".to_owned(), ..spec() });
    let mark = question_mark(&question);
    let open = asked(&question, &mark);
    assert!(open.contains("> Old\n> or @\u{200b}new?\n\n1. old\n2. new\n"), "{open}");
    assert!(open.contains("“new” applies at 2026-") && open.ends_with(&format!("{mark}\n")), "{open}");
    assert_eq!(open, first_asked(&question.spec, &mark));
    for (kind, words) in [
        (ResolutionType::Human, "**Answered** by Ada: old"),
        (ResolutionType::Timeout, "“old” applies."),
        (ResolutionType::Cancelled, "**Withdrawn**"),
        (ResolutionType::Superseded, "**Over**"),
    ] {
        let shown = asked(&answered(kind, "old"), &mark);
        assert!(shown.contains(words) && !shown.contains("Answer with a comment"), "{shown}");
    }
    let long = asked(&answered(ResolutionType::Human, &"x".repeat(60_000)), &mark);
    assert!(long.chars().count() < 20_000, "an answer is repeated as far as a comment holds it");
}

#[test]
fn who_answered_nothing_hears_the_options_or_who_was_first() {
    let (open, closed) = (Question::asked(spec()), answered(ResolutionType::Human, "old"));
    let told = |question, reason| replied(question, "ada-l", reason, "<!-- m -->");
    let options = told(&open, ReplyReason::NotAnOption).unwrap();
    assert!(options.contains("`ada-l`") && options.contains("1. old\n2. new\n") && options.ends_with("<!-- m -->\n"));
    let late = told(&closed, ReplyReason::TooLate).unwrap();
    assert!(late.contains("too late: Ada answered `old` at "), "{late}");
    assert_eq!(told(&closed, ReplyReason::NotAnOption), None, "it was answered meanwhile");
    assert_eq!(told(&open, ReplyReason::TooLate), None);
}
