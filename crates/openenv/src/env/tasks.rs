//! Tasks: what an episode can be about, in splits for training and testing.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The tasks of an environment, by split.
///
/// A trainer lists them over HTTP and names one in the arguments of a reset
/// (by convention `split` and `index`). The methods may block: the server
/// calls them on threads kept for that. Only [`splits`](Self::splits) and
/// [`list`](Self::list) are needed.
///
/// A method that fails with [`Error::unsupported`] is answered with HTTP 501.
pub trait Tasks: Send + Sync + 'static {
    /// The splits, as `train` and `test`.
    fn splits(&self) -> Result<Vec<Split>>;

    /// Every task of a split.
    fn list(&self, split: &str) -> Result<Vec<Value>>;

    /// How many tasks a split has.
    fn count(&self, split: &str) -> Result<usize> {
        Ok(self.list(split)?.len())
    }

    /// One task; a negative index counts from the end.
    fn get(&self, split: &str, index: i64) -> Result<Value> {
        let mut tasks = self.list(split)?;
        let length = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
        let position = if index < 0 { index + length } else { index };
        match usize::try_from(position) {
            Ok(position) if position < tasks.len() => Ok(tasks.swap_remove(position)),
            _ => Err(Error::task_index()),
        }
    }

    /// The tasks from `start` up to, not including, `stop`.
    ///
    /// Negative numbers count from the end and numbers outside the split are
    /// taken as its ends, as in a Python slice.
    fn range(&self, split: &str, start: Option<i64>, stop: Option<i64>) -> Result<Vec<Value>> {
        let mut tasks = self.list(split)?;
        let length = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
        let position = |index: Option<i64>, otherwise: usize| match index {
            None => otherwise,
            Some(index) => {
                let index = if index < 0 {
                    index.saturating_add(length)
                } else {
                    index
                };
                usize::try_from(index.clamp(0, length)).unwrap_or(otherwise)
            }
        };
        let stop = position(stop, tasks.len());
        tasks.truncate(stop);
        tasks.drain(..position(start, 0).min(stop));
        Ok(tasks)
    }
}

/// Something that is asked about tasks.
#[cfg(feature = "server")]
#[derive(Debug)]
pub(crate) enum TaskQuestion {
    Splits,
    List {
        split: String,
    },
    Count {
        split: String,
    },
    Get {
        split: String,
        index: i64,
    },
    Range {
        split: String,
        start: Option<i64>,
        stop: Option<i64>,
    },
}

#[cfg(feature = "server")]
impl TaskQuestion {
    /// The name of the method that answers it, as authors and clients know it.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Splits => "list_splits",
            Self::List { .. } => "list_tasks",
            Self::Count { .. } => "num_tasks",
            Self::Get { .. } => "get_task",
            Self::Range { .. } => "get_task_range",
        }
    }
}

/// Tasks as the server asks for them, whoever knows the answer.
#[cfg(feature = "server")]
pub(crate) trait AnyTasks: Send + Sync {
    fn answer(
        &self,
        question: TaskQuestion,
    ) -> crate::env::erased::BoxFuture<'static, Result<Value>>;
}

/// They may block, so a thread for that asks them.
#[cfg(feature = "server")]
impl AnyTasks for std::sync::Arc<dyn Tasks> {
    fn answer(
        &self,
        question: TaskQuestion,
    ) -> crate::env::erased::BoxFuture<'static, Result<Value>> {
        let tasks = Self::clone(self);
        let ask = move || match question {
            TaskQuestion::Splits => Ok(serde_json::to_value(tasks.splits()?)?),
            TaskQuestion::List { split } => Ok(tasks.list(&split)?.into()),
            TaskQuestion::Count { split } => Ok(tasks.count(&split)?.into()),
            TaskQuestion::Get { split, index } => tasks.get(&split, index),
            TaskQuestion::Range { split, start, stop } => {
                Ok(tasks.range(&split, start, stop)?.into())
            }
        };
        Box::pin(async move {
            tokio::task::spawn_blocking(ask)
                .await
                .unwrap_or_else(|_| Err(Error::new("the tasks panicked")))
        })
    }
}

/// One split of the tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Split {
    /// What the task routes call it.
    pub name: String,
    /// What it is for.
    #[serde(rename = "type")]
    pub kind: SplitKind,
    /// Anything else worth knowing, as its size.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Split {
    /// A split for validation, unless its name says `train` or `test`.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let kind = match name.as_str() {
            "train" => SplitKind::Train,
            "test" => SplitKind::Test,
            _ => SplitKind::Validation,
        };
        Self {
            name,
            kind,
            extra: Map::new(),
        }
    }

    /// Sets what the split is for.
    #[must_use]
    pub fn kind(mut self, kind: SplitKind) -> Self {
        self.kind = kind;
        self
    }

    /// Adds something worth knowing.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(key.into(), value.into());
        self
    }
}

/// What a split is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitKind {
    /// To learn from.
    Train,
    /// To tune on.
    Validation,
    /// To report on.
    Test,
}
