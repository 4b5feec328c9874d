//! With real interpreters and real tools, in surroundings of the tests' own.
//!
//! Nothing here needs a network: what is installed are wheels that are made here.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::timeout;

use super::super::tool;
use super::*;

/// Makes wheels: `directory`, then pairs of a name and a version.
const MAKE_WHEEL: &str = r#"
import sys, zipfile
directory, name, version = sys.argv[1:]
info = f"{name}-{version}.dist-info"
with zipfile.ZipFile(f"{directory}/{name}-{version}-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}.py", f"version = '{version}'\n")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
"#;

/// A machine with a package on it.
struct Machine {
    directory: TempDir,
    surroundings: Surroundings,
    options: InterpreterOptions,
    told: Mutex<Vec<String>>,
}

impl Machine {
    /// With `python3` and nothing else, and a package that requires nothing.
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let machine = Self {
            surroundings: Surroundings {
                search_path: root.join("bin").into(),
                virtual_env: None,
                cache: Some(root.join("cache")),
            },
            directory,
            options: InterpreterOptions {
                offline: true,
                ..InterpreterOptions::default()
            },
            told: Mutex::default(),
        };
        machine.program("python3", &format!("exec '{}' \"$@\"", real_python()));
        machine.file("maze/server/app.py", "");
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        let root = fs::canonicalize(self.directory.path()).unwrap();
        root.join(path)
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// A program in `PATH`.
    fn program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.file(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    /// A line that requires a wheel which is made now.
    fn wheel(&self, name: &str, version: &str) -> String {
        fs::create_dir_all(self.path("wheels")).unwrap();
        let mut make = Command::new(real_python());
        make.args(["-c", MAKE_WHEEL])
            .arg(self.path("wheels"))
            .args([name, version]);
        assert!(make.status().unwrap().success());
        let file = self.path(&format!("wheels/{name}-{version}-py3-none-any.whl"));
        format!("{name} @ file://{}", file.display())
    }

    /// Makes the package require these lines.
    fn require(&self, lines: &[&str]) {
        let pyproject = format!("[project]\nname = 'maze'\ndependencies = {lines:?}\n");
        self.file("maze/pyproject.toml", &pyproject);
    }

    /// A virtual environment that seems to have distributions.
    fn venv(&self, path: &str, distributions: &[&str]) -> PathBuf {
        let directory = self.path(path);
        let mut make = Command::new(real_python());
        make.args(["-m", "venv", "--without-pip"]).arg(&directory);
        assert!(make.status().unwrap().success());
        let lib = fs::read_dir(directory.join("lib"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        for distribution in distributions {
            let (name, version) = distribution.split_once("==").unwrap();
            let info = lib
                .path()
                .join(format!("site-packages/{name}-{version}.dist-info"));
            fs::create_dir(&info).unwrap();
            let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
            fs::write(info.join("METADATA"), metadata).unwrap();
        }
        directory
    }

    async fn choose(&self) -> Result<Interpreter> {
        let project = Project::find(self.path("maze")).unwrap();
        let tell = |line: &str| self.told.lock().unwrap().push(line.to_owned());
        Choice::new(&project, &self.options, &self.surroundings, &tell)?
            .made()
            .await
    }

    async fn choose_explicit(&mut self, python: impl Into<PathBuf>) -> Result<Interpreter> {
        self.options.explicit = Some(python.into());
        self.choose().await
    }

    async fn failure(&self) -> String {
        self.choose().await.unwrap_err().to_string()
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }

    /// The environments that were made.
    fn made(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("cache/venvs")).into_iter().flatten();
        let mut made: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        made.retain(|path| path.is_dir());
        made.sort();
        made
    }
}

/// The interpreter itself: what is called `python3` may be a script that looks for it.
fn real_python() -> String {
    let mut ask = Command::new("python3");
    ask.args(["-c", "import sys; print(sys._base_executable)"]);
    let path = String::from_utf8(ask.output().unwrap().stdout).unwrap();
    path.trim().to_owned()
}

/// What an interpreter prints for an expression.
fn evaluate(python: &Path, expression: &str) -> String {
    let mut command = Command::new(python);
    command.args(["-c", &format!("print({expression})")]);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn one_that_is_asked_for_is_used_whatever_else_there_is() {
    let mut machine = Machine::new();
    machine.venv("maze/.venv", &["pydantic==2.1"]);
    let asked = machine.venv("asked", &["pydantic==2.2", "openenv_core==0.2.1"]);
    let program = asked.join("bin/python");
    for way in [asked.clone(), program.clone()] {
        let interpreter = machine.choose_explicit(way).await.unwrap();
        assert_eq!(interpreter.path, program);
        assert_eq!(interpreter.origin, InterpreterOrigin::Explicit);
        assert_eq!(interpreter.openenv.as_deref(), Some("0.2.1"));
        assert_eq!(
            interpreter.version,
            evaluate(&program, "__import__('platform').python_version()")
        );
    }
    // By name, through a script that finds it: the script is not run for each worker.
    machine.program("my-python", &format!("exec '{}' \"$@\"", program.display()));
    let interpreter = machine.choose_explicit("my-python").await.unwrap();
    assert_eq!(interpreter.path, program);
}

#[tokio::test]
async fn one_that_is_asked_for_and_is_none_is_told() {
    let mut machine = Machine::new();
    let bare = machine.venv("bare", &[]);
    let old = machine.venv("old", &["pydantic==1.10.2"]);
    let text = machine.file("text", "hello");
    let other = machine.program("other", "echo hello");
    let broken = machine.program("broken", "echo 'no stdlib' >&2; exit 3");
    let ancient = machine.program(
        "ancient",
        r#"echo '{"version":"3.8.10","executable":"/a","base":"/a","installed":{}}'"#,
    );
    for (python, expected) in [
        (
            machine.path("gone/python"),
            "cannot be used: there is no such file",
        ),
        ("no-such-python".into(), "no such program in `PATH`"),
        (text, "it does not run: "),
        (other, "it is no Python, or a broken one (exit status: 0)"),
        (broken, "(exit status: 3: no stdlib)"),
        (
            ancient,
            "it is Python 3.8.10, and 3.10 is the oldest that will do",
        ),
        (bare, "it does not have pydantic; install it with `"),
        (old, "it has pydantic 1.10.2, not 2; "),
    ] {
        let shown = format!("`{}` cannot be used: ", python.display());
        let error = machine
            .choose_explicit(python)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&shown) && error.contains(expected),
            "{error}"
        );
    }
    machine.options.full = true;
    let light = machine.venv("light", &["pydantic==2.1"]);
    let error = machine
        .choose_explicit(light)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it does not have openenv, and all of it was asked for"),
        "{error}"
    );
}

#[tokio::test]
async fn the_packages_own_comes_before_an_active_one() {
    let mut machine = Machine::new();
    machine.require(&["openenv-core", "chess>=1"]);
    let own = machine.venv("maze/.venv", &["pydantic==2.1"]);
    let active = machine.venv("active", &["pydantic==2.2", "chess==1.1"]);
    machine.surroundings.virtual_env = Some(active.clone());

    let interpreter = machine.choose().await.unwrap();
    assert_eq!(interpreter.path, own.join("bin/python"));
    assert_eq!(interpreter.origin, InterpreterOrigin::Package);
    assert_eq!(interpreter.openenv, None);
    let told = machine.told();
    assert!(
        told.ends_with("although it does not have chess, which maze requires"),
        "{told}"
    );

    // It does not work: the next one.
    fs::remove_file(own.join("bin/python")).unwrap();
    let interpreter = machine.choose().await.unwrap();
    assert_eq!(interpreter.path, active.join("bin/python"));
    assert_eq!(interpreter.origin, InterpreterOrigin::Active);
    assert!(machine.told().contains("maze/.venv`: it does not run: "));
}

#[tokio::test]
async fn an_active_one_that_is_for_something_else_is_passed_over() {
    let mut machine = Machine::new();
    let pydantic = machine.wheel("pydantic", "2.99");
    let chess = machine.wheel("chess", "1.0");
    machine.require(&[&pydantic, &chess]);
    let active = machine.venv("active", &["pydantic==2.2"]);
    let before = evaluate(
        &active.join("bin/python"),
        "sorted(__import__('os').walk('.'))",
    );
    machine.surroundings.virtual_env = Some(active.clone());
    let interpreter = machine.choose().await.unwrap();
    assert_eq!(interpreter.origin, InterpreterOrigin::Made);
    assert!(machine.told().contains(&format!(
        "passing over `{}`: it does not have chess, which maze requires",
        active.display()
    )));
    assert_eq!(
        before,
        evaluate(
            &active.join("bin/python"),
            "sorted(__import__('os').walk('.'))"
        )
    );
}

#[tokio::test]
async fn one_is_made_and_kept_until_something_else_is_required() {
    let machine = Machine::new();
    let pydantic = machine.wheel("pydantic", "2.99");
    let chess = machine.wheel("chess", "1.0");
    machine.require(&[&pydantic, "openenv-core>=0.2", &chess]);

    let first = machine.choose().await.unwrap();
    assert_eq!(first.origin, InterpreterOrigin::Made);
    assert_eq!(first.openenv, None);
    assert_eq!(evaluate(&first.path, "__import__('chess').version"), "1.0");
    let told = machine.told();
    assert!(
        told.starts_with("making a Python environment for maze: 3 packages\n"),
        "{told}"
    );
    assert!(
        told.contains("\nSuccessfully installed chess-1.0 pydantic-2.99"),
        "{told}"
    );
    // What is in it runs from where it is.
    let pip = first.path.with_file_name("pip");
    assert!(
        Command::new(pip)
            .arg("--version")
            .output()
            .unwrap()
            .status
            .success()
    );

    let again = machine.choose().await.unwrap();
    assert_eq!(again.origin, InterpreterOrigin::Cached);
    assert_eq!(again.path, first.path);
    assert_eq!(machine.told(), told, "nothing happens the second time");

    let newer = machine.wheel("chess", "2.0");
    machine.require(&[&pydantic, &newer]);
    let other = machine.choose().await.unwrap();
    assert_ne!(other.path, first.path);
    assert_eq!(evaluate(&other.path, "__import__('chess').version"), "2.0");
    assert_eq!(evaluate(&first.path, "__import__('chess').version"), "1.0");
    assert_eq!(machine.made().len(), 2);

    // The Python that it was made from may be gone one day.
    fs::remove_file(&other.path).unwrap();
    std::os::unix::fs::symlink("/gone/python3", &other.path).unwrap();
    let anew = machine.choose().await.unwrap();
    assert_eq!(
        (anew.origin, anew.path),
        (InterpreterOrigin::Made, other.path)
    );
}

#[tokio::test]
async fn two_at_once_make_one() {
    let machine = Machine::new();
    let pydantic = machine.wheel("pydantic", "2.99");
    machine.require(&[&pydantic]);
    let (one, other) = tokio::join!(machine.choose(), machine.choose());
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.path, other.path);
    let mut origins = [one.origin, other.origin].map(|it| it.to_string());
    origins.sort();
    assert_eq!(origins, ["made before", "made now"]);
    let told = machine.told();
    assert_eq!(
        told.matches("making a Python environment").count(),
        1,
        "{told}"
    );
    assert!(told.contains("another process makes the Python environment for maze, waiting"));
    assert_eq!(machine.made().len(), 1);
}

#[tokio::test]
async fn what_was_left_half_made_is_made_anew() {
    let machine = Machine::new();
    let pydantic = machine.wheel("pydantic", "2.99");
    machine.require(&[&pydantic]);
    // Given up while it is made: as soon as there is something of it.
    let half_made = async {
        while machine.made().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = machine.choose() => panic!("it was made before it could be given up"),
        () = half_made => {}
    }
    let [directory] = &*machine.made() else {
        panic!()
    };
    fs::write(directory.join("left behind"), "").unwrap();

    let interpreter = machine.choose().await.unwrap();
    assert_eq!(interpreter.origin, InterpreterOrigin::Made);
    assert!(interpreter.path.starts_with(directory));
    assert!(!directory.join("left behind").exists());
}

#[tokio::test]
async fn nobody_gets_the_lock_while_a_tool_of_the_dead_still_writes() {
    let machine = Machine::new();
    let helper = machine.path("helper");
    let lock = machine.file("lock", "");
    let held = fs::File::options()
        .read(true)
        .write(true)
        .open(&lock)
        .unwrap();
    held.try_lock().unwrap();
    let search_path = env::var_os("PATH").unwrap();
    let root = machine.path("maze");
    let mut command = tool::command(Path::new("/bin/sh"), &search_path, &root, &held).unwrap();
    // As `python -m venv` has a helper, which outlives it.
    let script = format!("(sleep 1; : >'{}'); true", helper.display());
    let mut child = command.args(["-c", &script]).spawn().unwrap();
    drop((command, held));
    tokio::time::sleep(Duration::from_millis(200)).await;
    child.kill().await.unwrap();

    let next = fs::File::open(&lock).unwrap();
    assert!(next.try_lock().is_err(), "the helper has it");
    let free = async {
        while next.try_lock().is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), free).await.unwrap();
    assert!(helper.exists(), "it was not waited for");
}

#[tokio::test]
async fn what_cannot_be_installed_is_named() {
    let machine = Machine::new();
    let pydantic = machine.wheel("pydantic", "2.99");
    machine.require(&[&pydantic, "No_Such.Package ==1.0"]);
    let error = machine.failure().await;
    let expected = "could not install `No_Such.Package ==1.0`, which maze requires without a network: `pip`: exit status: 1; its last output:\n  ";
    assert!(error.starts_with(expected), "{error}");
    assert!(machine.made().is_empty());
}

#[tokio::test]
async fn a_python_that_cannot_make_environments_is_told_with_what_to_install() {
    let machine = Machine::new();
    let python = machine.path("bin/python3").display().to_string();
    machine.program(
        "python3",
        &format!(
            r#"case "$1" in
-c) echo '{{"version":"3.12.4","executable":"{python}","base":"{python}","installed":{{}}}}' ;;
*) echo 'The virtual environment was not created successfully because ensurepip is not'
   echo 'available.'; exit 1 ;;
esac"#
        ),
    );
    let error = machine.failure().await;
    let expected = format!(
        "`{python}` cannot make virtual environments, and maze needs one: on Debian and Ubuntu \
         that is `apt install python3.12-venv`; or install uv, or name a Python that has what maze requires"
    );
    assert_eq!(error, expected);
}

#[tokio::test]
async fn no_python_will_do() {
    let machine = Machine::new();
    let requires = "[project]\nrequires-python = '>=4'\n";
    machine.file("maze/pyproject.toml", requires);
    let error = machine.failure().await;
    assert!(
        error.starts_with("maze requires Python >=4, and there is none in `PATH` (`python3` is 3.")
    );
    fs::remove_file(machine.path("bin/python3")).unwrap();
    let error = machine.failure().await;
    assert!(error.contains("(there is no `python3`)"), "{error}");
    machine.file(
        "maze/pyproject.toml",
        "[project]\nrequires-python = 'new'\n",
    );
    let error = machine.failure().await;
    let expected = "`requires-python` in `pyproject.toml` is `new`; write it as `>=3.11`";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn there_has_to_be_somewhere_to_keep_it() {
    let mut machine = Machine::new();
    machine.surroundings.cache = None;
    let error = machine.failure().await;
    assert!(error.contains("set `XDG_CACHE_HOME` or `HOME`"), "{error}");
    machine.options.cache = Some(machine.file("a-file", ""));
    let error = machine.failure().await;
    assert!(
        error.starts_with("could not make a Python environment in `"),
        "{error}"
    );
    assert!(
        error.contains("choose another directory for the cache"),
        "{error}"
    );
}

/// The path of uv, if it is there to be tried.
fn uv() -> Option<PathBuf> {
    let uv = probe::on_path(OsStr::new("uv"), &env::var_os("PATH")?);
    if uv.is_none() {
        println!("skipped: `uv` is not in `PATH`");
    }
    uv
}

#[tokio::test]
async fn uv_is_used_where_it_is() {
    let Some(uv) = uv() else { return };
    let machine = Machine::new();
    machine.program("uv", &format!("exec '{}' \"$@\"", uv.display()));
    let pydantic = machine.wheel("pydantic", "2.99");
    machine.require(&[&pydantic, "openenv-core"]);
    let interpreter = machine.choose().await.unwrap();
    assert_eq!(
        evaluate(&interpreter.path, "__import__('pydantic').version"),
        "2.99"
    );
    assert!(
        !interpreter.path.with_file_name("pip").exists(),
        "pip made it"
    );
    let told = machine.told();
    assert!(told.contains("+ pydantic==2.99"), "{told}");
    assert_eq!(
        machine.choose().await.unwrap().origin,
        InterpreterOrigin::Cached
    );

    machine.require(&[&pydantic, "no-such-package==1"]);
    let error = machine.failure().await;
    let expected =
        "could not install `no-such-package==1`, which maze requires without a network: `uv`: ";
    assert!(error.starts_with(expected), "{error}");
}

#[tokio::test]
async fn all_that_is_locked_is_installed_in_full() {
    let Some(uv) = uv() else { return };
    let mut machine = Machine::new();
    machine.program("uv", &format!("exec '{}' \"$@\"", uv.display()));
    let lines = [
        machine.wheel("pydantic", "2.99"),
        machine.wheel("openenv", "0.10"),
    ];
    let pyproject = format!(
        "[project]\nname = 'maze'\nversion = '1'\nrequires-python = '>=3.10'\ndependencies = {lines:?}\n\
         [dependency-groups]\ndev = ['{}']\n",
        machine.wheel("chess", "1.0")
    );
    machine.file("maze/pyproject.toml", &pyproject);
    let mut lock = Command::new(&uv);
    lock.args(["lock", "--offline", "--quiet", "--python", &real_python()]);
    assert!(
        lock.current_dir(machine.path("maze"))
            .status()
            .unwrap()
            .success()
    );

    machine.options.full = true;
    let full = machine.choose().await.unwrap();
    assert_eq!(full.openenv.as_deref(), Some("0.10"));
    let path = evaluate(&full.path, "__import__('pydantic').__file__");
    assert!(
        path.starts_with(machine.made()[0].to_str().unwrap()),
        "{path}"
    );
    assert!(!machine.path("maze/.venv").exists());
    // Neither the package itself nor what only its author needs.
    for name in ["chess", "maze"] {
        let found = format!("__import__('importlib.util').util.find_spec('{name}')");
        assert_eq!(evaluate(&full.path, &found), "None");
    }

    machine.options.full = false;
    let light = machine.choose().await.unwrap();
    assert_eq!(light.openenv, None);
    assert_ne!(light.path, full.path);
}

#[tokio::test]
#[ignore = "installs from a registry"]
async fn what_a_real_package_needs_is_installed_from_a_registry() {
    for uv in [None, uv()] {
        let mut machine = Machine::new();
        if let Some(uv) = uv {
            machine.program("uv", &format!("exec '{}' \"$@\"", uv.display()));
        }
        machine.options.offline = false;
        machine.require(&["openenv-core>=0.2"]);
        machine.file(
            "maze/server/app.py",
            "import yaml\nfrom fastapi import FastAPI\n",
        );
        let light = machine.choose().await.unwrap();
        assert_eq!(light.openenv, None);
        let version = "__import__('pydantic').VERSION[0]";
        assert_eq!(evaluate(&light.path, version), "2");
        evaluate(&light.path, "__import__('yaml').__version__");

        machine.options.full = true;
        let full = machine.choose().await.unwrap();
        assert!(full.openenv.is_some());
        evaluate(&full.path, "__import__('openenv.core')");
    }
}
