//! An action, asked for field by field.

use anyhow::Result;
use openenv_schema::{ActionSchema, Entry, Field, Variant};
use serde_json::{Map, Value};

use super::prompt::{Answer, Prompt};
use super::view;
use crate::ui;

/// Asks for each field; `None` if the person would rather not.
pub(super) fn fill(schema: &ActionSchema, prompt: &mut Prompt) -> Result<Option<Value>> {
    let variants = schema.variants();
    let Some(variant) = choose(&variants, prompt)? else {
        return Ok(None);
    };
    let mut action = Map::new();
    for field in variant.fields() {
        let value = match &field.entry {
            Entry::Skipped => None,
            Entry::Fixed(value) => Some(value.clone()),
            Entry::Asked => match ask(&field, prompt)? {
                Some(answer) => answer,
                None => return Ok(None),
            },
        };
        if let Some(value) = value {
            action.insert(field.name, value);
        }
    }
    let action = Value::Object(action);
    ui::note(&action.to_string());
    Ok(Some(action))
}

fn choose<'a>(variants: &'a [Variant<'a>], prompt: &mut Prompt) -> Result<Option<&'a Variant<'a>>> {
    if let [only] = variants {
        return Ok(Some(only));
    }
    for (index, variant) in variants.iter().enumerate() {
        let description = variant.description().unwrap_or_default();
        let label = variant.label().unwrap_or_default();
        ui::note(&format!("{:>3}  {label}  {description}", index + 1));
    }
    loop {
        let Answer::Line(line) = prompt.ask("which one? ")? else {
            return Ok(cancelled());
        };
        let line = line.trim();
        let number = line.parse::<usize>().ok();
        let chosen = variants.iter().enumerate().find(|(index, variant)| {
            number == Some(index + 1) || variant.label().is_some_and(|label| label == line)
        });
        match chosen {
            Some((_, variant)) => return Ok(Some(variant)),
            None => ui::complain(&format!("expected a number from 1 to {}", variants.len())),
        }
    }
}

/// The answer, which may be to leave the field out; `None` if there is none.
#[expect(
    clippy::option_option,
    reason = "no answer differs from an answer that leaves the field out"
)]
fn ask(field: &Field<'_>, prompt: &mut Prompt) -> Result<Option<Option<Value>>> {
    ui::note(&view::question(field));
    for (index, choice) in field.choices.iter().enumerate() {
        ui::note(&format!("{:>3}  {}", index + 1, view::plain(choice)));
    }
    loop {
        let Answer::Line(line) = prompt.ask(&format!("{}: ", field.name))? else {
            return Ok(cancelled());
        };
        match field.parse(&line) {
            Ok(value) => return Ok(Some(value)),
            Err(why) => ui::complain(&why),
        }
    }
}

fn cancelled<T>() -> Option<T> {
    ui::note("no action is sent");
    None
}
