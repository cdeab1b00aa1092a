//! What `page` does, tried.

use super::*;

#[test]
fn all_of_a_list_is_read_however_long_it_is() {
    let numbers: Vec<usize> = (0..3 * PageRequest::MOST + 1).collect();
    let read = |page: &PageRequest| {
        let after = page.cursor.as_ref().map_or(0, |cursor| cursor.parse::<usize>().unwrap() + 1);
        let found = numbers[after..].iter().copied().take(page.size() + 1).collect();
        Ok(Page::cut(found, page.size(), ToString::to_string))
    };
    assert_eq!(Page::all(read), Ok(numbers.clone()));
    assert!(Page::<usize>::all(|_| Err(ReadError::Fault("the disk is gone".to_owned()))).is_err());
}
