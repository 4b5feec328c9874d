//! The environment: a kitchen that takes orders.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openenv::{
    Environment, Error, Metadata, Rendering, ResetOptions, Result, Step, StepOptions, Suggestion,
    Tasks, Tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::{Course, Order, Outcome};
use crate::menu::{self, Menu};
use crate::{picture, tools};

const README: &str = include_str!("README.md");
/// What environments may render comes from anywhere: this one tries what a page must not let it do.
const HOSTILE: &str = include_str!("hostile.html");

#[derive(Default)]
pub(crate) struct Kitchen {
    dish: Option<&'static str>,
    orders: Vec<Order>,
}

/// What the guests see.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Table {
    /// The order as it arrived
    order: Option<Order>,
    /// What the cook calls back, with colours for a terminal
    call: String,
    /// The plate, a PNG file in base64
    plate: Option<String>,
    /// Heat of the stove, in degrees Celsius
    stove: Vec<Vec<f64>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Books {
    /// What has been ordered so far
    orders: Vec<String>,
    /// Guests served so far
    guests: u32,
}

#[derive(Default, Deserialize)]
struct Choice {
    split: Option<String>,
    #[serde(default)]
    index: usize,
}

impl Kitchen {
    pub(crate) fn has_cooked(&self, dish: &str) -> bool {
        self.orders.iter().any(|order| order.title == dish)
    }

    pub(crate) fn colour(&self) -> [u8; 3] {
        self.orders.last().map_or([0; 3], |order| order.colour)
    }

    /// A hot spot that wanders with every order.
    fn stove(&self) -> Vec<Vec<f64>> {
        let hottest = f64::from(u32::try_from(self.orders.len() % 8).unwrap_or(0));
        let line = |row: u32| {
            (0..8).map(move |column: u32| {
                let distance = (f64::from(row) - hottest).hypot(f64::from(column) - hottest);
                (200.0 / (1.0 + distance)).round()
            })
        };
        (0..8).map(|row| line(row).collect()).collect()
    }
}

impl Environment for Kitchen {
    type Action = Order;
    type Observation = Table;
    type ResetObservation = Table;
    type State = Books;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Table>> {
        let choice: Choice = options.arguments()?;
        self.dish = match choice.split {
            Some(split) => Some(menu::dish(&split, choice.index)?),
            None => None,
        };
        self.orders.clear();
        tracing::info!(dish = self.dish, "the kitchen is open");
        Ok(Step::new(Table {
            order: None,
            call: self.dish.map_or_else(
                || "the kitchen is open".to_owned(),
                |dish| format!("somebody wants {dish}"),
            ),
            plate: None,
            stove: self.stove(),
        }))
    }

    async fn step(&mut self, order: Order, _: StepOptions) -> Result<Step<Table>> {
        tracing::info!(title = order.title, servings = order.servings, "an order");
        tokio::time::sleep(Duration::from_millis(order.wait_milliseconds.into())).await;
        match order.outcome {
            Outcome::Refused => {
                tracing::warn!(title = order.title, "refused");
                return Err(Error::new(format!("the cook refuses `{}`", order.title)));
            }
            Outcome::Panic => panic!("the kitchen is on fire"),
            Outcome::Served | Outcome::Last => {}
        }
        let last = matches!(order.outcome, Outcome::Last);
        let reward = f64::from(order.servings) / 10.0;
        let call = format!("\u{1b}[1;32mready\u{1b}[0m: {}", order.title);
        let plate = picture::plate(order.colour)?;
        self.orders.push(order.clone());
        Ok(Step::new(Table {
            order: Some(order),
            call,
            plate: Some(STANDARD.encode(plate)),
            stove: self.stove(),
        })
        .reward(reward)
        .done(last))
    }

    fn state(&self) -> Books {
        Books {
            orders: self
                .orders
                .iter()
                .map(|order| order.title.clone())
                .collect(),
            guests: self
                .orders
                .iter()
                .map(|order| u32::from(order.servings))
                .sum(),
        }
    }

    fn render(&self) -> Option<Rendering> {
        let count = self.orders.len();
        Some(Rendering::html(
            HOSTILE.replace("{count}", &count.to_string()),
        ))
    }

    fn suggested_actions(&self) -> Vec<Suggestion> {
        let soup = serde_json::json!({
            "title": "Soup of the day",
            "servings": 2,
            "course": Course::Starter,
        });
        vec![Suggestion::new("Soup of the day", soup)]
    }

    fn tools() -> Tools<Self> {
        tools::tools()
    }

    fn metadata() -> Metadata {
        Metadata::new("kitchen_sink", "Everything that an action can have")
            .version("3.2.1")
            .readme(README)
    }

    fn tasks() -> Option<Arc<dyn Tasks>> {
        Some(Arc::new(Menu))
    }
}
