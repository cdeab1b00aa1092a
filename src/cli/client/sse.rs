//! Server-sent events, read as the bytes come: a pure machine that is fed and asked for what is complete.

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cli) struct Event {
    /// Its id, as a reader names it after a lost connection.
    pub(in crate::cli) id: Option<String>,
    /// Its name; empty for a plain message.
    pub(in crate::cli) name: String,
    /// Its data; lines joined by line feeds.
    pub(in crate::cli) data: String,
}

/// What has come so far and is not complete.
#[derive(Debug, Default)]
pub(in crate::cli) struct Parser {
    rest: Vec<u8>,
    event: Event,
    has_data: bool,
}

/// The longest line that is read, in bytes. A hub's events carry no texts, so none is near it.
const LONGEST_LINE: usize = 1024 * 1024;

impl Parser {
    /// Takes bytes and gives the events that they complete. `None`: a line is too long for this to be a hub.
    pub(in crate::cli) fn feed(&mut self, bytes: &[u8]) -> Option<Vec<Event>> {
        self.rest.extend_from_slice(bytes);
        let mut complete = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            complete.extend(self.line(line.trim_end_matches(['\n', '\r'])));
        }
        (self.rest.len() <= LONGEST_LINE).then_some(complete)
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            "id" => self.event.id = Some(value.to_owned()),
            // A comment, which only shows that the connection lives, or a field that nobody knows.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(parts: &[&str]) -> Vec<Event> {
        let mut parser = Parser::default();
        parts.iter().flat_map(|part| parser.feed(part.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn an_event_is_complete_at_the_empty_line_wherever_the_bytes_were_cut() {
        let whole = "id: 7\nevent: task.created\ndata: {\"a\":1}\n\n";
        let expected = vec![Event { id: Some("7".into()), name: "task.created".into(), data: "{\"a\":1}".into() }];
        assert_eq!(feed(&[whole]), expected);
        for cut in 1..whole.len() {
            assert_eq!(feed(&[&whole[..cut], &whole[cut..]]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn comments_and_unfinished_events_are_not_events() {
        assert!(feed(&[": still here\n\n", "id: 8\n\n", "data: {}\n"]).is_empty());
    }

    #[test]
    fn lines_of_data_are_joined_and_carriage_returns_dropped() {
        let events = feed(&["data: a\r\ndata: b\r\n\r\n"]);
        assert_eq!(events[0].data, "a\nb");
        assert_eq!(events[0].id, None);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        assert!(Parser::default().feed(&vec![b'x'; LONGEST_LINE + 1]).is_none());
    }
}
