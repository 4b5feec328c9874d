//! `openenv build`: the container image of an environment.

use std::io::{BufWriter, IsTerminal, Write, stderr};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use openenv_build::{
    Archive, Built, CargoOptions, CargoProject, Description, Engine, Image, Language, PYTHON_BASE,
    Profile, PythonOptions, Request, Source, Tag, own_image, python_image,
};
use openenv_serve::Failure;
use serde::Serialize;
use tokio::runtime;

use crate::config::BuildConfig;
use crate::ui;

mod fit;
mod narrator;
mod output;

use narrator::Narrator;
use output::Output;

/// What was built, as `openenv build --json` prints it.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    built: Built,
    /// The file, if there is one
    output: Option<PathBuf>,
}

pub(crate) fn run(config: &BuildConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let narrator = Narrator::new(config.progress);
    let report = runtime.block_on(async {
        tokio::select! {
            // Signals are listened for before there is anything to remove.
            biased;
            // What runs is ended by being dropped.
            () = openenv::shutdown_signal() => Err(anyhow!("interrupted")),
            report = build(config, &narrator) => report,
        }
    });
    let report = report.inspect_err(|_| narrator.show_rest())?;
    narrator.summarize(&report.built, report.output.as_deref());
    if config.json {
        return ui::data(&serde_json::to_string_pretty(&report)?);
    }
    match (&report.output, report.built.tags.first()) {
        (Some(output), _) => ui::data(&output.display().to_string()),
        (None, Some(tag)) => ui::data(tag.as_str()),
        (None, None) => ui::data(&report.built.image_id),
    }
}

async fn build(config: &BuildConfig, narrator: &Narrator) -> Result<Report> {
    if let Some(dockerfile) = &config.dockerfile {
        let output = create_output(config)?;
        let request = own_image(
            dockerfile,
            &config.context,
            &left_out(output.as_ref()),
            Vec::new(),
        );
        let mut request = request.map_err(failure)?;
        request.tags = own_tags(config).await?;
        return build_with_engine(request, output, config, narrator).await;
    }
    let source = Source::find(&config.directory).await.map_err(failure)?;
    let description = &source.description;
    let tags = tags(config, &description.name)?;
    fit::check(config, &source.language)?;
    let output = create_output(config)?;
    match &source.language {
        Language::Rust(project) => {
            native(project, description, tags, output, config, narrator).await
        }
        Language::Python(project) => {
            let server = match &config.server {
                Some(server) => server.clone(),
                None => std::env::current_exe().context("could not find this program")?,
            };
            let base = config.base.clone();
            let options = PythonOptions {
                base: base.unwrap_or_else(|| PYTHON_BASE.to_owned()),
                wheels: config.wheels.clone(),
                full: config.full,
                check: config.check,
                build_args: config.build_args.keys().cloned().collect(),
                left_out: left_out(output.as_ref()),
                created: config.created,
                ..PythonOptions::new(server)
            };
            let request = python_image(project, description, &options, tags).map_err(failure)?;
            build_with_engine(request, output, config, narrator).await
        }
        _ => Err(anyhow!("this environment cannot be built")),
    }
}

/// The image of a package in Rust, which needs an engine to keep it, if at all.
async fn native(
    project: &CargoProject,
    description: &Description,
    tags: Vec<Tag>,
    output: Option<Output>,
    config: &BuildConfig,
    narrator: &Narrator,
) -> Result<Report> {
    let engine = match &config.output {
        Some(_) if config.base.is_none() => None,
        // Who has none should not wait for the compiler to learn it.
        _ => Some(connect(config).await?),
    };
    let options = CargoOptions {
        profile: config.profile.clone().unwrap_or(Profile::Release),
        static_link: true,
        offline: config.offline,
        locked: config.locked,
        colour: stderr().is_terminal(),
    };
    let tell = |progress: openenv_build::Progress<'_>| narrator.tell(progress);
    let program = project.build(&options, &tell).await.map_err(failure)?;
    let mut image =
        Image::of_program(project, &program, description, config.created).map_err(failure)?;
    if let Some(base) = &config.base {
        let request = image.on_base(base, tags).map_err(failure)?;
        return build_with_engine(request, output, config, narrator).await;
    }
    image.settings.labels.extend(config.labels.clone());
    let archive = image.archive(&tags).map_err(failure)?;
    if let Some(engine) = engine {
        let built = engine.load(&archive, &tags, &tell).await.map_err(failure)?;
        return Ok(Report {
            built,
            output: None,
        });
    }
    if let Some(output) = output {
        write(&archive, output)?;
    }
    Ok(Report {
        built: archive.built(tags),
        output: config.output.clone(),
    })
}

async fn build_with_engine(
    mut request: Request,
    output: Option<Output>,
    config: &BuildConfig,
    narrator: &Narrator,
) -> Result<Report> {
    let engine = connect(config).await?;
    request.build_args.clone_from(&config.build_args);
    request.labels.clone_from(&config.labels);
    request.no_cache = config.no_cache;
    request.network.clone_from(&config.network);
    let tell = |progress: openenv_build::Progress<'_>| narrator.tell(progress);
    let built = engine.build(request, &tell).await.map_err(failure)?;
    if let Some(output) = output {
        let saved = engine.save(&built, output.file()?, output.compression());
        saved.await.map_err(failure)?;
        output.complete()?;
    }
    Ok(Report {
        built,
        output: config.output.clone(),
    })
}

async fn connect(config: &BuildConfig) -> Result<Engine> {
    let engine = Engine::connect(config.engine.as_deref()).await;
    engine.map_err(failure)
}

fn write(archive: &Archive, output: Output) -> Result<()> {
    let mut file = BufWriter::new(output.file()?);
    let written = archive.write(&mut file, output.compression());
    written
        .and_then(|()| file.flush())
        .with_context(|| output.unwritten())?;
    output.complete()
}

fn create_output(config: &BuildConfig) -> Result<Option<Output>> {
    let output = config.output.as_deref();
    output.map(Output::create).transpose()
}

/// What is not sent to the engine.
fn left_out(output: Option<&Output>) -> Vec<PathBuf> {
    output.map(Output::files).unwrap_or_default()
}

/// The names of an image from a Dockerfile, beside which there need be no environment.
async fn own_tags(config: &BuildConfig) -> Result<Vec<Tag>> {
    if !config.tags.is_empty() {
        return Ok(config.tags.clone());
    }
    let named = Source::find(&config.directory).await;
    let named = named.map(|source| source.description.name);
    let name = named.unwrap_or_else(|_| {
        let directory = config.directory.canonicalize().unwrap_or_default();
        let name = directory.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    });
    tags(config, &name)
}

fn tags(config: &BuildConfig, name: &str) -> Result<Vec<Tag>> {
    if !config.tags.is_empty() {
        return Ok(config.tags.clone());
    }
    let tags = Tag::of_environment(name);
    if tags.is_empty() {
        let failure = format!("`{name}` is no name for an image");
        return Err(Failure::new(failure, "`--tag` gives it another one").into());
    }
    Ok(tags)
}

fn failure(error: openenv_build::Error) -> anyhow::Error {
    match error.hint() {
        Some(hint) => Failure::new(error.to_string(), hint).into(),
        None => error.into(),
    }
}
