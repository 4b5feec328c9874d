//! Why a value does not fit a schema, or why there is none that does.

use std::fmt;

/// What is wrong, and where in the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    /// Names and indexes from the outside to the inside, such as `path[2].x`.
    path: String,
    reason: String,
}

impl Misfit {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            reason: reason.into(),
        }
    }

    /// The same, seen from the object that has the field.
    pub(super) fn in_field(self, name: &str) -> Self {
        self.inside(name)
    }

    /// The same, seen from the list that has the item.
    pub(super) fn in_item(self, index: usize) -> Self {
        self.inside(&format!("[{index}]"))
    }

    fn inside(mut self, outer: &str) -> Self {
        let dot = match self.path.as_str() {
            "" => "",
            path if path.starts_with('[') => "",
            _ => ".",
        };
        self.path = format!("{outer}{dot}{}", self.path);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "`{}`: {}", self.path, self.reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_from_the_outside() {
        let misfit = Misfit::new("is missing").in_field("x").in_item(2);
        assert_eq!(misfit.clone().to_string(), "`[2].x`: is missing");
        let misfit = misfit.in_field("path");
        assert_eq!(misfit.to_string(), "`path[2].x`: is missing");
    }
}
