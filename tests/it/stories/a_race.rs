//! Who answers first, over true sockets: two people and the agent itself race for one resolution.

use std::sync::OnceLock;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::dice::Dice;
use crate::support::hub_process::HubProcess;

/// How many races.
const RACES: u64 = 500;
/// How many agents ask, in turns.
const AGENTS: usize = 5;
/// In the first races of so many, one of the three is answered before the others begin.
const LEADS: u64 = 50;

#[test]
fn of_two_people_and_the_agent_one_wins_and_the_others_are_told_who() {
    let data_dir = TempDir::new().unwrap();
    let config = TempDir::new().unwrap();
    std::fs::write(config.path().join("hub.yaml"), "limits:\n  requestsPerSecond: 5000\n  burst: 5000\n").unwrap();
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    let agents: Vec<Agent> = (0..AGENTS)
        .map(|number| Agent::register(&hub, &format!("fullstack-{number}"), "full-stack-engineer"))
        .collect();
    let people = ["ada", "bob"].map(|name| person(&hub, name));
    let mut won = [0_u32; 3];
    for race in 0..RACES {
        let agent = &agents[usize::try_from(race).unwrap() % AGENTS];
        let question = asks(&hub, agent, race);
        let outcomes = run(&hub, agent, &people, &question, race);
        let (_, kept) = hub.get(&format!("/api/v1/questions/{question}"));
        let winners: Vec<usize> =
            (0..3).filter(|racer| outcomes[*racer].as_ref().is_some_and(|it| it.0 == 200)).collect();
        assert_eq!(winners.len(), 1, "race {race}: {outcomes:?}");
        for (status, body) in outcomes.iter().flatten().filter(|(status, _)| *status != 200) {
            assert_eq!((*status, &body["code"]), (409, &json!("ALREADY_RESOLVED")), "race {race}: {body}");
            let told = &body["details"]["resolution"];
            for field in ["type", "value", "by", "surface", "at"] {
                assert_eq!(told[field], kept["resolution"][field], "race {race}: the loser is told who won");
            }
        }
        won[winners[0]] += 1;
    }
    assert!(won.iter().all(|times| *times > 0), "{won:?}: everybody wins now and then");
    assert_eq!(hub.terminate().code(), Some(0));
}

/// What each of the three was told; the agent withdraws in every second race.
fn run(hub: &HubProcess, agent: &Agent, people: &[String; 2], question: &str, race: u64) -> [Option<(u16, Value)>; 3] {
    let mut dice = Dice(race);
    let mut pause = || dice.below(400);
    let pauses = [pause(), pause(), pause()];
    // Else a machine with one processor may let the same one win every time.
    let (leader, led) = (usize::try_from(race % LEADS).unwrap(), &OnceLock::new());
    let withdraws = leader == 2 || dice.below(2) == 0;
    let runs = move |racer: usize, call: &dyn Fn() -> (u16, Value)| {
        if leader < 3 && racer != leader {
            led.wait();
        } else {
            hesitate(pauses[racer]);
        }
        let told = call();
        if racer == leader {
            led.set(()).unwrap();
        }
        told
    };
    thread::scope(|scope| {
        let answers = [0, 1].map(|person| {
            let (token, value) = (&people[person], ["old", "new"][person]);
            let value = json!({ "value": value });
            let path = format!("/api/v1/questions/{question}/answer");
            scope.spawn(move || runs(person, &|| hub.post_as(token, &path, &value)))
        });
        let withdrawal = withdraws.then(|| {
            let question = json!({ "question_id": question });
            scope.spawn(move || runs(2, &|| hub.post_as(agent.token(), "/api/v1/tools/withdraw_question", &question)))
        });
        let [ada, bob] = answers.map(|answer| answer.join().unwrap());
        [Some(ada), Some(bob), withdrawal.map(|withdrawal| withdrawal.join().unwrap())]
    })
}

/// Comes a little later, by a few kilobytes of work: nobody sleeps for less than the others' whole race.
fn hesitate(rounds: usize) {
    let busy = (0..rounds * 100).fold(0_usize, |sum, round| std::hint::black_box(sum ^ round));
    std::hint::black_box(busy);
}

fn asks(hub: &HubProcess, agent: &Agent, race: u64) -> String {
    let ask = json!({
        "question": format!("Old or new, in race {race}?"), "options": ["old", "new"], "default_action": "new",
        "wait_seconds": 0,
    });
    let (status, asked) = hub.post_as(agent.token(), "/api/v1/tools/request_input", &ask);
    assert_eq!(status, 200, "{asked}");
    asked["question_id"].as_str().unwrap().to_owned()
}

/// A person's token.
fn person(hub: &HubProcess, name: &str) -> String {
    let made = hub.command(&["token", "create", "--scope", "operate", "--name", name, "-o", "json"]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}
