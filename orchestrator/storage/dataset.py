"""Datasets in a store: packed as tar shards with a manifest, staged from there into a folder. The door to all of it."""

from orchestrator.storage.manifest import DatasetError, FileEntry, Manifest, Shard
from orchestrator.storage.notes import staged_digest
from orchestrator.storage.pack import pack
from orchestrator.storage.parallel import Progress
from orchestrator.storage.source import DatasetSource, read_manifest
from orchestrator.storage.stage import stage

__all__ = [
    "DatasetError",
    "DatasetSource",
    "FileEntry",
    "Manifest",
    "Progress",
    "Shard",
    "pack",
    "read_manifest",
    "stage",
    "staged_digest",
]
