//! The tasks: dishes that an episode can be about.

use openenv::{Error, Result, Split, Tasks};
use serde_json::{Value, json};

const TRAIN: &[&str] = &["pea soup", "omelette", "rice pudding", "ratatouille"];
const TEST: &[&str] = &["beef stew", "apple pie"];

pub(crate) struct Menu;

impl Tasks for Menu {
    fn splits(&self) -> Result<Vec<Split>> {
        Ok(vec![Split::new("train"), Split::new("test")])
    }

    fn list(&self, name: &str) -> Result<Vec<Value>> {
        let dishes = split(name)?.iter();
        Ok(dishes.map(|dish| json!({ "dish": dish })).collect())
    }
}

/// What a reset with these arguments asks for.
pub(crate) fn dish(split_name: &str, index: usize) -> Result<&'static str> {
    split(split_name)?
        .get(index)
        .copied()
        .ok_or_else(Error::task_index)
}

fn split(name: &str) -> Result<&'static [&'static str]> {
    match name {
        "train" => Ok(TRAIN),
        "test" => Ok(TEST),
        _ => Err(Error::not_found(format!("unknown split `{name}`"))),
    }
}
