#!/bin/bash
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
#SBATCH --job-name=upfirdn
# Reduces the radiographs below IN to a quarter, each task one of 16 shards. Submit it again after a failure: what is done stays.
#   sbatch slurm.sh IN OUT
exec upfirdn resize "$1" -r -o "$2/" --scale 1/4 --skip-existing --threads "${SLURM_CPUS_PER_TASK:-2}" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --failed "failed-$SLURM_ARRAY_TASK_ID.txt"
