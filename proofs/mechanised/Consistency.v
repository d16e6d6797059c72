(** There is a model: what [ok] asks of one is not contradictory. *)
From Coq Require Import String Bool ZArith List Reals Lra Lia.
From Assay Require Import Term Semantics.
Import ListNotations.
Local Open Scope R_scope.

Definition usual_ops := {| o_inv := Rinv; o_sqrt := sqrt; o_log := ln; o_div := Z.div;
  o_mod := Z.modulo |}.
Definition usual_f (f : string) (sg : signature) (vs : list R) : R := match snd sg, vs with
  | Re, [x] => if String.eqb f "func.sin" then sin x else if String.eqb f "func.cos" then
    cos x else 0
  | _, _ => 0 end.
Definition usual := {| m_ops := usual_ops; m_v := fun _ _ => 0; m_f := usual_f |}.
Theorem ok_usual : ok usual.
Proof.
  split; simpl.
  - split; simpl; intros.
    + now apply Rinv_r.
    + now apply sqrt_sqrt.
    + apply sqrt_pos.
    + now apply exp_ln.
    + apply Z.div_mod. lia.
    + now apply Z.mod_pos_bound.
  - intros x. now exists 0%Z.
  - intros f sg vs E _. unfold usual_f. rewrite E. now exists 0%Z.
  - reflexivity.
  - reflexivity.
  - intros x. unfold usual_f; simpl. lra.
Qed.
