#!/bin/sh
# a text file as a table of C strings: sh text.sh FILE FUNCTION > FILE.c
set -e
echo "/* Made by text.sh from $(basename "$1"). */"
echo '#include <stddef.h>'
echo "const char *const *$2(void);"
echo 'static const char *const text[] = {'
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/  "/' -e 's/$/\\n",/' "$1"
echo '  NULL};'
echo "const char *const *$2(void) { return text; }"
