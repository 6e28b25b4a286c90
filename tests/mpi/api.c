/* What programs ask Tutti by tutti/tutti.h: api loaded | absent. Loaded, on at least three ranks: plans that are set serve, and are given
   back; what is wrong is said; statistics tell of it. Absent: nothing happens, and everything says so. */

#include "tutti/tutti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, failures;

static void expect(int well, const char* what) {
  if (well) return;
  fprintf(stderr, "rank %d: %s (%s)\n", rank, what, tutti_error());
  ++failures;
}

struct wanted {
  const char *operation, *plan;
  unsigned long long calls;
};

static void count(const struct tutti_use* use, void* context) {
  struct wanted* wanted = context;
  if (!strcmp(use->operation, wanted->operation) && !strcmp(use->plan, wanted->plan)) wanted->calls += use->calls;
}

static unsigned long long calls_of(const char* operation, const char* plan) {
  struct wanted wanted;
  wanted.operation = operation;
  wanted.plan = plan;
  wanted.calls = 0;
  expect(tutti_statistics(count, &wanted) == TUTTI_SUCCESS, "statistics");
  return wanted.calls;
}

static void find_table(const struct tutti_setting* setting, void* found) {
  if (!strcmp(setting->name, "TUTTI_TABLE") && strlen(setting->meaning) > 10) *(int*)found = 1;
}

static int sum(MPI_Comm comm) {
  int mine = rank + 1, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  return all;
}

static void check_absent(void) {
  char text[64] = "untouched";
  int found = 0;
  expect(!strcmp(tutti_version(), ""), "a version though it is absent");
  expect(tutti_set_plan(MPI_COMM_WORLD, "bcast", "ring") == TUTTI_NOT_LOADED, "set_plan");
  expect(tutti_get_plan(MPI_COMM_WORLD, "bcast", 8, text, sizeof text) == TUTTI_NOT_LOADED, "get_plan");
  expect(tutti_explain(MPI_COMM_WORLD, "bcast", 8, text, sizeof text) == TUTTI_NOT_LOADED, "explain");
  expect(!strcmp(text, "untouched"), "text was touched");
  expect(tutti_time_calls(1) == TUTTI_NOT_LOADED, "time_calls");
  expect(tutti_statistics(count, NULL) == TUTTI_NOT_LOADED, "statistics");
  expect(tutti_settings(find_table, &found) == TUTTI_NOT_LOADED && !found, "settings");
  expect(tutti_begin_phase("solve") == TUTTI_NOT_LOADED && tutti_end_phase() == TUTTI_NOT_LOADED, "phases");
  expect(tutti_name(MPI_COMM_WORLD, "everybody") == TUTTI_SUCCESS, "name");
  expect(strlen(tutti_error()) > 0, "error");
}

static void check_plans(MPI_Comm comm) {
  char text[256];
  const int right = ranks * (ranks + 1) / 2;
  int i;
  expect(tutti_set_plan(comm, "allreduce", "ring") == TUTTI_SUCCESS, "set ring");
  for (i = 0; i < 5; ++i) expect(sum(comm) == right, "sum by ring");
  expect(calls_of("MPI_Allreduce", "ring") == 5, "five calls by ring");
  expect(tutti_get_plan(comm, "allreduce", 4, text, sizeof text) == TUTTI_SUCCESS && !strcmp(text, "ring"), "get ring");
  expect(tutti_explain(comm, "allreduce", 4, text, sizeof text) == TUTTI_SUCCESS &&
             !strcmp(text, "ring: chosen by the program"), text);
  expect(tutti_get_plan(comm, "allreduce", 4, text, 3) == TUTTI_SUCCESS && !strcmp(text, "ri"), "text is cut");
  /* Another, the first again, and back. */
  expect(tutti_set_plan(comm, "allreduce", "recursive_doubling") == TUTTI_SUCCESS && sum(comm) == right, "another");
  expect(tutti_set_plan(comm, "allreduce", "ring") == TUTTI_SUCCESS && sum(comm) == right, "the first again");
  expect(calls_of("MPI_Allreduce", "ring") == 6 && calls_of("MPI_Allreduce", "recursive_doubling") == 1, "counts");
  expect(tutti_set_plan(comm, "allreduce", NULL) == TUTTI_SUCCESS && sum(comm) == right, "back");
  expect(calls_of("MPI_Allreduce", "ring") == 6, "ring has gone");
  expect(tutti_get_plan(comm, "allreduce", 4, text, sizeof text) == TUTTI_SUCCESS && !strcmp(text, "native"), text);
}

static void check_nonblocking(MPI_Comm comm) {
  MPI_Request request;
  int value = rank == 0 ? 42 : 0;
  expect(tutti_set_plan(comm, "ibcast", "binomial") == TUTTI_SUCCESS, "set ibcast");
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  expect(tutti_set_plan(comm, "ibcast", "") == TUTTI_SUCCESS, "given back while it is under way");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(value == 42, "ibcast");
  expect(calls_of("MPI_Ibcast", "binomial") == 1, "one ibcast");
}

static void check_errors(MPI_Comm comm) {
  char text[64];
  MPI_Comm unknown, half, between;
  expect(tutti_set_plan(comm, "bcat", "ring") == TUTTI_NO_OPERATION, "no such operation");
  expect(tutti_set_plan(comm, NULL, "ring") == TUTTI_NO_OPERATION, "no operation");
  expect(tutti_set_plan(comm, "bcast", "rnig") == TUTTI_NO_PLAN && strstr(tutti_error(), "rnig"), "no such plan");
  expect(tutti_set_plan(comm, "bcast", "grid(64x64)") == TUTTI_NO_PLAN, "a plan for others");
  expect(tutti_set_plan(comm, "bcast", rank == 1 ? "linear" : "binomial") == TUTTI_NOT_ALIKE, "ranks differ");
  expect(tutti_set_plan(comm, "iallreduce", "via(reduce,bcast)") == TUTTI_NO_PLAN && strstr(tutti_error(), "would block"),
         "a plan that would block");
  expect(tutti_set_plan(MPI_COMM_SELF, "bcast", "binomial") == TUTTI_NOT_SERVED, "one rank");
  expect(tutti_end_phase() == TUTTI_NO_PHASE, "no phase");
  MPI_Comm_dup(comm, &unknown);
  expect(tutti_get_plan(unknown, "bcast", 8, text, sizeof text) == TUTTI_NOT_SERVED, "nothing is known yet");
  MPI_Comm_free(&unknown);
  MPI_Comm_split(comm, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, comm, rank % 2 ? 0 : 1, 1, &between);
  expect(tutti_set_plan(between, "bcast", "binomial") == TUTTI_NOT_SERVED, "between groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

static void check_phases(MPI_Comm comm) {
  int i, found = 0;
  expect(tutti_begin_phase("solve") == TUTTI_SUCCESS, "begin");
  for (i = 0; i < 3; ++i) sum(comm);
  expect(tutti_begin_phase("exchange") == TUTTI_SUCCESS, "begin within");
  for (i = 0; i < 2; ++i) sum(comm);
  expect(tutti_end_phase() == TUTTI_SUCCESS && tutti_end_phase() == TUTTI_SUCCESS, "ends");
  expect(tutti_settings(find_table, &found) == TUTTI_SUCCESS && found, "settings");
  expect(tutti_time_calls(1) == TUTTI_SUCCESS, "time");
}

/* Whoever asks alone is told where it can find neighbours by itself, and changes nothing. */
static void check_neighbors(MPI_Comm ring, int status) {
  char text[64] = "";
  MPI_Request request;
  int mine = rank, left_and_right[2] = {-1, -1};
  sum(ring);
  if (rank == 0) expect(tutti_get_plan(ring, "neighbor_allgather", 4, text, sizeof text) == status, "neighbours");
  if (rank == 0) expect(!strcmp(text, status == TUTTI_SUCCESS ? "native" : ""), text);
  MPI_Ineighbor_allgather(&mine, 1, MPI_INT, left_and_right, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum(ring);
  expect(left_and_right[0] == (rank + ranks - 1) % ranks && left_and_right[1] == (rank + 1) % ranks, "neighbours' numbers");
  expect(tutti_get_plan(ring, "neighbor_allgather", 4, text, sizeof text) == TUTTI_SUCCESS, "neighbours that all have found");
  MPI_Comm_free(&ring);
}

static void check_rings(void) {
  const int around = 1, beside[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &around, 0, &ring);
  check_neighbors(ring, TUTTI_SUCCESS);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, beside, 2, beside, beside, MPI_INFO_NULL, 0, &ring);
  check_neighbors(ring, TUTTI_NOT_SERVED);
}

int main(int argc, char** argv) {
  const int loaded = argc > 1 && !strcmp(argv[1], "loaded");
  MPI_Comm comm;
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  tutti_name(comm, "everybody");
  if (loaded) {
    expect(!strncmp(tutti_version(), "0.", 2), "version");
    check_plans(comm);
    check_nonblocking(comm);
    check_errors(comm);
    check_phases(comm);
    check_rings();
  } else {
    check_absent();
    expect(sum(comm) == ranks * (ranks + 1) / 2, "sum");
  }
  MPI_Comm_free(&comm);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("api: all right\n");
  MPI_Finalize();
  return failures != 0;
}
