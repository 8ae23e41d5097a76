#!/usr/bin/env bash
# Finds a Python with scikit-learn and becomes the agent: $AGENT_PYTHON, the conda environment `agent`, or python3.
set -euo pipefail

here=${AGENT_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}

# Several runs share a machine: one thread each is quicker than threads that wait for one another, and repeatable.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

find_python() {
    if [[ -n ${AGENT_PYTHON:-} ]]; then
        echo "$AGENT_PYTHON"
        return
    fi
    local conda prefix
    # Not `conda run`: it would stand between the agent and the TERM that ends it.
    if conda=$(command -v conda) && prefix=$(dirname "$(dirname "$conda")") && [[ -x $prefix/envs/agent/bin/python ]]; then
        echo "$prefix/envs/agent/bin/python"
        return
    fi
    echo python3
}

exec "$(find_python)" "$here/agent.py" "$@"
