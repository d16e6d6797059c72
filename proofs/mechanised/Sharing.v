(** Sharing of terms at run time.

    Terms are directed acyclic graphs in memory and trees in Coq, so functions over them would take
    exponential time.  Each definition here is an identity of which nothing but this is proved or
    used; extraction realises them by physical equality and hash tables (Extract.v), which is right
    as long as physically equal values are equal and a table gives back what was put into it. *)
From Coq Require Import Arith.

(** [same a b f] is [f tt].  At run time Eq is answered at once where a and b are one object, so f
    has to give Eq on equal values: every use has a lemma that says so. *)
Definition same {A} (a b : A) (f : unit -> comparison) : comparison := f tt.

(** [intern alike a] is a.  At run time it is an object met before of which [alike] says that it is
    as good, so [alike] may hold of equal values alone; [identical] asks there whether two parts are
    one object. *)
Definition identical {A} (a b : A) : bool := false.
Definition intern {A} (alike : A -> A -> bool) (a : A) : A := a.

(** [once tb d a f] is [f tt].  At run time it is computed once for each number d and object a, so
    all uses of one table must compute one function of d and a. *)
Definition table := unit.
Definition new_table (_ : unit) : table := tt.
Definition once {A B} (tb : table) (d : nat) (a : A) (f : unit -> B) : B := f tt.
