//! What an order to the tickets comes to, and what must always be so.

use super::{
    ENDED, KEPT, OPEN, Ticket, TicketBook, TicketCall, TicketCommand, TicketDecision, TicketRecord, TicketRefusal,
    TicketState,
};
use crate::ids::{PrincipalId, TicketId};
use crate::invariants::Broken;
use crate::time::Timestamp;

impl TicketBook {
    /// What follows from `command`; changes nothing. Fails when its owner has too many, or the ticket is not open.
    pub fn decide(&self, now: Timestamp, command: &TicketCommand) -> Result<TicketDecision, TicketRefusal> {
        match command {
            TicketCommand::Issue { id, owner, call } => self.issue(now, id, owner, call),
            TicketCommand::Keep(id) => {
                let ticket = self.open(id)?;
                // Not with each question: a record a second would be much for a wait that lasts days.
                let records = if ticket.keep_until.since(now) > KEPT / 2 {
                    Vec::new()
                } else {
                    vec![TicketRecord::Kept { id: id.clone(), until: now + KEPT }]
                };
                Ok(TicketDecision { records, about: Some(id.clone()) })
            }
            TicketCommand::Answer(id) => self.end(id, TicketRecord::Answered { id: id.clone(), at: now }),
            TicketCommand::Cancel(id) => self.end(id, TicketRecord::Cancelled { id: id.clone(), at: now }),
            TicketCommand::Tick => {
                let due = self.tickets.values().filter(|ticket| ticket.keep_until <= now);
                let records = due.map(|ticket| TicketRecord::Expired { id: ticket.id.clone() }).collect();
                Ok(TicketDecision { records, about: None })
            }
        }
    }

    /// Who calls the same again goes on with its open ticket; but a wait for work is a new one, and ends the last.
    fn issue(
        &self,
        now: Timestamp,
        id: &TicketId,
        owner: &PrincipalId,
        call: &TicketCall,
    ) -> Result<TicketDecision, TicketRefusal> {
        let open: Vec<&Ticket> = self.of_owner(owner, true).collect();
        if let Some(same) = open.iter().find(|ticket| !call.alone && ticket.call == *call) {
            return Ok(TicketDecision { records: Vec::new(), about: Some(same.id.clone()) });
        }
        let replaced = open.iter().filter(|ticket| call.alone && ticket.call.verb == call.verb);
        let mut records: Vec<TicketRecord> =
            replaced.map(|ticket| TicketRecord::Cancelled { id: ticket.id.clone(), at: now }).collect();
        if open.len() - records.len() >= OPEN {
            return Err(TicketRefusal::TooMany { owner: owner.clone() });
        }
        let mut ended: Vec<&Ticket> = self.of_owner(owner, false).collect();
        ended.sort_by(|a, b| (a.moved_at, &a.id).cmp(&(b.moved_at, &b.id)));
        let surplus = (ended.len() + records.len()).saturating_sub(ENDED);
        records.extend(ended.iter().take(surplus).map(|ticket| TicketRecord::Expired { id: ticket.id.clone() }));
        records.push(TicketRecord::Issued(Box::new(Ticket {
            id: id.clone(),
            owner: owner.clone(),
            call: call.clone(),
            issued_at: now,
            moved_at: now,
            keep_until: now + KEPT,
            state: TicketState::Open,
        })));
        Ok(TicketDecision { records, about: Some(id.clone()) })
    }

    fn end(&self, id: &TicketId, record: TicketRecord) -> Result<TicketDecision, TicketRefusal> {
        self.open(id)?;
        Ok(TicketDecision { records: vec![record], about: Some(id.clone()) })
    }

    fn open(&self, id: &TicketId) -> Result<&Ticket, TicketRefusal> {
        let open = self.tickets.get(id).filter(|ticket| ticket.state == TicketState::Open);
        open.ok_or_else(|| TicketRefusal::NotOpen { id: id.clone() })
    }

    fn of_owner(&self, owner: &PrincipalId, open: bool) -> impl Iterator<Item = &Ticket> {
        let theirs = move |ticket: &&Ticket| ticket.owner == *owner && (ticket.state == TicketState::Open) == open;
        self.tickets.values().filter(theirs)
    }
}

/// H1: a ticket that came to its end stays as it ended until it is let go, and nobody else's becomes of it.
pub fn h1_one_answer(before: &TicketBook, after: &TicketBook) -> Result<(), Broken> {
    for ticket in before.all() {
        let Some(now) = after.get(&ticket.id) else { continue };
        let ended = ticket.state != TicketState::Open;
        if now.owner != ticket.owner || now.call != ticket.call || (ended && now != ticket) {
            return Err(Broken { name: "H1 one-answer", what: format!("{} changed after its end", ticket.id) });
        }
    }
    Ok(())
}

/// H2: nobody has more tickets than it may, and an agent waits for work under one.
pub fn h2_owners_few(book: &TicketBook) -> Result<(), Broken> {
    let broken = |ticket: &Ticket, what: &str| {
        Err(Broken { name: "H2 owners-few", what: format!("`{}` has {what}", ticket.owner) })
    };
    for ticket in book.all() {
        let open: Vec<&Ticket> = book.of_owner(&ticket.owner, true).collect();
        let alike = |other: &&&Ticket| other.call.alone && other.call.verb == ticket.call.verb;
        if open.len() > OPEN || book.of_owner(&ticket.owner, false).count() > ENDED + OPEN {
            return broken(ticket, "more tickets than it may");
        }
        if ticket.call.alone && open.iter().filter(alike).count() > 1 {
            return broken(ticket, "two tickets for its one wait");
        }
    }
    Ok(())
}
