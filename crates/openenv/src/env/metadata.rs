//! What an environment says about itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name, description and origin of an environment, for people and catalogues.
///
/// ```
/// use openenv::Metadata;
///
/// let metadata = Metadata::new("chess", "Chess against an engine").version("2.1.0");
/// assert_eq!(metadata.version.as_deref(), Some("2.1.0"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EnvironmentMetadata", deny_unknown_fields)]
#[non_exhaustive]
pub struct Metadata {
    /// Name of the environment
    pub name: String,
    /// What the environment does
    pub description: String,
    /// Its README, in Markdown
    #[serde(default)]
    pub readme_content: Option<String>,
    /// Its version
    #[serde(default)]
    pub version: Option<String>,
    /// Who made it
    #[serde(default)]
    pub author: Option<String>,
    /// Where its documentation is
    #[serde(default)]
    pub documentation_url: Option<String>,
}

impl Metadata {
    /// Names and describes an environment, version `1.0.0`.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            readme_content: None,
            version: Some("1.0.0".to_owned()),
            author: None,
            documentation_url: None,
        }
    }

    /// Metadata with the name of the type `E`, without its path.
    pub fn named_after<E>() -> Self {
        let path = std::any::type_name::<E>();
        let path = path.split('<').next().unwrap_or(path);
        let name = path.rsplit("::").next().unwrap_or(path);
        Self::new(name, format!("{name} environment"))
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the author.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.author = Some(author.into());
        self
    }

    /// Sets the README.
    #[must_use]
    pub fn readme(mut self, markdown: impl Into<String>) -> Self {
        self.readme_content = Some(markdown.into());
        self
    }

    /// Sets the address of the documentation.
    #[must_use]
    pub fn documentation_url(mut self, url: impl Into<String>) -> Self {
        self.documentation_url = Some(url.into());
        self
    }
}
