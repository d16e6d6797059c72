#!/bin/sh
# What number a literal is read as: printed, the shortest decimal that rounds to the same f32, or a fraction that does.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# READING LITERAL NUMBER [TYPE]: a kernel that stores twice the literal stores that number, and what was done is said
reads() {
  cat >literal.ttir <<END
module {
  tt.func public @literal(%y: !tt.ptr<${4:-f32}>) {
    %c = arith.constant $2 : ${4:-f32}
    tt.store %y, %c : !tt.ptr<${4:-f32}>
    tt.return
  }
}
END
  "$assay" lift --literals="$1" --grid 1 --writes-all --argument y=1 literal.ttir >out 2>err || fail "$2 is not read: $(cat err)"
  grep -qxF "  store y[0] = $3 over []" out || fail "$2 is read $1 as $(grep store out), not $3"
}

reads printed 0.166666672 0.166666672
reads decimal 0.166666672 0.16666667
reads fraction 0.166666672 '1 / 6'
reads fraction -0.166666672 '(-1) / 6'
reads fraction 0x3E2AAAAB '1 / 6'
reads fraction 1.33333337 '4 / 3'
reads fraction 8.68055562E-4 '1 / 1152'
# its neighbours are none
reads fraction 0.166666657 0.16666666
reads fraction 0.166666687 0.16666669
# decimals of few digits are meant as such, though 0.142857 is near a seventh, and 0.333333 near a third
reads fraction 0.1 0.1
reads fraction 9.99999974E-6 1e-05
reads fraction 0.142857 0.142857
reads fraction 0.333333 0.333333
reads fraction 0.333333343 '1 / 3'
# roots and the like are near no fraction of small numbers
reads fraction 0.707106769 0.70710677
reads fraction 0.398942292 0.3989423
reads fraction 1.44269502 1.442695
# doubles are not looked at
reads fraction 0.16666666666666666 0.16666666666666666 f64
finish
