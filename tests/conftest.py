"""For all tests: what a shell took away from a test run in the background is given back, and nothing is timed."""

import signal

from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # else agents inherit a Ctrl-C that nobody hears

settings.register_profile("untimed", deadline=None)  # a busy machine is no fault of what is tested
settings.load_profile("untimed")
