//! Dockerfiles: their instructions, and what builds them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Options of instructions that only `BuildKit` knows.
const BUILDKIT_OPTIONS: [(&str, &[&str]); 3] = [
    ("RUN", &["--mount", "--network", "--security", "--device"]),
    ("COPY", &["--link", "--chmod", "--parents", "--exclude"]),
    (
        "ADD",
        &[
            "--link",
            "--chmod",
            "--checksum",
            "--keep-git-dir",
            "--exclude",
            "--unpack",
        ],
    ),
];

/// How to build an image, as engines read it.
#[derive(Debug, Clone)]
pub struct Dockerfile {
    /// Where it is; nothing if it was generated
    pub path: Option<PathBuf>,
    /// All of it
    pub text: String,
    instructions: Vec<Instruction>,
    /// What can be done if an instruction fails that has this text
    hints: Vec<(String, &'static str)>,
    /// The line with `# syntax=…`, which asks for a certain `BuildKit`
    syntax: Option<usize>,
}

/// One instruction, and the line that it begins at, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) line: usize,
    /// On one line
    pub(crate) text: String,
}

/// Something that the builder inside of the engine does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demand {
    pub(crate) line: usize,
    pub(crate) what: String,
    /// Whether it cannot be built without
    pub(crate) certain: bool,
}

impl Dockerfile {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or has no instruction.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Error::new(format!("could not read `{shown}`: {error}")))?;
        let mut file = Self::generated(text);
        if file.instructions.is_empty() {
            return Err(Error::new(format!("`{shown}` has no instructions")));
        }
        file.path = Some(path.to_owned());
        Ok(file)
    }

    /// One that is written nowhere.
    pub(crate) fn generated(text: String) -> Self {
        let (instructions, syntax) = parse(&text);
        Self {
            path: None,
            text,
            instructions,
            hints: Vec::new(),
            syntax,
        }
    }

    /// The same, with what can be done if an instruction fails.
    pub(crate) fn with_hint(mut self, instruction: String, hint: &'static str) -> Self {
        self.hints.push((instruction, hint));
        self
    }

    /// What can be done if an instruction has failed.
    pub(crate) fn hint(&self, instruction: &Instruction) -> Option<&'static str> {
        let mut hints = self.hints.iter();
        let hint = hints.find(|(text, _)| *text == instruction.text);
        hint.map(|(_, hint)| *hint)
    }

    /// An instruction by its number, from 1: engines count them alike.
    pub(crate) fn instruction(&self, number: usize) -> Option<&Instruction> {
        self.instructions.get(number.checked_sub(1)?)
    }

    /// The first thing that needs `BuildKit`.
    pub(crate) fn demand(&self) -> Option<Demand> {
        let demands = self.instructions.iter().find_map(Instruction::demand);
        demands.or_else(|| {
            Some(Demand {
                line: self.syntax?,
                what: "# syntax=".to_owned(),
                certain: false,
            })
        })
    }
}

impl Instruction {
    /// Its first word.
    pub(crate) fn keyword(&self) -> String {
        let word = self.text.split_whitespace().next().unwrap_or_default();
        word.to_uppercase()
    }

    fn demand(&self) -> Option<Demand> {
        let keyword = self.keyword();
        let demand = |what: String| Demand {
            line: self.line,
            what,
            certain: true,
        };
        let (_, known) = BUILDKIT_OPTIONS.iter().find(|(it, _)| *it == keyword)?;
        let options = self.text.split_whitespace().skip(1);
        let mut options = options.take_while(|word| word.starts_with("--"));
        let option = options.find_map(|word| {
            let name = word.split('=').next().unwrap_or(word);
            known.contains(&name).then(|| format!("{keyword} {name}"))
        });
        if let Some(option) = option {
            return Some(demand(option));
        }
        here_document(&self.text).map(|_| demand(format!("{keyword} <<")))
    }
}

/// The instructions, and the line that names a syntax.
fn parse(text: &str) -> (Vec<Instruction>, Option<usize>) {
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut escape = '\\';
    let mut syntax = None;
    // Directives come before all else.
    let mut may_direct = true;
    let mut goes_on = false;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let trimmed = line.trim();
        if let Some(comment) = trimmed.strip_prefix('#') {
            let directive = comment.split_once('=').filter(|_| may_direct);
            match directive.map(|(name, value)| (name.trim().to_lowercase(), value.trim())) {
                Some((name, value)) if name == "escape" => {
                    escape = value.chars().next().unwrap_or(escape);
                }
                Some((name, _)) if name == "syntax" => syntax = Some(index + 1),
                Some((name, _)) if name == "check" => {}
                _ => may_direct = false,
            }
            continue;
        }
        may_direct = false;
        if trimmed.is_empty() {
            continue;
        }
        let (content, continues) = match trimmed.strip_suffix(escape) {
            Some(content) => (content.trim_end(), true),
            None => (trimmed, false),
        };
        match instructions.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(content);
            }
            None => instructions.push(Instruction {
                line: index + 1,
                text: content.to_owned(),
            }),
        }
        goes_on = continues;
        let whole = instructions.last().filter(|_| !continues);
        if let Some(end) = whole.and_then(|last| here_document(&last.text)) {
            // Its lines are no instructions.
            lines.by_ref().find(|(_, line)| line.trim() == end);
        }
    }
    (instructions, syntax)
}

/// The word that ends the text below an instruction, if there is such a text.
fn here_document(instruction: &str) -> Option<String> {
    let keyword = instruction.split_whitespace().next()?.to_uppercase();
    if !["RUN", "COPY", "ADD"].contains(&keyword.as_str()) {
        return None;
    }
    let mut words = instruction.split_whitespace();
    let word = words.find_map(|word| word.strip_prefix("<<"))?;
    let word = word.trim_start_matches('-').trim_matches(['"', '\'']);
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    (!word.is_empty() && word.chars().all(is_name)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_as_engines_count_them() {
        let file = Dockerfile::generated(
            "# escape=\\\n\n# a comment\nARG BASE=scratch\nFROM ${BASE} AS build\n\nrun apt-get update \\\n  # why\n  && true \\\n\n  && false\nCMD [\"a\"]\n".to_owned(),
        );
        let lines: Vec<_> = file.instructions.iter().map(|it| it.line).collect();
        assert_eq!(lines, [4, 5, 7, 12]);
        let run = file.instruction(3).unwrap();
        assert_eq!(run.text, "run apt-get update && true && false");
        assert_eq!(run.keyword(), "RUN");
        assert_eq!(file.instruction(0), None);
        assert_eq!(file.demand(), None);
    }

    #[test]
    fn what_needs_buildkit_is_found_with_its_line() {
        for (text, line, what, certain) in [
            (
                "# syntax=docker/dockerfile:1\nFROM a\n",
                1,
                "# syntax=",
                false,
            ),
            (
                "FROM a\nRUN --mount=type=cache,target=/x \\\n  make\n",
                2,
                "RUN --mount",
                true,
            ),
            (
                "FROM a\nCOPY --from=b --chmod=755 a b\n",
                2,
                "COPY --chmod",
                true,
            ),
            ("FROM a\nRUN <<EOF\nFROM nothing\nEOF\n", 2, "RUN <<", true),
        ] {
            let file = Dockerfile::generated(text.to_owned());
            let demand = file.demand().unwrap();
            assert_eq!((demand.line, demand.what.as_str()), (line, what), "{text}");
            assert_eq!(demand.certain, certain, "{text}");
            assert!(file.instructions.len() <= 2);
        }
        let plain = "FROM a\n# syntax=later\nRUN echo --mount\nCOPY --chown=1 a b\nRUN cat <<<a\n";
        assert_eq!(Dockerfile::generated(plain.to_owned()).demand(), None);
    }
}
