//! What `mirrors` does, tried.

use futures_util::FutureExt as _;

use super::*;

#[tokio::test(start_paused = true)]
async fn what_takes_longer_than_anybody_waits_goes_on_and_a_repeat_joins_it() {
    let mirrors = Arc::new(Mirrors::new(None));
    let begun = Arc::new(AtomicU64::default());
    let works = |seconds: u64, ended: Result<(), ForgeError>| {
        let begun = Arc::clone(&begun);
        async move {
            begun.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            ended
        }
        .boxed()
    };
    let (first, working) = mirrors.finish("merge pr_1".to_owned(), works(50, Ok(()))).await;
    assert!(first && matches!(&working, Err(ForgeError::Working(why)) if why.contains("(merge)")), "{working:?}");
    assert!(working.unwrap_err().passes().is_some(), "it is asked for again");
    let other = mirrors.finish("merge pr_2".to_owned(), works(1, Ok(()))).await;
    assert_eq!(other, (true, Ok(())), "nobody else waits for it");
    assert!(matches!(mirrors.finish("merge pr_1".to_owned(), works(50, Ok(()))).await, (false, Err(_))));
    assert_eq!(mirrors.finish("merge pr_1".to_owned(), works(50, Ok(()))).await, (false, Ok(())));
    assert_eq!(begun.load(Ordering::Relaxed), 2);
    // Ended, it begins anew.
    let refused = Err(ForgeError::Refused("no".to_owned()));
    assert_eq!(mirrors.finish("merge pr_1".to_owned(), works(1, refused.clone())).await, (true, refused));
}

#[test]
fn git_has_more_time_for_more_to_read() {
    let gib = |many: u64| many * 1024 * 1024 * 1024;
    assert_eq!(limit(0, FETCHED), WITHIN);
    assert_eq!(limit(gib(10), FETCHED), WITHIN + Duration::from_secs(5_120));
    assert_eq!(limit(gib(10), READ), WITHIN + Duration::from_secs(320));
}
