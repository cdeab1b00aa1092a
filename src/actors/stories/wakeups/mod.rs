//! Every path into a queue wakes whoever is parked, within 100 ms.
//!
//! A table of all paths, each walked twice: the agent waits already when it happens, or begins to wait afterwards. That
//! the table is whole is held by the compiler: `edges` names the paths of every record that queues a task, of every
//! order that may, and of every message after which the dispatcher may find a pair, each by a match without a wildcard.
//!
//! - `path` lists. `edges` maps. `scene` prepares each path and lets it happen. `walk` waits and judges.

mod edges;
mod path;
mod scene;
mod stage;
mod walk;
