use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, json};

use super::*;
use crate::Seed;

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Plain,
    Upper,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    #[schemars(length(min = 1, max = 20))]
    message: String,
    #[serde(default)]
    #[schemars(range(max = 10))]
    amount: u32,
    #[serde(default)]
    mode: Mode,
}

fn violations<T: DeserializeOwned + JsonSchema>(base: Base, text: &str) -> Value {
    let shape = Shape::<T>::new(base).unwrap();
    let input = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Input::raw(text),
        Err(_) => Input::Lenient(json::read(text).unwrap()),
    };
    match shape.parse(&input) {
        Ok(_) => json!([]),
        Err(violations) => serde_json::to_value(violations).unwrap(),
    }
}

fn parse<T: DeserializeOwned + JsonSchema>(base: Base, text: &str) -> T {
    let shape = Shape::<T>::new(base).unwrap();
    shape.parse(&Input::raw(text)).expect(text)
}

/// `[kind, location, message, input, context]` of every violation, as recorded.
fn brief(violations: &Value) -> Value {
    let brief = |violation: &Value| {
        let url = format!(
            "https://errors.pydantic.dev/2.14/v/{}",
            violation["type"].as_str().unwrap()
        );
        assert_eq!(violation["url"], json!(url));
        json!([
            violation["type"],
            violation["loc"],
            violation["msg"],
            violation["input"],
            violation.get("ctx").cloned().unwrap_or_default()
        ])
    };
    violations.as_array().unwrap().iter().map(brief).collect()
}

#[test]
fn actions_are_refused_as_recorded() {
    for (text, expected) in [
        (r#"{"message":"hi","metadata":{"a":1}}"#, json!([])),
        (
            "{}",
            json!([["missing", ["message"], "Field required", {}, null]]),
        ),
        (
            r#"{"message":"","amount":99,"q":{"a":1}}"#,
            json!([
                ["string_too_short", ["message"], "String should have at least 1 character", "", {"min_length": 1}],
                ["less_than_equal", ["amount"], "Input should be less than or equal to 10", 99, {"le": 10}],
                ["extra_forbidden", ["q"], "Extra inputs are not permitted", {"a": 1}, null],
            ]),
        ),
        (
            r#"{"message":5,"amount":-1,"mode":"zz","metadata":3}"#,
            json!([
                ["dict_type", ["metadata"], "Input should be a valid dictionary", 3, null],
                ["string_type", ["message"], "Input should be a valid string", 5, null],
                ["greater_than_equal", ["amount"], "Input should be greater than or equal to 0", -1, {"ge": 0}],
                ["literal_error", ["mode"], "Input should be 'plain' or 'upper'", "zz", {"expected": "'plain' or 'upper'"}],
            ]),
        ),
        (
            r#"{"message":"hi","amount":NaN}"#,
            json!([[
                "finite_number",
                ["amount"],
                "Input should be a finite number",
                null,
                null
            ]]),
        ),
        (
            "[]",
            json!([[
                "model_attributes_type",
                [],
                "Input should be a valid dictionary or object to extract fields from",
                [],
                null
            ]]),
        ),
    ] {
        assert_eq!(
            brief(&violations::<Echo>(Base::Action, text)),
            expected,
            "{text}"
        );
    }
}

#[test]
fn actions_are_coerced() {
    for text in [
        r#"{"message":"hi","amount":"3","metadata":{}}"#,
        r#"{"message":"hi","amount":3.0}"#,
        r#"{"message":"no","amount":1,"message":"hi","amount":3}"#,
        r#"{"message":"\u0068i","amount":3,"metadata":{"a":1}}"#,
    ] {
        let expected = Echo {
            message: "hi".to_owned(),
            amount: 3,
            mode: Mode::Plain,
        };
        assert_eq!(parse::<Echo>(Base::Action, text), expected, "{text}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ResetRequest {
    #[schemars(range(min = 0))]
    seed: Option<Seed>,
    #[schemars(length(max = 255))]
    episode_id: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[test]
fn reset_requests_are_read_as_recorded() {
    let huge = 1_180_591_620_717_411_303_424_i128;
    for (text, seed) in [
        ("{}", None),
        (r#"{"seed":null}"#, None),
        (r#"{"seed":42}"#, Some(42)),
        (r#"{"seed":"7"}"#, Some(7)),
        (r#"{"seed":3.0}"#, Some(3)),
        (r#"{"seed":true}"#, Some(1)),
        (r#"{"seed":1,"seed":2}"#, Some(2)),
        (r#"{"seed":1180591620717411303424}"#, Some(huge)),
        (r#"{"seed":1180591620717411303425}"#, Some(huge + 1)),
        (r#"{"seed":0,"seed":1180591620717411303424}"#, Some(huge)),
    ] {
        let request: ResetRequest = parse(Base::Open, text);
        assert_eq!(request.seed.map(i128::from), seed, "{text}");
    }
    let request: ResetRequest = parse(Base::Open, r#"{"foo":{"a":1},"episode_id":"e","bar":null}"#);
    assert_eq!(request.episode_id.as_deref(), Some("e"));
    assert_eq!(
        Value::Object(request.extra),
        json!({"foo": {"a": 1}, "bar": null})
    );
    let text = format!(r#"{{"episode_id":"{}"}}"#, "é".repeat(255));
    assert_eq!(violations::<ResetRequest>(Base::Open, &text), json!([]));
    let text = format!(r#"{{"episode_id":"{}"}}"#, "é".repeat(256));
    assert_eq!(
        violations::<ResetRequest>(Base::Open, &text)[0]["ctx"],
        json!({"max_length": 255})
    );
    for (text, expected) in [
        (
            r#"{"seed":-1,"episode_id":3}"#,
            json!([
                ["greater_than_equal", ["seed"], "Input should be greater than or equal to 0", -1, {"ge": 0}],
                ["string_type", ["episode_id"], "Input should be a valid string", 3, null],
            ]),
        ),
        (
            r#"{"seed":3.5}"#,
            json!([[
                "int_from_float",
                ["seed"],
                "Input should be a valid integer, got a number with a fractional part",
                3.5,
                null
            ]]),
        ),
        (
            r#"{"seed":"x"}"#,
            json!([[
                "int_parsing",
                ["seed"],
                "Input should be a valid integer, unable to parse string as an integer",
                "x",
                null
            ]]),
        ),
        (
            r#"{"seed":NaN}"#,
            json!([[
                "finite_number",
                ["seed"],
                "Input should be a finite number",
                null,
                null
            ]]),
        ),
    ] {
        assert_eq!(
            brief(&violations::<ResetRequest>(Base::Open, text)),
            expected
        );
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct StepRequest {
    #[schemars(with = "Map<String, Value>")]
    action: Box<RawValue>,
    #[schemars(extend("exclusiveMinimum" = 0))]
    timeout_s: Option<f64>,
}

#[test]
fn step_requests_are_read_as_recorded() {
    for (text, timeout) in [
        (r#"{"action":{"a": 1},"timeout_s":1.5}"#, Some(1.5)),
        (r#"{"action":{"a": 1},"timeout_s":2,"more":[]}"#, Some(2.0)),
        (r#"{"action":{"a": 1},"timeout_s":"2"}"#, Some(2.0)),
        (r#"{"action":{"a": 1}}"#, None),
    ] {
        let request: StepRequest = parse(Base::Open, text);
        assert_eq!(request.timeout_s, timeout);
        assert_eq!(request.action.get().replace(' ', ""), r#"{"a":1}"#);
    }
    for (text, expected) in [
        (
            "{}",
            json!([["missing", ["action"], "Field required", {}, null]]),
        ),
        (
            r#"{"action":null,"timeout_s":0}"#,
            json!([
                ["dict_type", ["action"], "Input should be a valid dictionary", null, null],
                ["greater_than", ["timeout_s"], "Input should be greater than 0", 0, {"gt": 0.0}],
            ]),
        ),
    ] {
        assert_eq!(
            brief(&violations::<StepRequest>(Base::Open, text)),
            expected
        );
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Move {
    Go { steps: u8 },
    Stop,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum External {
    Go { steps: u8 },
    Say(String),
}

#[test]
fn variants_are_told_apart() {
    assert_eq!(
        parse::<Move>(Base::Action, r#"{"type":"go","steps":2}"#),
        Move::Go { steps: 2 }
    );
    assert_eq!(
        parse::<Move>(Base::Action, r#"{"steps":"2","type":"go","metadata":{}}"#),
        Move::Go { steps: 2 }
    );
    assert_eq!(
        parse::<Move>(Base::Action, r#"{"type":"stop","metadata":{}}"#),
        Move::Stop
    );
    assert_eq!(
        parse::<External>(Base::Action, r#"{"Go":{"steps":"2"},"metadata":{}}"#),
        External::Go { steps: 2 }
    );
    assert_eq!(
        parse::<External>(Base::Action, r#"{"Say":"a"}"#),
        External::Say("a".to_owned())
    );
    for (text, expected) in [
        (
            r#"{"type":"go","steps":"x","more":1}"#,
            json!([
                [
                    "int_parsing",
                    ["go", "steps"],
                    "Input should be a valid integer, unable to parse string as an integer",
                    "x",
                    null
                ],
                [
                    "extra_forbidden",
                    ["go", "more"],
                    "Extra inputs are not permitted",
                    1,
                    null
                ],
            ]),
        ),
        (
            "{}",
            json!([["union_tag_not_found", [], "Unable to extract tag using discriminator 'type'", {}, {"discriminator": "'type'"}]]),
        ),
        (
            r#"{"type":"z"}"#,
            json!([[
                "union_tag_invalid", [],
                "Input tag 'z' found using 'type' does not match any of the expected tags: 'go', 'stop'",
                {"type": "z"},
                {"discriminator": "'type'", "tag": "z", "expected_tags": "'go', 'stop'"},
            ]]),
        ),
    ] {
        assert_eq!(brief(&violations::<Move>(Base::Action, text)), expected);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Even(#[expect(dead_code, reason = "only whether it can be made matters")] usize);

impl TryFrom<String> for Even {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.len() % 2 {
            0 => Ok(Self(text.len())),
            _ => Err(format!("`{text}` is odd")),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Picky {
    #[expect(dead_code, reason = "only whether it can be made matters")]
    items: Vec<Even>,
    #[serde(default)]
    #[expect(dead_code, reason = "only whether it can be made matters")]
    small: i8,
}

#[test]
fn a_type_may_refuse_by_itself() {
    assert_eq!(
        brief(&violations::<Picky>(
            Base::Action,
            r#"{"items":["ab","abc"]}"#
        )),
        json!([["value_error", ["items", 1], "Value error, `abc` is odd", "abc", {"error": "`abc` is odd"}]])
    );
    assert_eq!(
        violations::<Picky>(Base::Action, r#"{"items":["ab"]}"#),
        json!([])
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unit;

#[test]
fn nothing_is_an_empty_object() {
    parse::<()>(Base::Action, "{}");
    parse::<Unit>(Base::Action, r#"{"metadata":{}}"#);
    assert_eq!(
        violations::<()>(Base::Action, r#"{"a":1}"#)[0]["type"],
        json!("extra_forbidden")
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    #[serde(flatten)]
    fields: Map<String, Value>,
}

#[test]
fn metadata_is_kept_from_a_type_that_takes_every_field() {
    let open: Open = parse(Base::Action, r#"{"a":1,"metadata":{}}"#);
    assert_eq!(Value::Object(open.fields), json!({"a": 1}));
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only whether it fits matters")]
enum Loose {
    Number(i64),
    Text(String),
    List(Vec<Self>),
    Object { a: Option<Box<Self>>, b: Mode },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only whether it fits matters")]
struct Everything {
    #[schemars(length(min = 1), regex(pattern = "^[a-c]+$"))]
    a: String,
    #[schemars(range(min = -3, max = 3))]
    b: Option<i64>,
    #[schemars(extend("multipleOf" = 3))]
    c: Option<i32>,
    d: Option<Vec<Mode>>,
    e: Option<Loose>,
    #[serde(default)]
    f: bool,
    g: Option<(u8, f64)>,
    h: Option<Move>,
    i: Option<Box<Self>>,
}

#[test]
fn violations_inside_of_unions_name_the_branch() {
    assert_eq!(
        brief(&violations::<Everything>(
            Base::Closed,
            r#"{"a":"d","e":true,"g":[1]}"#
        )),
        json!([
            ["string_pattern_mismatch", ["a"], "String should match pattern '^[a-c]+$'", "d", {"pattern": "^[a-c]+$"}],
            ["missing", ["g", 1], "Field required", [1], null],
        ]),
        "a union takes `true` for the number one, as pydantic does"
    );
    let kinds: Vec<Value> = violations::<Everything>(Base::Closed, r#"{"a":"a","e":{"b":1}}"#)
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| json!([violation["type"], violation["loc"]]))
        .collect();
    assert_eq!(
        json!(kinds),
        json!([
            ["int_type", ["e", "int"]],
            ["string_type", ["e", "str"]],
            ["list_type", ["e", "list"]],
            ["literal_error", ["e", "object", "b"]],
        ])
    );
}

#[test]
fn reports_stay_small() {
    let text = format!(r#"{{"a":"a","d":[{}0]}}"#, "0,".repeat(5_000));
    let found = violations::<Everything>(Base::Closed, &text);
    assert_eq!(found.as_array().unwrap().len(), 1_000);
    let deep = format!(
        r#"{{"a":"a","e":{}true{}}}"#,
        r#"{"a":"#.repeat(100),
        "}".repeat(100)
    );
    let found = violations::<Everything>(Base::Closed, &deep);
    assert!(found.as_array().unwrap().len() <= 1_000);
}

fn certainly_fits<T: JsonSchema>(base: Base, text: &str) {
    let shape = Shape::<T>::new(base).unwrap();
    assert!(check::fits(&shape.compiled, text), "{text}");
}

#[test]
fn ordinary_messages_take_one_pass() {
    certainly_fits::<Echo>(Base::Action, r#"{"message":"h\u00e9","metadata":{}}"#);
    certainly_fits::<Echo>(
        Base::Action,
        r#"{"mode":"upper","message":"hi","amount":3}"#,
    );
    certainly_fits::<ResetRequest>(Base::Open, r#"{"seed":1180591620717411303424,"x":[{}]}"#);
    certainly_fits::<ResetRequest>(Base::Open, r#"{"seed":null,"episode_id":"e"}"#);
    certainly_fits::<StepRequest>(Base::Open, r#"{"action":{},"timeout_s":2}"#);
    certainly_fits::<Move>(Base::Action, r#"{"type":"go","steps":2,"metadata":{}}"#);
    certainly_fits::<External>(Base::Action, r#"{"Go":{"steps":2},"metadata":{}}"#);
    certainly_fits::<()>(Base::Action, "{}");
    certainly_fits::<Everything>(
        Base::Action,
        r#"{"a":"abc","b":-3,"c":6,"d":["plain"],"e":["x",1,{"b":"upper"}],"f":true,"g":[1,2],
            "h":{"type":"stop"},"i":{"a":"c"}}"#,
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Keyed {
    by_number: BTreeMap<u32, u8>,
    nothing: Option<()>,
}

#[test]
fn keys_may_be_numbers() {
    let keyed: Keyed = parse(Base::Action, r#"{"by_number":{"7":"1"},"nothing":null}"#);
    assert_eq!(keyed.by_number, BTreeMap::from([(7, 1)]));
    certainly_fits::<Keyed>(Base::Action, r#"{"by_number":{"7":1}}"#);
    for (text, kind, location) in [
        (
            r#"{"by_number":{"x":1}}"#,
            "value_error",
            json!(["by_number"]),
        ),
        (
            r#"{"by_number":{"7":300}}"#,
            "less_than_equal",
            json!(["by_number", "7"]),
        ),
        (
            r#"{"by_number":{},"nothing":1}"#,
            "none_required",
            json!(["nothing"]),
        ),
    ] {
        let found = violations::<Keyed>(Base::Action, text);
        assert_eq!(
            (&found[0]["type"], &found[0]["loc"]),
            (&json!(kind), &location),
            "{found}"
        );
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Circle(Option<Box<Self>>);

#[derive(Debug, Deserialize, JsonSchema)]
struct Round {
    circle: Circle,
}

#[test]
fn a_type_that_is_only_itself_is_null() {
    let round: Round = parse(Base::Action, r#"{"circle":null}"#);
    assert!(round.circle.0.is_none());
    let found = violations::<Round>(Base::Action, r#"{"circle":1}"#);
    assert_eq!(found[0]["type"], json!("none_required"));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        (-5_i32..5).prop_map(|number| json!(f64::from(number) / 2.0)),
        any::<f64>().prop_map(Value::from),
        "[a-e]{0,3}".prop_map(Value::from),
        prop_oneof!["plain", "upper", "go", "stop", "1"].prop_map(Value::from),
    ];
    let key = || "[a-i]|type|steps|metadata";
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn fits_only_what_is_valid<T: JsonSchema>(base: Base, value: &Value) -> Result<(), TestCaseError> {
    let shape = Shape::<T>::new(base).unwrap();
    let document = Document {
        value: value.clone(),
        non_finite: Vec::new(),
    };
    if check::fits(&shape.compiled, &value.to_string()) {
        let validated = validate(&shape.compiled, &document);
        prop_assert_eq!(validated, Ok(value.clone()), "fits, and needs no coercion");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_fits_is_valid(mut value in values(), text in "[a-c]{1,3}") {
        if let Value::Object(fields) = &mut value {
            fields.insert("a".to_owned(), Value::from(text));
        }
        fits_only_what_is_valid::<Everything>(Base::Action, &value)?;
        fits_only_what_is_valid::<Everything>(Base::Open, &value)?;
        fits_only_what_is_valid::<Move>(Base::Action, &value)?;
        fits_only_what_is_valid::<Open>(Base::Action, &value)?;
        let wrapped = json!({ "a": "a", "e": value, "h": {"type": "go", "steps": 1} });
        fits_only_what_is_valid::<Everything>(Base::Action, &wrapped)?;
    }
}
