//! Several environments in one server, inside of an application of one's own.
//!
//! The environments are at `/arena/envs/coin` and `/arena/envs/dice`, the first
//! one at `/arena` as well; what else the application serves is its own affair.

use axum::Router;
use axum::routing::get;
use openenv::{Environment, ResetOptions, Result, Server, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

mod port;

#[derive(Deserialize, JsonSchema)]
struct Bet {
    /// Side that will come up, from 1
    #[schemars(range(min = 1))]
    side: u64,
}

#[derive(Serialize, JsonSchema)]
struct Outcome {
    /// Side that came up; 0 before the first bet
    side: u64,
}

/// A fair die with any number of sides. The same seed gives the same game.
struct Die<const SIDES: u64> {
    state: u64,
}

impl<const SIDES: u64> Die<SIDES> {
    fn new() -> Self {
        Self { state: 0 }
    }

    /// `SplitMix64`, of which the high bits are the best.
    fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 33) % SIDES + 1
    }
}

impl<const SIDES: u64> Environment for Die<SIDES> {
    type Action = Bet;
    type Observation = Outcome;
    type ResetObservation = Outcome;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Outcome>> {
        self.state = options.seed.map_or(0, u64::from);
        Ok(Step::new(Outcome { side: 0 }))
    }

    async fn step(&mut self, bet: Bet, _: StepOptions) -> Result<Step<Outcome>> {
        let side = self.roll();
        let reward = if bet.side == side { 1.0 } else { 0.0 };
        Ok(Step::new(Outcome { side }).reward(reward).terminated())
    }

    fn state(&self) {}
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder()
        .environment("coin", Die::<2>::new)
        .environment("dice", Die::<6>::new)
        .max_sessions(1_000)
        .build()?;
    let application = Router::new()
        .route("/", get(async || "the environments are under /arena"))
        .nest("/arena", server.router());

    let listener = TcpListener::bind(("127.0.0.1", port::from_user())).await?;
    port::announce(&listener)?;
    axum::serve(listener, application)
        .with_graceful_shutdown(openenv::shutdown_signal())
        .await?;
    // Whoever serves the routes also sees to the end of the sessions.
    server.shut_down().await;
    Ok(())
}
