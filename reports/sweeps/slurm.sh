#!/bin/sh
#SBATCH --job-name=mneme
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
#SBATCH --time=12:00:00
#SBATCH --requeue
# A level of Mneme as a Slurm array, each task one shard.  From the built tree, or with MNEME=mneme where it is installed:
#
#     sbatch reports/sweeps/slurm.sh ['vort.*' ...]
#     mneme merge --json verify.json journals/*.jsonl       once all tasks have ended
#
# A task that is stopped, killed or requeued goes on from its journal; merge names the units that are missing.
# SHARDS stays as it is when only some tasks are submitted again (sbatch --array=3,7 ...).
set -eu
SHARDS=${SHARDS:-16}
mkdir -p "${JOURNALS:=journals}"
export OMP_NUM_THREADS=1
exec "${MNEME:-build/bin/mneme}" verify --level "${LEVEL:-extended}" -j "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" --journal "$JOURNALS/$SLURM_ARRAY_TASK_ID.jsonl" "$@"
