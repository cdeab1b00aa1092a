//! Learning through the verbs: habits are offered, and none can be forged; secrets are kept nowhere.

use serde_json::{Value, json};

use super::fixture::{ToolFixture, operator, program};
use super::terminals::session_of;
use crate::tools::Caller;

const RESTART: &str = "Restart the web server? (yes/no): ";

async fn tracks(desk: &ToolFixture, caller: &Caller, session: &str, prompt: &str, input: &str, success: bool) -> Value {
    let arguments = json!({"session_id": session, "prompt_text": prompt, "input_text": input, "success": success,
        "input_source": "user_typed", "response_time_ms": 1200});
    desk.call(caller, "track_input_event", arguments).await.done().0.clone()
}

async fn inferred(desk: &ToolFixture, caller: &Caller, prompt: &str) -> Value {
    let arguments = json!({"prompt_text": prompt, "prompt_type": "yes_no"});
    desk.call(caller, "infer_expected_input", arguments).await.done().0.clone()
}

async fn desk_and_session() -> (ToolFixture, Caller, String) {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let session = session_of(&desk, &dev).await;
    (desk, dev, session)
}

#[tokio::test(start_paused = true)]
async fn ten_times_no_makes_no_the_first_suggestion_and_says_so() {
    let (desk, dev, session) = desk_and_session().await;
    for times in 1..=10 {
        let tracked = tracks(&desk, &operator(), &session, RESTART, "no", true).await;
        assert_eq!((&tracked["recorded"], &tracked["pattern_updated"]), (&json!(true), &json!(true)));
        assert!(tracked["event_id"].as_str().unwrap().starts_with("ev_"));
        let first = inferred(&desk, &dev, RESTART).await["suggestions"][0].clone();
        let learned = first["source"] == "pattern_learning";
        assert_eq!(learned, times >= 3, "from three sightings on: {times} {first}");
    }
    let said = inferred(&desk, &dev, RESTART).await;
    let first = &said["suggestions"][0];
    assert_eq!((&first["input_text"], &first["source"]), (&json!("no"), &json!("pattern_learning")), "{said}");
    assert!(first["reasoning"].as_str().unwrap().contains("10/10 times"), "{said}");
    assert_eq!(said["suggestions"].as_array().unwrap().len(), 2, "still exactly two: {said}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_tells_counts_a_tenth_and_nothing_where_it_could_do_harm() {
    let (desk, dev, session) = desk_and_session().await;
    for _ in 0..29 {
        assert_eq!(tracks(&desk, &dev, &session, RESTART, "no", true).await["pattern_updated"], true);
    }
    assert_ne!(inferred(&desk, &dev, RESTART).await["suggestions"][0]["source"], "pattern_learning");
    tracks(&desk, &dev, &session, RESTART, "no", true).await;
    assert_eq!(inferred(&desk, &dev, RESTART).await["suggestions"][0]["source"], "pattern_learning");
    let mail = "Restart the mail server? (yes/no): ";
    for _ in 0..9 {
        tracks(&desk, &program(), &session, mail, "no", true).await;
    }
    let by_a_program = inferred(&desk, &dev, mail).await;
    assert_ne!(by_a_program["suggestions"][0]["source"], "pattern_learning", "a program attests nothing");
    let danger = "Delete all files? (yes/no): ";
    for _ in 0..40 {
        assert_eq!(tracks(&desk, &dev, &session, danger, "yes", true).await["pattern_updated"], false);
    }
    for _ in 0..10 {
        tracks(&desk, &operator(), &session, danger, "yes", true).await;
    }
    let said = inferred(&desk, &dev, danger).await;
    assert_eq!(
        (&said["suggestions"][0]["input_text"], &said["suggestions"][0]["source"]),
        (&json!("no"), &json!("default"))
    );
    assert!(said["warnings"][0].as_str().unwrap().contains("dangerous"), "{said}");
    desk.ends().await;
}

/// Ten times is what it takes of a person; of an agent no number does, and what people taught stays as it was.
#[tokio::test(start_paused = true)]
async fn what_an_agent_says_was_typed_at_a_dangerous_prompt_teaches_nothing() {
    let (desk, dev, session) = desk_and_session().await;
    let other = desk.agent("dev-2", "designer").await;
    for (prompt, input) in [("Delete all?", "yes"), ("Drop database prod? [y/N] ", "y")] {
        let before = inferred(&desk, &other, prompt).await;
        assert!(before["warnings"][0].as_str().unwrap().contains("dangerous"), "{before}");
        for source in ["user_typed", "ai_suggested", "auto_injected"] {
            for _ in 0..10 {
                let told = json!({"session_id": session, "prompt_text": prompt, "input_text": input, "success": true,
                    "input_source": source});
                let told = desk.call(&dev, "track_input_event", told).await.done().0.clone();
                assert_eq!((&told["recorded"], &told["pattern_updated"]), (&json!(true), &json!(false)), "{told}");
            }
            for caller in [&dev, &other, &operator()] {
                assert_eq!(inferred(&desk, caller, prompt).await, before, "{source}");
            }
        }
    }
    let known = desk.call(&operator(), "get_learned_patterns", json!({})).await;
    assert_eq!(known.0["total_patterns"], 0, "{known:?}");
    let all = desk.hub.journal.read(|reader| reader.records(crate::journal::Seq(0), 1_000)).await.unwrap();
    let text = format!("{all:?}");
    assert_eq!(text.matches("provenance: AgentReported").count(), 60, "by whom it was told is what is kept: {text}");
    assert!(!text.contains("provenance: Attested"), "{text}");
    desk.ends().await;
}

/// No list has the name of every secret in every language.
#[tokio::test(start_paused = true)]
async fn what_an_agent_says_was_typed_is_kept_without_its_text_unless_the_prompt_is_harmless() {
    let (desk, dev, session) = desk_and_session().await;
    for caller in [&dev, &program()] {
        let told = tracks(&desk, caller, &session, "Zauberspruch: ", "hunter2", true).await;
        assert_eq!((&told["recorded"], &told["pattern_updated"]), (&json!(true), &json!(false)), "{told}");
    }
    assert_eq!(tracks(&desk, &dev, &session, "Project name: ", "shop-2", true).await["pattern_updated"], true);
    let all = desk.hub.journal.read(|reader| reader.records(crate::journal::Seq(0), 1_000)).await.unwrap();
    let text = format!("{all:?}");
    assert!(!text.contains("hunter2") && text.contains("shop-2"), "{text}");
    assert_eq!(tracks(&desk, &operator(), &session, "Zauberspruch: ", "open", true).await["pattern_updated"], true);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_does_not_strengthen_and_weakens_what_was_suggested() {
    let (desk, dev, session) = desk_and_session().await;
    let prompt = "Which port? ";
    assert_eq!(tracks(&desk, &operator(), &session, prompt, "80", false).await["pattern_updated"], false);
    for _ in 0..4 {
        tracks(&desk, &operator(), &session, prompt, "80", true).await;
    }
    let share = async || {
        let said = desk.call(&dev, "infer_expected_input", json!({"prompt_text": prompt, "prompt_type": "text"})).await;
        assert_eq!(said.0["suggestions"][0]["input_text"], "80", "{said:?}");
        said.0["suggestions"][0]["confidence"].as_f64().unwrap()
    };
    let before = share().await;
    assert_eq!(tracks(&desk, &operator(), &session, prompt, "80", false).await["pattern_updated"], true);
    assert!(share().await < before);
    let said = desk.call(&operator(), "get_learned_patterns", json!({})).await;
    let response = &said.0["patterns"][0]["most_common_response"];
    assert_eq!((&response["count"], &response["success_count"]), (&json!(5), &json!(4)), "{said:?}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_workspace_learns_for_itself_until_a_person_lets_all_have_it_and_a_person_can_forget() {
    let desk = ToolFixture::new().await;
    let at = |repo: &str| json!({"role": "designer", "workspace": {"repo": repo}});
    let (shop, blog) =
        (desk.agent_with("shop-1", at("acme/shop")).await, desk.agent_with("blog-1", at("acme/blog")).await);
    let session = session_of(&desk, &shop).await;
    for _ in 0..5 {
        tracks(&desk, &operator(), &session, RESTART, "no", true).await;
    }
    let source = async |caller: &Caller| inferred(&desk, caller, RESTART).await["suggestions"][0]["source"].clone();
    assert_eq!((source(&shop).await, source(&blog).await), (json!("pattern_learning"), json!("default")));
    let seen = desk.call(&blog, "get_learned_patterns", json!({})).await;
    assert_eq!(seen.done().0["total_patterns"], 0, "and it is not shown either");
    let known = desk.call(&shop, "get_learned_patterns", json!({"prompt_filter": "restart"})).await;
    let pattern = known.0["patterns"][0].clone();
    assert_eq!((&pattern["workspace"], &pattern["total_occurrences"]), (&json!("acme/shop"), &json!(5)), "{pattern}");
    let id = crate::domain::ids::PatternId::parse(pattern["pattern_id"].as_str().unwrap()).unwrap();
    let order = crate::actors::learner::Order::Promote;
    desk.hub.learner.change(id, order, operator().by(), None).await.unwrap().unwrap();
    assert_eq!(source(&blog).await, json!("pattern_learning"));
    let seen = desk.call(&blog, "get_learned_patterns", json!({})).await.done().0["patterns"].clone();
    assert_eq!(
        (seen.as_array().unwrap().len(), &seen[0]["scope"]),
        (1, &json!("hub")),
        "now it is everybody's: {seen}"
    );
    let forget = json!({"pattern_id": pattern["pattern_id"]});
    desk.call(&shop, "forget_pattern", forget.clone()).await.is("INSUFFICIENT_SCOPE");
    desk.call(&operator(), "forget_pattern", forget.clone()).await.done();
    desk.call(&operator(), "forget_pattern", forget).await.is("PATTERN_NOT_FOUND");
    assert_eq!(desk.call(&operator(), "get_learned_patterns", json!({})).await.0["total_patterns"], 1, "the hub's");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_at_a_prompt_for_a_secret_is_kept_as_redacted() {
    let (desk, dev, session) = desk_and_session().await;
    for prompt in ["Password: ", "[sudo] password for dev: ", "Enter PIN: ", "API key: ", "One-time password: "] {
        for caller in [&operator(), &dev] {
            let tracked = tracks(&desk, caller, &session, prompt, "hunter2-canary", true).await;
            assert_eq!((&tracked["recorded"], &tracked["pattern_updated"]), (&json!(true), &json!(false)), "{prompt}");
        }
    }
    // The shape of a token is a secret whatever was asked; and so is one in the words of the prompt.
    tracks(&desk, &operator(), &session, "Name: ", "ghp_0123456789abcdefghij0123", true).await;
    tracks(&desk, &operator(), &session, "Password: hunter2-canary", "hunter2-canary", true).await;
    let all = desk.hub.journal.read(|reader| reader.records(crate::journal::Seq(0), 1_000)).await.unwrap();
    let text = format!("{all:?}");
    assert!(!text.contains("canary") && !text.contains("ghp_"), "{text}");
    assert_eq!(text.matches("input_text: \"[REDACTED]\"").count(), 12);
    assert_eq!(desk.call(&operator(), "get_learned_patterns", json!({})).await.0["total_patterns"], 0);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeat_under_its_key_teaches_nothing_twice() {
    let (desk, _dev, session) = desk_and_session().await;
    let arguments = json!({"session_id": session, "prompt_text": RESTART, "input_text": "no", "success": true,
        "input_source": "user_typed", "idempotencyKey": "k"});
    let first = desk.call(&operator(), "track_input_event", arguments.clone()).await;
    assert_eq!(desk.call(&operator(), "track_input_event", arguments).await.0, first.0);
    let known = desk.call(&operator(), "get_learned_patterns", json!({})).await;
    assert_eq!(known.0["patterns"][0]["total_occurrences"], 1);
    // Whoever could tell by its key whether a secret was another one could guess it.
    let told = |secret: &str| {
        json!({"session_id": session, "prompt_text": "Enter PIN:", "input_text": secret, "success": true,
            "input_source": "user_typed", "idempotencyKey": "pin"})
    };
    let first = desk.call(&operator(), "track_input_event", told("1234")).await;
    assert_eq!(desk.call(&operator(), "track_input_event", told("5678")).await.0, first.done().0);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_is_said_and_an_unknown_session_is_not_found() {
    let (desk, _dev, session) = desk_and_session().await;
    let good = json!({"session_id": session, "prompt_text": "x?", "input_text": "y", "success": true,
        "input_source": "user_typed"});
    for (field, value, code) in [
        ("session_id", json!("nowhere"), "SESSION_NOT_FOUND"),
        ("input_source", json!("guessed"), "INVALID_ARGUMENTS"),
        ("success", json!("yes"), "INVALID_ARGUMENTS"),
        ("prompt_text", json!(""), "INVALID_ARGUMENTS"),
        ("input_text", json!("y".repeat(4_097)), "TEXT_TOO_LONG"),
        ("response_time_ms", json!(-1), "INVALID_ARGUMENTS"),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value;
        desk.call(&operator(), "track_input_event", wrong).await.is(code);
    }
    for wrong in [json!({"min_occurrences": 0}), json!({"sort_by": "beauty"})] {
        desk.call(&operator(), "get_learned_patterns", wrong).await.is("INVALID_ARGUMENTS");
    }
    desk.ends().await;
}
