# source /opt/conda/etc/profile.d/conda.sh: conda activate and deactivate for this shell
eval "$(/opt/conda/bin/conda shell.bash hook)"
