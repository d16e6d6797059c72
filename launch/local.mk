# A search shared among processes: a launcher for MPI, where configure was asked for one (--with-mpi), and a script for Slurm.
EXTRA_DIST += launch/assay_mpi.c launch/assay-array.sbatch
launchdir = $(pkgdatadir)/launch
dist_launch_SCRIPTS = launch/assay-array.sbatch
if WITH_MPI
bin_SCRIPTS += assay-mpi
assay-mpi: launch/assay_mpi.c
	$(AM_V_CC)$(MPICC) -O2 -Wall -Wextra -o $@ $(srcdir)/launch/assay_mpi.c
CLEANFILES += assay-mpi
endif
