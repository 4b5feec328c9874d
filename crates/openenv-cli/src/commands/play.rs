//! `openenv play`: an environment, driven from the terminal.

use anyhow::{Context, Result};
use openenv::{Endpoint, Error, Step};
use serde_json::Value;
use tokio::runtime::{self, Runtime};

use crate::config::PlayConfig;
use crate::failure::Failure;
use crate::schema::ActionSchema;
use crate::target::{Opened, Target};
use crate::ui;

mod form;
mod game;
mod input;
mod prompt;
mod random;
mod view;

use game::Game;
use input::Input;
use prompt::{Answer, Prompt};

const HELP: &str = "\
An action is a JSON object on one line or, where a single field has to be filled in, its value
alone. An empty line asks for the fields one by one.

  :reset [SEED]  begin another episode
  :state         show the state of the episode
  :schema        show the fields of an action
  :help          show this
  :quit          leave, as does Ctrl-D";

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
        .map_err(|error| fatal(&error))?;
    if config.random.is_none() {
        introduce(&runtime, &endpoint, &schema);
    }
    let mut game = Game::open(runtime, &endpoint, config).map_err(|error| fatal(&error))?;
    match config.random {
        Some(steps) => random::play(&mut game, &schema, steps, config)?,
        None => by_hand(&mut game, &schema, config.seed)?,
    }
    game.close();
    Ok(())
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

/// An error that ends the command.
fn fatal(error: &Error) -> anyhow::Error {
    let hint = if error.is_connection() {
        "check the URL and that the server runs; `openenv list` shows what needs none"
    } else if error.is_capacity() {
        "try again later, or give the server more places with `--max-sessions`"
    } else {
        "`openenv play` without `--random` shows what the environment takes"
    };
    let violations = error.violations().iter().map(ToString::to_string);
    let said: Vec<_> = std::iter::once(error.to_string())
        .chain(violations)
        .collect();
    Failure::new(said.join("; "), hint).into()
}

/// Says what is played, as far as the server tells.
fn introduce(runtime: &Runtime, endpoint: &Endpoint, schema: &ActionSchema) {
    match runtime.block_on(endpoint.metadata()) {
        Ok(metadata) => ui::note(&view::metadata(&metadata)),
        Err(error) => tracing::warn!(%error, "the server does not say what it serves"),
    }
    ui::note(&view::schema(schema));
    ui::note("`:help` shows what can be typed\n");
}

fn by_hand(game: &mut Game, schema: &ActionSchema, seed: Option<u64>) -> Result<()> {
    reset(game, seed)?;
    let mut prompt = Prompt::new()?;
    loop {
        let line = match prompt.ask("> ")? {
            Answer::Line(line) => line,
            Answer::Interrupted => {
                ui::note("`:quit` or Ctrl-D leaves");
                continue;
            }
            Answer::End => return Ok(()),
        };
        match input::read(&line, schema) {
            Err(why) => ui::complain(&why),
            Ok(Input::Quit) => return Ok(()),
            Ok(Input::Help) => ui::note(HELP),
            Ok(Input::Schema) => ui::note(&view::schema(schema)),
            Ok(Input::Reset(seed)) => reset(game, seed)?,
            Ok(Input::State) => match game.state() {
                Ok(state) => ui::data(&view::fields(&state))?,
                Err(error) => complain(&error),
            },
            Ok(Input::Action(action)) => step(game, &action)?,
            Ok(Input::Form) => {
                if let Some(action) = form::fill(schema, &mut prompt)? {
                    step(game, &action)?;
                }
            }
        }
    }
}

fn reset(game: &mut Game, seed: Option<u64>) -> Result<()> {
    match game.reset(seed) {
        Ok(begun) => {
            if begun.in_new_session {
                ui::note("this is a new session");
            }
            show(&begun.step)
        }
        Err(error) => {
            complain(&error);
            Ok(())
        }
    }
}

fn step(game: &mut Game, action: &Value) -> Result<()> {
    if game.is_over() {
        ui::complain("the episode is over");
        ui::hint("`:reset` begins another");
        return Ok(());
    }
    match game.step(action) {
        Err(error) => complain(&error),
        Ok(step) => {
            show(&step)?;
            if game.is_over() {
                let steps = ui::counted(game.steps(), "step");
                let reward = view::number(game.total_reward());
                ui::note(&format!(
                    "the episode is over after {steps}, with a total reward of {reward}; \
                     `:reset` begins another"
                ));
            }
        }
    }
    Ok(())
}

fn show(step: &Step<Value>) -> Result<()> {
    ui::data(&view::step(step))
}

/// Shows an error with everything that does not fit; the game goes on.
fn complain(error: &Error) {
    ui::complain(&error.to_string());
    for violation in error.violations() {
        ui::note(&format!("  {violation}"));
    }
    if error.is_connection() {
        ui::hint("`:reset` opens a new session");
    }
}
