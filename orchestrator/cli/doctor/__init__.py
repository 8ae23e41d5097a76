"""What `mlectl doctor` looks at: this machine (`machine.py`), or a cluster before it costs money (`examine.py`).

A family of checks is a file. What looks and what judges are apart: `look_…` asks the API server, `judge_…` is a pure
function from what was found to lines. What only a pod can see is tried by pods of ours (`pods.py`).
"""
