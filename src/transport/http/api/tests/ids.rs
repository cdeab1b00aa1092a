//! What people name by how its id begins.

use serde_json::json;

use super::desk;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{agent, person};

#[tokio::test(start_paused = true)]
async fn an_id_is_found_by_its_beginning_and_several_are_listed() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.registers("fullstack-2", "full-stack-engineer").await;
    desk.registers("tester-1", "test-engineer").await;
    let (first, second) = (desk.task("any", "One.").await, desk.task("any", "Two.").await);
    let find = async |query: String| desk.get(&format!("/api/v1/ids?{query}")).await;
    assert_eq!(find(format!("kind=task&begins={}", &first[..25])).await.body, json!({"id": first}));
    assert_eq!(find(format!("kind=task&begins={first}&for=change")).await.body, json!({"id": first}));
    assert_eq!(find("kind=agent&begins=t".to_owned()).await.body, json!({"id": "tester-1"}));
    let session = find("kind=session&begins=s_".to_owned()).await;
    session.is_no(409, "ID_AMBIGUOUS");
    assert_eq!(session.body["details"]["candidates"].as_array().map(Vec::len), Some(3), "{}", session.text);
    let several = find(format!("kind=task&begins={}", &first[..4])).await;
    several.is_no(409, "ID_AMBIGUOUS");
    assert_eq!(several.body["details"]["candidates"], json!([first, second]), "{}", several.text);
    assert_eq!(several.body["details"]["prompt"], "Ask for one of `details.candidates`, or give more of the id.");
    let short = find("kind=agent&begins=tes&for=change".to_owned()).await;
    short.is_no(400, "ID_TOO_SHORT");
    assert_eq!(short.body["details"]["candidates"], json!(["tester-1"]), "{}", short.text);
    for nothing in ["kind=task&begins=zz", "kind=review&begins=0", "kind=webhook&begins=a", "kind=workflow&begins=w_"] {
        find(nothing.to_owned()).await.is_no(404, "NOT_FOUND");
    }
    for wrong in ["kind=token&begins=0", "begins=0", "kind=task"] {
        find(wrong.to_owned()).await.is_no(400, "INVALID_ARGUMENTS");
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_may_not_list_it_does_not_find_by_guessing() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    desk.task("any", "One.").await;
    let path = "/api/v1/ids?kind=task&begins=0";
    desk.get_as(&agent("fullstack-1"), path).await.is_no(403, "INSUFFICIENT_SCOPE");
    assert_eq!(desk.get_as(&person(Scope::View), path).await.status, 200);
}
