# judging
noinst_LIBRARIES += libasjudge.a
libasjudge_a_SOURCES = verify/judge/judge.h verify/judge/judge_int.h verify/judge/judge.c verify/judge/policy.c \
  verify/judge/job.h verify/judge/job.c verify/judge/trials.c verify/judge/implied.c verify/judge/pruned.c verify/judge/verdict.c
libasjudge_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
