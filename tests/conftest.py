"""For all tests: what a shell took away from a test run in the background is given back."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # else agents inherit a Ctrl-C that nobody hears
