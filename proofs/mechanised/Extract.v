(** Extraction to OCaml.  What is trusted beside Coq's own mapping of types to those of OCaml: two
    library functions that are given for Coq's, and sharing (Sharing.v, sharing.ml). *)
From Coq Require Extraction.
From Coq Require Import ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt ExtrOcamlNativeString ZArith.
From Assay Require Import Sharing Compare Checker.

Extract Inlined Constant String.compare =>
  "(fun a b -> let c = Stdlib.compare (a : string) b in if c < 0 then Lt else if c > 0 then Gt else Eq)".
Extract Inlined Constant Z.gcd => "Big_int_Z.gcd_big_int".

Extract Constant same => "fun a b f -> if a == b then Eq else f ()".
Extract Constant identical => "(==)".
Extract Constant intern => "Sharing.intern".
Extract Constant table => "Sharing.table".
Extract Constant new_table => "Sharing.new_table".
Extract Constant once => "Sharing.once".

(** so that the second argument is looked at only if the first is Eq *)
Extraction Inline lexc.
Extraction "kernel.ml" verdict.
