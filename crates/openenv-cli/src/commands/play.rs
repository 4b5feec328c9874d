//! `openenv play`: an environment, driven from the terminal.

use anyhow::{Context, Result, anyhow};
use openenv::{Endpoint, Error, Step};
use serde_json::Value;
use tokio::runtime::{self, Runtime};

use crate::config::PlayConfig;
use crate::diagnosis;
use crate::target::{Opened, Target};
use crate::ui;

mod form;
mod game;
mod input;
mod prompt;
mod random;
mod toolkit;
mod view;

use game::{Begun, Game};
use input::Input;
use openenv_schema::ActionSchema;
use prompt::{Answer, Prompt};
use toolkit::Toolkit;

const HELP: &str = "\
An action is a JSON object on one line or, where a single field has to be filled in, its value
alone. An empty line asks for the fields one by one.

  :reset [SEED]  begin another episode
  :state         show the state of the episode
  :schema        show the fields of an action
  :tools         show what can be called
  :call NAME …   call a tool, with a JSON object or the one value that it needs; where there
                 is nothing but tools, `NAME …` is enough
  :help          show this
  :quit          leave, as does Ctrl-D";

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Failed,
}

pub(crate) fn run(config: &PlayConfig) -> Result<()> {
    let runtime = background_runtime()?;
    // Kept until the end: a server of this process stops with it.
    let Opened {
        endpoint,
        local_server: _local_server,
    } = Target::open(&config.endpoint)?;
    let schema = runtime
        .block_on(endpoint.schemas())
        .map(|schemas| ActionSchema::new(schemas.action))
        .map_err(|error| diagnosis::fatal(&endpoint, &error))?;
    if config.random.is_none() {
        introduce(&runtime, &endpoint);
    }
    let mut game = Game::open(runtime, &endpoint, config)
        .map_err(|error| diagnosis::fatal(&endpoint, &error))?;
    match config.random {
        Some(steps) => random::play(&mut game, &schema, steps, &endpoint, config)?,
        None => converse(&mut game, &schema, &endpoint, config)?,
    }
    game.close();
    Ok(())
}

/// A person sees what failed and goes on; a script has to be told at the end.
fn converse(
    game: &mut Game,
    schema: &ActionSchema,
    endpoint: &Endpoint,
    config: &PlayConfig,
) -> Result<()> {
    let mut prompt = Prompt::new()?;
    // Elsewhere Ctrl-C ends the command, as it ends any other.
    if prompt.is_editor() {
        game.stop_waiting_at_interrupt();
    }
    let by_person = prompt.is_terminal();
    let tools = game.tools();
    if !schema.is_tool_call() || tools.is_empty() {
        ui::note(&view::schema(schema));
    }
    if !tools.is_empty() {
        ui::note(&view::tools(&tools));
    }
    ui::note("`:help` shows what can be typed\n");
    match game.reset(config.seed) {
        Ok(begun) => {
            show_begun(&begun)?;
        }
        Err(error) if by_person => {
            complain(&error);
        }
        Err(error) => return Err(diagnosis::fatal(endpoint, &error)),
    }
    match by_hand(game, schema, &tools, &mut prompt)? {
        failed if by_person || failed == 0 => Ok(()),
        failed => Err(anyhow!("{} failed", ui::counted(failed, "line"))),
    }
}

/// A runtime that goes on while nobody waits for it: the session must be kept
/// alive while a person thinks.
fn background_runtime() -> Result<Runtime> {
    runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("could not start the runtime")
}

/// Says what is played, as far as the server tells.
fn introduce(runtime: &Runtime, endpoint: &Endpoint) {
    match runtime.block_on(endpoint.metadata()) {
        Ok(metadata) => ui::note(&view::metadata(&metadata)),
        Err(error) => tracing::warn!(%error, "the server does not say what it serves"),
    }
}

/// Takes line after line; tells how many failed.
fn by_hand(
    game: &mut Game,
    schema: &ActionSchema,
    tools: &Toolkit,
    prompt: &mut Prompt,
) -> Result<u64> {
    let by_person = prompt.is_terminal();
    let mut failed = 0;
    loop {
        let line = match prompt.ask("> ")? {
            Answer::Line(line) => line,
            Answer::Interrupted => {
                ui::note("`:quit` or Ctrl-D leaves");
                continue;
            }
            Answer::Unreadable(why) => {
                ui::complain(&why);
                failed += 1;
                continue;
            }
            Answer::End => return Ok(failed),
        };
        let outcome = match input::read(&line, schema, tools) {
            Err(why) => {
                ui::complain(&why);
                Outcome::Failed
            }
            Ok(Input::Quit) => return Ok(failed),
            Ok(Input::Help) => {
                ui::note(HELP);
                Outcome::Done
            }
            Ok(Input::Schema) => {
                ui::note(&view::schema(schema));
                Outcome::Done
            }
            Ok(Input::Tools) => {
                ui::note(&view::tools(tools));
                Outcome::Done
            }
            Ok(Input::Reset(seed)) => match game.reset(seed) {
                Ok(begun) => show_begun(&begun)?,
                Err(error) => complain(&error),
            },
            Ok(Input::State) => match game.state() {
                Ok(state) => {
                    ui::data(&view::value(&state))?;
                    Outcome::Done
                }
                Err(error) => complain(&error),
            },
            Ok(Input::Action(action)) => step(game, &action)?,
            Ok(Input::Form) => match form::fill(schema, prompt)? {
                Some(action) => step(game, &action)?,
                None => Outcome::Failed,
            },
            Ok(Input::ToolForm(name)) if !by_person => {
                ui::complain(&format!("`{name}` needs arguments, as a JSON object"));
                Outcome::Failed
            }
            Ok(Input::ToolForm(name)) => match tools.find(&name) {
                Some(tool) => match form::fill(&tool.arguments, prompt)? {
                    Some(arguments) => step(game, &tool.step(&arguments))?,
                    None => Outcome::Failed,
                },
                None => Outcome::Failed,
            },
        };
        failed += u64::from(outcome == Outcome::Failed);
    }
}

fn step(game: &mut Game, action: &Value) -> Result<Outcome> {
    if game.is_over() {
        ui::complain("the episode is over");
        ui::hint("`:reset` begins another");
        return Ok(Outcome::Failed);
    }
    let step = match game.step(action) {
        Ok(step) => step,
        Err(error) => return Ok(complain(&error)),
    };
    show(&step)?;
    if game.is_over() {
        let steps = ui::counted(game.steps(), "step");
        let reward = view::number(game.total_reward());
        ui::note(&format!(
            "the episode is over after {steps}, with a total reward of {reward}; \
             `:reset` begins another"
        ));
    }
    // A tool that fails says so in what it shows, not by an error.
    let failed = step.observation["error"]["error_type"].is_string();
    Ok(if failed {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

fn show_begun(begun: &Begun) -> Result<Outcome> {
    if begun.in_new_session {
        ui::note("this is a new session");
    }
    show(&begun.step)?;
    Ok(Outcome::Done)
}

fn show(step: &Step<Value>) -> Result<()> {
    ui::data(&view::step(step))
}

/// Shows an error with everything that does not fit; the game goes on.
fn complain(error: &Error) -> Outcome {
    ui::complain(error.message());
    for violation in error.violations() {
        ui::note(&format!("  {violation}"));
    }
    if error.is_connection() {
        ui::hint("`:reset` opens a new session");
    }
    Outcome::Failed
}
