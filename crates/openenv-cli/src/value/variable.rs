//! A variable for somebody else.

use std::fmt;
use std::str::FromStr;

/// A variable, with its value or with the one that it has here.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    name: String,
    value: Option<String>,
}

impl Variable {
    /// Name and value; nothing if it has none here either.
    pub(crate) fn resolve(self) -> Option<(String, String)> {
        let value = self.value.or_else(|| std::env::var(&self.name).ok())?;
        Some((self.name, value))
    }
}

impl FromStr for Variable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        if name.is_empty() {
            return Err("expected a name, such as `LEVEL=3` or `LEVEL`".to_owned());
        }
        let name = name.to_owned();
        Ok(Self { name, value })
    }
}

/// It may be a secret.
impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variable({}=…)", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_values_or_pass_on_their_own() {
        let resolved = |text: &str| text.parse::<Variable>().unwrap().resolve();
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(resolved("A=b=c"), pair("A", "b=c"));
        assert_eq!(resolved("A="), pair("A", ""));
        let package = env!("CARGO_PKG_NAME");
        assert_eq!(resolved("CARGO_PKG_NAME"), pair("CARGO_PKG_NAME", package));
        assert_eq!(resolved("OPENENV_NO_SUCH_VARIABLE"), None);
        assert!("=b".parse::<Variable>().is_err());
        let shown = format!("{:?}", "TOKEN=secret".parse::<Variable>().unwrap());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
