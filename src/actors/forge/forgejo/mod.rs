//! Forgejo and Gitea, by version 1 of their REST interface.
//!
//! - *Drafts.* A draft is one whose title begins so (`WIP:` or `[WIP]`). The hub's own records have the title without
//!   it; it is put before the title on the way out, and taken off on the way in.
//! - *Pages.* An instance may cap how much a page holds, so a list is read until it is whole (`rest_client.rs`).
//! - *Once.* A request to open is preceded by a search for the mark among the pull requests that were touched last,
//!   and a refusal because one is open already is answered with that one.
//! - *Not known yet.* After a push the instance needs a moment to find out whether a pull request can be merged, and
//!   says no meanwhile; so a no is asked for again before it is believed.

mod shapes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::header::{ACCEPT, HeaderValue};
use http::{Method, StatusCode};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use self::shapes::{
    CommentShape, CompareShape, PermissionShape, ReviewShape, TimelineShape, on_forge, seen, unresolved_threads,
};
use super::carrier::Carrier;
use super::clocks::ForgeClocks;
use super::error::{ForgeError, ForgeResult};
use super::place::{escaped, path, root};
use super::port::{MergeOrder, Opened, Port, Surveyed};
use super::rest_client::{Paging, RestClient};
use super::shapes::{Pull, RepositoryShape, Statuses, User, earlier, owner, surveyed, told};
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::domain::pull::{
    PullChange, PullLook, PullRequest, PullSeen, PullSpec, PullState, Repository, Reviewed, ReviewerRole, Sizes,
    Verdict, last_verdicts, mark, quiet_title,
};
use crate::domain::time::Timestamp;

/// The path of the interface below an instance.
const API: &str = "/api/v1";
/// How lists are read: by the most items that an instance gives where nobody changed it.
const PAGING: Paging = Paging { key: "limit", size: 50, short_is_last: false, most: 100 };
/// The most pages that are read of a list in which the first will do.
const FIRST: usize = 10;
/// How long the instance is given to find out whether a pull request can be merged, and how often it is asked.
const PONDERS: Duration = Duration::from_secs(1);
const LOOKS: usize = 3;
/// The most reviews whose comments are read; with more, nothing is said of threads.
const MOST_COMMENTED: usize = 50;

#[derive(Debug)]
pub(super) struct Forgejo(RestClient);

impl Forgejo {
    /// At the address of this instance. Fails when no address is set, or the token cannot stand in a header.
    pub(super) fn new(
        base: Option<&str>,
        token: &SecretString,
        carrier: Arc<dyn Carrier>,
        clocks: ForgeClocks,
        clock: Clock,
    ) -> ForgeResult<Self> {
        let base = base.ok_or_else(|| ForgeError::Off("forge.baseUrl names no instance of Forgejo".to_owned()))?;
        let base = base.trim_end_matches('/');
        let base = format!("{}{API}", base.strip_suffix(API).unwrap_or(base));
        let rest = RestClient::new(&base, PAGING, carrier, clocks, clock).with_token("token", token)?;
        Ok(Self(rest.with_header(ACCEPT, HeaderValue::from_static("application/json"))))
    }

    /// What an earlier attempt left, or whoever opened one for these branches; what was touched last comes first.
    async fn found(&self, pulls: &str, id: &PullId, spec: &PullSpec) -> ForgeResult<Option<Opened>> {
        // Older instances do not know `head`, and list all.
        let query = [("state", "all"), ("sort", "recentupdate"), ("head", spec.head.as_str())];
        let (known, _) = self.0.pages(pulls, &query, FIRST, |known: Vec<Pull>| known).await?;
        earlier(known, &mark(id), spec, seen)
    }
}

#[async_trait]
impl Port for Forgejo {
    async fn open(&self, id: &PullId, spec: &PullSpec) -> ForgeResult<Opened> {
        let (_, root) = root(&spec.repository)?;
        let pulls = format!("{root}/pulls");
        if let Some(found) = self.found(&pulls, id, spec).await? {
            return Ok(found);
        }
        let base = match &spec.base {
            Some(base) => base.to_string(),
            None => self.0.get::<RepositoryShape>(&root, &[]).await?.default_branch,
        };
        let body = format!("{}\n\n{}", spec.body, mark(id));
        let title = on_forge(&spec.title, spec.draft);
        let asked = json!({"title": title, "head": spec.head, "base": base, "body": body});
        let answer = self.0.send(Method::POST, &pulls, &[], Some(&asked)).await?;
        if answer.status() == StatusCode::CONFLICT {
            // One is open for these branches, which stood on no page that was searched.
            let there = format!("{pulls}/{}/{}", escaped(&base), escaped(spec.head.as_str()));
            match self.0.get::<Pull>(&there, &[]).await {
                Ok(known) if known.is_open() => return known.found(&mark(id), seen),
                Err(error) if error.passes().is_some() => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        match self.0.read::<Pull>(answer) {
            // The repository was seen just now, so it is a branch.
            Err(ForgeError::NotFound(why)) => {
                Err(ForgeError::Refused(format!("{why} (404): was `{}` pushed, and is `{base}` there?", spec.head)))
            }
            opened => opened?.opened(),
        }
    }

    async fn change(&self, pull: &PullRequest, change: &PullChange) -> ForgeResult<PullSeen> {
        let path = path(pull)?;
        let it: Pull = self.0.get(&path, &[]).await?;
        let (before, mut fields) = (seen(&it), Map::new());
        let draft = change.draft.unwrap_or(before.draft);
        let title = on_forge(&quiet_title(change.title.as_deref().unwrap_or(&before.title)), draft);
        if title != it.title {
            fields.insert("title".to_owned(), json!(title));
        }
        // The mark stays: a repeat of the opening is found by it.
        let body = change.body.as_ref().map(|body| format!("{body}\n\n{}", mark(&pull.id)));
        fields.extend(body.map(|body| ("body".to_owned(), json!(body))));
        let open = change.open.filter(|open| *open != it.is_open());
        fields.extend(open.map(|open| ("state".to_owned(), json!(if open { "open" } else { "closed" }))));
        if fields.is_empty() {
            return Ok(before);
        }
        let after = seen(&self.0.write(Method::PATCH, &path, &Value::Object(fields)).await?);
        if after.draft == draft {
            return Ok(after);
        }
        Err(ForgeError::Refused(
            "this instance marks drafts by another beginning of the title than `WIP:`: give the title without it"
                .to_owned(),
        ))
    }

    async fn merge(&self, pull: &PullRequest, order: &MergeOrder) -> ForgeResult<PullSeen> {
        let path = path(pull)?;
        let it: Pull = self.0.get(&path, &[]).await?;
        let merged = PullSeen { state: PullState::Merged, ..seen(&it) };
        if seen(&it) == merged {
            return Ok(merged);
        }
        order.fits(&it.head.sha, &it.base.name)?;
        let asked = json!({"Do": order.method, "head_commit_id": order.head});
        let answer = self.0.send(Method::POST, &format!("{path}/merge"), &[], Some(&asked)).await?;
        let status = answer.status();
        let Err(refused) = self.0.done(answer) else { return Ok(merged) };
        if !matches!(status, StatusCode::METHOD_NOT_ALLOWED | StatusCode::CONFLICT) {
            return Err(refused);
        }
        // Why, is seen better in how it stands now than in the words.
        let now: Pull = self.0.get(&path, &[]).await?;
        if seen(&now).state == PullState::Merged {
            return Ok(seen(&now));
        }
        order.fits(&now.head.sha, &now.base.name)?;
        if refused.to_string().contains("try again later") {
            return Err(ForgeError::Unreachable("it is still finding out whether this can be merged".to_owned()));
        }
        Err(ForgeError::Refused(format!(
            "it cannot be merged so: it conflicts, its branch is protected, or this way to merge is switched off \
             ({refused})"
        )))
    }

    async fn look(&self, pull: &PullRequest) -> ForgeResult<PullLook> {
        let (_, root) = root(&pull.repository)?;
        let path = path(pull)?;
        let it = self.settled(&path).await?;
        let seen = seen(&it);
        let of_commit = format!("{root}/commits/{}/status", it.head.sha);
        let (of_reviews, of_commits) = (format!("{path}/reviews"), format!("{path}/commits"));
        let reviewed = async {
            let mut reviews: Vec<ReviewShape> = self.0.all(&of_reviews, |reviews| reviews).await?;
            reviews.sort_by_key(|review| review.id);
            let threads = self.threads(&path, &reviews).await?;
            let own = it.author();
            let said = last_verdicts(reviews.into_iter().filter_map(|review| review.said(own)));
            Ok::<_, ForgeError>((self.asked_for_rights(&root, said).await?, threads))
        };
        let (statuses, (said, threads), base_changed_at, commits) = tokio::try_join!(
            self.0.all(&of_commit, |it: Statuses| it.statuses.unwrap_or_default()),
            reviewed,
            self.base_changed_at(&root, &it),
            self.0.count(&of_commits),
        )?;
        Ok(PullLook {
            // A draft, or one that is over, is called unmergeable, too, and says so by itself.
            mergeable: it.mergeable.filter(|_| seen.state == PullState::Open && !seen.draft),
            seen,
            checks: statuses.into_iter().map(Into::into).collect(),
            runs_checks: true,
            reviews: said,
            base_changed_at,
            fork: it.merge_base.as_deref().and_then(told),
            lost: BTreeSet::new(),
            unresolved_threads: threads,
            sizes: Sizes { commits, ..it.sizes() },
        })
    }

    async fn base_holds(&self, pull: &PullRequest, commit: &str) -> ForgeResult<bool> {
        let (_, root) = root(&pull.repository)?;
        let base = pull.base.as_ref().ok_or_else(|| ForgeError::Refused("its base is not known".to_owned()))?;
        let path = format!("{root}/compare/{}...{commit}", escaped(base.as_str()));
        Ok(self.0.get::<CompareShape>(&path, &[]).await?.total_commits == 0)
    }

    async fn diff(&self, pull: &PullRequest, commit: &str) -> ForgeResult<String> {
        let path = path(pull)?;
        let ends_so = async || Ok::<_, ForgeError>(self.0.get::<Pull>(&path, &[]).await?.head.sha == commit);
        // The instance shows the change of the moment, so the branch must not move meanwhile.
        let before = ends_so().await?;
        let diff = self.0.text(&format!("{path}.diff")).await?;
        if before && ends_so().await? {
            return Ok(diff);
        }
        Err(ForgeError::Refused("its branch moved on while it was looked at: repeat the call".to_owned()))
    }

    async fn who(&self) -> ForgeResult<String> {
        owner(&self.0).await
    }

    async fn survey(&self, repository: &Repository) -> ForgeResult<Surveyed> {
        surveyed(&self.0, repository).await
    }
}

impl Forgejo {
    /// The same reviews, with who may write now as far as the instance tells; the review says who could then.
    async fn asked_for_rights(&self, root: &str, mut said: Vec<Reviewed>) -> ForgeResult<Vec<Reviewed>> {
        let counts = |review: &&mut Reviewed| {
            let judges = matches!(review.verdict, Verdict::Approved | Verdict::ChangesRequested);
            judges && review.standing == ReviewerRole::Writer
        };
        let mut own = None;
        for review in said.iter_mut().filter(counts) {
            if own.is_none() {
                // A token may be made for repositories alone.
                let user = self.0.get::<User>("/user", &[]).await;
                own = Some(user.map(Some).or_else(only_what_passes)?.unwrap_or_default());
            }
            if own.as_ref().is_some_and(|own| own.login.eq_ignore_ascii_case(&review.who)) {
                review.standing = ReviewerRole::Own;
                continue;
            }
            // Whoever is no administrator may not ask for others' rights, and older instances do not tell.
            let path = format!("{root}/collaborators/{}/permission", escaped(&review.who));
            let found = self.0.get::<PermissionShape>(&path, &[]).await;
            if found.map(Some).or_else(only_what_passes)?.is_some_and(|it| !it.writes()) {
                review.standing = ReviewerRole::Reader;
            }
        }
        Ok(said)
    }

    /// When its base was changed last, or why that is not known; an instance in trouble there says all the rest.
    async fn base_changed_at(&self, root: &str, it: &Pull) -> ForgeResult<Result<Option<Timestamp>, String>> {
        let path = format!("{root}/issues/{}/timeline", it.number);
        match self.0.all(&path, |events: Vec<TimelineShape>| events).await {
            Ok(events) => Ok(Ok(events.iter().filter_map(TimelineShape::base_changed_at).max())),
            Err(error @ (ForgeError::Limited { .. } | ForgeError::Unauthorized)) => Err(error),
            Err(ForgeError::Forbidden(why)) => Ok(Err(format!("its token may not read issues: {why}"))),
            Err(error) => Ok(Err(format!("its timeline: {error}"))),
        }
    }

    /// How it stands, once the instance had time to find out whether it can be merged.
    async fn settled(&self, path: &str) -> ForgeResult<Pull> {
        let mut it: Pull = self.0.get(path, &[]).await?;
        for _ in 1..LOOKS {
            if it.mergeable != Some(false) || !it.is_open() || seen(&it).draft {
                break;
            }
            tokio::time::sleep(PONDERS).await;
            it = self.0.get(path, &[]).await?;
        }
        Ok(it)
    }

    /// How many threads are open; none where this version does not tell.
    async fn threads(&self, path: &str, reviews: &[ReviewShape]) -> ForgeResult<Option<u32>> {
        let commented: Vec<_> = reviews.iter().filter(|review| review.comments_count > 0).collect();
        if commented.len() > MOST_COMMENTED {
            return Ok(None);
        }
        let mut comments: Vec<CommentShape> = Vec::new();
        for review in commented {
            comments.extend(self.0.get::<Vec<_>>(&format!("{path}/reviews/{}/comments", review.id), &[]).await?);
        }
        Ok(unresolved_threads(&comments))
    }
}

/// Nothing, where a part of the interface is closed to the token or not there at all.
fn only_what_passes<T>(error: ForgeError) -> ForgeResult<Option<T>> {
    if matches!(error, ForgeError::Forbidden(_) | ForgeError::NotFound(_)) { Ok(None) } else { Err(error) }
}
