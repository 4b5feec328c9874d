//! `openenv init`: a new environment.

use std::fmt::Write;
use std::io::{IsTerminal, stdout};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use owo_colors::OwoColorize;

use crate::config::InitConfig;
use crate::scaffold::{Language, Project, Source, Vacancy};
use crate::ui;
use openenv_serve::Failure;

/// What usage errors end with, as those that clap finds.
const REFUSED: u8 = 2;

pub(crate) fn run(config: &InitConfig) -> Result<ExitCode> {
    let vacancy = match vacancy(config) {
        Ok(vacancy) => vacancy,
        Err(refusal) => {
            ui::report(&refusal.into());
            return Ok(ExitCode::from(REFUSED));
        }
    };
    let source = config.source.clone().unwrap_or_default();
    let project = Project {
        name: &config.name,
        language: config.language,
        template: config.template,
        source: &source,
    };
    let files = project.files()?;
    vacancy.fill(&files)?;
    if config.report {
        ui::note(&report(config, &source, vacancy.path(), files.len())?);
    }
    if !stdout().is_terminal() {
        ui::data(&vacancy.path().display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where to write, if this can be written at all.
fn vacancy(config: &InitConfig) -> Result<Vacancy, Failure> {
    if config.source.is_some() && config.language != Language::Rust {
        return Err(Failure::new(
            "`--openenv` says where crates come from, and a project in Python has none",
            "add `--lang rust`, or leave `--openenv` out",
        ));
    }
    Vacancy::find(&config.output_directory, config.name.as_str())
}

/// What was written, and what to do with it.
fn report(config: &InitConfig, source: &Source, path: &Path, files: usize) -> Result<String> {
    let name = &config.name;
    let mut text = String::new();
    writeln!(
        text,
        "{} `{}`, an environment in {}: {files} files",
        "Created".bold().green(),
        path.display(),
        config.language.title(),
    )?;
    let (environment, models, tests, test) = match config.language {
        Language::Python => (
            format!("server/{name}_environment.py"),
            "models.py",
            format!("tests/test_{name}.py"),
            "pip install -e '.[dev]' && pytest",
        ),
        Language::Rust => (
            "src/environment.rs".to_owned(),
            "src/models.rs",
            "tests/episode.rs".to_owned(),
            "cargo test",
        ),
    };
    let begin = [
        (&*environment, "what it does: begin here"),
        (models, "what it is told, and what it answers"),
        (&*tests, "episodes that have to go well"),
    ];
    write_columns(&mut text, &begin)?;
    writeln!(text, "\n{}", "Next steps".bold())?;
    let enter = format!("cd {}", path.display());
    let steps = [
        (&*enter, ""),
        ("openenv serve", "serve it on http://127.0.0.1:8000"),
        (test, "run its tests"),
        ("openenv validate", "check that trainers can rely on it"),
        ("openenv build", "make an image of it for containers"),
    ];
    write_columns(&mut text, &steps)?;
    match (config.language, source) {
        (Language::Python, _) => {
            writeln!(text, "\nThe same is there in Rust: `--lang rust`")?;
        }
        (Language::Rust, Source::Checkout(root)) => writeln!(
            text,
            "\nIts crates come from `{}`, which has to stay there; `--openenv` says otherwise",
            root.display()
        )?,
        (Language::Rust, _) => {}
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

fn write_columns(text: &mut String, rows: &[(&str, &str)]) -> Result<()> {
    let width = rows.iter().map(|(left, _)| left.chars().count()).max();
    let width = width.unwrap_or_default();
    for (left, right) in rows {
        let line = format!("  {left:<width$}  {right}");
        writeln!(text, "{}", line.trim_end())?;
    }
    Ok(())
}
