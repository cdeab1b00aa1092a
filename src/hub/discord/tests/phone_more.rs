//! More that a person reads on Discord, for the same file: other questions, hints, and what is said after an absence.

use std::time::Duration;

use callboard_standin::discord::GatewayFault;
use tokio::time::sleep;

use super::phone::Phone;
use super::shown::leave;
use crate::domain::session::question::QuestionSpec;
use crate::domain::task::ReportKind;

const ID: &str = "fullstack-1";

/// Leave, a long question, a choice of many, one in own words, one that nobody answers.
pub(super) async fn questions(phone: &mut Phone) {
    phone.heading("Other questions");
    let (ann, guild) = (phone.world.ann, phone.world.guild);
    let developer = phone.world.discord.role(guild, "developer");
    let bob = phone.world.discord.member(guild, "bob the builder", &[developer]);
    let (request, task) = phone.world.begins("clean up").await;
    let half = ReportKind::Progress { phase: None, percent: Some(50) };
    phone.world.reports(&task, half, "half of *it*").await.unwrap();

    phone.world.asks_as(ID, leave("rm -rf *_old_* `pwd`")).await;
    phone.room("thread, leave", request);
    let shown = phone.world.shown(request, "wants to use");
    phone.presses(bob, shown.id, "allow once").await;
    let told = phone.world.presses_an_old_one(&shown).await;
    phone.told("allow once, by ann", &told);

    let text = format!("Which of these?\n{}The end of it.", "One line of many words.\n".repeat(90));
    phone.world.asks_as(ID, |spec| spec.question = text).await;
    let shown = phone.world.shown(request, "The end of it.");
    phone.presses(ann, shown.id, "Use default").await;

    let ways = |spec: &mut QuestionSpec| {
        spec.options = (1..=6).map(|at| format!("way {at}")).collect();
        spec.default_action = "way 1".to_owned();
    };
    phone.world.asks_as(ID, ways).await;
    let shown = phone.world.shown(request, "Which one?");
    let picked = phone.world.discord.picks(ann, shown.id, "Choose…", &["way 5"]).unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(picked)).unwrap().content;
    phone.told("Choose…: way 5", &told);

    let free = |spec: &mut QuestionSpec| {
        spec.question = "What is it to be called?".to_owned();
        (spec.options, spec.default_action, spec.allow_free_text) = (Vec::new(), "callboard".to_owned(), true);
    };
    phone.world.asks_as(ID, free).await;
    let shown = phone.world.shown(request, "to be called?");
    let told = phone.world.fills_in(ann, shown.id, "Answer…", "Switchboard").await;
    phone.told("Answer…: Switchboard", &told);

    phone.world.asks_as(ID, |spec| spec.question = "Tabs or spaces?".to_owned()).await;
    let shown = phone.world.shown(request, "Tabs or spaces?");
    sleep(Duration::from_secs(11 * 60)).await;
    let told = phone.world.presses_an_old_one(&shown).await;
    phone.told("an old button", &told);
    phone.room("thread, answered", request);
    phone.world.reports(&task, ReportKind::Completed, "Cleaned.").await.unwrap();
    // The agent hears every answer before it is ready for more.
    for _ in 0..8 {
        phone.world.takes().await;
        phone.world.settles().await;
    }
}

/// What is said to who calls, and says too little or the wrong name.
pub(super) async fn hints(phone: &mut Phone) {
    phone.heading("Hints");
    let (ann, guild) = (phone.world.ann, phone.world.guild);
    let designers = phone.world.discord.role(guild, "Painters");
    let eve = phone.world.discord.member(guild, "eve", &[]);
    for (whom, text) in [
        (ann, "do it".to_owned()),
        (ann, "Fulstack: do it".to_owned()),
        (ann, "FullStack:".to_owned()),
        (eve, format!("<@&{designers}> do it")),
    ] {
        sleep(Duration::from_secs(61)).await;
        let told = phone.world.calls_bot(whom, &text).await;
        let text = text.replace(&designers.to_string(), "Painters");
        phone.told(&format!("@Callboard {text}"), &told);
    }
}

/// What is said when the hub comes back.
pub(super) async fn away(phone: &mut Phone) {
    phone.heading("After an absence");
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    let call = format!("<@&{}> too long ago", phone.world.role);
    phone.world.discord.gateway_fault(GatewayFault::ForgetSessions);
    let mut said = 0;
    phone
        .world
        .is_gone_while(async |world| {
            said = world.discord.says(ann, channel, &call);
            sleep(Duration::from_secs(20 * 60)).await;
        })
        .await;
    sleep(Duration::from_secs(60)).await;
    let told = phone.world.replies_to(said).concat();
    phone.told("@FullStack too long ago", &told);
}
