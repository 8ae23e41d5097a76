"""The project's images, made from the checkout without a registry; `python -m tests.cluster.images` loads them.

The slow layers (Debian with Python, the dependencies) are kept outside the checkout; the code is seconds.
"""
