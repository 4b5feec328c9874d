//! As much of HTTP/1.1 as a load client needs: a kept connection, and answers whose end can be told.

use std::{net::SocketAddr, ops::Range};

use anyhow::{Context as _, Result, bail, ensure};

use super::socket::Socket;

/// The longest head of an answer that is still taken for one.
const LONGEST_HEAD: usize = 16 * 1024;

/// A connection that is kept from request to request.
#[derive(Debug)]
pub(super) struct Connection {
    server: SocketAddr,
    socket: Socket,
}

/// A POST, encoded once and sent many times.
#[derive(Debug)]
pub(super) struct Post(Vec<u8>);

/// Where an answer lies in the bytes that it was found in.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    head: Range<usize>,
    /// The body, or its last chunk: of a stream of events that is the last event.
    body: Range<usize>,
    end: usize,
}

/// How the end of a body is told.
#[derive(Debug, PartialEq, Eq)]
enum Length {
    Known(usize),
    Chunked,
}

impl Connection {
    /// Opens the connection with the given number, which selects the address to come from.
    pub(super) async fn open(server: SocketAddr, number: usize) -> Result<Self> {
        let socket = Socket::connect(server, number).await?;
        Ok(Self { server, socket })
    }

    /// A request of this connection; `headers` are whole lines.
    pub(super) fn post(&self, path: &str, headers: &str, body: &str) -> Post {
        let (server, length) = (self.server, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {server}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        );
        Post(request.into_bytes())
    }

    /// Sends a request and waits for the whole answer, whose body has to start as expected.
    pub(super) async fn ask(&mut self, post: &Post, expected: &[u8]) -> Result<()> {
        let answer = self.answer(post).await?;
        let body = &self.socket.received()[answer.body];
        if !body.starts_with(expected) {
            bail!("the server answered {}", String::from_utf8_lossy(body));
        }
        self.socket.consume(answer.end);
        Ok(())
    }

    /// Sends a request and returns the head and the body of its answer.
    pub(super) async fn tell(&mut self, post: &Post) -> Result<(String, String)> {
        let answer = self.answer(post).await?;
        let received = self.socket.received();
        let text = |range: Range<usize>| String::from_utf8(received[range].to_vec());
        let told = (text(answer.head)?, text(answer.body)?);
        self.socket.consume(answer.end);
        Ok(told)
    }

    async fn answer(&mut self, post: &Post) -> Result<Answer> {
        self.socket.send(&post.0).await?;
        loop {
            self.socket.fill().await?;
            if let Some(answer) = find(self.socket.received())? {
                return Ok(answer);
            }
        }
    }
}

/// Where the head ends, or nothing when its end has not arrived.
pub(super) fn end_of_head(bytes: &[u8]) -> Result<Option<usize>> {
    let blank = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    ensure!(
        blank.is_some() || bytes.len() < LONGEST_HEAD,
        "the answer has no end"
    );
    Ok(blank.map(|blank| blank + 4))
}

/// Finds the answer at the start of `bytes`, or nothing when its end has not arrived.
fn find(bytes: &[u8]) -> Result<Option<Answer>> {
    let Some(head) = end_of_head(bytes)? else {
        return Ok(None);
    };
    let lines = &bytes[..head];
    if !lines.starts_with(b"HTTP/1.1 20") {
        bail!("the server answered {}", String::from_utf8_lossy(bytes));
    }
    let found = match length(lines)? {
        Length::Known(length) => {
            let end = head + length;
            (end <= bytes.len()).then_some((head..end, end))
        }
        Length::Chunked => last_chunk(bytes, head)?,
    };
    Ok(found.map(|(body, end)| Answer {
        head: 0..head,
        body,
        end,
    }))
}

fn length(head: &[u8]) -> Result<Length> {
    for line in head.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            return Ok(Length::Known(std::str::from_utf8(value)?.parse()?));
        }
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            ensure!(value.eq_ignore_ascii_case(b"chunked"), "the body is coded");
            return Ok(Length::Chunked);
        }
    }
    bail!("the answer does not tell its length");
}

/// The last chunk that is not empty, and the end of the body; nothing when that has not arrived.
fn last_chunk(bytes: &[u8], start: usize) -> Result<Option<(Range<usize>, usize)>> {
    let mut last = start..start;
    let mut at = start;
    loop {
        let rest = &bytes[at..];
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else {
            return Ok(None);
        };
        let size = std::str::from_utf8(&rest[..line])?;
        let size = usize::from_str_radix(size, 16)
            .with_context(|| format!("`{size}` is no size of a chunk"))?;
        let chunk = at + line + 2..at + line + 2 + size;
        at = chunk.end + 2;
        if at > bytes.len() {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some((last, at)));
        }
        last = chunk;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of an answer that must not be found while anything of it is missing.
    fn body_of(answer: &str) -> &str {
        for length in 0..answer.len() {
            let found = find(&answer.as_bytes()[..length]).expect("the start is valid");
            assert_eq!(found, None, "{length} bytes");
        }
        let more = [answer, "HTTP/1.1 200"].concat();
        let found = find(more.as_bytes())
            .expect("the answer is valid")
            .expect("the answer is complete");
        assert_eq!(found.end, answer.len());
        &answer[found.body]
    }

    #[test]
    fn answers_of_known_length_are_found_when_complete() {
        let answer = "HTTP/1.1 200 OK\r\nserver: x\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(body_of(answer), "hello");
        let answer = "HTTP/1.1 202 Accepted\r\ncontent-length:0\r\n\r\n";
        assert_eq!(body_of(answer), "");
    }

    #[test]
    fn of_a_stream_the_last_event_is_found_when_all_have_arrived() {
        let answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
                      6\r\nfirst\n\r\nA\r\nthe second\r\n0\r\n\r\n";
        assert_eq!(body_of(answer), "the second");
    }

    #[test]
    fn what_is_no_success_is_refused() {
        for answer in [
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
        ] {
            assert!(find(answer.as_bytes()).is_err(), "{answer}");
        }
    }
}
