//! The routes of the tokens, on the whole hub behind its guard.

use serde_json::{Value, json};

use super::guarded_hub::GuardedHub;
use crate::domain::principal::Scope;

const TOKENS: &str = "/api/v1/tokens";

async fn house() -> (GuardedHub, String) {
    let house = GuardedHub::new().await;
    let admin = house.token_of("ann", Scope::Admin);
    (house, admin)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn a_token_is_told_once_and_opens_what_it_is_for() {
    let (house, admin) = house().await;
    let made = house.orders("POST", TOKENS, &admin, json!({"scope": "view", "name": "eve", "expires": "90d"})).await;
    assert_eq!(made.status, 201, "{:?}", made.body);
    assert_eq!((text(&made.body["principal"]), &made.body["scopes"]), ("person:eve", &json!(["view"])));
    assert!(made.body["expiresAt"].is_string());
    let token = text(&made.body["token"]);
    assert_eq!(house.orders("GET", "/api/v1/tasks", token, Value::Null).await.status, 200);
    assert_eq!(house.orders("GET", TOKENS, token, Value::Null).await.code(), "INSUFFICIENT_SCOPE");
    let list = house.orders("GET", TOKENS, &admin, Value::Null).await.body;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let (_, secret) = token.rsplit_once('_').unwrap();
    assert!(!list.to_string().contains(secret) && !list.to_string().contains("hmac"));
    house.ends().await;
}

#[tokio::test]
async fn a_rotated_token_has_its_old_secret_for_as_long_as_was_said() {
    let (house, admin) = house().await;
    let made = house.orders("POST", TOKENS, &admin, json!({"scope": "view", "name": "bot", "service": true})).await;
    let (first, path) = (text(&made.body["token"]), format!("{TOKENS}/{}/rotate", text(&made.body["id"])));
    let second = house.orders("POST", &path, &admin, json!({"overlap": "1h"})).await.body;
    let works = async |token: &str| house.orders("GET", "/api/v1/tasks", token, Value::Null).await.status == 200;
    assert!(works(first).await && works(text(&second["token"])).await);
    let third = house.orders("POST", &path, &admin, json!({"overlap": "0s"})).await.body;
    assert!(!works(first).await && !works(text(&second["token"])).await && works(text(&third["token"])).await);
    house.ends().await;
}

/// Who holds it speaks as a person: a program that made or renewed one would answer as a human.
#[tokio::test]
async fn a_program_makes_and_renews_no_persons_token() {
    let (house, admin) = house().await;
    let bot =
        house.orders("POST", TOKENS, &admin, json!({"scope": "admin", "name": "bot", "service": true})).await.body;
    let (bot, bots) = (text(&bot["token"]), text(&bot["id"]));
    let person = house.orders("POST", TOKENS, &admin, json!({"scope": "view", "name": "eve"})).await.body;
    let eves = format!("{TOKENS}/{}/rotate", text(&person["id"]));
    let before = house.orders("GET", TOKENS, &admin, Value::Null).await.body;
    for (path, body) in [
        (TOKENS, json!({"scope": "operate", "name": "anna"})),
        (TOKENS, json!({"scope": "admin", "name": "operator"})),
        (eves.as_str(), json!({"overlap": "1h"})),
    ] {
        let no = house.orders("POST", path, bot, body).await;
        assert_eq!(no.status, 403, "{path}");
        assert_eq!(no.code(), "NOT_A_HUMAN", "{path}");
    }
    let count = |list: &Value| list["items"].as_array().unwrap().len();
    let after = house.orders("GET", TOKENS, &admin, Value::Null).await.body;
    assert_eq!(count(&before), count(&after), "nothing was made");
    // What is no person's, it still makes and renews.
    for (path, body, status) in [
        (TOKENS, json!({"agent": "worker-1"}), 201),
        (TOKENS, json!({"scope": "view", "name": "meter", "service": true}), 201),
        (format!("{TOKENS}/{bots}/rotate").as_str(), json!({}), 200),
    ] {
        assert_eq!(house.orders("POST", path, bot, body).await.status, status, "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn denials_are_counted_by_their_reason() {
    let (house, admin) = house().await;
    let view = house.token_of("eve", Scope::View);
    house.orders("GET", "/api/v1/tasks", "nonsense", Value::Null).await;
    house.orders("POST", "/api/v1/tasks", &view, json!({})).await;
    house.orders("POST", "/mcp", &view, json!({})).await;
    let shown = house.orders("GET", "/metrics", &admin, Value::Null).await.text;
    for line in ["UNAUTHENTICATED\"} 1", "INSUFFICIENT_SCOPE\"} 2", "FORBIDDEN\"} 0"] {
        assert!(shown.contains(&format!("callboard_auth_denied_total{{reason=\"{line}")), "{line}\n{shown}");
    }
    house.ends().await;
}

#[tokio::test]
async fn what_makes_no_token_is_said_with_its_field() {
    let (house, admin) = house().await;
    for (body, field) in [
        (json!({}), "agent"),
        (json!({"agent": "a", "scope": "view", "name": "b"}), "agent"),
        (json!({"agent": "Not An Id"}), "agent"),
        (json!({"scope": "view"}), "agent"),
        (json!({"scope": "view", "name": "no name\n"}), "name"),
        (json!({"agent": "a", "expires": "soon"}), "expires"),
        (json!({"agent": "a", "expires": "0s"}), "expires"),
    ] {
        let answer = house.orders("POST", TOKENS, &admin, body.clone()).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "INVALID_ARGUMENTS"), "{body}");
        assert_eq!(answer.body["details"]["field"], field, "{body}");
    }
    assert_eq!(house.orders("POST", TOKENS, &admin, json!({"scope": "agent", "name": "a"})).await.status, 400);
    for (method, path) in [("DELETE", format!("{TOKENS}/none")), ("POST", format!("{TOKENS}/none/rotate"))] {
        assert_eq!(house.orders(method, &path, &admin, Value::Null).await.code(), "TOKEN_NOT_FOUND");
    }
    assert_eq!(house.tokens.list().len(), 1, "none was made");
    house.ends().await;
}

#[tokio::test]
async fn revoking_an_agents_last_token_gives_back_what_it_holds() {
    let (house, admin) = house().await;
    let made = house.orders("POST", TOKENS, &admin, json!({"agent": "fullstack-1"})).await;
    let (token, id) = (text(&made.body["token"]), text(&made.body["id"]));
    let tool = async |name: &str, body: Value| {
        let answer = house.orders("POST", &format!("/api/v1/tools/{name}"), token, body).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body
    };
    tool("register_agent", json!({"agentId": "fullstack-1", "role": "full-stack-engineer"})).await;
    let wanted = json!({"targetAgentId": "fullstack-1", "prompt": "Build it."});
    let task = house.orders("POST", "/api/v1/tasks", &admin, wanted).await.body;
    let path = format!("/api/v1/tasks/{}", text(&task["taskId"]));
    let state = async || text(&house.orders("GET", &path, &admin, Value::Null).await.body["state"]).to_owned();
    let offered = tool("wait_for_prompt", json!({"agentId": "fullstack-1"})).await;
    let (task_id, epoch) = (&task["taskId"], &offered["task"]["leaseEpoch"]);
    tool("ack_task", json!({"taskId": task_id, "leaseEpoch": epoch})).await;
    assert_eq!(state().await, "IN_PROGRESS");
    let revoked = house.orders("DELETE", &format!("{TOKENS}/{id}"), &admin, Value::Null).await;
    assert_eq!(revoked.status, 204, "{:?}", revoked.body);
    assert_eq!(house.orders("GET", "/api/v1/tasks", token, Value::Null).await.status, 401);
    assert_eq!(state().await, "QUEUED");
    house.ends().await;
}

/// Nobody can hear it any more: it ends, is kept in the history, and asks nobody for anything.
#[tokio::test]
async fn an_answer_for_an_agent_whose_token_was_revoked_ends_as_undeliverable() {
    let (house, admin) = house().await;
    for answered_first in [true, false] {
        let name = if answered_first { "worker-1" } else { "worker-2" };
        let made = house.orders("POST", TOKENS, &admin, json!({ "agent": name })).await.body;
        let (token, public) = (text(&made["token"]), text(&made["id"]));
        let tool = async |tool: &str, body: Value| {
            let answer = house.orders("POST", &format!("/api/v1/tools/{tool}"), token, body).await;
            assert_eq!(answer.status, 200, "{:?}", answer.body);
            answer.body
        };
        tool("register_agent", json!({"agentId": name, "role": "full-stack-engineer"})).await;
        let ask =
            json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "old", "wait_seconds": 0});
        let asked = tool("request_input", ask).await;
        let path = format!("/api/v1/questions/{}", text(&asked["question_id"]));
        let answers = async || {
            let answered = house.orders("POST", &format!("{path}/answer"), &admin, json!({"value": "new"})).await;
            assert_eq!(answered.status, 200, "{:?}", answered.body);
        };
        if answered_first {
            answers().await;
        }
        let revoked = house.orders("DELETE", &format!("{TOKENS}/{public}"), &admin, Value::Null).await;
        assert_eq!(revoked.status, 204, "{:?}", revoked.body);
        if !answered_first {
            answers().await;
        }
        let mut shown = Value::Null;
        for _ in 0..100 {
            shown = house.orders("GET", &path, &admin, Value::Null).await.body;
            if shown["delivery"] == "undeliverable" {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(shown["delivery"], "undeliverable", "{shown}");
        assert_eq!(shown["resolution"]["value"], "new", "what was answered is kept");
        let inbox = house.orders("GET", "/api/v1/inbox", &admin, Value::Null).await.body;
        assert_eq!(inbox["total"], 0, "{inbox}");
        let history = format!("/api/v1/sessions/{}/history", text(&shown["sessionId"]));
        let history = house.orders("GET", &history, &admin, Value::Null).await.body;
        assert!(history.to_string().contains("undeliverable"), "{history}");
    }
    house.ends().await;
}

#[tokio::test]
async fn where_nothing_is_the_answer_has_the_one_shape_of_errors() {
    let (house, admin) = house().await;
    for path in ["/nothing", "/assets/nothing.js", "/api", "/api/v9", "/admin/x", "/api/v1/tasks/x/y/z"] {
        let answer = house.orders("GET", path, &admin, Value::Null).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (404, "NOT_FOUND"), "{path}: {}", answer.text);
        assert!(answer.body["requestId"].is_string() && answer.body["details"]["prompt"].is_string(), "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn a_refusal_at_the_door_says_what_to_do() {
    let (house, admin) = house().await;
    let nobody = house.orders("GET", "/api/v1/tasks", "nonsense", Value::Null).await;
    let advice = nobody.body["details"]["prompt"].as_str().unwrap();
    assert!(advice.contains("Authorization: Bearer") && advice.contains("callboard token create"), "{advice}");
    let unknown = json!({"targetAgentId": "tset-engineer", "prompt": "x"});
    let unknown = house.orders("POST", "/api/v1/tasks", &admin, unknown).await;
    assert_eq!(unknown.code(), "TARGET_UNKNOWN");
    assert_eq!(unknown.body["details"]["nearest"][0], "role:test-engineer");
    house.ends().await;
}
