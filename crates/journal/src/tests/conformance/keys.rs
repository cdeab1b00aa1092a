//! Idempotency keys.

use serde_json::json;

use super::TestStore;
use crate::samples::*;
use crate::{Append, Seq, WriteError, Written};

pub(super) fn a_repeated_key_answers_with_the_first_receipt(mut bench: impl TestStore) {
    bench.write(keyed(says(1), "key", "first"));
    let receipt = json!({"taskId": "task0001", "for": "first"});
    let answers = bench.store().write(&[keyed(says(1), "key", "first"), says(1), keyed(says(1), "key", "other")]);
    assert_eq!(answers[0], Err(WriteError::Repeated { receipt: receipt.clone() }));
    assert_eq!(answers[1], Ok(Written { first: Seq(2), last: Seq(2) }), "the batch goes on without it");
    assert_eq!(answers[2], Err(WriteError::KeyReused));
    assert_eq!(bench.reader().position().unwrap(), Seq(2));
    let mut elsewhere = keyed(says(1), "key", "first");
    elsewhere.idempotency.as_mut().unwrap().principal = principal("person:bob");
    bench.write(elsewhere);
    let recalled = bench.reader().recall(at(1), &principal("person:ada"), "key").unwrap();
    assert_eq!(recalled, Some(("first".to_owned(), receipt)));
    assert_eq!(bench.reader().recall(at(1), &principal("person:ada"), "another").unwrap(), None);
}

pub(super) fn a_key_is_taken_within_its_own_batch(mut bench: impl TestStore) {
    let answers = bench.store().write(&[keyed(says(1), "key", "first"), keyed(says(1), "key", "first")]);
    assert_eq!(answers[0], Ok(Written { first: Seq(1), last: Seq(1) }));
    assert!(matches!(answers[1], Err(WriteError::Repeated { .. })), "{answers:?}");
}

pub(super) fn a_key_of_a_failed_batch_is_free(mut bench: impl TestStore) {
    bench.break_disk();
    assert!(bench.store().write(&[keyed(says(1), "key", "first")])[0].is_err());
    bench.mend_disk();
    bench.write(keyed(says(1), "key", "first"));
}

pub(super) fn a_key_lives_for_a_day(mut bench: impl TestStore) {
    const DAY: u64 = 24 * 60 * 60;
    let again = |seconds| Append { at: at(seconds), ..keyed(says(1), "key", "second") };
    bench.write(keyed(says(1), "key", "first"));
    assert_eq!(bench.store().write(&[again(DAY - 1)]), [Err(WriteError::KeyReused)]);
    assert!(bench.reader().recall(at(DAY - 1), &principal("person:ada"), "key").unwrap().is_some());
    assert_eq!(bench.reader().recall(at(DAY), &principal("person:ada"), "key").unwrap(), None);
    bench.write(again(DAY));
    let (digest, _) = bench.reader().recall(at(DAY + 1), &principal("person:ada"), "key").unwrap().unwrap();
    assert_eq!(digest, "second");
}

pub(super) fn a_key_of_a_webhook_lives_for_three_days(mut bench: impl TestStore) {
    const THREE_DAYS: u64 = 72 * 60 * 60;
    let of_hook = |seconds| {
        let mut append = Append { at: at(seconds), ..keyed(says(1), "id:1", "") };
        append.idempotency.as_mut().unwrap().principal = principal("hook:github");
        append
    };
    bench.write(of_hook(1));
    // What is too old is swept by what is written a day later; this one is not too old then.
    bench.write(Append { at: at(THREE_DAYS - 2), ..says(1) });
    assert!(matches!(bench.store().write(&[of_hook(THREE_DAYS - 1)])[0], Err(WriteError::Repeated { .. })));
    assert!(bench.reader().recall(at(THREE_DAYS), &principal("hook:github"), "id:1").unwrap().is_some());
    assert_eq!(bench.reader().recall(at(THREE_DAYS + 1), &principal("hook:github"), "id:1").unwrap(), None);
    bench.write(of_hook(THREE_DAYS + 1));
}
