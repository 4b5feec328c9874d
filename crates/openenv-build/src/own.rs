//! Images from a Dockerfile that the author wrote.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::context::{Context, Ignored, RULES, Times};
use crate::dockerfile::Dockerfile;
use crate::engine::Request;
use crate::error::{Error, Result};
use crate::image::Layer;
use crate::tag::Tag;

/// The name of a Dockerfile that is not among the files it takes.
const ELSEWHERE: &str = ".openenv-build.Dockerfile";

/// The image of a Dockerfile, which takes the files of a directory.
///
/// What `.dockerignore` names there stays here, or what the file beside the Dockerfile
/// names that is called like it with `.dockerignore` at the end. So do the files of
/// `left_out`, as the one that the image is written to.
///
/// # Errors
///
/// If the files cannot be read.
pub fn own_image(
    file: &Path,
    directory: &Path,
    left_out: &[PathBuf],
    tags: Vec<Tag>,
) -> Result<Request> {
    let unreadable = |path: &Path, error: std::io::Error| {
        Error::new(format!("could not read `{}`: {error}", path.display()))
    };
    let dockerfile = Dockerfile::read(file)?;
    let place = file
        .canonicalize()
        .map_err(|error| unreadable(file, error))?;
    let directory = directory
        .canonicalize()
        .map_err(|error| unreadable(directory, error))?;
    if !directory.is_dir() {
        let directory = directory.display();
        return Err(Error::new(format!("`{directory}` is no directory")));
    }
    let rules = beside(&place);
    let rules = if rules.is_file() {
        rules
    } else {
        directory.join(RULES)
    };
    let has_rules = rules.is_file();
    let mut ignored = Ignored::nothing();
    if has_rules {
        ignored = ignored.and_in(&rules)?;
    }
    let mut context = Context::new()?.leaving_out(left_out);
    context.add_directory(&directory, "", &ignored, Times::Real)?;
    let inside = place.strip_prefix(&directory).ok().and_then(Path::to_str);
    // The engine takes both files away again before anything is copied, if the rules say
    // so; but it needs to see them.
    let mut kept = if has_rules {
        fs::read_to_string(&rules).map_err(|error| unreadable(&rules, error))?
    } else {
        String::new()
    };
    let name = if let Some(name) = inside {
        name.to_owned()
    } else {
        kept.push('\n');
        kept.push_str(ELSEWHERE);
        kept.push('\n');
        ELSEWHERE.to_owned()
    };
    let mut files = Layer::new().file(&name, 0o644, dockerfile.text.as_bytes());
    if !kept.is_empty() {
        if !directory.join(RULES).is_file() {
            // Nobody wrote one, so none is to be in the image.
            kept.push('\n');
            kept.push_str(RULES);
            kept.push('\n');
        }
        files = files.file(RULES, 0o644, kept.into_bytes());
    }
    context.add_layer(&files, "")?;
    Ok(Request {
        file: name,
        ..Request::new(dockerfile, context, tags)
    })
}

/// The file with rules for this Dockerfile alone.
fn beside(dockerfile: &Path) -> PathBuf {
    let mut name = OsString::from(dockerfile);
    name.push(RULES);
    PathBuf::from(name)
}
