//! A part of the manifest, read field by field.

use super::yaml::Yaml;

/// Something is wrong, and was noted.
#[derive(Debug)]
pub(super) struct Wrong;

/// What is wrong, with its place.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, place: &str, problem: &str) {
        self.0.push(format!("{place}: {problem}"));
    }

    /// The value, or its problem noted.
    pub(super) fn keep<T>(&mut self, place: &str, read: Result<T, String>) -> Result<T, Wrong> {
        read.map_err(|problem| {
            self.add(place, &problem);
            Wrong
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        self.0
    }
}

/// A mapping whose keys are all known in the end.
#[derive(Debug)]
pub(super) struct Section<'a> {
    path: String,
    fields: &'a [(Yaml, Yaml)],
    known: Vec<&'static str>,
    problems: &'a mut Problems,
    /// Problems that were there before.
    before: usize,
}

impl<'a> Section<'a> {
    /// The block, if it is a mapping.
    pub(super) fn open(
        block: &'a Yaml,
        path: &str,
        problems: &'a mut Problems,
    ) -> Result<Self, Wrong> {
        let Yaml::Map(fields) = block else {
            problems.add(path, "must be a mapping");
            return Err(Wrong);
        };
        let before = problems.0.len();
        Ok(Self {
            path: path.to_owned(),
            fields,
            known: Vec::new(),
            problems,
            before,
        })
    }

    /// A field that has to be there.
    pub(super) fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Yaml) -> Result<T, String>,
    ) -> Result<T, Wrong> {
        let read = self.optional(name, read)?;
        read.ok_or_else(|| {
            self.problem(name, "is missing");
            Wrong
        })
    }

    /// A field that may be left out.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Yaml) -> Result<T, String>,
    ) -> Result<Option<T>, Wrong> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => {
                let read = read(value);
                let place = self.place(name);
                self.problems.keep(&place, read).map(Some)
            }
        }
    }

    /// A field that may be left out or null.
    pub(super) fn nullable<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Yaml) -> Result<T, String>,
    ) -> Result<Option<T>, Wrong> {
        match self.value(name) {
            Some(Yaml::Null) => Ok(None),
            _ => self.optional(name, read),
        }
    }

    /// A list whose items are read one by one.
    pub(super) fn list<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Yaml) -> Result<T, String>,
    ) -> Result<Option<Vec<T>>, Wrong> {
        let place = self.place(name);
        match self.value(name) {
            None => Ok(None),
            Some(Yaml::List(items)) => {
                let before = self.problems.0.len();
                let read: Vec<_> = items
                    .iter()
                    .enumerate()
                    .filter_map(|(index, item)| {
                        let place = format!("{place}.{index}");
                        self.problems.keep(&place, read(item)).ok()
                    })
                    .collect();
                self.since(before).map(|()| Some(read))
            }
            Some(_) => {
                self.problems.add(&place, "must be a list");
                Err(Wrong)
            }
        }
    }

    /// A mapping from texts.
    pub(super) fn map<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Yaml) -> Result<T, String>,
    ) -> Result<Option<Vec<(String, T)>>, Wrong> {
        let place = self.place(name);
        match self.value(name) {
            None => Ok(None),
            Some(Yaml::Map(entries)) => {
                let before = self.problems.0.len();
                let mut map = Vec::new();
                for (key, value) in entries {
                    let Yaml::Text(key) = key else {
                        let key = key.written();
                        self.problems
                            .add(&format!("{place}.{key}.[key]"), "must be text");
                        continue;
                    };
                    let read = self.problems.keep(&format!("{place}.{key}"), read(value));
                    map.extend(read.ok().map(|value| (key.clone(), value)));
                }
                self.since(before).map(|()| Some(map))
            }
            Some(_) => {
                self.problems.add(&place, "must be a mapping");
                Err(Wrong)
            }
        }
    }

    /// A section inside of this one, which may be null if it may be left out.
    pub(super) fn section<T>(
        &mut self,
        name: &'static str,
        may_be_left_out: bool,
        read: impl FnOnce(Section<'_>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Wrong> {
        let place = self.place(name);
        match self.value(name) {
            None | Some(Yaml::Null) if may_be_left_out => Ok(None),
            None => {
                self.problems.add(&place, "is missing");
                Err(Wrong)
            }
            Some(block) => Section::open(block, &place, self.problems)
                .and_then(read)
                .map(Some),
        }
    }

    /// Refuses all fields that nobody asked for.
    ///
    /// # Errors
    /// If there was any problem in this section.
    pub(super) fn finish(&mut self) -> Result<(), Wrong> {
        for (key, _) in self.fields {
            let known = matches!(key, Yaml::Text(key) if self.known.contains(&key.as_str()));
            if !known {
                let place = format!("{}.{}", self.path, key.written());
                self.problems.add(&place, "is not known here");
            }
        }
        self.since(self.before)
    }

    /// Whether no problem was noted since there were so many.
    fn since(&self, before: usize) -> Result<(), Wrong> {
        match self.problems.0.len() {
            now if now == before => Ok(()),
            _ => Err(Wrong),
        }
    }

    /// Notes what is wrong with a field.
    pub(super) fn problem(&mut self, name: &str, problem: &str) {
        let place = self.place(name);
        self.problems.add(&place, problem);
    }

    /// Refuses what does not go together; only sensible after all fields were read.
    pub(super) fn refuse_if(&mut self, wrong: bool, problem: &str) -> Result<(), Wrong> {
        if wrong {
            self.problems.add(&self.path, problem);
            return Err(Wrong);
        }
        Ok(())
    }

    fn value(&mut self, name: &'static str) -> Option<&'a Yaml> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.fields
            .iter()
            .find(|(key, _)| matches!(key, Yaml::Text(key) if key == name))
            .map(|(_, value)| value)
    }

    fn place(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }
}
