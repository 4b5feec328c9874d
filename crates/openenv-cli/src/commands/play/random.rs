//! Steps with actions that the schema allows, chosen at random.

use anyhow::{Result, anyhow};
use indicatif::HumanCount;
use openenv::{Endpoint, Error, Seed, Step};
use openenv_schema::{ActionSchema, Sampler};
use openenv_serve::Failure;
use serde::Serialize;
use serde_json::Value;

use super::game::Game;
use super::toolkit::{Known, Toolkit};
use super::view;
use crate::config::PlayConfig;
use crate::diagnosis;
use crate::ui;

/// One step as a line of JSON: programs rely on the names.
#[derive(Debug, Serialize)]
struct Line<'a> {
    step: u64,
    action: &'a Value,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Step {
        observation: &'a Value,
        reward: Option<openenv::Reward>,
        done: bool,
    },
    Error {
        error: String,
        code: &'a str,
    },
}

/// Takes `steps` steps, with a reset whenever an episode is over.
pub(super) fn play(
    game: &mut Game,
    schema: &ActionSchema,
    steps: u64,
    endpoint: &Endpoint,
    config: &PlayConfig,
) -> Result<()> {
    // A short one can be typed again.
    let seed = config.seed.unwrap_or_else(|| fastrand::i128(0..1_000_000));
    let tools = game.tools();
    let mut actions = Actions::new(schema, &tools, Seed::from(seed).into());
    let (mut episodes, mut errors, mut total_reward) = (0, 0, 0.0);
    for number in 1..=steps {
        if number == 1 || game.is_over() {
            game.reset(Some(seed.wrapping_add(i128::from(episodes))))
                .map_err(|error| diagnosis::fatal(endpoint, &error))?;
            episodes += 1;
        }
        let action = actions.next()?;
        match game.step(&action) {
            Ok(step) => {
                total_reward += step.reward.map_or(0.0, openenv::Reward::as_f64);
                show(number, &action, &step, config.json)?;
            }
            Err(error) if error.is_connection() => {
                return Err(Failure::new(
                    error.to_string(),
                    format!("it happened at step {number}, with `{action}`"),
                )
                .into());
            }
            Err(error) => {
                errors += 1;
                show_error(number, &action, &error, config.json)?;
            }
        }
    }
    ui::note(&format!(
        "{}, {}, total reward {}, {}, seed {seed}",
        ui::counted(steps, "step"),
        ui::counted(episodes, "episode"),
        view::number(total_reward),
        ui::counted(errors, "error"),
    ));
    match errors {
        0 => Ok(()),
        errors => Err(anyhow!(
            "{} of {} failed",
            HumanCount(errors),
            ui::counted(steps, "step")
        )),
    }
}

/// Actions at random: calls of tools where there is nothing else to do.
struct Actions<'a> {
    own: Sampler<'a>,
    tools: Vec<(&'a Known, Sampler<'a>)>,
    choice: fastrand::Rng,
}

impl<'a> Actions<'a> {
    fn new(schema: &'a ActionSchema, tools: &'a Toolkit, seed: u64) -> Self {
        let tools = tools.iter().filter(|_| schema.is_tool_call());
        Self {
            own: Sampler::new(schema, seed),
            tools: tools
                .map(|tool| (tool, Sampler::new(&tool.arguments, seed)))
                .collect(),
            choice: fastrand::Rng::with_seed(seed),
        }
    }

    fn next(&mut self) -> Result<Value> {
        if self.tools.is_empty() {
            return Ok(self.own.action()?);
        }
        let chosen = self.choice.usize(..self.tools.len());
        let (tool, sampler) = &mut self.tools[chosen];
        Ok(tool.step(&sampler.action()?))
    }
}

fn show(number: u64, action: &Value, step: &Step<Value>, json: bool) -> Result<()> {
    if json {
        let outcome = Outcome::Step {
            observation: &step.observation,
            reward: step.reward,
            done: step.is_done(),
        };
        return show_json(number, action, outcome);
    }
    let done = if step.is_done() { ", done" } else { "" };
    let (action, observation) = (view::compact(action), view::compact(&step.observation));
    let reward = view::reward(step);
    ui::data(&format!(
        "{number:>4}  {action} -> {observation}, reward {reward}{done}"
    ))
}

fn show_error(number: u64, action: &Value, error: &Error, json: bool) -> Result<()> {
    let what = diagnosis::said(error);
    if json {
        let code = error.code();
        return show_json(number, action, Outcome::Error { error: what, code });
    }
    let action = view::compact(action);
    ui::data(&format!("{number:>4}  {action} -> error: {what}"))
}

fn show_json(step: u64, action: &Value, outcome: Outcome<'_>) -> Result<()> {
    let line = Line {
        step,
        action,
        outcome,
    };
    ui::data(&serde_json::to_string(&line)?)
}
