//! One measured figure: the value, the floor beside it, their ratio, and the goal.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use super::error::BenchError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// From the call to the waiting agent that has parsed it.
    Called,
    /// From a person's answer to the agent that has parsed it; and how late a default applies.
    Questions,
    /// Durable calls a second.
    Throughput,
    /// What a completed task costs.
    Tasks,
    /// Memory and idle time of parked agents.
    Memory,
    /// Agents at two doors at once: memory, idle time, and how soon one is woken.
    Doors,
    /// From the start of the process to the first request served.
    Start,
    /// From the death of an agent with an unacknowledged offer to the next one that has it.
    Redelivery,
    /// From the start of the process to every agent waiting again.
    Restart,
    /// How late deadlines are kept under load.
    Deadlines,
    /// Terminals that are watched for prompts.
    Prompts,
    /// Plans that the hub carries out.
    Workflows,
    /// Calls from Discord, and calls beside it.
    Discord,
    /// A hub with many closed tasks, beside an empty one.
    History,
    /// A hub on PostgreSQL, where a server is named.
    Database,
}

impl Measure {
    /// Every one, in the order in which they are made.
    pub const ALL: [Self; 15] = [
        Self::Called,
        Self::Questions,
        Self::Throughput,
        Self::Tasks,
        Self::Memory,
        Self::Doors,
        Self::Start,
        Self::Redelivery,
        Self::Restart,
        Self::Deadlines,
        Self::Prompts,
        Self::Workflows,
        Self::Discord,
        Self::History,
        Self::Database,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Questions => "questions",
            Self::Throughput => "throughput",
            Self::Tasks => "tasks",
            Self::Memory => "memory",
            Self::Doors => "doors",
            Self::Start => "start",
            Self::Redelivery => "redelivery",
            Self::Restart => "restart",
            Self::Deadlines => "deadlines",
            Self::Prompts => "prompts",
            Self::Workflows => "workflows",
            Self::Discord => "discord",
            Self::History => "history",
            Self::Database => "database",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Called => "called → delivered; floor: one durable append of the same bytes and two bare round trips",
            Self::Questions => "answers and deadlines; floor: one durable append and two bare round trips",
            Self::Throughput => {
                "durable calls; floor: the bare MCP library with one durable append of as many bytes each"
            }
            Self::Tasks => {
                "cost of a task; floor: a bare web server that keeps a durable row of the same bytes at each step"
            }
            Self::Memory => "memory of a parked agent; floor: a parked call of the bare MCP library, a bare long poll",
            Self::Doors => "agents at two doors at once; floor: one durable append and two bare round trips",
            Self::Start => "from the start of the process to its first answer; floor: the same with an empty journal",
            Self::Redelivery => "agent dies → the next one has its offer; floor: an append and two bare round trips",
            Self::Restart => "killed and started again; floor: the same with an empty journal",
            Self::Deadlines => "how late ends come under load; floor: a bare timer under the same load",
            Self::Workflows => {
                "plans that the hub carries out; floor: the calls of the plan alone, over one connection"
            }
            Self::Prompts => "terminals watched for prompts; floor: the terminal model without the detector",
            Self::History => "a hub with many closed tasks; floor: an empty one, in turns",
            Self::Database => "a hub on PostgreSQL; floor: beside each figure",
            Self::Discord => "calls from Discord and beside it; floor: an append and two round trips, or no Discord",
        }
    }
}

/// What is aimed at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Goal {
    /// The value is at most so many times the floor.
    RatioAtMost(f64),
    /// The value is at least so many times the floor.
    RatioAtLeast(f64),
    /// The value is at most this, in its unit.
    AtMost(f64),
    /// The value is at least this, in its unit.
    AtLeast(f64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RatioAtMost(most) => write!(f, "≤ {most} ×"),
            Self::RatioAtLeast(least) => write!(f, "≥ {least} ×"),
            Self::AtMost(most) => write!(f, "≤ {most}"),
            Self::AtLeast(least) => write!(f, "≥ {least}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// By which measurement.
    pub measure: Measure,
    pub what: String,
    pub value: f64,
    /// Of which unit, also of the floor.
    pub unit: &'static str,
    /// The floor, measured in the same run.
    pub floor: Option<f64>,
    /// Value by floor.
    pub ratio: Option<f64>,
    /// What is aimed at.
    pub goal: Option<Goal>,
    /// Whether it is reached.
    pub met: Option<bool>,
    /// What it must never miss, on any machine: a run that does has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Goal>,
}

impl Figure {
    /// A value that stands alone.
    pub(super) fn new(measure: Measure, what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { measure, what: what.into(), value, unit, floor: None, ratio: None, goal: None, met: None, bound: None }
    }

    /// Beside its floor.
    pub(super) fn floor(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self.ratio = (floor > 0.0).then(|| self.value / floor);
        self
    }

    /// With what is aimed at.
    pub(super) fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self.met = self.reaches(goal);
        self
    }

    /// With what it must never miss.
    pub(super) fn bound(self, bound: Goal) -> Self {
        Self { bound: Some(bound), ..self }
    }

    /// Why it fails the run: what was measured, and the bound.
    pub(super) fn broken(&self) -> Option<String> {
        let bound = self.bound.filter(|bound| self.reaches(*bound) == Some(false))?;
        let [what, value, _, ratio, _] = self.cells();
        Some(format!("{what}: {value} {ratio}, and the bound is {bound}"))
    }

    fn reaches(&self, goal: Goal) -> Option<bool> {
        match goal {
            Goal::RatioAtMost(most) => self.ratio.map(|ratio| ratio <= most),
            Goal::RatioAtLeast(least) => self.ratio.map(|ratio| ratio >= least),
            Goal::AtMost(most) => Some(self.value <= most),
            Goal::AtLeast(least) => Some(self.value >= least),
        }
    }

    fn cells(&self) -> [String; 5] {
        let met = self.met.map_or("", |met| if met { "met" } else { "missed" });
        [
            self.what.clone(),
            format!("{} {}", short(self.value), self.unit),
            self.floor.map(|floor| format!("{} {}", short(floor), self.unit)).unwrap_or_default(),
            self.ratio.map(|ratio| format!("{ratio:.2} ×")).unwrap_or_default(),
            self.goal.map(|goal| format!("{goal} {met}")).unwrap_or_default(),
        ]
    }
}

/// A run: everything measured, and by what to make it again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// When, RFC 3339.
    pub at: String,
    /// The command line that makes it again.
    pub command: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// The figures, in the order in which they were measured.
    pub figures: Vec<Figure>,
}

impl Report {
    /// Passes a run in which nothing missed what it must never miss.
    ///
    /// # Errors
    /// [`BenchError::Broken`], with each bound that was.
    pub fn holds(&self) -> Result<(), BenchError> {
        let broken: Vec<String> = self.figures.iter().filter_map(Figure::broken).collect();
        if broken.is_empty() { Ok(()) } else { Err(BenchError::Broken(broken)) }
    }

    /// Writes the figures of one measurement as a table.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn show(&self, measure: Measure, out: &mut dyn Write) -> io::Result<()> {
        let rows: Vec<_> = self.figures.iter().filter(|figure| figure.measure == measure).map(Figure::cells).collect();
        let head = ["WHAT", "MEASURED", "FLOOR", "RATIO", "GOAL"].map(str::to_owned);
        let mut widths = [0; 5];
        for row in rows.iter().chain([&head]) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        writeln!(out, "\n{}: {}\n", measure.name(), measure.title())?;
        for row in [&head].into_iter().chain(&rows) {
            let [what, numbers @ ..] = row;
            let numbers = numbers.iter().zip(&widths[1..]).map(|(cell, width)| format!("  {cell:>width$}"));
            let line = format!("{what:<first$}{}", numbers.collect::<String>(), first = widths[0]);
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Three digits that matter, and no more than a table needs.
fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_judged_by_its_ratio_and_shown_beside_its_floor() {
        let figure = Figure::new(Measure::Called, "p50", 450.0, "µs").floor(300.0);
        assert_eq!(figure.clone().goal(Goal::RatioAtMost(2.0)).met, Some(true));
        assert_eq!(figure.clone().goal(Goal::RatioAtMost(1.4)).met, Some(false));
        assert_eq!(figure.clone().goal(Goal::RatioAtLeast(2.0)).met, Some(false));
        assert_eq!(figure.clone().goal(Goal::AtMost(449.0)).met, Some(false));
        let report = Report { at: String::new(), command: String::new(), cores: 2, figures: vec![figure] };
        let mut shown = Vec::new();
        report.show(Measure::Called, &mut shown).unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.lines().any(|line| line.starts_with("p50") && line.contains("1.50 ×")), "{shown}");
    }

    #[test]
    fn a_run_fails_where_a_bound_is_broken_and_not_where_a_goal_is_missed() {
        let slow = Figure::new(Measure::Prompts, "beside the screen", 32.0, "/s").floor(100.0);
        let slow = slow.goal(Goal::RatioAtLeast(0.8));
        let run = |figure: Figure| {
            let report = Report { at: String::new(), command: String::new(), cores: 2, figures: vec![figure] };
            report.holds().map_err(|error| error.to_string())
        };
        assert_eq!(run(slow.clone()), Ok(()));
        assert_eq!(run(slow.clone().bound(Goal::RatioAtLeast(0.3))), Ok(()));
        let told = run(slow.bound(Goal::RatioAtLeast(0.4))).unwrap_err();
        assert_eq!(told, "a bound is broken: beside the screen: 32.0 /s 0.32 ×, and the bound is ≥ 0.4 ×");
    }
}
