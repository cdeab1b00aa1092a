//! The one sign on a request by which several were called.

use super::words::headline;
use crate::task::Task;

/// From what people must look at most urgently to what needs nobody.
const URGENT_FIRST: [&str; 4] = ["⚠️", "👀", "❌", "✅"];

/// What the sign says of all these tasks together: while any is open, it is that of the open ones.
pub fn sign_of_all(tasks: &[Task]) -> &'static str {
    let any_is_open = tasks.iter().any(|task| !task.state.name().is_closed());
    let counted = tasks.iter().filter(|task| !any_is_open || !task.state.name().is_closed());
    let signs: Vec<_> = counted.map(|task| headline(task, "").0).collect();
    URGENT_FIRST.into_iter().find(|sign| signs.contains(sign)).unwrap_or("👀")
}
