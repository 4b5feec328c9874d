//! An action with every construct that a schema of a Rust type can have.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An order to the kitchen.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Order {
    /// What to cook
    #[schemars(length(min = 1, max = 40), example = "Pea soup")]
    pub(crate) title: String,
    /// Guests at the table
    #[schemars(range(min = 1, max = 12))]
    pub(crate) servings: u8,
    /// When it is served
    pub(crate) course: Course,

    /// What becomes of the order
    #[serde(default)]
    pub(crate) outcome: Outcome,
    /// How long the kitchen takes
    #[serde(default)]
    #[schemars(range(min = 0, max = 60_000))]
    pub(crate) wait_milliseconds: u32,

    /// Number on the bill, as `AB-123`
    #[serde(default)]
    #[schemars(regex(pattern = r"^[A-Z]{2}-[0-9]{3}$"))]
    pub(crate) code: Option<String>,
    /// Anything the cook should know, in as many lines as it takes
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub(crate) notes: String,
    /// Heat of the oven in degrees Celsius
    #[serde(default = "warm")]
    #[schemars(range(min = 30.0, max = 280.0), extend("multipleOf" = 0.5))]
    pub(crate) oven: f64,
    /// No meat, no fish
    #[serde(default)]
    pub(crate) vegetarian: bool,
    /// Whether to hurry; the cook decides if left open
    #[serde(default)]
    pub(crate) urgent: Option<bool>,
    /// Edition of the menu
    #[serde(default = "two")]
    #[schemars(extend("const" = 2))]
    pub(crate) edition: u8,
    /// Grade for the last meal
    #[serde(default)]
    pub(crate) grade: Option<char>,
    /// Key of the pantry
    #[serde(default)]
    pub(crate) pantry_token: Option<String>,

    /// What goes in
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub(crate) ingredients: Vec<Ingredient>,
    /// Words to find it by
    #[serde(default)]
    pub(crate) tags: BTreeSet<String>,
    /// Where the plate stands: to the right, and away from the guest
    #[serde(default)]
    pub(crate) place: (f64, f64),
    /// Red, green and blue of the plate
    #[serde(default)]
    pub(crate) colour: [u8; 3],
    /// Who cooks
    #[serde(default)]
    pub(crate) cook: Cook,
    /// Price by guest
    #[serde(default)]
    pub(crate) prices: BTreeMap<String, f64>,
    /// What lies on what
    #[serde(default)]
    pub(crate) garnish: Vec<Garnish>,

    /// How it is made hot
    #[serde(default)]
    pub(crate) heat: Heat,
    /// How it gets to the guests
    #[serde(default)]
    pub(crate) delivery: Delivery,
    /// How it is paid
    #[serde(default)]
    pub(crate) payment: Payment,
    /// How much salt, in grams or in words
    #[serde(default)]
    pub(crate) salt: Amount,
    /// Whatever else; any JSON
    #[serde(default)]
    pub(crate) remark: Value,
}

/// An enumeration whose values have descriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Course {
    /// Before the rest
    Starter,
    /// What they came for
    Main,
    /// Something sweet
    Dessert,
}

/// What an environment can do with a step, chosen by the caller.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    #[default]
    Served,
    Last,
    Refused,
    Panic,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Ingredient {
    /// What it is
    #[schemars(length(min = 1))]
    pub(crate) name: String,
    /// How much, in grams
    #[schemars(range(min = 1))]
    pub(crate) grams: u32,
    /// Where it comes from
    #[serde(default)]
    pub(crate) origin: Option<String>,
}

/// A nested object.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Cook {
    /// What to call them
    pub(crate) name: String,
    /// What they have won
    #[serde(default)]
    pub(crate) stars: u8,
}

impl Default for Cook {
    fn default() -> Self {
        Self {
            name: "whoever is free".to_owned(),
            stars: 0,
        }
    }
}

/// A type that contains itself.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Garnish {
    /// What it is
    pub(crate) name: String,
    /// What lies on it
    #[serde(default)]
    pub(crate) topped_with: Vec<Self>,
}

/// A union whose variants are told by their key.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Heat {
    /// As it is
    Raw,
    /// In water, for some minutes
    Boil(u32),
    /// In a pan
    Fry { minutes: u32, butter: bool },
}

impl Default for Heat {
    fn default() -> Self {
        Self::Fry {
            minutes: 5,
            butter: true,
        }
    }
}

/// A union whose variants are told by a field among the others.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub(crate) enum Delivery {
    /// Somebody brings it
    #[default]
    Waiter,
    /// To a door
    Bicycle { address: String },
    /// Through a window
    Window { number: u8 },
}

/// A union whose variants are told by a field beside their content.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "means", content = "details", rename_all = "snake_case")]
pub(crate) enum Payment {
    #[default]
    Later,
    Cash(f64),
    Card {
        #[schemars(regex(pattern = r"^[0-9]{16}$"))]
        number: String,
    },
}

/// A union whose variants are told by what they look like.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Amount {
    Grams(f64),
    Words(String),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Words("a pinch".to_owned())
    }
}

fn warm() -> f64 {
    180.0
}

fn two() -> u8 {
    2
}
