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

/// Serves until the example ends; returns the URL.
fn serve() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let server = openenv::Server::builder().environment("shout", || Shout);
            let server = server.build().unwrap();
            server.serve(listener, std::future::pending()).await.unwrap();
        });
    });
    url
}
