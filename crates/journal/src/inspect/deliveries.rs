//! O1 from outside: what the rows of the outbox say is what their records say, and what is over stays over.
//!
//! A delivery's first record is that of its append, and each of its rows is written with the change it tells of; only
//! what people are to hear of has a record of its own (a dead letter, a retry, a drop). So three things can be checked:
//! no record follows a drop, the row of a delivery agrees with its last record, and each row's append is there.

use std::collections::BTreeMap;

use crate::domain::outbox::{Delivery, DeliveryId, DeliveryState};
use crate::entry::{Kept, Record, Seq};
use crate::hub_record::HubRecord;
use crate::page::{DeliveryFilter, PageRequest};
use crate::replay::Finding;
use crate::store::{ReadError, Reader};

/// As the promise is called.
const O1: &str = "O1 out-once";

/// What the records say of each delivery.
#[derive(Debug, Default)]
pub(super) struct Deliveries(BTreeMap<DeliveryId, Last>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    DeadLettered,
    Retried,
    Dropped,
}

impl Deliveries {
    pub(super) fn take(&mut self, kept: &Kept, findings: &mut Vec<Finding>) {
        let Record::Hub(record) = &kept.record else { return };
        let (id, last) = if let HubRecord::DeliveryDeadLettered { delivery, .. } = record {
            (*delivery, Last::DeadLettered)
        } else if let HubRecord::DeliveryRetried { delivery, .. } = record {
            (*delivery, Last::Retried)
        } else if let HubRecord::DeliveryDropped { delivery, .. } = record {
            (*delivery, Last::Dropped)
        } else {
            return;
        };
        if self.0.insert(id, last) == Some(Last::Dropped) {
            findings.push(found(id, format!("record {} says something of it after it was dropped", kept.seq)));
        }
    }

    /// Holds the rows against the records between the horizon and the position. A row may be gone: what
    /// came to its end is let go of after a while.
    pub(super) fn agree(
        &self,
        reader: &dyn Reader,
        (horizon, position): (Seq, Seq),
        findings: &mut Vec<Finding>,
    ) -> Result<(), ReadError> {
        let mut request = PageRequest { limit: PageRequest::MOST, cursor: None };
        loop {
            let page = reader.deliveries(&DeliveryFilter::default(), &request)?;
            findings.extend(page.items.iter().filter_map(|row| self.disagrees(row, horizon, position)));
            match page.next_cursor {
                Some(cursor) => request.cursor = Some(cursor),
                None => return Ok(()),
            }
        }
    }

    fn disagrees(&self, row: &Delivery, horizon: Seq, position: Seq) -> Option<Finding> {
        if row.id.seq > position.0 {
            return Some(found(row.id, "its row stands for an append that the journal does not have".to_owned()));
        }
        let last = self.0.get(&row.id).copied();
        let agrees = match (&row.state, last) {
            // What its records said may have been pruned.
            (_, None) if row.id.seq <= horizon.0 => true,
            (DeliveryState::DeadLetter { .. }, last) => last == Some(Last::DeadLettered),
            (DeliveryState::Dropped { .. }, last) => last == Some(Last::Dropped),
            (DeliveryState::Pending { .. } | DeliveryState::Delivered { .. }, last) => {
                matches!(last, None | Some(Last::Retried))
            }
            (DeliveryState::Sending { .. }, _) => false,
        };
        let state = row.state.name().as_str();
        (!agrees).then(|| found(row.id, format!("its row says {state}, and its records do not")))
    }
}

fn found(id: DeliveryId, sentence: String) -> Finding {
    Finding { promise: O1, subject: format!("delivery:{id}"), sentence }
}
