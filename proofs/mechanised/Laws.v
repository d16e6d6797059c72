(** The table of laws (RULES.md section 4, "law"), each proved. *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Sharing Term Compare Traversal Semantics Substitution Rules.
Import ListNotations.
Local Open Scope R_scope.

Ltac law := intros; intros M HM HH;
  repeat match goal with V : valid _ _ |- _ => specialize (V M HM HH) end;
  unfold EQ, NE, LE, LT in *; cbn [holds] in *; unfold rholds in *; cbn [r_op r_l r_r relP] in *;
  rewrite ?eval_num in *.
Definition sin_ a := Node (HApp "func.sin" law_sig) [a].
Definition cos_ a := Node (HApp "func.cos" law_sig) [a].
Definition erf_ a := Node (HApp "func.erf" law_sig) [a].
Lemma law_inv H x : valid H (NE x (num 0)) -> valid H (EQ (mul x (u1 HInv x)) (num 1)).
Proof. law. simpl. now apply (k_inv _ (k_ops _ HM)). Qed.
Lemma law_exp_add H x y : valid H (EQ (u1 HExp (add x y)) (mul (u1 HExp x) (u1 HExp y))).
Proof. law. simpl. apply exp_plus. Qed.
Lemma law_exp_gt H x : valid H (LE (add (num 1) x) (u1 HExp x)).
Proof.
  law. change (eval M e0 (num 1) + eval M e0 x <= exp (eval M e0 x)). rewrite eval_num.
  destruct (Req_dec (eval M e0 x) 0) as [->|N]; [rewrite exp_0; lra|left; now apply exp_ineq1].
Qed.
Lemma law_log H x : valid H (LT (num 0) x) -> valid H (EQ (u1 HExp (u1 HLog x)) x).
Proof. law. simpl. now apply (k_log _ (k_ops _ HM)). Qed.
Lemma law_sqrt2 H x : valid H (LE (num 0) x) -> valid H (EQ (mul (u1 HSqrt x) (u1 HSqrt x)) x).
Proof. law. simpl. now apply (k_sqrt2 _ (k_ops _ HM)). Qed.
Lemma law_sqrt_ge H x : valid H (LE (num 0) x) -> valid H (LE (num 0) (u1 HSqrt x)).
Proof. law. simpl (eval M e0 (u1 HSqrt x)). now apply (k_sqrt0 _ (k_ops _ HM)). Qed.
Lemma law_sin2 H x : valid H (EQ (add (mul (sin_ x) (sin_ x)) (mul (cos_ x) (cos_ x))) (num 1)).
Proof. law. simpl. rewrite (k_sin _ HM), (k_cos _ HM). pose proof (sin2_cos2 (eval M e0 x)).
  unfold Rsqr in *. lra. Qed.
Lemma law_sin_add H x y : valid H (EQ (sin_ (add x y)) (add (mul (sin_ x) (cos_ y)) (mul (cos_ x)
  (sin_ y)))).
Proof. law. simpl. rewrite !(k_sin _ HM), !(k_cos _ HM). apply sin_plus. Qed.
Lemma law_cos_add H x y : valid H (EQ (add (cos_ (add x y)) (mul (sin_ x) (sin_ y))) (mul (cos_ x)
  (cos_ y))).
Proof. law. simpl. rewrite !(k_sin _ HM), !(k_cos _ HM), cos_plus. lra. Qed.
Lemma law_erf H x y : valid H (EQ (add x y) (num 0)) -> valid H (EQ (add (erf_ x) (erf_ y))
  (num 0)).
Proof.
  law. simpl in *. replace (eval M e0 y) with (- eval M e0 x) by lra. rewrite (k_erf _ HM). lra.
Qed.
Definition div_ a b := Node HDiv [a; b].
Definition mod_ a b := Node HMod [a; b].
Ltac ints M HM := repeat match goal with
  | Ia : isint ?a = true |- _ => let z := fresh "z" in let E := fresh "E" in
      destruct (isint_sound M HM a e0 Ia) as [z E]; clear Ia; rewrite ?E, ?Int_part_IZR in * end.
Lemma law_div H a b : isint a = true -> isint b = true -> valid H (LT (num 0) b) ->
  valid H (EQ a (add (mul b (div_ a b)) (mod_ a b))).
Proof.
  law. simpl. ints M HM. apply lt_IZR in H2. rewrite <- mult_IZR, <- plus_IZR. f_equal.
    now apply (k_div _ (k_ops _ HM)).
Qed.
Lemma law_mod_ge H a b : isint a = true -> isint b = true -> valid H (LT (num 0) b) ->
  valid H (LE (num 0) (mod_ a b)).
Proof. law. simpl (eval M e0 (mod_ a b)). ints M HM. apply lt_IZR in H2. apply IZR_le.
  now apply (k_mod _ (k_ops _ HM)). Qed.
Lemma law_mod_lt H a b : isint a = true -> isint b = true -> valid H (LT (num 0) b) ->
  valid H (LT (mod_ a b) b).
Proof. law. simpl (eval M e0 (mod_ a b)). ints M HM. apply lt_IZR in H2. apply IZR_lt.
  now apply (k_mod _ (k_ops _ HM)). Qed.
Definition ite_ c a b := Node (HIte (r_op c)) [r_l c; r_r c; a; b].
Lemma law_ite1 H c a b : valid H (FRel c) -> valid H (EQ (ite_ c a b) a).
Proof. law. simpl. now rewrite relb_true. Qed.
Lemma law_ite0 H c a b : valid H (FRel (rneg c)) -> valid H (EQ (ite_ c a b) b).
Proof. intros V. law. apply rneg_holds in V. simpl. now rewrite relb_false. Qed.
