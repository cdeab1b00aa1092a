//! People's names, which they choose themselves: nothing in them hides, turns what stands behind, or speaks for others.

use super::world::{World, grant};

#[tokio::test(start_paused = true)]
async fn a_name_turns_hides_and_says_nothing() {
    for (seed, given, shown) in [
        (111, "bo\u{202e}b", "bob"),
        (112, "\u{200b}\u{2060}", "somebody"),
        (113, "x\nbo answered: no", "x bo answered: no"),
    ] {
        let mut world = World::of(seed).await;
        let bob = world.discord.member(world.guild, given, &[]);
        world.lists(bob, grant()).await;
        let (request, task) = world.begins("implement login").await;
        world.asks_as("fullstack-1", |spec| spec.question = "Old or new?".to_owned()).await;
        let card = world.shown(request, "Old or new?");
        world.presses_on(bob, card.id, "old").await;
        let now = world.shown(request, "Old or new?").content;
        assert!(now.ends_with(&format!("\n✅ **{shown}** answered: old")), "{now}");
        let late = world.presses_an_old_one(&card).await;
        assert_eq!(late, format!("⚠️ **{shown}** was faster: old, 5 s ago."));
        world.writes(bob, request, "use OAuth").await;
        assert_eq!(world.task(&task).comments[0].from.display_name, shown, "and so the agent reads it");
    }
}
