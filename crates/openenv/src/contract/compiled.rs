//! A published schema as a table of nodes, for both ways of checking input.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::rules::{Limits, TextRules, size};

/// Index of a node in its table.
pub(super) type NodeId = usize;

/// The table; the whole schema is node 0.
#[derive(Debug)]
pub(super) struct Compiled {
    nodes: Vec<Node>,
}

/// What one value may be.
#[derive(Debug)]
pub(super) enum Node {
    /// Whatever the type itself accepts.
    Anything,
    Null,
    Boolean,
    Integer(Limits),
    Number(Limits),
    Text(TextRules),
    Choice(Vec<Value>),
    List(List),
    Object(Object),
    Union(Union),
}

#[derive(Debug)]
pub(super) struct List {
    /// The first items, each with a schema of its own.
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: NodeId,
    pub(super) minimum: Option<usize>,
    pub(super) maximum: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) properties: Vec<Property>,
    /// Where the other fields go; `None` refuses them.
    pub(super) additional: Option<NodeId>,
    /// Name of the struct; a map has none.
    pub(super) name: Option<String>,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) node: NodeId,
    pub(super) required: bool,
    /// Whether the field is kept from a type that would take it for its own.
    pub(super) withheld: bool,
}

#[derive(Debug)]
pub(super) struct Union {
    /// Every alternative but `null`, with its name in a location.
    pub(super) branches: Vec<(String, NodeId)>,
    pub(super) nullable: bool,
    pub(super) discriminator: Option<Discriminator>,
}

/// How an object says which branch of a union it is.
#[derive(Debug)]
pub(super) enum Discriminator {
    /// By the text in this field; branches are named after the texts.
    Tag(String),
    /// By a field that no other branch has; branches are named after the fields.
    Key,
}

impl Compiled {
    /// `withheld` are the properties that the author's type does not know.
    ///
    /// # Errors
    /// If the schema cannot be enforced as it is.
    pub(super) fn new(schema: &Value, withheld: &[String]) -> Result<Self, String> {
        let mut compiler = Compiler {
            schema,
            nodes: Vec::new(),
            references: HashMap::from([("#".to_owned(), 0)]),
        };
        compiler.add(schema)?;
        let mut compiled = Self {
            nodes: compiler.nodes,
        };
        compiled.break_circles();
        compiled.withhold(withheld);
        Ok(compiled)
    }

    /// What may be null and otherwise only itself, is null.
    fn break_circles(&mut self) {
        for id in 0..self.nodes.len() {
            let mut last = id;
            let mut hops = 0;
            while let Some(only) = self.only_branch(last)
                && hops <= self.nodes.len()
            {
                last = only;
                hops += 1;
            }
            if hops > self.nodes.len() {
                self.nodes[id] = Node::Null;
            }
        }
    }

    /// What a node is when it is not null, if there is just one possibility.
    pub(super) fn only_branch(&self, id: NodeId) -> Option<NodeId> {
        match &self.nodes[id] {
            Node::Union(union) => match union.branches.as_slice() {
                [(_, only)] => Some(*only),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    fn withhold(&mut self, withheld: &[String]) {
        let top = match &self.nodes[0] {
            Node::Union(union) => union.branches.iter().map(|(_, id)| *id).collect(),
            _ => vec![0],
        };
        for id in top {
            if let Node::Object(object) = &mut self.nodes[id] {
                for property in &mut object.properties {
                    property.withheld =
                        object.additional.is_some() && withheld.contains(&property.name);
                }
            }
        }
    }
}

impl Object {
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.properties
            .iter()
            .position(|property| property.name == name)
    }
}

impl Union {
    pub(super) fn branch(&self, name: &str) -> Option<NodeId> {
        let found = self.branches.iter().find(|(branch, _)| branch == name);
        found.map(|(_, id)| *id)
    }
}

struct Compiler<'a> {
    schema: &'a Value,
    nodes: Vec<Node>,
    references: HashMap<String, NodeId>,
}

impl Compiler<'_> {
    /// Adds a schema as a node of its own.
    fn add(&mut self, schema: &Value) -> Result<NodeId, String> {
        // Children may refer to their parent before it is complete.
        let id = self.nodes.len();
        self.nodes.push(Node::Anything);
        self.nodes[id] = self.node(schema)?;
        Ok(id)
    }

    /// The node of a schema, or of what it refers to.
    fn resolve(&mut self, schema: &Value) -> Result<NodeId, String> {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return self.add(schema);
        };
        if let Some(id) = self.references.get(reference) {
            return Ok(*id);
        }
        let pointer = reference.strip_prefix('#').unwrap_or_default();
        let whole = self.schema;
        let Some(target) = whole.pointer(pointer).filter(|_| !pointer.is_empty()) else {
            return Err(format!("reference `{reference}` leads nowhere"));
        };
        let id = self.nodes.len();
        self.references.insert(reference.to_owned(), id);
        if target.get("$ref").is_none() {
            return self.add(target);
        }
        // Only another name for something else; a name for itself allows anything.
        self.nodes.push(Node::Anything);
        let id = self.resolve(target)?;
        self.references.insert(reference.to_owned(), id);
        Ok(id)
    }

    fn node(&mut self, schema: &Value) -> Result<Node, String> {
        let Value::Object(schema) = schema else {
            return Ok(Node::Anything);
        };
        if let Some(Value::Array(choices)) = schema.get("enum") {
            return Ok(Node::Choice(choices.clone()));
        }
        if let Some(constant) = schema.get("const") {
            return Ok(Node::Choice(vec![constant.clone()]));
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(Value::Array(branches)) = schema.get(keyword) {
                return self.union(branches).map(Node::Union);
            }
        }
        Ok(match schema.get("type").and_then(Value::as_str) {
            Some("null") => Node::Null,
            Some("boolean") => Node::Boolean,
            Some("integer") => Node::Integer(Limits::of(schema, true)),
            Some("number") => Node::Number(Limits::of(schema, false)),
            Some("string") => Node::Text(TextRules::of(schema)?),
            Some("array") => Node::List(self.list(schema)?),
            Some("object") => Node::Object(self.object(schema)?),
            _ => Node::Anything,
        })
    }

    fn list(&mut self, schema: &Map<String, Value>) -> Result<List, String> {
        let mut prefix = Vec::new();
        if let Some(Value::Array(items)) = schema.get("prefixItems") {
            for item in items {
                prefix.push(self.resolve(item)?);
            }
        }
        Ok(List {
            prefix,
            items: self.resolve(schema.get("items").unwrap_or(&json!(true)))?,
            minimum: size(schema, "minItems"),
            maximum: size(schema, "maxItems"),
        })
    }

    fn object(&mut self, schema: &Map<String, Value>) -> Result<Object, String> {
        let mut properties = Vec::new();
        let required = schema.get("required").and_then(Value::as_array);
        if let Some(Value::Object(own)) = schema.get("properties") {
            for (name, property) in own {
                properties.push(Property {
                    name: name.clone(),
                    node: self.resolve(property)?,
                    required: required.is_some_and(|names| names.iter().any(|other| other == name)),
                    withheld: false,
                });
            }
        }
        let additional = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(additional) => Some(self.resolve(additional)?),
            None => Some(self.resolve(&json!(true))?),
        };
        let is_map = properties.is_empty() && schema.contains_key("additionalProperties");
        let name = schema.get("title").and_then(Value::as_str);
        Ok(Object {
            name: (!is_map || additional.is_none()).then(|| name.unwrap_or("object").to_owned()),
            properties,
            additional,
        })
    }

    fn union(&mut self, schemas: &[Value]) -> Result<Union, String> {
        let mut ids = Vec::new();
        let mut nullable = false;
        for schema in schemas {
            let id = self.resolve(schema)?;
            if matches!(self.nodes[id], Node::Null) {
                nullable = true;
            } else {
                ids.push(id);
            }
        }
        let (names, discriminator) = match self.tags(&ids) {
            Some((tag, names)) => (names, Some(Discriminator::Tag(tag))),
            None => match self.keys(&ids) {
                Some(names) => (names, Some(Discriminator::Key)),
                None => (ids.iter().map(|id| self.label(*id)).collect(), None),
            },
        };
        Ok(Union {
            branches: names.into_iter().zip(ids).collect(),
            nullable,
            discriminator,
        })
    }

    fn objects(&self, ids: &[NodeId]) -> Option<Vec<&Object>> {
        if ids.len() < 2 {
            return None;
        }
        let object = |id: &NodeId| match &self.nodes[*id] {
            Node::Object(object) => Some(object),
            _ => None,
        };
        ids.iter().map(object).collect()
    }

    /// The field that holds a different constant in every branch.
    fn tags(&self, ids: &[NodeId]) -> Option<(String, Vec<String>)> {
        let objects = self.objects(ids)?;
        objects[0].properties.iter().find_map(|candidate| {
            let tag = |object: &&Object| {
                let property = &object.properties[object.position(&candidate.name)?];
                match &self.nodes[property.node] {
                    Node::Choice(choices) if property.required && choices.len() == 1 => {
                        choices[0].as_str().map(str::to_owned)
                    }
                    _ => None,
                }
            };
            let tags: Vec<String> = objects.iter().map(tag).collect::<Option<_>>()?;
            distinct(&tags).then(|| (candidate.name.clone(), tags))
        })
    }

    /// The one required field of every branch, when all of them differ.
    fn keys(&self, ids: &[NodeId]) -> Option<Vec<String>> {
        let objects = self.objects(ids)?;
        let key = |object: &&Object| {
            let mut required = object
                .properties
                .iter()
                .filter(|property| property.required);
            match (required.next(), required.next(), object.additional) {
                (Some(key), None, None) => Some(key.name.clone()),
                _ => None,
            }
        };
        let keys: Vec<String> = objects.iter().map(key).collect::<Option<_>>()?;
        let foreign = |object: &&Object| {
            let others = keys.iter().filter(|key| object.position(key).is_some());
            others.count() > 1
        };
        (distinct(&keys) && !objects.iter().any(foreign)).then_some(keys)
    }

    fn label(&self, id: NodeId) -> String {
        match &self.nodes[id] {
            Node::Anything => "any",
            Node::Null => "none",
            Node::Boolean => "bool",
            Node::Integer(_) => "int",
            Node::Number(_) => "float",
            Node::Text(_) => "str",
            Node::Choice(_) => "literal",
            Node::List(_) => "list",
            Node::Object(object) => object.name.as_deref().unwrap_or("dict"),
            Node::Union(_) => "union",
        }
        .to_owned()
    }
}

fn distinct(names: &[String]) -> bool {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}
