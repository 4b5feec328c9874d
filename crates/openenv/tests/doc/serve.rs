// A server for the examples in the documentation. Included, not compiled by itself.

/// Serves until the example ends; returns the URL.
fn serve_builder(builder: openenv::ServerBuilder) -> String {
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
            let server = builder.build().unwrap();
            server.serve(listener, std::future::pending()).await.unwrap();
        });
    });
    url
}
