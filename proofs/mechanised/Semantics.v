(** What terms, formulas and sequents mean (RULES.md section 1, "Meaning"). *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Term.
Import ListNotations.
Local Open Scope R_scope.

(** The partial operations: total functions, of which [ok] says all that is known. *)
Record ops := { o_inv : R -> R; o_sqrt : R -> R; o_log : R -> R; o_div : Z -> Z -> Z;
  o_mod : Z -> Z -> Z }.
Record model := { m_ops : ops; m_v : string -> sort -> R; m_f : string -> signature -> list R ->
  R }.

Definition is_int (r : R) := exists z, r = IZR z.
Definition law_sig : signature := ([Re], Re).
Definition arg_int s v := s = I -> is_int v.

Record ok_ops (o : ops) : Prop := {
  k_inv : forall x, x <> 0 -> x * o_inv o x = 1;
  k_sqrt2 : forall x, 0 <= x -> o_sqrt o x * o_sqrt o x = x;
  k_sqrt0 : forall x, 0 <= x -> 0 <= o_sqrt o x;
  k_log : forall x, 0 < x -> exp (o_log o x) = x;
  k_div : forall a b, (0 < b)%Z -> (a = b * o_div o a b + o_mod o a b)%Z;
  k_mod : forall a b, (0 < b)%Z -> (0 <= o_mod o a b < b)%Z }.

Record ok (M : model) : Prop := {
  k_ops : ok_ops (m_ops M);
  k_v : forall x, is_int (m_v M x I);
  k_f : forall f sg vs, snd sg = I -> Forall2 arg_int (fst sg) vs -> is_int (m_f M f sg vs);
  k_sin : forall x, m_f M "func.sin" law_sig [x] = sin x;
  k_cos : forall x, m_f M "func.cos" law_sig [x] = cos x;
  k_erf : forall x, m_f M "func.erf" law_sig [- x] = - m_f M "func.erf" law_sig [x] }.

Definition relP (r : rel) (a b : R) : Prop := match r with
  | REq => a = b | RNe => a <> b | RLe => a <= b | RLt => a < b end.
Definition relb (r : rel) (a b : R) : bool := match r with
  | REq => if Req_EM_T a b then true else false
  | RNe => if Req_EM_T a b then false else true
  | RLe => if Rle_dec a b then true else false
  | RLt => if Rlt_dec a b then true else false end.
Lemma relb_true r a b : relP r a b -> relb r a b = true.
Proof.
  destruct r; simpl; intros H; try destruct (Req_EM_T a b); try destruct (Rle_dec a b);
    try destruct (Rlt_dec a b); auto; congruence.
Qed.
Lemma relb_false r a b : ~ relP r a b -> relb r a b = false.
Proof.
  destruct r; simpl; intros H; try destruct (Req_EM_T a b); try destruct (Rle_dec a b);
    try destruct (Rlt_dec a b); auto; try congruence; now exfalso.
Qed.
Lemma relP_dec r a b : relP r a b \/ ~ relP r a b.
Proof. destruct r; simpl; lra. Qed.

Definition env := nat -> R.
Definition e0 : env := fun _ => 0.
(** a fold's binders: counter k, states v *)
Definition ext (w : nat) (k : R) (v : list R) (e : env) : env := fun i =>
  match i with O => k | S j => if (j <? w)%nat then nth j v 0 else e (j - w)%nat end.
(** a clause's binders *)
Definition bext (m : nat) (zs : nat -> Z) (e : env) : env := fun i =>
  if (i <? m)%nat then IZR (zs i) else e (i - m)%nat.

Definition node (M : model) (h : head) (vs : list R) : R :=
  match h, vs with
  | HQ q, [] => Q2R q
  | HAdd, [a; b] => a + b
  | HMul, [a; b] => a * b
  | HDiv, [a; b] => IZR (o_div (m_ops M) (Int_part a) (Int_part b))
  | HMod, [a; b] => IZR (o_mod (m_ops M) (Int_part a) (Int_part b))
  | HInv, [a] => o_inv (m_ops M) a
  | HExp, [a] => exp a
  | HSqrt, [a] => o_sqrt (m_ops M) a
  | HLog, [a] => o_log (m_ops M) a
  | HIte r, [a; b; t; f] => if relb r a b then t else f
  | HApp f sg, vs => m_f M f sg vs
  | _, _ => 0
  end.

Fixpoint rounds (f : nat -> list R -> list R) (n : nat) (v : list R) : list R :=
  match n with O => v | S k => f k (rounds f k v) end.

Fixpoint eval (M : model) (e : env) (t : term) {struct t} : R :=
  match t with
  | Var x s => m_v M x s
  | Bnd i _ => e i
  | Node h ks => node M h (map (eval M e) ks)
  | Fold p n bs ss =>
      nth p (rounds (fun k v => map (fun s => eval M (ext (length ss) (INR k) v e) s) ss)
                    (Z.to_nat (Int_part (eval M e n))) (map (eval M e) bs)) 0
  end.

Definition rholds M e (a : relation) := relP (r_op a) (eval M e (r_l a)) (eval M e (r_r a)).
Definition holds (M : model) (f : formula) : Prop := match f with
  | FRel a => rholds M e0 a
  | FAll m cs c => forall zs, (forall a, In a cs -> rholds M (bext m zs e0) a) ->
    rholds M (bext m zs e0) c
  end.

(** Validity of a sequent *)
Definition valid (H : list formula) (F : formula) : Prop :=
  forall M, ok M -> (forall h, In h H -> holds M h) -> holds M F.
