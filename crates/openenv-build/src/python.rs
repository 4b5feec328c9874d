//! The image of an environment in Python: its package, what that requires, and the
//! server in front of it.

use std::path::{Path, PathBuf};

use openenv::python::{Project, Wanted};
use walkdir::WalkDir;

use crate::context::{Context, Ignored, Times};
use crate::description::Description;
use crate::dockerfile::Dockerfile;
use crate::engine::Request;
use crate::error::{Error, Result};
use crate::image::{Layer, Settings, list};
use crate::native::{HOME, dockerfile_layer, settings};
use crate::tag::Tag;

mod local;

/// The image that those of environments in Python are built on, unless somebody says
/// otherwise.
pub const PYTHON_BASE: &str = "python:3.12-slim";

const SERVER: &str = "/usr/local/bin/openenv";
const VENV: &str = "/app/venv";
/// The one place that can be written to, also for what packages keep for later.
const SCRATCH: &str = "/tmp";

const NO_VENV: &str = "the base needs a `python3` that can make virtual environments: on Debian and Ubuntu the \
     packages `python3` and `python3-venv`; `--base` chooses another";
const NOT_INSTALLED: &str = "`--build-arg PIP_INDEX_URL=…` names an index, `--network host` gives the build the network \
     of this machine, and `--wheels DIR` needs neither";
const NO_SERVER: &str = "the server does not run on this base: it may be for a newer C library or another \
     architecture; `--server FILE` takes one that is linked statically, `--base` another base";
const NOT_SERVED: &str = "`openenv inspect DIR` shows more of it; `--no-check` builds the image all the same, for \
     packages that need something at the start that is not there yet";

/// How the image of an environment in Python is built.
#[derive(Debug, Clone)]
pub struct PythonOptions {
    /// The image to build on, which has a `python3` with `venv` and pip;
    /// [`PYTHON_BASE`] by default
    pub base: String,
    /// The server: an `openenv` that runs in that image
    pub server: PathBuf,
    /// A directory with all that has to be installed, to do without an index; none by
    /// default
    pub wheels: Option<PathBuf>,
    /// Whether to install `openenv` with all that it requires, instead of the light
    /// stand-in; `false` by default
    pub full: bool,
    /// Whether to import the package and make an environment at the end, so that an image
    /// that cannot be served is none; `true` by default
    pub check: bool,
    /// Names of build arguments that the commands which install see
    pub build_args: Vec<String>,
    /// Files that are not sent, as the one that the image is written to; none by default
    pub left_out: Vec<PathBuf>,
    /// When it is made, in seconds since 1970; not said by default
    pub created: Option<u64>,
}

impl PythonOptions {
    /// The defaults, with this server.
    pub fn new(server: impl Into<PathBuf>) -> Self {
        Self {
            base: PYTHON_BASE.to_owned(),
            server: server.into(),
            wheels: None,
            full: false,
            check: true,
            build_args: Vec::new(),
            left_out: Vec::new(),
            created: None,
        }
    }
}

/// The image of a package in Python, as an engine can build it.
///
/// What the package requires is installed in a stage of its own, before its files are
/// there: it is done again only when it changes, and neither build arguments nor wheels
/// are left in the image.
pub fn python_image(
    project: &Project,
    description: &Description,
    options: &PythonOptions,
    tags: Vec<Tag>,
) -> Result<Request> {
    let wanted = Wanted::of(project, options.full)?;
    // Requirements may be in the package, by their path.
    let mut local = false;
    let mut lines = Vec::with_capacity(wanted.lines.len());
    for line in wanted.lines {
        let in_image = local::in_image(&line, &project.root)?;
        local |= in_image.is_some();
        lines.push(in_image.unwrap_or(line));
    }
    let text = |lines: &[String]| (lines.join("\n") + "\n").into_bytes();
    let mut context = Context::new()?.leaving_out(&options.left_out);
    let requirements = Layer::new()
        .file("requirements/requirements.txt", 0o644, text(&lines))
        .file(
            "requirements/constraints.txt",
            0o644,
            text(&wanted.constraints),
        );
    context.add_layer(&requirements, "")?;
    if let Some(wheels) = &options.wheels {
        if !wheels.is_dir() {
            let wheels = wheels.display();
            return Err(Error::new(format!("there is no directory `{wheels}`"))
                .with_hint("`pip download --dest DIR -r requirements.txt` fills one with wheels"));
        }
        add_wheels(&mut context, wheels)?;
    }
    let ignored = Ignored::usual().and_of(&project.root)?;
    context.add_directory(&project.root, "env", &ignored, Times::Fixed)?;
    context.add_file(&server(&options.server)?, Path::new("openenv"))?;

    let dockerfile = dockerfile(options, local, &runtime_settings(description, options));
    context.add_layer(&dockerfile_layer(&dockerfile.text), "")?;
    Ok(Request::new(dockerfile, context, tags))
}

/// Adds files, wherever links to them lead: those who keep many wheels link to them.
fn add_wheels(context: &mut Context, wheels: &Path) -> Result<()> {
    context.add_layer(&Layer::new().directory("wheels", 0o755), "")?;
    let walk = WalkDir::new(wheels).follow_links(true).sort_by_file_name();
    for entry in walk {
        let entry = entry.map_err(|error| {
            Error::new(format!("could not read `{}`: {error}", wheels.display()))
        })?;
        if entry.file_type().is_file() {
            let inside = entry.path().strip_prefix(wheels).unwrap_or(entry.path());
            let name = Path::new("wheels").join(inside);
            context.add_file(entry.path(), &name)?;
        }
    }
    Ok(())
}

fn runtime_settings(description: &Description, options: &PythonOptions) -> Settings {
    let health_check = [SERVER, "serve", "--health-check"];
    let mut settings = settings(description, words(&health_check));
    settings.command = words(&[SERVER, "serve", HOME]);
    settings.labels = description.labels(&options.base, options.created);
    for (name, value) in [
        ("HOME", SCRATCH),
        ("OPENENV_PYTHON", VENV),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONUNBUFFERED", "1"),
    ] {
        settings
            .environment
            .insert(name.to_owned(), value.to_owned());
    }
    settings
}

fn dockerfile(options: &PythonOptions, local: bool, settings: &Settings) -> Dockerfile {
    let base = &options.base;
    let python = format!("{VENV}/bin/python");
    let mut lines = vec![format!("FROM {base} AS build")];
    lines.extend(options.build_args.iter().map(|name| format!("ARG {name}")));
    let venv = run(&["python3", "-m", "venv", VENV]);
    lines.push(venv.clone());
    lines.push("COPY requirements /app/requirements".to_owned());
    let mut install = vec![python.as_str(), "-m", "pip", "install", "--no-cache-dir"];
    install.extend(["--no-input", "--progress-bar", "off"]);
    install.push("--disable-pip-version-check");
    if options.wheels.is_some() {
        lines.push("COPY wheels /app/wheels".to_owned());
        install.extend(["--no-index", "--find-links", "/app/wheels"]);
    }
    if local {
        lines.push(format!("COPY env {HOME}"));
    }
    install.extend(["-r", "/app/requirements/requirements.txt"]);
    install.extend(["-c", "/app/requirements/constraints.txt"]);
    let install = run(&install);
    // A server that does not run in this image is noticed here, and not when it is late.
    let version = run(&[SERVER, "--version"]);
    let check = format!("RUN {SERVER} inspect {HOME} && rm -rf {SCRATCH}/.cache");
    lines.extend([
        install.clone(),
        format!("FROM {base}"),
        // What changes least comes first, and what runs from here on runs as it will later.
        settings.instructions(),
        format!("COPY openenv {SERVER}"),
        version.clone(),
        format!("COPY --from=build {VENV} {VENV}"),
        format!("COPY env {HOME}"),
    ]);
    lines.extend(options.check.then(|| check.clone()));
    lines.push(settings.label_instruction());
    Dockerfile::generated(lines.join("\n"))
        .with_hint(venv, NO_VENV)
        .with_hint(install, NOT_INSTALLED)
        .with_hint(version, NO_SERVER)
        .with_hint(check, NOT_SERVED)
}

/// An instruction that runs a command, without a shell.
fn run(command: &[&str]) -> String {
    format!("RUN {}", list(&words(command)))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The file of the server, wherever links to it lead.
fn server(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| {
        Error::new(format!(
            "could not read the server `{}`: {error}",
            path.display()
        ))
        .with_hint("`--server` names an `openenv` for Linux")
    })
}
