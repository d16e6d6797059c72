/* assay-mpi: a search shared among the processes of an MPI job.
 *
 *     mpirun -n 4 assay-mpi PROGRAM.tp DIR [OPTIONS of assay optimize]
 *
 * Each process runs `assay optimize --shard I/N`; when all are done, the first one runs `assay
 * merge`, which leaves DIR as one process would.  The folder of DIR must be one that all processes
 * see. Includes MPI and libc only. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4096 };

/* the exit status; 4: it could not be run */
static int run(char *const *command) {
  pid_t child = fork();
  if (child == 0) {
    execvp(command[0], command);
    perror(command[0]);
    _exit(4);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
    return 4;
  return WEXITSTATUS(status);
}

static void share_path(char path[PATH], const char *dir, int number) {
  snprintf(path, PATH, "%s.share%d", dir, number);
}

/* `assay optimize --shard` for one of n */
static int run_share(const char *assay, char **argv, int argc, int number, int n) {
  char share[64];
  char path[PATH];
  snprintf(share, sizeof share, "--shard=%d/%d", number, n);
  share_path(path, argv[2], number);
  const char **command = calloc((size_t)argc + 8, sizeof *command);
  int at = 0;
  command[at++] = assay;
  command[at++] = "optimize";
  command[at++] = argv[1];
  command[at++] = share;
  command[at++] = "-q";
  command[at++] = "-o";
  command[at++] = path;
  for (int i = 3; i < argc; i++)
    command[at++] = argv[i];
  int status = run((char *const *)command);
  free(command);
  return status;
}

static int run_merge(const char *assay, char **argv, int argc, int n) {
  char(*path)[PATH] = calloc((size_t)n, sizeof *path);
  const char **command = calloc((size_t)argc + (size_t)n + 8, sizeof *command);
  int at = 0;
  command[at++] = assay;
  command[at++] = "merge";
  command[at++] = argv[1];
  for (int i = 0; i < n; i++) {
    share_path(path[i], argv[2], i + 1);
    command[at++] = path[i];
  }
  command[at++] = "-o";
  command[at++] = argv[2];
  for (int i = 3; i < argc; i++)
    command[at++] = argv[i];
  int status = run((char *const *)command);
  for (int i = 0; i < n; i++)
    unlink(path[i]);
  free(command);
  free(path);
  return status;
}

int main(int argc, char **argv) {
  int rank;
  int n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  int status = 2;
  if (argc < 3) {
    if (rank == 0)
      fputs("usage: mpirun -n N assay-mpi PROGRAM.tp DIR [OPTIONS of assay optimize]\n", stderr);
  } else {
    const char *assay = getenv("ASSAY") ? getenv("ASSAY") : "assay";
    int own = run_share(assay, argv, argc, rank + 1, n);
    int worst;
    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    status = worst;
    if (worst == 0 && rank == 0)
      status = run_merge(assay, argv, argc, n);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return status;
}
