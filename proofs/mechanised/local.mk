# The calculus and the reading of certificates proved in Coq, and the checker extracted from the proofs; not part of `make`, as it wants
# Coq and OCaml.  The checker stands beside assay-check, where `assay check --checkers=all` looks for it.
mechanised: assay-elab$(EXEEXT)
	@$(SHELL) '$(srcdir)/proofs/mechanised/build.sh' '$(srcdir)/proofs/mechanised' mechanised || test $$? = 77
	@if test -f mechanised/assay-check-extracted; then cp mechanised/assay-check-extracted .; fi
.PHONY: mechanised
CLEANFILES += assay-check-extracted
mechanised_clean:
	rm -rf mechanised
.PHONY: mechanised_clean
EXTRA_DIST += proofs/mechanised
