//! A variable for somebody else.

use std::fmt;
use std::str::FromStr;

/// A variable with its value.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A variable as it is typed: with a value, or to be passed on with the one that it has here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TypedVariable {
    Set(Variable),
    PassOn(String),
}

impl TypedVariable {
    /// The variable, if it has a value anywhere.
    pub(crate) fn resolve(self) -> Option<Variable> {
        match self {
            Self::Set(variable) => Some(variable),
            Self::PassOn(name) => {
                let value = std::env::var(&name).ok()?;
                Some(Variable { name, value })
            }
        }
    }
}

impl FromStr for TypedVariable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let typed = match text.split_once('=') {
            Some((name, value)) => Self::Set(Variable {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            None => Self::PassOn(text.to_owned()),
        };
        let (Self::Set(Variable { name, .. }) | Self::PassOn(name)) = &typed;
        if name.is_empty() {
            return Err("expected a name, such as `LEVEL=3` or `LEVEL`".to_owned());
        }
        Ok(typed)
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
        let resolved = |text: &str| {
            let variable = text.parse::<TypedVariable>().unwrap().resolve()?;
            Some((variable.name, variable.value))
        };
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(resolved("A=b=c"), pair("A", "b=c"));
        assert_eq!(resolved("A="), pair("A", ""));
        let package = env!("CARGO_PKG_NAME");
        assert_eq!(resolved("CARGO_PKG_NAME"), pair("CARGO_PKG_NAME", package));
        assert_eq!(resolved("OPENENV_NO_SUCH_VARIABLE"), None);
        assert!("=b".parse::<TypedVariable>().is_err());
        assert!("".parse::<TypedVariable>().is_err());
        let shown = format!("{:?}", "TOKEN=secret".parse::<TypedVariable>().unwrap());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
