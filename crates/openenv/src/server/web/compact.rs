//! A script, or a style, without what only its readers need: comments and indentation.
//!
//! Texts, templates and patterns stay as they are, and so does every line break
//! that the language could mean something by.

/// The script, smaller.
pub(super) fn compact(script: &str) -> String {
    let mut scanner = Scanner {
        rest: script,
        out: String::with_capacity(script.len()),
    };
    scanner.code(false);
    scanner.out
}

/// The style, smaller.
pub(super) fn compact_style(style: &str) -> String {
    let mut out = String::with_capacity(style.len());
    let mut parts = style.split("/*");
    let code = parts.next().into_iter();
    let after_comments = parts.map(|part| part.split_once("*/").map_or("", |(_, code)| code));
    for line in code.chain(after_comments).flat_map(str::lines) {
        out.push_str(line.trim());
        out.push('\n');
    }
    while out.contains("\n\n") {
        out = out.replace("\n\n", "\n");
    }
    out
}

struct Scanner<'a> {
    rest: &'a str,
    out: String,
}

impl Scanner<'_> {
    /// Code, up to its end or to the brace that closes a place in a template.
    fn code(&mut self, in_template: bool) {
        let mut depth = 0_usize;
        while let Some(next) = self.rest.chars().next() {
            match next {
                '"' | '\'' => self.text(next),
                '`' => self.template(),
                '/' if self.rest.starts_with("//") => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '/' if self.rest.starts_with("/*") => {
                    let end = self.rest.find("*/").map_or(self.rest.len(), |end| end + 2);
                    self.skip(end);
                }
                '/' if self.begins_pattern() => self.pattern(),
                next if next.is_whitespace() => self.space(),
                '}' if in_template && depth == 0 => return,
                next => {
                    match next {
                        '{' => depth += 1,
                        '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.take(next.len_utf8());
                }
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn take(&mut self, bytes: usize) {
        self.out.push_str(&self.rest[..bytes]);
        self.skip(bytes);
    }

    /// All white space here as one character, which may have been a line break.
    fn space(&mut self) {
        let rest = self.rest.trim_start();
        let space = &self.rest[..self.rest.len() - rest.len()];
        let kept = if space.contains('\n') { '\n' } else { ' ' };
        if kept == '\n' {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        if !self.out.ends_with('\n') {
            self.out.push(kept);
        }
        self.rest = rest;
    }

    /// A text, with its quotes.
    fn text(&mut self, quote: char) {
        let mut escaped = true;
        let end = self.rest.find(|letter| {
            let ends = letter == quote && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        });
        self.take(end.map_or(self.rest.len(), |end| end + 1));
    }

    /// A template, with the code in it.
    fn template(&mut self) {
        self.take(1);
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("${") {
                self.take(2);
                self.code(true);
                continue;
            }
            let bytes = match next {
                '\\' => 1 + self.rest[1..].chars().next().map_or(0, char::len_utf8),
                next => next.len_utf8(),
            };
            self.take(bytes);
            if next == '`' {
                return;
            }
        }
    }

    /// Whether a slash begins a pattern: where a value may stand, it does not divide.
    fn begins_pattern(&self) -> bool {
        const WORDS: [&str; 5] = ["return", "typeof", "case", "in", "of"];
        let before = self.out.trim_end();
        let word = before
            .rsplit(|letter: char| !letter.is_alphanumeric())
            .next();
        before.ends_with(|letter: char| "(,=:[!&|?{};+-*%<>~^".contains(letter))
            || word.is_some_and(|word| WORDS.contains(&word))
    }

    /// A pattern, up to the slash that ends it; flags follow as any other word.
    fn pattern(&mut self) {
        let (mut escaped, mut in_class) = (true, false);
        let end = self.rest.find(|letter| {
            let ends = letter == '/' && !escaped && !in_class;
            match letter {
                '[' if !escaped => in_class = true,
                ']' if !escaped => in_class = false,
                _ => {}
            }
            escaped = letter == '\\' && !escaped;
            ends
        });
        self.take(end.map_or(self.rest.len(), |end| end + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::{compact, compact_style};

    #[test]
    fn styles_lose_the_same() {
        let style = "/* Why. */\n.a {\n  color: red; /* two\n lines */\n\n  margin: 0;\n}\n";
        assert_eq!(compact_style(style), "\n.a {\ncolor: red;\nmargin: 0;\n}\n");
    }

    #[test]
    fn comments_and_indentation_go() {
        let script =
            "// Why.\nconst a = 1; // one\n\n    if (a) {\n        /* two\n */ b();\n    }\n";
        assert_eq!(compact(script), "\nconst a = 1;\nif (a) {\nb();\n}\n");
    }

    #[test]
    fn what_only_looks_like_a_comment_stays() {
        for kept in [
            r#"const url = "http://x"; const two = 'it\'s // not';"#,
            "const t = `// ${ready({ a: `  /* ${b} */` })}\n    // indented`;",
            r"const p = /^https?:\/\//; return /[/*]\//g.test(a / b);",
            "const half = (a + b) / 2 / c;",
        ] {
            assert_eq!(compact(kept), kept);
        }
    }
}
