//! How the page comes in and leaves, on the whole hub behind its guard.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::guarded_hub::{Answer, GuardedHub, request, with_header};
use crate::domain::principal::Scope;
use crate::settings::BehindProxy;
use crate::transport::tokens::SESSION_LASTS;

const CODES: &str = "/api/v1/login/codes";

async fn code(house: &GuardedHub, token: &str, wanted: Value) -> String {
    let made = house.orders("POST", CODES, token, wanted).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let code = made.body["code"].as_str().unwrap();
    assert_eq!(made.body["path"], format!("/#code={code}"));
    code.to_owned()
}

async fn trades(house: &GuardedHub, code: &str) -> Answer {
    house.ordered(request("POST", "/api/v1/login", None), json!({"code": code})).await
}

async fn logs_in(house: &GuardedHub, token: &str, wanted: Value) -> Value {
    let opened = trades(house, &code(house, token, wanted).await).await;
    assert_eq!(opened.status, 200, "{}", opened.text);
    opened.body
}

fn token(session: &Value) -> &str {
    session["token"].as_str().unwrap()
}

async fn me(house: &GuardedHub, token: &str) -> Answer {
    house.orders("GET", "/api/v1/me", token, Value::Null).await
}

#[tokio::test(start_paused = true)]
async fn a_code_opens_one_session_that_acts_as_its_maker_for_half_a_day() {
    let house = GuardedHub::new().await;
    let ann = house.token_of("ann", Scope::Admin);
    let session = logs_in(&house, &ann, json!({})).await;
    assert!(token(&session).starts_with("cb_s_"), "{session}");
    assert_eq!((&session["principal"], &session["scopes"]), (&json!("person:ann"), &json!(["operate"])));
    let known = me(&house, token(&session)).await.body;
    assert_eq!((&known["principal"], &known["session"]), (&json!("person:ann"), &json!(true)), "{known}");
    assert_eq!(known["expiresAt"], session["expiresAt"]);
    assert_eq!(known["expiresAt"], (house.backstage.hub.clock.now() + SESSION_LASTS).to_string().as_str());
    assert_eq!(house.orders("GET", "/api/v1/tokens", token(&session), Value::Null).await.code(), "INSUFFICIENT_SCOPE");
    let admin = logs_in(&house, &ann, json!({"scope": "admin"})).await;
    let tokens = house.orders("GET", "/api/v1/tokens", token(&admin), Value::Null).await.body;
    let opened = tokens["items"].as_array().unwrap().iter().filter(|token| token["openedBy"].is_string()).count();
    assert_eq!(opened, 2, "{tokens}");
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_code_of_a_hub_behind_a_proxy_says_where_browsers_find_it() {
    let plain = GuardedHub::new().await;
    let made = plain.orders("POST", CODES, &plain.token_of("ann", Scope::Operate), json!({})).await;
    assert_eq!(made.body.get("publicUrl"), None);
    plain.ends().await;
    let house = GuardedHub::with(|settings| {
        let public_url = "https://hub.example/".to_owned();
        settings.hub.behind_proxy = Some(BehindProxy { trusted_proxies: Vec::new(), public_url });
    })
    .await;
    let made = house.orders("POST", CODES, &house.token_of("ann", Scope::Operate), json!({})).await;
    assert_eq!(made.body["publicUrl"], "https://hub.example", "{}", made.text);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_code_that_was_used_or_has_expired_or_was_never_made_gets_one_answer() {
    let house = GuardedHub::new().await;
    let ann = house.token_of("ann", Scope::Operate);
    let (used, late) = (code(&house, &ann, json!({})).await, code(&house, &ann, json!({})).await);
    assert_eq!(trades(&house, &used).await.status, 200);
    let again = trades(&house, &used).await;
    assert_eq!(again.code(), "LOGIN_CODE_INVALID", "a code opens one session, also within its minute: {}", again.text);
    tokio::time::sleep(Duration::from_secs(61)).await;
    let mut said = Vec::new();
    for wrong in [used.as_str(), late.as_str(), "nonsense", ""] {
        let mut no = trades(&house, wrong).await;
        assert_eq!((no.status.as_u16(), no.code()), (403, "LOGIN_CODE_INVALID"), "{wrong}: {}", no.text);
        no.body["requestId"] = Value::Null;
        said.push(no.body);
    }
    assert!(said.windows(2).all(|pair| pair[0] == pair[1]), "{said:?}");
    assert!(said[0]["details"]["prompt"].as_str().unwrap().contains("callboard open"));
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn guessing_is_slowed_down_and_keeps_nobody_out() {
    let house = GuardedHub::new().await;
    let ann = house.token_of("ann", Scope::Operate);
    let right = code(&house, &ann, json!({})).await;
    let mut last = trades(&house, "nonsense").await;
    for _ in 0..40 {
        last = trades(&house, "nonsense").await;
    }
    assert_eq!((last.status.as_u16(), last.code()), (429, "RATE_LIMITED"), "{}", last.text);
    assert!(last.headers.contains_key("retry-after"));
    assert_eq!(trades(&house, &right).await.status, 200, "a right code passes");
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(trades(&house, "nonsense").await.code(), "LOGIN_CODE_INVALID");
    house.ends().await;
}

#[tokio::test]
async fn a_page_may_do_no_more_than_who_opened_it() {
    let house = GuardedHub::new().await;
    let (viewer, agent) = (house.token_of("eve", Scope::View), house.agent_token("a"));
    assert_eq!(logs_in(&house, &viewer, json!({})).await["scopes"], json!(["view"]));
    for wanted in ["operate", "admin"] {
        let no = house.orders("POST", CODES, &viewer, json!({ "scope": wanted })).await;
        assert_eq!((no.code(), &no.body["details"]["needs"]), ("INSUFFICIENT_SCOPE", &json!(wanted)));
    }
    assert_eq!(house.orders("POST", CODES, &agent, json!({})).await.code(), "INSUFFICIENT_SCOPE");
    // A page opens another one for no longer than itself, and both end together.
    let first = logs_in(&house, &viewer, json!({})).await;
    let second = logs_in(&house, token(&first), json!({})).await;
    assert_eq!(second["expiresAt"], first["expiresAt"]);
    house.orders("POST", "/api/v1/logout", token(&first), Value::Null).await;
    assert_eq!(me(&house, token(&second)).await.code(), "UNAUTHENTICATED");
    house.ends().await;
}

#[tokio::test]
async fn a_session_ends_by_logging_out_and_with_the_token_that_opened_it() {
    let house = GuardedHub::new().await;
    let (ann, id) = house.named_token("ann", Scope::Operate);
    let (one, other) = (logs_in(&house, &ann, json!({})).await, logs_in(&house, &ann, json!({})).await);
    let left = house.orders("POST", "/api/v1/logout", token(&one), Value::Null).await;
    assert_eq!(left.status, 204, "{}", left.text);
    assert_eq!(me(&house, token(&one)).await.code(), "UNAUTHENTICATED");
    assert_eq!(me(&house, token(&other)).await.status, 200);
    let by_hand = house.orders("POST", "/api/v1/logout", &ann, Value::Null).await;
    assert_eq!((by_hand.status.as_u16(), by_hand.code()), (409, "NO_PAGE_SESSION"));
    // What the page has open ends at once.
    let waiting = house.code_after_end(token(&other), || house.tokens.revoke(&id).map(drop).unwrap());
    let ended = timeout(Duration::from_secs(1), waiting).await;
    assert_eq!(ended.as_deref(), Ok("UNAUTHENTICATED"), "within a second");
    assert_eq!(me(&house, token(&other)).await.code(), "UNAUTHENTICATED");
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_outlives_the_secret_that_opened_it_for_the_overlap_alone() {
    let house = GuardedHub::new().await;
    let (ann, id) = house.named_token("ann", Scope::Operate);
    let session = logs_in(&house, &ann, json!({})).await;
    let waiting = code(&house, &ann, json!({})).await;
    house.tokens.rotate(&id, Duration::from_secs(3), house.backstage.hub.clock.now()).unwrap();
    assert_eq!(me(&house, token(&session)).await.status, 200);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(me(&house, token(&session)).await.code(), "UNAUTHENTICATED");
    assert_eq!(trades(&house, &waiting).await.code(), "LOGIN_CODE_INVALID", "its maker's secret is good no more");
    house.ends().await;
}

#[tokio::test]
async fn a_log_in_takes_a_short_body_from_the_hubs_own_page_alone() {
    let house = GuardedHub::new().await;
    let long = trades(&house, &"x".repeat(2_000)).await;
    assert_eq!(long.code(), "BODY_TOO_LARGE");
    let foreign = with_header(request("POST", "/api/v1/login", None), "origin", "http://127.0.0.1:5173");
    assert_eq!(house.ordered(foreign, json!({"code": "x"})).await.code(), "FORBIDDEN");
    let page = house.ordered(request("GET", "/", None), Value::Null).await;
    assert_eq!(page.status, 200);
    assert!(page.headers["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    assert!(!page.headers.contains_key("set-cookie") && page.text.contains("/assets/app/main.js"));
    let script = with_header(request("GET", "/assets/app/main.js", None), "sec-fetch-site", "cross-site");
    assert_eq!(house.ordered(script, Value::Null).await.code(), "FORBIDDEN");
    house.ends().await;
}
