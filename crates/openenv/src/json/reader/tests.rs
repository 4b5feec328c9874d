use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Every message was printed by `CPython` 3.11.
#[test]
fn refusals_read_as_in_python() {
    for (text, expected) in [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("  ", "Expecting value: line 1 column 3 (char 2)"),
        (
            "{bad",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (
            "{'a':1}",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (
            "{\"a\":1,}",
            "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
        ),
        ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
        ("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"),
        (
            "{\"a\" 1}",
            "Expecting ':' delimiter: line 1 column 6 (char 5)",
        ),
        ("{\"a\":}", "Expecting value: line 1 column 6 (char 5)"),
        (
            "{\"a\":1 \"b\":2}",
            "Expecting ',' delimiter: line 1 column 8 (char 7)",
        ),
        (
            "{\"a\":1",
            "Expecting ',' delimiter: line 1 column 7 (char 6)",
        ),
        ("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
        ("[", "Expecting value: line 1 column 2 (char 1)"),
        (
            "{",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (
            "{\"a\"",
            "Expecting ':' delimiter: line 1 column 5 (char 4)",
        ),
        ("{\"a\":", "Expecting value: line 1 column 6 (char 5)"),
        (
            "\"abc",
            "Unterminated string starting at: line 1 column 1 (char 0)",
        ),
        (
            "\"a\nb\"",
            "Invalid control character at: line 1 column 3 (char 2)",
        ),
        ("\"\\x\"", "Invalid \\escape: line 1 column 2 (char 1)"),
        (
            "\"\\u12\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        (
            "\"\\u12G4\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        (
            "\"\\",
            "Unterminated string starting at: line 1 column 1 (char 0)",
        ),
        ("\"\\u", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"),
        ("nul", "Expecting value: line 1 column 1 (char 0)"),
        ("-", "Expecting value: line 1 column 1 (char 0)"),
        ("-a", "Expecting value: line 1 column 1 (char 0)"),
        ("01", "Extra data: line 1 column 2 (char 1)"),
        ("1.", "Extra data: line 1 column 2 (char 1)"),
        ("1.e5", "Extra data: line 1 column 2 (char 1)"),
        ("1e", "Extra data: line 1 column 2 (char 1)"),
        (".5", "Expecting value: line 1 column 1 (char 0)"),
        ("+1", "Expecting value: line 1 column 1 (char 0)"),
        ("truefalse", "Extra data: line 1 column 5 (char 4)"),
        ("true x", "Extra data: line 1 column 6 (char 5)"),
        (
            "{\"type\":\"state\"} x",
            "Extra data: line 1 column 18 (char 17)",
        ),
        (
            "{\n  \"type\": state }",
            "Expecting value: line 2 column 11 (char 12)",
        ),
        ("\"é\" x", "Extra data: line 1 column 5 (char 4)"),
        ("😀", "Expecting value: line 1 column 1 (char 0)"),
        ("\"😀\" 1", "Extra data: line 1 column 5 (char 4)"),
        (
            "[1,\n\n 2 3]",
            "Expecting ',' delimiter: line 3 column 4 (char 8)",
        ),
        (
            "{\"a\":1,\n}",
            "Expecting property name enclosed in double quotes: line 2 column 1 (char 8)",
        ),
        (
            "{\"a\":1, ",
            "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)",
        ),
        ("[1, ", "Expecting value: line 1 column 5 (char 4)"),
        (
            "{,}",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("[,]", "Expecting value: line 1 column 2 (char 1)"),
        (
            "{\"a\":1,,}",
            "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
        ),
        ("-Inf", "Expecting value: line 1 column 1 (char 0)"),
        (
            "\u{feff}{}",
            "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        ),
        ("\u{a0}1", "Expecting value: line 1 column 1 (char 0)"),
        (
            "{1:2}",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("[1}", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
        (
            "{\"a\":1]",
            "Expecting ',' delimiter: line 1 column 7 (char 6)",
        ),
        (
            "\"\\u+123\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        (
            "\"\\u 123\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        (
            "\"\t\"",
            "Invalid control character at: line 1 column 2 (char 1)",
        ),
        ("1 \u{b}", "Extra data: line 1 column 3 (char 2)"),
        (
            "\"\\ud83d\\u12\"",
            "Invalid \\uXXXX escape: line 1 column 9 (char 8)",
        ),
        (
            "\"abc\\",
            "Unterminated string starting at: line 1 column 1 (char 0)",
        ),
        ("--1", "Expecting value: line 1 column 1 (char 0)"),
        ("-01", "Extra data: line 1 column 3 (char 2)"),
        ("1.5.2", "Extra data: line 1 column 4 (char 3)"),
        (
            "{\"a\":\"b",
            "Unterminated string starting at: line 1 column 6 (char 5)",
        ),
        ("\"\\U0041\"", "Invalid \\escape: line 1 column 2 (char 1)"),
        ("[1,\r\n x]", "Expecting value: line 2 column 2 (char 6)"),
        (
            "\"\\ud83d\\",
            "Unterminated string starting at: line 1 column 1 (char 0)",
        ),
        (
            "{\"a\":1, \"b",
            "Unterminated string starting at: line 1 column 9 (char 8)",
        ),
        (
            "\"a\\u00",
            "Invalid \\uXXXX escape: line 1 column 4 (char 3)",
        ),
        ("\"a\\q\"x", "Invalid \\escape: line 1 column 3 (char 2)"),
        (
            "\"\\u1_23\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        ("0x10", "Extra data: line 1 column 2 (char 1)"),
        (
            "\"\u{0}\"",
            "Invalid control character at: line 1 column 2 (char 1)",
        ),
        (
            "\"\\u1234",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
        (
            "\"\\u123é\"",
            "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
        ),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text:?}");
    }
}

#[test]
fn accepts_what_python_accepts() {
    for (text, value, non_finite) in [
        ("NaN", json!(null), vec![("", "NaN")]),
        ("-Infinity", json!(null), vec![("", "-Infinity")]),
        ("1e400", json!(null), vec![("", "Infinity")]),
        ("-1e400", json!(null), vec![("", "-Infinity")]),
        ("[1, NaN]", json!([1, null]), vec![("/1", "NaN")]),
        (
            r#"{"a":{"b~/":Infinity}}"#,
            json!({"a": {"b~/": null}}),
            vec![("/a/b~0~1", "Infinity")],
        ),
        (r#"{"a":NaN,"a":null}"#, json!({"a": null}), vec![]),
        (
            r#"{"a":1,"a":NaN}"#,
            json!({"a": null}),
            vec![("/a", "NaN")],
        ),
        (r#"{"a":1,"b":2,"a":3}"#, json!({"a": 3, "b": 2}), vec![]),
        (r#""\ud800""#, json!("\u{fffd}"), vec![]),
        (r#""\ud83d\ude00\ud83dA""#, json!("😀\u{fffd}A"), vec![]),
        (r#""\ud83d\u0041""#, json!("\u{fffd}A"), vec![]),
        ("\"\u{7f}\"", json!("\u{7f}"), vec![]),
        ("18446744073709551615", json!(u64::MAX), vec![]),
        (
            "1180591620717411303424",
            json!(1_180_591_620_717_411_303_424_f64),
            vec![],
        ),
        (" {\"a\"\t:\t1}\r\n", json!({"a": 1}), vec![]),
    ] {
        let document = read(text).expect(text);
        assert_eq!(document.value, value, "{text}");
        let found = document.non_finite.iter().map(|(at, what)| (&**at, *what));
        assert_eq!(found.collect::<Vec<_>>(), non_finite, "{text}");
    }
}

#[test]
fn survives_deep_nesting() {
    for unit in ["[", "{\"a\":", "[{\"a\":"] {
        let error = read(&unit.repeat(1_000_000)).unwrap_err();
        assert_eq!(error.message, "nested deeper than 128 levels");
    }
    let deepest = format!("{}{}", "[".repeat(128), "]".repeat(128));
    assert!(read(&deepest).is_ok());
}

#[test]
fn survives_many_numbers_that_are_not_finite() {
    let key = "k".repeat(1_000_000);
    for text in [
        format!("{{\"{key}\":[{}1]}}", "NaN,".repeat(1_000_000)),
        format!("[{}1]", "1e999,".repeat(1_000_000)),
    ] {
        let error = read(&text).unwrap_err();
        assert_eq!(error.message, "too many numbers that are not finite");
    }
    let many = format!(
        "{{\"b\":[{}1],{}\"a\":1}}",
        "NaN,".repeat(10_000),
        "\"a\":1,".repeat(100_000)
    );
    assert_eq!(read(&many).unwrap().non_finite.len(), 10_000);
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn agrees_with_the_strict_parser(document in documents(), pretty: bool) {
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        let strict: Value = serde_json::from_str(&text).unwrap();
        let lenient = read(&text).unwrap();
        prop_assert_eq!(lenient.value, strict);
        prop_assert!(lenient.non_finite.is_empty());
    }

    #[test]
    fn never_panics(text in r#"([\[\]{}:,"\\ \nu0-9eE+.a-]|NaN|-Infinity|true|é|😀|\\ud83d|\PC){0,40}"#) {
        let lenient = read(&text);
        if let Ok(strict) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(lenient.unwrap().value, strict);
        }
    }
}
