//! From schemars' dialect to pydantic's, one schema at a time.

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Keywords that describe a value without restricting it.
const ANNOTATIONS: [&str; 7] = [
    "title",
    "description",
    "default",
    "deprecated",
    "examples",
    "readOnly",
    "writeOnly",
];

const UNIONS: [&str; 2] = ["oneOf", "anyOf"];

/// Rewrites schemas that refer to the same definitions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tidier<'a> {
    definitions: &'a Object,
}

impl<'a> Tidier<'a> {
    pub(super) fn new(definitions: &'a Object) -> Self {
        Self { definitions }
    }

    pub(super) fn root(self, mut root: Object) -> Object {
        self.resolve_raw(&mut root);
        self.schema(&mut root, &mut Vec::new());
        root
    }

    /// One definition by name; like a class, it has its name as its title.
    pub(super) fn definition(self, name: &str) -> Value {
        let mut definition = match self.definitions.get(name) {
            Some(Value::Object(definition)) => definition.clone(),
            _ => return json!(true),
        };
        self.schema(&mut definition, &mut Vec::new());
        definition
            .entry("title")
            .or_insert_with(|| Value::String(name.to_owned()));
        Value::Object(definition)
    }

    /// Replaces a reference by what it refers to.
    pub(super) fn resolve(self, schema: &mut Object) {
        if schema.contains_key("$ref") {
            self.resolve_raw(schema);
            self.schema(schema, &mut Vec::new());
        }
    }

    fn resolve_raw(self, schema: &mut Object) {
        // A chain of references cannot be longer than there are definitions.
        for _ in 0..=self.definitions.len() {
            let Some(name) = reference(schema) else {
                return;
            };
            let Some(Value::Object(definition)) = self.definitions.get(&name) else {
                return;
            };
            schema.remove("$ref");
            merge(schema, definition);
        }
    }

    fn schema(self, schema: &mut Object, inlined: &mut Vec<String>) {
        let depth = inlined.len();
        while let Some(name) = reference(schema) {
            let Some(Value::Object(definition)) = self.definitions.get(&name) else {
                break;
            };
            // Fields next to a reference belong to the same object: a variant
            // and the struct in it. A type that contains itself stays a reference.
            if !restricts(schema) || inlined.contains(&name) {
                break;
            }
            schema.remove("$ref");
            merge(schema, definition);
            inlined.push(name);
        }
        drop_number_format(schema);
        open_patterns(schema);
        fold_unit_variants(schema);
        split_types(schema);
        distribute(schema);
        self.children(schema, inlined);
        inlined.truncate(depth);
    }

    fn children(self, schema: &mut Object, inlined: &mut Vec<String>) {
        for keyword in UNIONS.into_iter().chain(["prefixItems"]) {
            if let Some(Value::Array(children)) = schema.get_mut(keyword) {
                for child in children {
                    self.child(child, inlined);
                }
            }
        }
        if let Some(items) = schema.get_mut("items") {
            self.child(items, inlined);
        }
        if let Some(Value::Object(others)) = schema.get_mut("additionalProperties") {
            self.schema(others, inlined);
        }
        self.properties(schema, inlined);
    }

    fn child(self, child: &mut Value, inlined: &mut Vec<String>) {
        if let Some(child) = spelled_out(child) {
            self.schema(child, inlined);
        }
    }

    fn properties(self, schema: &mut Object, inlined: &mut Vec<String>) {
        let mut required: Vec<Value> = match schema.remove("required") {
            Some(Value::Array(required)) => required,
            _ => Vec::new(),
        };
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (name, property) in properties {
                let Some(property) = spelled_out(property) else {
                    continue;
                };
                self.inline_choice(property);
                self.schema(property, inlined);
                let mandatory = required.iter().any(|required| required == name);
                if complete_property(name, property, mandatory) {
                    required.retain(|required| required != name);
                }
            }
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
    }

    /// A choice with a default is shown in its place, as Python's `Literal` is.
    fn inline_choice(self, property: &mut Object) {
        if !property.contains_key("default") {
            return;
        }
        let definition = reference(property).and_then(|name| self.definitions.get(&name));
        if let Some(Value::Object(definition)) = definition {
            let mut choice = definition.clone();
            fold_unit_variants(&mut choice);
            if choice.contains_key("enum") {
                property.remove("$ref");
                merge(property, &choice);
            }
        }
    }
}

/// Gives a property title and default; returns whether it may be left out.
fn complete_property(name: &str, property: &mut Object, mandatory: bool) -> bool {
    let nullable = variants(property).is_some_and(|variants| variants.iter().any(is_null_value));
    let anything = !restricts(property) && !property.contains_key("$ref");
    if !property.contains_key("title") && !is_reference(property) {
        property.insert("title".to_owned(), Value::String(title(name)));
    }
    if !property.contains_key("default") {
        if !(nullable || anything && !mandatory) {
            return !mandatory;
        }
        property.insert("default".to_owned(), Value::Null);
    }
    // Python's default factories publish no default.
    let empty = match &property["default"] {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if empty {
        property.remove("default");
    }
    true
}

/// `episode_id` is `Episode Id`: a capital wherever a word of letters begins.
fn title(name: &str) -> String {
    let mut after_letter = false;
    let mut title = String::with_capacity(name.len());
    for character in name.chars() {
        if after_letter {
            title.extend(character.to_lowercase());
        } else {
            title.extend(character.to_uppercase());
        }
        after_letter = character.is_alphabetic();
    }
    title.replace('_', " ").trim().to_owned()
}

/// Whether there is nothing but a reference, or a reference that may be null.
fn is_reference(property: &Object) -> bool {
    property.contains_key("$ref")
        || variants(property).is_some_and(|variants| {
            variants.len() == 2
                && variants.iter().any(is_null_value)
                && variants.iter().any(|variant| variant.get("$ref").is_some())
        })
}

fn variants(schema: &Object) -> Option<&Vec<Value>> {
    UNIONS
        .iter()
        .find_map(|keyword| schema.get(*keyword)?.as_array())
}

fn is_null_value(schema: &Value) -> bool {
    schema.as_object().is_some_and(is_null)
}

pub(super) fn is_null(schema: &Object) -> bool {
    schema.get("type") == Some(&json!("null"))
}

/// Whether a keyword besides the reference says what values are allowed.
fn restricts(schema: &Object) -> bool {
    schema
        .keys()
        .any(|keyword| keyword != "$ref" && !ANNOTATIONS.contains(&keyword.as_str()))
}

fn reference(schema: &Object) -> Option<String> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// Adds what `other` asks for; what is there already wins.
fn merge(schema: &mut Object, other: &Object) {
    for (keyword, value) in other {
        match (keyword.as_str(), schema.get_mut(keyword), value) {
            ("title", ..) => {}
            ("properties", Some(Value::Object(own)), Value::Object(others)) => {
                for (name, property) in others {
                    own.entry(name).or_insert_with(|| property.clone());
                }
            }
            ("required", Some(Value::Array(own)), Value::Array(others)) => {
                let new: Vec<Value> = others
                    .iter()
                    .filter(|name| !own.contains(name))
                    .cloned()
                    .collect();
                own.extend(new);
            }
            (_, None, _) => {
                schema.insert(keyword.clone(), value.clone());
            }
            _ => {}
        }
    }
}

/// `uint32` and `double` are Rust's business.
/// Many readers know a schema as an object only, also one that allows everything.
fn spelled_out(schema: &mut Value) -> Option<&mut Object> {
    if *schema == true {
        *schema = json!({});
    }
    schema.as_object_mut()
}

fn drop_number_format(schema: &mut Object) {
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| {
        ["int", "uint", "float", "double"]
            .iter()
            .any(|prefix| format.starts_with(prefix))
    }) {
        schema.remove("format");
    }
}

/// Keys that are numbers come as a pattern; what is below them is what matters.
///
/// Whether a key is a number is left to the type.
fn open_patterns(schema: &mut Object) {
    let Some(Value::Object(patterns)) = schema.remove("patternProperties") else {
        return;
    };
    let mut below = patterns.into_iter().map(|(_, below)| below);
    let additional = match (below.next(), below.next()) {
        (Some(only), None) => only,
        _ => json!(true),
    };
    schema.insert("additionalProperties".to_owned(), additional);
}

/// Documented variants come as a union of constants; a choice is one list.
fn fold_unit_variants(schema: &mut Object) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else {
        return;
    };
    let mut choices = Vec::new();
    for variant in variants {
        match (
            variant.get("type"),
            variant.get("const"),
            variant.get("enum"),
        ) {
            (Some(kind), Some(constant), None) if kind == "string" => {
                choices.push(constant.clone());
            }
            (Some(kind), None, Some(Value::Array(several))) if kind == "string" => {
                choices.extend(several.iter().cloned());
            }
            _ => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("enum".to_owned(), Value::Array(choices));
    schema.insert("type".to_owned(), json!("string"));
}

/// `type: [string, null]` becomes `anyOf`.
fn split_types(schema: &mut Object) {
    let Some(Value::Array(types)) = schema.get("type").cloned() else {
        return;
    };
    let restrictions = take_restrictions(schema);
    let variant = |kind: Value| {
        if kind == "null" {
            return json!({ "type": "null" });
        }
        let mut variant = restrictions.clone();
        variant.insert("type".to_owned(), kind);
        if let Some(Value::Array(choices)) = variant.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
        Value::Object(variant)
    };
    schema.insert("anyOf".to_owned(), types.into_iter().map(variant).collect());
}

/// What is said next to a union holds for each of its variants.
fn distribute(schema: &mut Object) {
    let Some(keyword) = UNIONS
        .into_iter()
        .find(|keyword| schema.contains_key(*keyword))
    else {
        return;
    };
    let Some(Value::Array(mut variants)) = schema.remove(keyword) else {
        return;
    };
    let restrictions = take_restrictions(schema);
    if !restrictions.is_empty() {
        for variant in &mut variants {
            if let Value::Object(own) = variant
                && !is_null(own)
            {
                let mut merged = restrictions.clone();
                merge(&mut merged, own);
                *own = merged;
            }
        }
    }
    schema.insert(keyword.to_owned(), Value::Array(variants));
}

fn take_restrictions(schema: &mut Object) -> Object {
    let (annotations, restrictions) = std::mem::take(schema)
        .into_iter()
        .partition(|(keyword, _)| ANNOTATIONS.contains(&keyword.as_str()));
    *schema = annotations;
    restrictions
}

/// Names of the definitions that a schema refers to.
pub(super) fn referenced(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(object) => {
            let below = object.values().flat_map(referenced);
            reference(object).into_iter().chain(below).collect()
        }
        Value::Array(items) => items.iter().flat_map(referenced).collect(),
        _ => Vec::new(),
    }
}
