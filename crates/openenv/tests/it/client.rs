//! The clients, against this server and against the reference.

mod blocking;
mod calls;
mod connection;
mod foreign;
mod http;
mod patience;
mod sdk;
mod subject;
mod tool_steps;
mod tools;
mod workshop;

use openenv::EnvTypes;

use crate::probe::{InlineProbe, Order, Report};

/// The types of the probe, as a client without its crate would declare them.
struct ProbeTypes;

impl EnvTypes for ProbeTypes {
    type Action = Order;
    type Observation = Report;
    type ResetObservation = Report;
    type State = ();
}

fn add(amount: i64) -> Order {
    Order {
        add: amount,
        ..Order::default()
    }
}

fn slowly(amount: i64, sleep_ms: u64) -> Order {
    Order {
        sleep_ms,
        ..add(amount)
    }
}

/// The environment's own type is enough for a typed client.
type Typed = InlineProbe;
