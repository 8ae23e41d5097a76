"""How long every preparer and grader takes as its data grow: `make bench-competitions`.

`work.py` says what is measured and on which data, `measure.py` how, `ramp.py` at which sizes and `growth.py` what
follows. Data come from the tests' kit, from replicated rows of it, or from `large/` where the kit's pictures are too
small to be like the real ones. `obvious/` holds the plain implementation of each, and `targets.py` says by how much
ours is to beat it. Results are kept as they come, in a file that the next call goes on with; `page.py` makes
docs/benchmarks.md.
"""
