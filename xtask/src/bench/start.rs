//! From the start of the process to the first healthy answer, and what it weighs then.

use anyhow::Result;

use super::{
    Effort, process,
    report::{Figure, Report, Target},
    subject::Subjects,
};

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let (ours, reference) = match effort {
        Effort::Quick => (5, 1),
        Effort::Full => (15, 3),
    };
    let samples = subjects.try_map(|subject| {
        let runs = if subject.label() == "ours" {
            ours
        } else {
            reference
        };
        // The first start of all reads the program from disk, and Python compiles what it imports.
        drop(subject.start("echo", 512)?);
        let mut milliseconds = Vec::new();
        let mut kib = Vec::new();
        for _ in 0..runs {
            let server = subject.start("echo", 512)?;
            milliseconds.push(server.started_in().as_secs_f64() * 1e3);
            kib.push(process::resident_kib(server.process_id())? as f64);
        }
        Ok((median(milliseconds), median(kib)))
    })?;

    let started = samples.map(|(milliseconds, _)| *milliseconds);
    report.add(Figure::new("start", "ms", started).target(Target::RatioAtMost(1.0 / 100.0)));
    let memory = samples.map(|(_, kib)| kib / 1024.0);
    report.add(Figure::new("idle memory", "MiB", memory).target(Target::RatioAtMost(1.0 / 10.0)));
    Ok(())
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
