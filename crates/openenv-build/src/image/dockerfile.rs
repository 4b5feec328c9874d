//! The same settings, for an engine that builds.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Settings;

impl Settings {
    /// The instructions of a Dockerfile that say the same, but for the labels, a line each.
    ///
    /// An image takes over what its base says; so the entrypoint is always said, if only
    /// to have none.
    pub fn instructions(&self) -> String {
        let mut text = String::new();
        let mut line = |words: std::fmt::Arguments<'_>| {
            let _ = writeln!(text, "{words}");
        };
        if !self.environment.is_empty() {
            line(format_args!("ENV{}", pairs(&self.environment)));
        }
        if let Some(directory) = &self.directory {
            line(format_args!("WORKDIR {directory}"));
        }
        if let Some(user) = &self.user {
            line(format_args!("USER {user}"));
        }
        if let Some(port) = self.port {
            line(format_args!("EXPOSE {port}"));
        }
        if let Some(signal) = &self.stop_signal {
            line(format_args!("STOPSIGNAL {signal}"));
        }
        if let Some(check) = &self.health_check {
            line(format_args!(
                "HEALTHCHECK --interval={}s --timeout={}s --start-period={}s --retries={} CMD {}",
                check.interval.as_secs(),
                check.timeout.as_secs(),
                check.start_period.as_secs(),
                check.retries,
                list(&check.command),
            ));
        }
        line(format_args!("ENTRYPOINT {}", list(&self.entrypoint)));
        line(format_args!("CMD {}", list(&self.command)));
        text
    }

    /// The instruction with the labels. They change with every commit, and what follows
    /// is built anew, so it comes last.
    pub fn label_instruction(&self) -> String {
        if self.labels.is_empty() {
            return String::new();
        }
        format!("LABEL{}\n", pairs(&self.labels))
    }
}

/// Names and values for one instruction: each makes an image of its own.
fn pairs(values: &BTreeMap<String, String>) -> String {
    let pairs = values.iter();
    let pairs = pairs.map(|(name, value)| format!(" {name}={}", quoted(value)));
    pairs.collect::<Vec<_>>().concat()
}

/// Words that are run without a shell.
pub(crate) fn list(words: &[String]) -> String {
    serde_json::to_string(words).expect("strings are JSON")
}

/// A value in which nothing is replaced, on one line: a break would end the instruction.
fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for it in value.chars() {
        match it {
            '"' | '\\' | '$' => text.extend(['\\', it]),
            '\n' | '\r' => text.push(' '),
            _ => text.push(it),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use super::super::HealthCheck;
    use super::*;

    #[test]
    fn every_setting_is_an_instruction() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let settings = Settings {
            command: words("maze --fast"),
            environment: [("A".to_owned(), "say \"$HOME\"\nC:\\".to_owned())].into(),
            user: Some("65532:65532".to_owned()),
            directory: Some("/app/env".to_owned()),
            port: Some(8000),
            health_check: Some(HealthCheck::new(words("maze --health-check"))),
            labels: [("title", "a maze"), ("version", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            stop_signal: Some("SIGTERM".to_owned()),
            ..Settings::default()
        };
        assert_eq!(
            settings.instructions(),
            r#"ENV A="say \"\$HOME\" C:\\"
WORKDIR /app/env
USER 65532:65532
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["maze","--health-check"]
ENTRYPOINT []
CMD ["maze","--fast"]
"#
        );
        assert_eq!(
            settings.label_instruction(),
            "LABEL title=\"a maze\" version=\"1\"\n"
        );
    }
}
