//! Environments that are there for their tools.

/// Makes an environment of a type: these tools, and nothing else to do.
macro_rules! nothing_but_tools {
    ($environment:ty, $tools:expr) => {
        impl openenv::Environment for $environment {
            type Action = openenv::NoAction;
            type Observation = openenv::ToolObservation;
            type ResetObservation = ();
            type State = ();
            const CONCURRENT: bool = true;

            async fn reset(
                &mut self,
                _: openenv::ResetOptions,
            ) -> openenv::Result<openenv::Step<()>> {
                Ok(openenv::Step::new(()))
            }

            async fn step(
                &mut self,
                none: openenv::NoAction,
                _: openenv::StepOptions,
            ) -> openenv::Result<openenv::Step<openenv::ToolObservation>> {
                match none {}
            }

            fn state(&self) {}

            fn tools() -> openenv::Tools<Self> {
                $tools
            }
        }
    };
}

pub(crate) use nothing_but_tools;
