//! What `open` does, tried.

use super::leads_to;

#[test]
fn the_file_leads_to_the_link_and_nowhere_else() {
    let page = leads_to("http://127.0.0.1:7420/#code=abc\"><script>");
    assert!(page.contains("url=http://127.0.0.1:7420/#code=abc&quot;>&lt;script>\""), "{page}");
    assert!(!page.contains("<script"), "{page}");
}
