//! A role that used up its budget of a day: people are asked once whether it goes on, in the first task that would
//! start.

use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::client::Hall;
use super::fresh::fresh;
use super::limits::{allows, costs, questions, reads, says, spends_all, within};
use super::{GuardedHub, Host, JournalReads, MINUTE, ROLE, Scope, answers, calls, looks, memory, on_call, task};
use crate::domain::time::Timestamp;
use crate::journal::Seq;
use crate::settings::Settings;

fn five_a_day(settings: &mut Settings) {
    allows(settings, json!({"perDay": "5 USD"}));
}

/// One task of the role is done, and cost all of its day.
async fn spends_the_day(hall: &Hall, host: &mut Host) {
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    assert_eq!(offer["task"], id);
    done(hall, host, &offer, 5.0).await;
}

/// The run of an offer reports, after so many dollars, and its slot is free again.
async fn done(hall: &Hall, host: &mut Host, offer: &Value, dollars: f64) {
    let done = json!({"taskId": offer["task"], "status": "COMPLETED", "message": "Done."});
    assert!(calls(hall, offer, "send_response", done).await.status.is_success());
    assert!(!costs(host, &offer["run"], 1, dollars).await);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
}

/// The open questions for the sake of these tasks, of which one alone asks: which, and its question.
async fn asks(hall: &Hall, tasks: &[&Value]) -> (Value, Value) {
    sleep(2 * MINUTE).await;
    let mut open = Vec::new();
    for id in tasks {
        let asked = questions(hall, id).await;
        open.extend(asked.into_iter().filter(|it| it["resolution"].is_null()).map(|it| ((*id).clone(), it)));
    }
    assert_eq!(open.len(), 1, "asked once: {open:?}");
    open.remove(0)
}

async fn answer(hall: &Hall, question: &Value, value: &str) {
    answers(hall, question["id"].as_str().unwrap(), value).await;
}

fn now(hall: &Hall) -> Timestamp {
    hall.house.backstage.hub.clock.now()
}

async fn until_midnight(hall: &Hall) {
    sleep(now(hall).next_day().since(now(hall)) + MINUTE).await;
}

async fn today(hall: &Hall) -> Value {
    reads(hall, "/api/v1/usage").await.body["items"][0].clone()
}

/// The tasks of the next two offers, in no order.
async fn two_offers(host: &mut Host) -> (Vec<Value>, [Value; 2]) {
    let offers = [host.hears("offer").await, host.hears("offer").await];
    let mut tasks: Vec<Value> = offers.iter().map(|offer| offer["task"].clone()).collect();
    tasks.sort_by_key(Value::to_string);
    (tasks, offers)
}

#[tokio::test(start_paused = true)]
async fn people_are_asked_once_and_one_word_lets_all_tasks_of_the_role_start_until_midnight() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 2).await;
    spends_the_day(&hall, &mut host).await;
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains("the next task of the role asks people whether it goes on"), "{}", inbox.text);
    let (one, two) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (asking, question) = asks(&hall, &[&one, &two]).await;
    let waiting = if asking == one { &two } else { &one };
    assert_eq!((&question["kind"], &question["defaultAction"]), (&json!("budget"), &json!("stop")), "{question}");
    assert_eq!(question["expiresAt"], json!(now(&hall).next_day().to_string()), "{question}");
    let text = question["question"].as_str().unwrap();
    assert!(text.starts_with(&format!("Does role {ROLE} go on today?")), "{text}");
    assert!(text.contains("5.00 USD of 5.00 USD are used"), "{text}");
    let seen = task(&hall, &asking).await;
    let run = &seen["runs"][0];
    assert_eq!((&seen["state"], &run["reason"]), (&json!("BLOCKED"), &json!("budget")), "{seen}");
    assert_eq!((&run["processes"], &run["usage"]), (&json!(0), &Value::Null), "nothing was started: {seen}");
    assert_eq!(task(&hall, waiting).await["state"], "QUEUED");
    let why = reads(&hall, &format!("/api/v1/tasks/{}/why", waiting.as_str().unwrap())).await;
    let asked = format!("people are asked in task {} whether it goes on", asking.as_str().unwrap());
    assert!(why.text.contains("used up until 00:00 UTC") && why.text.contains(&asked), "{}", why.text);
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains(&format!("the budget of the day of role {ROLE} is used up")), "{}", inbox.text);
    assert!(!inbox.text.contains(&format!("budget of role {ROLE} used up")), "it is one matter: {}", inbox.text);
    let used = today(&hall).await;
    assert_eq!((&used["today"], &used["runs"]), (&json!("day_used"), &json!(1)), "{used}");
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    answer(&hall, &question, "go on").await;
    let (tasks, offers) = two_offers(&mut host).await;
    let mut expected = vec![one.clone(), two.clone()];
    expected.sort_by_key(Value::to_string);
    assert_eq!(tasks, expected);
    for offer in &offers {
        done(&hall, &mut host, offer, 50.0).await;
    }
    assert_eq!(today(&hall).await["today"], "day_goes_on");
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains("used up, and it goes on until 00:00 UTC"), "{}", inbox.text);
    let third = json!(hall.assigns(ROLE).await);
    assert_eq!(host.hears("offer").await["task"], third, "that day they are not asked again");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_role_that_is_not_let_go_on_starts_nothing_and_asks_nothing_before_the_next_day() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 2).await;
    spends_the_day(&hall, &mut host).await;
    let one = json!(hall.assigns(ROLE).await);
    let (_, question) = asks(&hall, &[&one]).await;
    answer(&hall, &question, "stop").await;
    let two = json!(hall.assigns(ROLE).await);
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    assert_eq!(questions(&hall, &two).await, Vec::<Value>::new(), "they have said so");
    for id in [&one, &two] {
        let seen = task(&hall, id).await;
        assert_eq!(
            (&seen["state"], seen["attempts"].to_string().contains("FAILED")),
            (&json!("QUEUED"), false),
            "{seen}"
        );
        let why = reads(&hall, &format!("/api/v1/tasks/{}/why", id.as_str().unwrap())).await;
        assert!(why.text.contains("used up until 00:00 UTC; it was not let go on"), "{}", why.text);
    }
    assert_eq!(today(&hall).await["today"], "day_stops");
    let inbox = reads(&hall, "/api/v1/inbox").await;
    assert!(inbox.text.contains("raise `budget.perDay` of the role in agents.yaml"), "{}", inbox.text);
    until_midnight(&hall).await;
    let (_, offers) = two_offers(&mut host).await;
    for offer in &offers {
        done(&hall, &mut host, offer, 3.0).await;
    }
    let three = json!(hall.assigns(ROLE).await);
    let (_, question) = asks(&hall, &[&three]).await;
    assert_eq!(question["expiresAt"], json!(now(&hall).next_day().to_string()), "another day is another question");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_who_answers_leaves_a_role_stopped_until_midnight() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    spends_the_day(&hall, &mut host).await;
    let id = json!(hall.assigns(ROLE).await);
    let (_, question) = asks(&hall, &[&id]).await;
    // The hub began at 08:00 UTC.
    sleep(14 * 60 * MINUTE).await;
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    until_midnight(&hall).await;
    assert_eq!(host.hears("offer").await["task"], id);
    let answered = reads(&hall, &format!("/api/v1/questions/{}", question["id"].as_str().unwrap())).await.body;
    let resolution = &answered["resolution"];
    assert_eq!((&resolution["type"], &resolution["value"]), (&json!("timeout"), &json!("stop")), "{answered}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn shortly_before_midnight_nobody_is_asked() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    spends_the_day(&hall, &mut host).await;
    sleep(now(&hall).next_day().since(now(&hall)) - MINUTE / 2).await;
    let id = json!(hall.assigns(ROLE).await);
    sleep(MINUTE / 3).await;
    assert_eq!((task(&hall, &id).await["state"].clone(), questions(&hall, &id).await), (json!("QUEUED"), Vec::new()));
    assert_eq!(host.hears("offer").await["task"], id, "the next day begins");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_about_the_day_and_its_answer_outlive_restarts() {
    let (store, reader) = memory::open();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), five_a_day).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    spends_the_day(&hall, &mut host).await;
    let one = json!(hall.assigns(ROLE).await);
    let (_, question) = asks(&hall, &[&one]).await;
    drop(host);
    hall.ends().await;
    let (store, reader) = reader.reopened();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), five_a_day).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    let two = json!(hall.assigns(ROLE).await);
    let (asking, same) = asks(&hall, &[&one, &two]).await;
    assert_eq!((asking, &same["id"]), (one.clone(), &question["id"]), "nobody asks anew");
    host.hears_nothing_of("offer", MINUTE).await;
    answer(&hall, &question, "go on").await;
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    done(&hall, &mut host, &offer, 5.0).await;
    let next = host.hears("offer").await;
    looks(&hall, &next).await;
    done(&hall, &mut host, &next, 5.0).await;
    drop(host);
    hall.ends().await;
    let (store, reader) = reader.reopened();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader), five_a_day).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 1).await;
    let three = json!(hall.assigns(ROLE).await);
    assert_eq!(host.hears("offer").await["task"], three, "the tasks that said so are closed");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn of_two_people_at_once_one_has_the_word() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    spends_the_day(&hall, &mut host).await;
    let id = json!(hall.assigns(ROLE).await);
    let (_, question) = asks(&hall, &[&id]).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/questions/{}/answer", question["id"].as_str().unwrap());
    let say = |value: &str| hall.house.orders("POST", &path, &operator, json!({"value": value}));
    tokio::join!(say("go on"), say("stop"));
    let answered = reads(&hall, &format!("/api/v1/questions/{}", question["id"].as_str().unwrap())).await.body;
    assert_eq!(answered["lateAnswers"].as_array().map(Vec::len), Some(1), "{answered}");
    if answered["resolution"]["value"] == "go on" {
        assert_eq!(host.hears("offer").await["task"], id);
    } else {
        host.hears_nothing_of("offer", 60 * MINUTE).await;
    }
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn with_its_task_the_question_goes_and_the_next_one_asks() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 2).await;
    spends_the_day(&hall, &mut host).await;
    let (one, two) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (asking, first) = asks(&hall, &[&one, &two]).await;
    let next = if asking == one { &two } else { &one };
    says(&hall, &asking, "cancel", json!({})).await;
    let (again, second) = asks(&hall, &[&one, &two]).await;
    assert_eq!((&again, first["id"] == second["id"]), (next, false));
    let gone = reads(&hall, &format!("/api/v1/questions/{}", first["id"].as_str().unwrap())).await.body;
    assert_eq!(gone["resolution"]["type"], "superseded", "{gone}");
    answer(&hall, &second, "go on").await;
    assert_eq!(host.hears("offer").await["task"], *next);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_asks_something_else_leaves_it_to_its_next_minute() {
    let hall = within(json!({"perTask": "5 USD", "perDay": "5 USD"})).await;
    let mut host = on_call(&hall, "h1", 1).await;
    let (spent, _) = spends_all(&hall, &mut host).await;
    let id = json!(hall.assigns(ROLE).await);
    let (asking, question) = asks(&hall, &[&spent, &id]).await;
    assert_eq!((&asking, &task(&hall, &id).await["state"]), (&spent, &json!("QUEUED")), "one thing at a time");
    sleep(10 * MINUTE).await;
    let kept = hall.house.backstage.hub.journal.read(|reader| reader.records(Seq(0), 1_000)).await.unwrap();
    let offers = format!("{kept:?}").matches("OfferReturned").count();
    assert!((1..20).contains(&offers), "it is not offered each second: {offers}");
    answer(&hall, &question, "stop").await;
    let (asking, question) = asks(&hall, &[&spent, &id]).await;
    assert_eq!(asking, id);
    answer(&hall, &question, "go on").await;
    assert_eq!(host.hears("offer").await["task"], id);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn agents_of_one_task_alone_ask_so_too() {
    let hall = within(json!({"perDay": "5 USD"})).await;
    let mut host = fresh(&hall, "h1", 2).await;
    spends_the_day(&hall, &mut host).await;
    let (one, two) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (_, question) = asks(&hall, &[&one, &two]).await;
    host.hears_nothing_of("offer", 60 * MINUTE).await;
    answer(&hall, &question, "go on").await;
    let (tasks, _) = two_offers(&mut host).await;
    let mut expected = vec![one, two];
    expected.sort_by_key(Value::to_string);
    assert_eq!(tasks, expected);
    hall.ends().await;
}
