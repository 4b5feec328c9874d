//! The tools of the kitchen.

use std::time::Duration;

use openenv::{Error, Result, Tool, ToolOutput, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kitchen::Kitchen;
use crate::picture;

/// As far as the scales go.
const MOST_GRAMS: f64 = 5000.0;

#[derive(Deserialize, JsonSchema)]
struct Measure {
    /// How much of it
    #[schemars(range(min = 0.0))]
    amount: f64,
    /// What it is measured in
    unit: Unit,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Cup,
    Spoon,
    Ounce,
}

#[derive(Serialize, JsonSchema)]
struct Weight {
    grams: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Tasting {
    /// What to taste
    #[schemars(length(min = 1))]
    dish: String,
}

#[derive(Deserialize, JsonSchema)]
struct Stew {
    /// How long it simmers
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    milliseconds: u64,
}

pub(crate) fn tools() -> Tools<Kitchen> {
    Tools::new()
        .add(
            Tool::new("weigh", "Turns a kitchen measure into grams", weigh)
                .title("Weigh")
                .read_only(),
        )
        .add(Tool::new("taste", "Tastes a dish that was ordered", taste))
        .add(Tool::new("stew", "Takes its time", stew))
        .add(Tool::new("photograph", "Shows the last plate", photograph).read_only())
}

fn weigh(_: &mut Kitchen, Measure { amount, unit }: Measure) -> Result<Weight> {
    let grams = amount
        * match unit {
            Unit::Cup => 240.0,
            Unit::Spoon => 15.0,
            Unit::Ounce => 28.35,
        };
    if grams > MOST_GRAMS {
        let message = format!("the scales end at {MOST_GRAMS} grams");
        return Err(Error::invalid("amount", message));
    }
    Ok(Weight { grams })
}

fn taste(kitchen: &mut Kitchen, tasting: Tasting) -> Result<String> {
    let dish = tasting.dish;
    if kitchen.has_cooked(&dish) {
        Ok(format!("the {dish} needs salt"))
    } else {
        Err(Error::new(format!("nobody has ordered `{dish}`")))
    }
}

async fn stew(_: &mut Kitchen, stew: Stew) -> Result<String> {
    tokio::time::sleep(Duration::from_millis(stew.milliseconds)).await;
    Ok("done".to_owned())
}

fn photograph(kitchen: &mut Kitchen, (): ()) -> Result<ToolOutput> {
    let file = picture::plate(kitchen.colour())?;
    Ok(ToolOutput::new()
        .text("the last plate")
        .image(file, "image/png"))
}
