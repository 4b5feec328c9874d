"""How much of what a worker writes gets to the log."""

import time

LINES_PER_SECOND = 200
BURST = 1000


class Allowance:
    """Lets a burst of lines pass, then so many a second, and counts those left out."""

    def __init__(self):
        self._allowed = BURST
        self._at = time.monotonic()
        self.left_out = 0

    def admit(self):
        """None if the next line is left out, else how many were before it."""
        if not self._has_room():
            self.left_out += 1
            return None
        self._allowed -= 1
        return self.take_left_out()

    def catch_up(self):
        """How many were left out, if there is room to tell by now."""
        return self.take_left_out() if self._has_room() else 0

    def take_left_out(self):
        left_out, self.left_out = self.left_out, 0
        return left_out

    def _has_room(self):
        now = time.monotonic()
        self._allowed = min(BURST, self._allowed + (now - self._at) * LINES_PER_SECOND)
        self._at = now
        return self._allowed >= 1


def told(left_out):
    return f"({left_out} more lines left out)"
