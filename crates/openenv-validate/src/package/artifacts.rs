//! What is kept of a run beside its report, with everything that looks like a secret left out.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::PackageRun;
use crate::report::Status;

/// How deeply what is kept may nest.
const MAX_DEPTH: usize = 64;
const LEFT_OUT: &str = "[REDACTED]";

impl PackageRun {
    /// Writes the report, the episode and what they rest on into a directory.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_artifacts(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let mut sums = String::new();
        for (name, value) in self.artifacts()? {
            let text = serde_json::to_string_pretty(&redacted(&value, 0))? + "\n";
            fs::write(directory.join(name), &text)?;
            let sum = hex::encode(Sha256::digest(text.as_bytes()));
            sums.extend([sum.as_str(), "  ", name, "\n"]);
        }
        fs::write(directory.join("SHA256SUMS"), sums)
    }

    fn artifacts(&self) -> io::Result<Vec<(&'static str, Value)>> {
        let report = &self.report;
        let ids = |wanted: &dyn Fn(&str, Status) -> bool| {
            let results = report.results.iter();
            let ids = results.filter(|result| wanted(&result.check_id, result.status));
            ids.map(|result| result.check_id.clone())
                .collect::<Vec<_>>()
        };
        let plan = serde_json::to_value(&self.plan)?;
        let digest = match &self.plan {
            Some(plan) => {
                let text = serde_json::to_string(plan)?;
                Some(hex::encode(Sha256::digest(text.as_bytes())))
            }
            None => None,
        };
        let mut artifacts = vec![
            (
                "coverage.json",
                json!({
                    "requested_runtime_checks": ids(&|id, _| id.starts_with("runtime.")),
                    "executed": ids(&|_, status| status != Status::Skip),
                    "incomplete": ids(&|_, status| status == Status::Skip),
                }),
            ),
            ("report.json", serde_json::to_value(report)?),
            ("cleanup.json", self.cleanup.clone()),
        ];
        let redacted_plan = redacted(&plan, 0) != plan;
        if self.plan.is_some() {
            artifacts.push(("runtime-plan.json", plan));
        }
        let version = report
            .manifest
            .as_ref()
            .map(|manifest| manifest.manifest_schema_version);
        artifacts.push((
            "run-manifest.json",
            json!({
                "bundle_schema_version": "1",
                "source_digest": report.source_digest,
                "policy_version": report.policy_version,
                "manifest_schema_version": version,
                "plan_digest": digest,
                "plan_redacted": redacted_plan,
                "platform": format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
                "validator": concat!("openenv-validate ", env!("CARGO_PKG_VERSION")),
                "provider": self.provider,
            }),
        ));
        let trace = self.trace();
        artifacts.push(("collector-evidence.json", self.evidence(&trace)));
        artifacts.insert(artifacts.len() - 1, ("collector-trace.json", trace));
        Ok(artifacts)
    }

    fn trace(&self) -> Value {
        let exchanges = self.episode.iter().flat_map(|episode| &episode.exchanges);
        exchanges
            .map(|exchange| {
                let response = match serde_json::from_str::<Value>(&exchange.response) {
                    Ok(response) => response,
                    Err(_) => "[malformed response omitted]".into(),
                };
                json!({
                    "operation": exchange.operation.name(),
                    "request_json": exchange.request,
                    "response_json": response,
                })
            })
            .collect()
    }

    fn evidence(&self, trace: &Value) -> Value {
        let Some(episode) = &self.episode else {
            return Value::Null;
        };
        let omitted: Vec<Value> = episode
            .exchanges
            .iter()
            .enumerate()
            .filter(|(_, exchange)| exchange.reply.is_null())
            .map(|(index, _)| json!({ "exchange_index": index, "field": "response_json" }))
            .collect();
        let failure = episode.failure.as_ref();
        let mut evidence = json!({
            "evidence_schema_version": "1",
            "trace_file": "collector-trace.json",
            "observation_schema": self.schemas.observation,
            "schema_available": self.schemas.observation.is_some(),
            "schema_parse_failed": false,
            "reset_observation_schema": self.schemas.reset_observation,
            "reset_schema_available": self.schemas.reset_observation.is_some(),
            "reset_schema_parse_failed": false,
            "omitted_trace_fields": omitted,
            "failure_phase": failure.map(|failure| failure.phase),
            "failure_reason": failure.map(|failure| format!("{} failed ({})", failure.phase, failure.kind)),
            "complete": failure.is_none(),
        });
        let changed = !omitted.is_empty()
            || redacted(trace, 0) != *trace
            || redacted(&evidence, 0) != evidence;
        evidence["redacted"] = changed.into();
        evidence
    }
}

/// The value without what is called a secret or looks like one.
fn redacted(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => {
            json!({ "omitted": "nested too deeply to be kept" })
        }
        Value::Array(items) => items.iter().map(|item| redacted(item, depth + 1)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let value = if is_secret_name(name) {
                    LEFT_OUT.into()
                } else {
                    redacted(value, depth + 1)
                };
                (without_tokens(name, depth), value)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::String(text) => Value::String(without_tokens(text, depth)),
        other => other.clone(),
    }
}

fn is_secret_name(name: &str) -> bool {
    // These count tokens of a language model.
    if ["max_tokens", "prompt_token_ids"].contains(&name) {
        return false;
    }
    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
    ["password", "secret", "token", "authorization", "apikey"]
        .iter()
        .any(|word| name.contains(word))
}

/// A text with the keys of well-known services left out, wherever in it they are; one that is JSON
/// itself also without what is called a secret there.
fn without_tokens(text: &str, depth: usize) -> String {
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        let kept = redacted(&value, depth + 1);
        if kept != value {
            return kept.to_string();
        }
    }
    let text = KEY.replace_all(text, format!("${{before}}{LEFT_OUT}"));
    let text = BEARER.replace_all(&text, format!("${{before}}{LEFT_OUT}"));
    text.into_owned()
}

/// A key of a well-known service, which does not begin in the middle of a word.
static KEY: LazyLock<Regex> = LazyLock::new(|| {
    let key =
        r"(?P<before>^|[^A-Za-z0-9])(?:hf_|sk[-_]|gh[opsu][-_]|github_pat[-_])[A-Za-z0-9_.-]{8,}";
    Regex::new(key).expect("the expression is valid")
});

static BEARER: LazyLock<Regex> = LazyLock::new(|| {
    let bearer = r#"(?P<before>(?i:\bbearer)[ \t]+)[^\s"',;]+"#;
    Regex::new(bearer).expect("the expression is valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let kept = json!({
            "api_key": "x",
            "max_tokens": 5,
            "text": "use hf_abcdefgh12 and Bearer abc but not sk-1",
            "list": [{ "Authorization": "Bearer x" }],
        });
        assert_eq!(
            redacted(&kept, 0),
            json!({
                "api_key": LEFT_OUT,
                "max_tokens": 5,
                "text": "use [REDACTED] and Bearer [REDACTED] but not sk-1",
                "list": [{ "Authorization": LEFT_OUT }],
            })
        );
    }

    #[test]
    fn keys_are_found_anywhere() {
        for (text, kept) in [
            ("key=hf_abcdefgh12&x=1", "key=[REDACTED]&x=1"),
            ("(sk-abcdefgh),ghp_abcdefgh", "([REDACTED]),[REDACTED]"),
            (r#"said {"a":"hf_abcdefgh"}"#, r#"said {"a":"[REDACTED]"}"#),
            (
                r#"{"password":"x","a":1}"#,
                r#"{"password":"[REDACTED]","a":1}"#,
            ),
            (r#""Bearer abc","#, r#""Bearer [REDACTED]","#),
            ("task-abcdefgh", "task-abcdefgh"),
            ("risk_assessment_of", "risk_assessment_of"),
        ] {
            assert_eq!(without_tokens(text, 0), kept);
        }
    }
}
