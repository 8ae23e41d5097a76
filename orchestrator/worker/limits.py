"""How much is taken of what an agent leaves. Honest work stays far below; without limits one run could fill a store."""

from __future__ import annotations

MIB, GIB = 1 << 20, 1 << 30

SUBMISSION_BYTES = 2 * GIB
"""The same as the graders read at most; they limit rows, columns and cells too."""
CODE_BYTES = 9 * GIB // 2
"""Of code.tar: a presigned URL takes one request, and S3 takes at most 5 GiB in one."""
LOGS_BYTES = 2 * GIB
COPIES_BYTES = CODE_BYTES + 4 * SUBMISSION_BYTES
"""That a courier has on disk at a time: a tar, and submissions (the last snapshot, the next one, the final one, and one
that is being validated)."""
AGENT_LOG_BYTES = 64 * MIB
"""Of logs/agent.log beside logs.tar: its end, which is what people read."""
FOLDER_FILES = 200_000
FOLDER_DEPTH = 64
UPLOAD_SECONDS = 600.0
"""An upload for validation may take so long in all, however steadily it trickles in."""
