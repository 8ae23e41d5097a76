"""Where tasks run, behind one small protocol: processes on this machine (`local/`), Jobs on a cluster."""
