//! What several people say of one review: whose word counts, who hears of it, and who is asked at all.

use std::time::Duration;

use super::world::{World, grant};
use crate::actors::agent::{AgentRef, Awaited, WaitEnd, WaitRequest};
use crate::settings::Grant;

impl World {
    /// What the agent is told when it waits next.
    async fn hears(&self) -> Vec<String> {
        let Some(WaitEnd::Notices(notices)) = self.waits_as(&self.life.agent).await else { return Vec::new() };
        notices.into_iter().map(|notice| notice.text).collect()
    }

    /// One wait of an agent, which hears how it ended.
    pub(super) async fn waits_as(&self, agent: &AgentRef) -> Option<WaitEnd> {
        let hub = &self.life.backstage.hub;
        let request = WaitRequest {
            id: hub.next_call(),
            instance: None,
            until: hub.clock.now() + Duration::from_secs(2),
            awaits: Awaited::Anything,
            nudges: false,
        };
        agent.called(None).await.ok()?;
        let (end, guard) = agent.wait(request).await.ok()?;
        guard.leaves();
        Some(end)
    }
}

#[tokio::test(start_paused = true)]
async fn changes_that_are_wanted_of_approved_work_are_told_to_everybody_in_one_breath() {
    let mut world = World::of(91).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    world.lists(bob, grant()).await;
    let (request, task) = world.begins("implement login").await;
    world.hands_in(&task, "it is done").await;
    world.hears().await;
    let card = world.shown(request, "asks for a review").id;
    let form = world.discord.clicks(world.ann, card, "Request changes…").unwrap();
    world.settles().await;
    assert!(world.presses_on(bob, card, "Approve").await.starts_with("✅ Approved"));
    let sent = world.discord.submits(form, &[("text", "rename it")]).unwrap();
    world.settles().await;
    let told = world.discord.view(|view| view.reply_of(sent)).unwrap().content;
    assert_eq!(told, "✅ Sent back to FullStack. **bob** had approved it: that does not count any more.");
    let card = world.shown(request, "asks for a review");
    assert_eq!(card.components[0]["components"][0]["label"], "Approved by bob, then changes requested by ann");
    let said = world.shown(request, "rename it").content;
    assert!(said.starts_with("✏️ **Approved by bob, then changes requested by ann**:"), "{said}");
    let heard = world.hears().await;
    assert_eq!(heard.len(), 2, "{heard:?}");
    assert!(heard[0].starts_with("approved: merge"), "{heard:?}");
    assert!(heard[1].contains("changes are requested by ann: do not merge"), "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn a_review_names_who_may_approve_it_and_pings_its_author_only_where_they_may() {
    for (seed, given) in [(92, true), (93, false)] {
        let mut lead = 0;
        let mut world = World::with(seed, |settings, discord, guild| {
            lead = discord.role(guild, "lead");
            let asks_alone = Grant { can_approve: None, ..grant() };
            settings.permissions.roles = [("developer".to_owned(), asks_alone), (lead.to_string(), grant())].into();
            settings.roles.roles.values_mut().for_each(|role| role.merge.require_approval = given);
        })
        .await;
        let (request, task) = world.begins("implement login").await;
        world.hands_in(&task, "it is done").await;
        let card = world.shown(request, "asks for a review");
        assert_eq!(card.pinged.contains(&world.ann), !given, "{card:?}");
        let who = if given { format!("Who may approve: <@&{lead}>") } else { "Who may approve: you, ".to_owned() };
        assert!(card.content.contains(&who), "{card:?}");
        world.takes_back(&task).await;
        world.discord.grants(world.guild, world.ann, lead);
        world.hands_in(&task, "it is done again").await;
        let card = world.shown(request, "it is done again");
        assert!(card.pinged.contains(&world.ann) && card.content.contains("Who may approve: you, "), "{card:?}");
    }
}
