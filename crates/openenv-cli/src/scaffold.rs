//! New projects: environments that build, serve and test as they are.
//!
//! A file of a project comes from `templates/LANGUAGE/TEMPLATE`, where `any` stands for all
//! languages or all templates. Its path is rendered as its text is, and `.j2` taken off.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::ValueEnum;
use include_dir::{Dir, DirEntry, include_dir};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};

mod look;
mod name;
mod reserved;
mod source;
mod vacancy;

use look::Look;
pub(crate) use name::ProjectName;
pub(crate) use source::Source;
pub(crate) use vacancy::Vacancy;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// What an environment is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A package that this server and the one in Python serve alike
    Python,
    /// A crate that is a server of its own
    Rust,
}

/// What a project begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// An action and an observation: guess a number
    Typed,
    /// Tools that agents call over MCP: reach a number
    Tools,
    /// A game with legal actions: tic-tac-toe
    Game,
}

/// A project to be written.
#[derive(Debug)]
pub(crate) struct Project<'a> {
    pub(crate) name: &'a ProjectName,
    pub(crate) language: Language,
    pub(crate) template: Template,
    /// Of use to Rust only.
    pub(crate) source: &'a Source,
}

impl Language {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Rust => "Rust",
        }
    }

    fn directory(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }
}

impl Template {
    fn directory(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Tools => "tools",
            Self::Game => "game",
        }
    }

    /// The environment in one sentence, for catalogues.
    fn description(self) -> &'static str {
        match self {
            Self::Typed => "Guess a number between 1 and 100 from hints",
            Self::Tools => "Reach a number with the tools `add` and `double`",
            Self::Game => "Tic-tac-toe against an opponent who plays at random",
        }
    }
}

impl Project<'_> {
    /// Every file by its path, with `/` between the parts.
    pub(crate) fn files(&self) -> Result<BTreeMap<String, String>> {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_auto_escape_callback(|_| AutoEscape::None);
        let mut syntax = engine.syntax().to_builder();
        syntax.keep_trailing_newline(true);
        // A line with a tag and nothing else leaves no line behind.
        syntax.trim_blocks(true).lstrip_blocks(true);
        engine.set_syntax(syntax.build()?);
        let values = self.values();
        let mut files = BTreeMap::new();
        for (path, text) in self.sources() {
            let text = engine.render_named_str(&path, text, &values)?;
            files.insert(engine.render_str(&path, &values)?, text);
        }
        Ok(files)
    }

    fn values(&self) -> Value {
        let look = Look::of(self.name.as_str());
        context! {
            name => self.name.as_str(),
            class => self.name.class(),
            title => self.name.title(),
            language => self.language.directory(),
            template => self.template.directory(),
            description => self.template.description(),
            emoji => look.emoji,
            color_from => look.from,
            color_to => look.to,
            openenv => self.source.dependency("openenv"),
            openenv_serve => self.source.dependency("openenv-serve"),
        }
    }

    /// The files that this project is made from: what is for all, and what is for it.
    fn sources(&self) -> Vec<(String, &'static str)> {
        let mut sources = Vec::new();
        for language in ["any", self.language.directory()] {
            for template in ["any", self.template.directory()] {
                let layer = format!("{language}/{template}");
                if let Some(directory) = TEMPLATES.get_dir(&layer) {
                    collect(directory, &format!("{layer}/"), &mut sources);
                }
            }
        }
        sources
    }
}

fn collect(directory: &'static Dir<'_>, layer: &str, into: &mut Vec<(String, &'static str)>) {
    for entry in directory.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, layer, into),
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                let path = path.strip_prefix(layer).unwrap_or(&path);
                if let (Some(path), Some(text)) = (path.strip_suffix(".j2"), file.contents_utf8()) {
                    into.push((path.to_owned(), text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_file_comes_from_two_places() {
        let name: ProjectName = "my_env".parse().unwrap();
        for &language in Language::value_variants() {
            for &template in Template::value_variants() {
                let project = Project {
                    name: &name,
                    language,
                    template,
                    source: &Source::default(),
                };
                let sources = project.sources();
                let paths: HashSet<_> = sources.iter().map(|(path, _)| path).collect();
                assert_eq!(paths.len(), sources.len(), "{language:?} {template:?}");
                assert_eq!(project.files().unwrap().len(), sources.len());
            }
        }
    }

    #[test]
    fn every_file_is_a_template() {
        fn check(directory: &Dir<'_>) {
            for file in directory.files() {
                assert_eq!(file.path().extension().unwrap(), "j2", "{:?}", file.path());
                assert!(file.contents_utf8().is_some(), "{:?}", file.path());
            }
            directory.dirs().for_each(check);
        }
        check(&TEMPLATES);
    }
}
