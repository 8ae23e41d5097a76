"""The project's images, from Dockerfile to archive; `make images` is `python -m images`.

bases.lock orchestrator/ agent-base/ agent-finish/ agents/      what is built, and on what
recipes.py                                                      the images by name
bases.py engines.py facts.py                                    the base's digest; docker or buildah; version and date
archive.py bill.py leaks.py                                     an image as it would be pushed: its files, its
                                                                bill of materials, secrets that must not be there
"""
