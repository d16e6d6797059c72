# The claim: what the checker reads in the user's files.
BUDGETS += tests/claim=8
check_PROGRAMS += tests/claim/test_claim
TESTS += tests/claim/test_claim
tests_claim_test_claim_SOURCES = tests/claim/test_claim.c
tests_claim_test_claim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_claim_test_claim_LDADD = libck.a $(GMP_LIBS)
EXTRA_DIST += tests/claim/claim.cases tests/claim/cut.cases tests/claim/tile.cases tests/claim/vectors
TESTS += tests/claim/test_vectors.sh
check_SCRIPTS += tests/claim/test_vectors.sh
FAST_TESTS += tests/claim/test_claim
check_PROGRAMS += tests/claim/test_admit
TESTS += tests/claim/test_admit
tests_claim_test_admit_SOURCES = tests/claim/test_admit.c
tests_claim_test_admit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_claim_test_admit_LDADD = libck.a $(GMP_LIBS)
