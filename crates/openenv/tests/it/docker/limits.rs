//! What a container has and may do, as seen from inside and by the engine.

use std::path::Path;

use openenv::provider::Provider;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::at;
use super::support::{Mark, look, try_look};

fn read(path: &str) -> Value {
    json!({ "read": path })
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn variables_and_limits_arrive() {
    let mark = Mark::new();
    let mut docker = mark
        .docker()
        .env("LEVEL", "three = 3")
        .memory(256 << 20)
        .cpus(0.5)
        .pids(64);
    let endpoint = docker.start().await.unwrap();
    assert_eq!(
        look(&endpoint, json!({ "variable": "LEVEL" })).await,
        "three = 3"
    );
    let seen = mark.inspect().await;
    assert_eq!(at(&seen, "/HostConfig/Memory"), 256 << 20);
    assert_eq!(at(&seen, "/HostConfig/MemorySwap"), 256 << 20);
    assert_eq!(at(&seen, "/HostConfig/NanoCpus"), 500_000_000);
    assert_eq!(at(&seen, "/HostConfig/PidsLimit"), 64);
    // What the kernel enforces; the paths are those of the second version of its groups.
    if Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
        let memory = look(&endpoint, read("/sys/fs/cgroup/memory.max")).await;
        assert_eq!(memory.trim(), (256 << 20).to_string());
        let cpu = look(&endpoint, read("/sys/fs/cgroup/cpu.max")).await;
        assert_eq!(cpu.trim(), "50000 100000");
        let pids = look(&endpoint, read("/sys/fs/cgroup/pids.max")).await;
        assert_eq!(pids.trim(), "64");
    } else {
        let memory = look(
            &endpoint,
            read("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        )
        .await;
        assert_eq!(memory.trim(), (256 << 20).to_string());
        let pids = look(&endpoint, read("/sys/fs/cgroup/pids/pids.max")).await;
        assert_eq!(pids.trim(), "64");
    }
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn the_server_is_published_to_this_machine_alone() {
    let mark = Mark::new();
    let mut docker = mark.docker().env("PORT", "9123").port(9123);
    let endpoint = docker.start().await.unwrap();
    let seen = mark.inspect().await;
    let ports = at(&seen, "/NetworkSettings/Ports").as_object().unwrap();
    let bindings = ports["9123/tcp"].as_array().unwrap();
    assert_eq!(bindings.len(), 1, "{bindings:?}");
    assert_eq!(bindings[0]["HostIp"], "127.0.0.1");
    let port = bindings[0]["HostPort"].as_str().unwrap();
    assert_eq!(endpoint.to_string(), format!("http://127.0.0.1:{port}"));

    // This machine under another name, which others can reach.
    let gateway = at(&seen, "/NetworkSettings/Networks/bridge/Gateway");
    let gateway = gateway.as_str().unwrap();
    let elsewhere = TcpStream::connect(format!("{gateway}:{port}")).await;
    assert!(elsewhere.is_err(), "{elsewhere:?}");
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_server_has_no_privileges_unless_they_are_given() {
    let mark = Mark::new();
    let mut docker = mark.docker();
    let endpoint = docker.start().await.unwrap();
    let status = look(&endpoint, read("/proc/self/status")).await;
    assert!(status.contains("CapEff:\t0000000000000000\n"), "{status}");
    assert!(status.contains("CapBnd:\t0000000000000000\n"), "{status}");
    assert!(status.contains("NoNewPrivs:\t1\n"), "{status}");
    docker.stop().await.unwrap();

    let mut docker = mark.docker().confined(false).init(false);
    let endpoint = docker.start().await.unwrap();
    let status = look(&endpoint, read("/proc/self/status")).await;
    assert!(!status.contains("CapEff:\t0000000000000000\n"), "{status}");
    assert!(status.contains("\nPid:\t1\n"), "{status}");
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn files_can_be_protected() {
    let mark = Mark::new();
    let mut docker = mark.docker().read_only(true);
    let endpoint = docker.start().await.unwrap();
    let error = try_look(&endpoint, json!({ "write": "/note" })).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("Read-only file system"), "{error}");
    assert_eq!(
        look(&endpoint, json!({ "write": "/tmp/note" })).await,
        "written"
    );
    docker.stop().await.unwrap();

    let mut docker = mark.docker();
    let endpoint = docker.start().await.unwrap();
    assert_eq!(
        look(&endpoint, json!({ "write": "/note" })).await,
        "written"
    );
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn the_network_can_be_that_of_this_machine() {
    let mark = Mark::new();
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let on_host = || {
        let docker = mark.docker().network("host").port(port);
        docker.env("PORT", port.to_string())
    };
    let error = on_host().start().await.unwrap_err().to_string();
    assert!(
        error.ends_with(&format!("port {port} is in use by another process")),
        "{error}"
    );
    drop(listener);
    let mut docker = on_host();
    let endpoint = docker.start().await.unwrap();
    assert_eq!(endpoint.to_string(), format!("http://127.0.0.1:{port}"));
    docker.stop().await.unwrap();
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn arguments_and_labels_are_passed_on() {
    let mark = Mark::new();
    let mut docker = mark
        .docker()
        .command(["--level", "3"])
        .label("team", "red")
        .label("org.openenv.owner.pid", "1");
    docker.start().await.unwrap();
    let seen = mark.inspect().await;
    assert_eq!(*at(&seen, "/Config/Cmd"), json!(["--level", "3"]));
    assert_eq!(at(&seen, "/Config/Labels/team"), "red");
    // Nobody else says whose it is.
    let owner = &seen["Config"]["Labels"]["org.openenv.owner.pid"];
    assert_eq!(*owner, std::process::id().to_string());
    assert_eq!(seen["Config"]["Labels"]["org.openenv.managed"], "true");
    docker.stop().await.unwrap();
}
