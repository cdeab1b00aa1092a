//! Tickets, and their answers.

use super::TestStore;
use crate::domain::ticket::{Ticket, TicketState};
use crate::samples::*;
use crate::{Append, Entry, HubRecord, Row};

fn says(record: HubRecord, row: Row) -> Append {
    Append { rows: vec![row], ..Append::new(at(1), by(), vec![Entry::of_hub(record)]) }
}

pub(super) fn a_ticket_keeps_its_answer_until_it_is_let_go_of(mut bench: impl TestStore) {
    let (first, second) = (ticket(1), ticket(2));
    for ticket in [&first, &second] {
        let issued = HubRecord::TicketIssued { ticket: Box::new(ticket.clone()) };
        bench.write(says(issued, Row::Ticket(Box::new(ticket.clone()), None)));
    }
    assert_eq!(bench.reader().ticket_answer(&first.id).unwrap(), None);
    let answered = Ticket { state: TicketState::Answered, ..first.clone() };
    let record = HubRecord::TicketAnswered { ticket: first.id.clone() };
    bench.write(says(record, Row::Ticket(Box::new(answered.clone()), Some("{}".to_owned()))));
    let kept = Ticket { keep_until: at(99), ..answered };
    let record = HubRecord::TicketKept { ticket: first.id.clone(), until: at(99) };
    bench.write(says(record, Row::Ticket(Box::new(kept.clone()), None)));
    let mut bench = bench.reopen();
    assert_eq!(bench.reader().tickets().unwrap(), [kept, second.clone()]);
    assert_eq!(bench.reader().ticket_answer(&first.id).unwrap().as_deref(), Some("{}"));
    let record = HubRecord::TicketExpired { ticket: first.id.clone() };
    bench.write(says(record, Row::TicketGone(first.id.clone())));
    assert_eq!(bench.reader().tickets().unwrap(), [second]);
    assert_eq!(bench.reader().ticket_answer(&first.id).unwrap(), None);
}
