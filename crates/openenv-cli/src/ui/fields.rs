//! Types as tables, from their schemas.

use std::fmt::Write;

use openenv_schema::{ActionSchema, Entry, Field, Variant};
use owo_colors::OwoColorize;
use serde_json::Value;

use crate::ui;

/// The fields of what is sent, and which of them are needed.
pub(crate) fn of_input(schema: &ActionSchema) -> String {
    of_variants(schema, |variant| {
        let rows = shown(variant).map(|field| {
            let need = need(&field);
            let description = field.description.unwrap_or_default();
            [field.name, field.words, need, description]
        });
        table(["FIELD", "TYPE", "NEEDED", "DESCRIPTION"], rows)
    })
}

/// The fields of what is received.
pub(crate) fn of_output(schema: &ActionSchema) -> String {
    of_variants(schema, |variant| {
        let rows = shown(variant).map(|field| {
            let description = field.description.unwrap_or_default();
            [field.name, field.words, description]
        });
        table(["FIELD", "TYPE", "DESCRIPTION"], rows)
    })
}

/// Tools by name, with their arguments and what each is for.
pub(crate) fn of_tools<'a>(
    tools: impl Iterator<Item = (&'a str, &'a ActionSchema, &'a str)>,
) -> String {
    let rows = tools.map(|(name, arguments, description)| {
        let argument = |(name, required): (String, bool)| {
            if required { name } else { format!("[{name}]") }
        };
        let arguments: Vec<_> = arguments.asked().into_iter().map(argument).collect();
        let description = description.trim().lines().next().unwrap_or_default();
        [name.to_owned(), arguments.join(" "), description.to_owned()]
    });
    table(["TOOL", "ARGUMENTS", "DESCRIPTION"], rows)
}

/// One table, or one for each shape under its label.
fn of_variants(schema: &ActionSchema, fields: impl Fn(&Variant<'_>) -> String) -> String {
    let variants = schema.variants();
    if let [only] = variants.as_slice() {
        return fields(only);
    }
    let mut text = String::new();
    for variant in &variants {
        let label = variant.label().unwrap_or_default();
        let description = variant.description().unwrap_or_default();
        let _ = writeln!(text, "{}  {description}", label.bold());
        text.push_str(&fields(variant));
    }
    text
}

fn shown<'a>(variant: &Variant<'a>) -> impl Iterator<Item = Field<'a>> {
    let fields = variant.fields().into_iter();
    fields.filter(|field| field.entry != Entry::Skipped)
}

fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return "It has no fields.\n".to_owned();
    }
    let rows = rows.iter().map(|row| row.each_ref().map(String::as_str));
    ui::columns(header, rows) + "\n"
}

fn need(field: &Field<'_>) -> String {
    match (&field.entry, field.required, &field.default) {
        (Entry::Fixed(value), ..) => format!("always {value}"),
        (_, true, _) => "yes".to_owned(),
        (_, false, Some(Value::Null) | None) => "no".to_owned(),
        (_, false, Some(default)) => format!("no, default {default}"),
    }
}
