"""What starts servers: nothing does, here."""
