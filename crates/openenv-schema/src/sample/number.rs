//! Numbers within their limits.

use fastrand::Rng;
use serde_json::{Number, Value};

use super::super::check::is_multiple;
use super::super::misfit::Misfit;
use super::super::node::Node;
use super::Manner;

/// Without a limit on one side, whole numbers stay this near to the other.
const WHOLE_SPAN: i128 = 10;
/// Steps that are no whole numbers are looked for among so many whole numbers.
const MAX_TRIED: i128 = 10_000;
/// What JSON can hold without becoming a float.
const LEAST: i128 = i64::MIN as i128;
const GREATEST: i128 = u64::MAX as i128;

pub(super) fn whole(rng: &mut Rng, manner: Manner, node: &Node) -> Result<Value, Misfit> {
    let step = node.number("multipleOf").filter(|step| *step > 0.0);
    let unit = step
        .filter(|step| step.fract() == 0.0)
        .map_or(1, |step| truncated(step).max(1));
    let minimum = lower_whole(node);
    let maximum = upper_whole(node);
    let span = WHOLE_SPAN * unit;
    let (least, greatest) = match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => (minimum, maximum),
        (Some(minimum), None) => (minimum, minimum + span),
        (None, Some(maximum)) if maximum >= 0 => (0, maximum.min(span)),
        (None, Some(maximum)) => (maximum - span, maximum),
        (None, None) => (0, span),
    };
    let (least, greatest) = (least.max(LEAST), greatest.min(GREATEST));
    let (first, last) = (-(-least).div_euclid(unit), greatest.div_euclid(unit));
    if first > last {
        return Err(Misfit::new("no whole number is within the limits"));
    }
    let number = match step {
        Some(step) if step.fract() != 0.0 => (least
            ..=greatest.min(least.saturating_add(MAX_TRIED)))
            .find(|number| is_multiple(rounded(*number), step))
            .ok_or_else(|| Misfit::new("no whole number is within the limits"))?,
        _ if manner == Manner::Plain => first * unit,
        _ => rng.i128(first..=last) * unit,
    };
    let number = Number::from_i128(number);
    Ok(number.map_or(Value::Null, Value::Number))
}

pub(super) fn any(rng: &mut Rng, manner: Manner, node: &Node) -> Result<Value, Misfit> {
    let limits = Limits::of(node);
    let (least, greatest) = limits.window(1.0);
    let middle = least / 2.0 + greatest / 2.0;
    let number = if let Some(step) = node.number("multipleOf").filter(|step| *step > 0.0) {
        multiple(rng, manner, step, &limits)
    } else if manner == Manner::Plain {
        let candidates = [limits.minimum.unwrap_or(0.0), 0.0, 1.0, middle, greatest];
        candidates.into_iter().find(|number| limits.allow(*number))
    } else {
        let share = rng.f64();
        let exact = least.mul_add(1.0 - share, greatest * share);
        let short = (exact * 100.0).round() / 100.0;
        let candidates = [short, exact, middle, least, greatest];
        candidates.into_iter().find(|number| limits.allow(*number))
    };
    number
        .and_then(Number::from_f64)
        .map(Value::Number)
        .ok_or_else(|| Misfit::new("no number is within the limits"))
}

fn multiple(rng: &mut Rng, manner: Manner, step: f64, limits: &Limits) -> Option<f64> {
    let (least, greatest) = limits.window(step * 10.0);
    // `3 * 0.1` is not quite `0.3`: written with the digits of the step, it is.
    let digits = step.to_string();
    let digits = digits.split_once('.').map_or(0, |(_, digits)| digits.len());
    let times = |count: i128| format!("{:.digits$}", rounded(count) * step).parse().ok();
    let (first, last) = (
        truncated((least / step).floor()),
        truncated((greatest / step).ceil()),
    );
    // One more on each side, for what division rounds away and for limits that are excluded.
    let drawn = match manner {
        Manner::Plain => first,
        Manner::Random => rng.i128(first..=last.max(first)),
    };
    (drawn..=last)
        .take(4)
        .chain((first..=drawn).rev().take(4))
        .filter_map(times)
        .find(|number| limits.allow(*number))
}

/// The limits of a number; those of `above` and `below` are themselves excluded.
struct Limits {
    minimum: Option<f64>,
    maximum: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
}

impl Limits {
    fn of(node: &Node) -> Self {
        let limit = |inclusive: &str, exclusive: &str| {
            // Draft 4 has a flag instead of a second limit.
            if node.flag(exclusive) {
                (None, node.number(inclusive))
            } else {
                (node.number(inclusive), node.number(exclusive))
            }
        };
        let (minimum, above) = limit("minimum", "exclusiveMinimum");
        let (maximum, below) = limit("maximum", "exclusiveMaximum");
        Self {
            minimum,
            maximum,
            above,
            below,
        }
    }

    fn allow(&self, number: f64) -> bool {
        self.minimum.is_none_or(|minimum| number >= minimum)
            && self.maximum.is_none_or(|maximum| number <= maximum)
            && self.above.is_none_or(|limit| number > limit)
            && self.below.is_none_or(|limit| number < limit)
    }

    /// From where to where to look, the limits that are excluded included.
    fn window(&self, span: f64) -> (f64, f64) {
        match (self.lower(), self.upper()) {
            (Some(least), Some(greatest)) => (least, greatest),
            (Some(least), None) => (least, least + span),
            (None, Some(greatest)) if greatest > 0.0 => (0.0, greatest.min(span)),
            (None, Some(greatest)) => (greatest - span, greatest),
            (None, None) => (0.0, span),
        }
    }

    fn lower(&self) -> Option<f64> {
        let both = [self.minimum, self.above];
        both.into_iter().flatten().reduce(f64::max)
    }

    fn upper(&self) -> Option<f64> {
        let both = [self.maximum, self.below];
        both.into_iter().flatten().reduce(f64::min)
    }
}

fn lower_whole(node: &Node) -> Option<i128> {
    let limits = Limits::of(node);
    let minimum = limits
        .minimum
        .map(|limit| exact(node, "minimum").unwrap_or_else(|| truncated(limit.ceil())));
    let above = limits.above.map(|limit| truncated(limit.floor()) + 1);
    [minimum, above].into_iter().flatten().max()
}

fn upper_whole(node: &Node) -> Option<i128> {
    let limits = Limits::of(node);
    let maximum = limits
        .maximum
        .map(|limit| exact(node, "maximum").unwrap_or_else(|| truncated(limit.floor())));
    let below = limits.below.map(|limit| truncated(limit.ceil()) - 1);
    [maximum, below].into_iter().flatten().min()
}

/// Whole limits, unharmed by the 53 bits of a float.
fn exact(node: &Node, keyword: &str) -> Option<i128> {
    node.get(keyword)?.as_number()?.as_i128()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "stops at the greatest, well beyond JSON's"
)]
fn truncated(number: f64) -> i128 {
    (number as i128).clamp(LEAST, GREATEST)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "where it is lost, there is no step to hit"
)]
fn rounded(number: i128) -> f64 {
    number as f64
}
