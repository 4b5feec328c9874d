"""Started by the server: `python <directory of this file> <job as JSON>`."""

from openenv_worker.nursery import main

main()
