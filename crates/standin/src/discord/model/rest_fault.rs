//! Faults of REST on demand, and the requests that came.

use std::time::Duration;

use serde_json::Value;

use super::snowflake::Id;

/// Whose limit a 429 names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    /// Of the route.
    User,
    /// Of the whole application.
    Global,
    /// Of a resource that others use, too.
    Shared,
}

/// What goes wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestFault {
    /// An empty answer with this status, unhandled.
    Status(u16),
    /// 502 with the HTML page of a proxy, unhandled.
    Html502,
    /// The connection is reset before the request was handled.
    ResetBefore,
    /// The request is handled, and the connection reset before its answer.
    ResetAfter,
    RateLimited {
        /// What `Retry-After` and `retry_after` tell.
        after: Duration,
        /// Whose limit it is.
        scope: LimitScope,
    },
    /// A refusal of Discord's with this code, unhandled; `status` replaces the usual one.
    Refused {
        /// The status, if it is not the usual one of the code.
        status: Option<u16>,
        /// Discord's code, 50013 for example.
        code: u32,
    },
    /// The request is handled after so long.
    Slow(Duration),
    /// The request is handled at once and answered after so long.
    SlowAnswer(Duration),
}

/// Which requests a fault meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestRule {
    pub(crate) method: String,
    pub(crate) route: String,
    pub(crate) inside: Option<Id>,
    pub(crate) skip: u32,
    pub(crate) times: u32,
}

impl RestRule {
    /// Requests with this method to this route, as the table of routes writes it: `/channels/:channel/messages`. `*`
    /// means every one.
    #[must_use]
    pub fn on(method: &str, route: &str) -> Self {
        Self { method: method.into(), route: route.into(), inside: None, skip: 0, times: 1 }
    }

    /// The next request, whatever it is.
    #[must_use]
    pub fn any() -> Self {
        Self::on("*", "*")
    }

    /// Only where this id stands in the path.
    #[must_use]
    pub fn inside(self, id: Id) -> Self {
        Self { inside: Some(id), ..self }
    }

    /// So many requests go by unharmed first.
    #[must_use]
    pub fn after(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// So many times; once, if nothing is said.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Until faults are cleared.
    #[must_use]
    pub fn always(self) -> Self {
        self.times(u32::MAX)
    }
}

/// A request that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// Its path behind `/api/v10`, with the query.
    pub path: String,
    /// Its JSON; `payload_json` of a multipart body; null for none.
    pub body: Value,
    /// Names and sizes of its files.
    pub files: Vec<(String, usize)>,
    /// The status that it was answered with, or 0 when the connection was reset.
    pub status: u16,
}

#[derive(Debug, Default)]
pub(crate) struct RestFaults {
    pub(crate) rules: Vec<(RestRule, RestFault)>,
    pub(crate) requests: Vec<Request>,
}

impl RestFaults {
    /// The fault that meets this request, which counts against its rule.
    pub(crate) fn meet(&mut self, method: &str, route: &str, path: &str) -> Option<RestFault> {
        for (rule, fault) in &mut self.rules {
            let is_met = (rule.method == "*" || rule.method == method)
                && (rule.route == "*" || rule.route == route)
                && rule.inside.is_none_or(|id| path.split(['/', '?']).any(|step| step == id.to_string()));
            if !is_met || rule.times == 0 {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            if rule.times != u32::MAX {
                rule.times -= 1;
            }
            return Some(fault.clone());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_skips_then_counts_then_ends() {
        let mut faults = RestFaults::default();
        let rule = RestRule::on("POST", "/channels/:channel/messages").inside(7).after(1).times(2);
        faults.rules.push((rule, RestFault::Html502));
        let mut meet = |path: &str| faults.meet("POST", "/channels/:channel/messages", path).is_some();
        assert_eq!(
            ["/channels/7/messages"; 4].map(&mut meet),
            [false, true, true, false],
            "one goes by, two are met, and then it is over"
        );
        assert!(!meet("/channels/8/messages"));
    }
}
