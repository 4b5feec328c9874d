// What the examples in the documentation of the client have in common: the
// environment of the crate's first page, and a server of it. Included, not
// compiled by itself.

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Message {
    text: String,
}

struct Shout;

impl openenv::Environment for Shout {
    type Action = Message;
    type Observation = Message;
    type ResetObservation = Message;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(
        &mut self,
        _: openenv::ResetOptions,
    ) -> openenv::Result<openenv::Step<Message>> {
        let text = "say something".to_owned();
        Ok(openenv::Step::new(Message { text }))
    }

    async fn step(
        &mut self,
        said: Message,
        _: openenv::StepOptions,
    ) -> openenv::Result<openenv::Step<Message>> {
        let text = said.text.to_uppercase();
        Ok(openenv::Step::new(Message { text }).reward(1.0))
    }

    fn state(&self) {}
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/serve.rs"));

fn serve() -> String {
    serve_builder(openenv::Server::builder().environment("shout", || Shout))
}
