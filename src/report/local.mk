# What was judged, shown: pages, JSON, JUnit XML, drawings, result directories.
noinst_LIBRARIES += libasreport.a
libasreport_a_SOURCES = src/report/report.h src/report/result.h src/report/judged.h src/report/junit.h src/report/draw.h \
  src/report/explain.h src/report/operators.h \
  src/report/cex.c src/report/draw.c src/report/explain.c src/report/html.c src/report/item.c src/report/json.c src/report/junit.c \
  src/report/operators.c src/report/package.c src/report/report.c src/report/result.c src/report/svg.h src/report/svg.c src/report/style.c src/report/text.c src/report/same.c
libasreport_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
