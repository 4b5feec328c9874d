//! Building from a Dockerfile.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bollard::query_parameters::BuildImageOptions;
use futures_util::StreamExt;
use regex::Regex;

use super::{Built, Engine, body_of, said};
use crate::context::Context;
use crate::dockerfile::Dockerfile;
use crate::error::{Error, Result};
use crate::progress::{Progress, Tell};
use crate::tag::Tag;

/// What the engine says about its own work: nobody reads it.
const NOISE: [&str; 6] = [
    "---> Using cache",
    "---> Running in ",
    "Removing intermediate container ",
    "Successfully built ",
    "Successfully tagged ",
    "sha256:",
];

/// Codes for a terminal. The engine puts some around all that goes to standard error.
static CODES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]").expect("it is in order"));

/// An image to be built from a Dockerfile.
#[derive(Debug)]
pub struct Request {
    /// What it is built from
    pub dockerfile: Dockerfile,
    /// The name of the Dockerfile among the files; `Dockerfile` by default
    pub file: String,
    /// The files that it takes
    pub context: Context,
    /// Its names; at least one
    pub tags: Vec<Tag>,
    /// Values for the arguments that it declares
    pub build_args: BTreeMap<String, String>,
    /// More labels
    pub labels: BTreeMap<String, String>,
    /// Whether to build everything anew
    pub no_cache: bool,
    /// The network that commands have: `host`, `none` or a name; the engine's usual one
    /// by default
    pub network: Option<String>,
}

impl Request {
    /// A request with nothing but what is needed.
    pub fn new(dockerfile: Dockerfile, context: Context, tags: Vec<Tag>) -> Self {
        Self {
            dockerfile,
            file: "Dockerfile".to_owned(),
            context,
            tags,
            build_args: BTreeMap::new(),
            labels: BTreeMap::new(),
            no_cache: false,
            network: None,
        }
    }
}

impl Engine {
    /// Builds an image, and tells of each step and of what its commands print.
    ///
    /// Dropping the future ends it, and what it had begun is removed.
    ///
    /// # Errors
    ///
    /// If a step fails; the error says which, and where it is in the Dockerfile.
    pub async fn build(&self, request: Request, tell: Tell<'_>) -> Result<Built> {
        if let Some(demand) = request.dockerfile.demand() {
            let is_there = super::buildkit::is_installed().await;
            if is_there {
                return self.build_with_buildkit(request, tell).await;
            }
            if demand.certain {
                return Err(super::buildkit::missing(&request.dockerfile, &demand));
            }
        }
        let file = request.context.finish()?;
        tell(Progress::Step("sending the files to the engine"));
        let first = request.tags.first().map(ToString::to_string);
        let options = BuildImageOptions {
            dockerfile: request.file,
            t: first.clone(),
            nocache: request.no_cache,
            rm: true,
            forcerm: true,
            buildargs: Some(request.build_args.into_iter().collect()),
            labels: Some(request.labels.into_iter().collect()),
            networkmode: request.network,
            ..BuildImageOptions::default()
        };
        let body = bollard::body_try_stream(body_of(file));
        let mut told = Told::new(&request.dockerfile, tell);
        let mut answers = self.docker.build_image(options, None, Some(body)).boxed();
        while let Some(answer) = answers.next().await {
            let answer = answer.map_err(|error| told.failure(&said(&error)))?;
            if let Some(text) = answer.stream {
                told.add(&text);
            }
            let is_bar = answer.progress_detail.is_some_and(|it| it.total.is_some());
            if let Some(status) = answer.status.filter(|_| !is_bar) {
                let id = answer.id.map_or_else(String::new, |id| format!("{id}: "));
                told.line(&format!("{id}{status}"));
            }
        }
        self.tag(&request.tags).await?;
        self.image(&first.unwrap_or_default(), &request.tags).await
    }
}

/// What the engine has told so far.
struct Told<'a> {
    dockerfile: &'a Dockerfile,
    tell: Tell<'a>,
    /// The number of the step that runs, from 1
    step: usize,
    /// The beginning of a line
    open: String,
    /// The last line that a command printed
    last: String,
}

impl<'a> Told<'a> {
    fn new(dockerfile: &'a Dockerfile, tell: Tell<'a>) -> Self {
        Self {
            dockerfile,
            tell,
            step: 0,
            open: String::new(),
            last: String::new(),
        }
    }

    /// Text comes in pieces, which are not always lines.
    fn add(&mut self, text: &str) {
        self.open.push_str(text);
        while let Some(end) = self.open.find('\n') {
            let rest = self.open.split_off(end + 1);
            let line = std::mem::replace(&mut self.open, rest);
            self.line(line.trim_end());
        }
    }

    fn line(&mut self, line: &str) {
        let line = CODES.replace_all(line, "");
        let line = line.trim_end();
        let trimmed = line.trim_start();
        if let Some(step) = trimmed.strip_prefix("Step ")
            && let Some((count, text)) = step.split_once(" : ")
            && let Some((number, _)) = count.split_once('/')
            && let Ok(number) = number.parse()
        {
            self.step = number;
            self.last.clear();
            (self.tell)(Progress::Step(&format!("{count} {text}")));
            return;
        }
        // The id of what a step made.
        let is_id = trimmed
            .strip_prefix("---> ")
            .is_some_and(|id| id.len() == 12 && id.chars().all(|it| it.is_ascii_hexdigit()));
        let is_noise = NOISE.iter().any(|noise| trimmed.starts_with(noise));
        if trimmed.is_empty() || is_id || is_noise {
            return;
        }
        line.clone_into(&mut self.last);
        (self.tell)(Progress::Line(line));
    }

    /// What went wrong, and where.
    fn failure(&mut self, said: &str) -> Error {
        // The last line may have no end.
        let open = std::mem::take(&mut self.open);
        self.line(&open);
        let Some(instruction) = self.dockerfile.instruction(self.step) else {
            return Error::new(format!("the image could not be built: {said}"));
        };
        let text = &instruction.text;
        let place = match &self.dockerfile.path {
            Some(path) => format!("`{}`, line {}", path.display(), instruction.line),
            None => format!("step {} of the image", self.step),
        };
        if instruction.keyword() == "FROM" {
            let mut words = text.split_whitespace().skip(1);
            let base = words.find(|word| !word.starts_with("--"));
            let base = base.unwrap_or_default();
            let other = match self.dockerfile.path {
                Some(_) => "",
                None => ", and `--base` takes any of them",
            };
            return Error::new(format!(
                "{place}: the base image `{base}` is not here and cannot be had: {said}"
            ))
            .with_hint(format!(
                "`docker pull {base}` gets it where there is a network; `docker images` shows what is here{other}"
            ));
        }
        let said = said.trim();
        // The engine repeats the command, which stands before it already.
        let why = match said.rsplit_once(" returned a non-zero code: ") {
            Some((_, code)) => format!("the command ended with code {code}"),
            None => said.to_owned(),
        };
        let last = self.last.trim();
        let separator = if last.is_empty() { "" } else { ": " };
        let error = Error::new(format!("{place}: `{text}`: {why}{separator}{last}"));
        match self.dockerfile.hint(instruction) {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn untold(_: Progress<'_>) {}

    #[test]
    fn a_command_that_fails_is_told_with_its_last_line() {
        let dockerfile = Dockerfile::generated("FROM a\nRUN make\n".to_owned());
        let mut told = Told::new(&dockerfile, &untold);
        told.add("Step 1/2 : FROM a\n ---> 0123456789ab\nStep 2/2 : RUN make\n");
        told.add(" ---> Running in 0123456789ab\n\u{1b}[91mno rule\n\u{1b}[0m");
        told.add("\u{1b}[91m\n\u{1b}[0mRemoving intermediate container 0123456789ab\n");
        let error = told.failure("The command 'make' returned a non-zero code: 2");
        assert_eq!(
            error.to_string(),
            "step 2 of the image: `RUN make`: the command ended with code 2: no rule"
        );
    }

    #[test]
    fn a_base_is_named_without_its_options() {
        let text = "FROM --platform=linux/amd64 a:1 AS build\n";
        let mut dockerfile = Dockerfile::generated(text.to_owned());
        let mut told = Told::new(&dockerfile, &untold);
        told.add("Step 1/1 : FROM a:1 AS build\n");
        let error = told.failure("there is none");
        assert!(error.to_string().contains("the base image `a:1` is not"));
        assert!(error.hint().unwrap().contains("`--base`"));
        // An author names the base there.
        dockerfile.path = Some("Dockerfile".into());
        let mut told = Told::new(&dockerfile, &untold);
        told.add("Step 1/1 : FROM a:1 AS build\n");
        assert!(
            !told
                .failure("there is none")
                .hint()
                .unwrap()
                .contains("`--base`")
        );
    }
}
