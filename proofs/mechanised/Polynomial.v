(** Polynomials (RULES.md section 2, "poly").  Soundness needs no canonical form: only that
    normalisation keeps the value. *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Term Compare Semantics.
Import ListNotations.
Local Open Scope R_scope.

Definition mono := list term.
Definition poly := list (mono * Q).
Definition mcmp : mono -> mono -> comparison := lcmp tcmp.
Lemma mcmp_eq a b : mcmp a b = Eq -> a = b.
Proof. apply lcmp_all. exact tcmp_eq. Qed.

Fixpoint mmul (a : mono) : mono -> mono :=
  fix go b := match a, b with
  | [], _ => b | _, [] => a
  | x :: a', y :: b' => match tcmp x y with Gt => y :: go b' | _ => x :: mmul a' b end
  end.
Fixpoint padd (p : poly) : poly -> poly :=
  fix go q := match p, q with
  | [], _ => q | _, [] => p
  | (m, c) :: p', (n, d) :: q' => match mcmp m n with
      | Eq => let s := Qred (c + d) in if Qeq_bool s 0 then padd p' q' else (m, s) :: padd p' q'
      | Lt => (m, c) :: padd p' q
      | Gt => (n, d) :: go q' end
  end.
Definition pmul1 (m : mono) (c : Q) (p : poly) : poly :=
  fold_right (fun x acc => padd [(mmul m (fst x), Qred (c * snd x))] acc) [] p.
Definition pmul (p q : poly) : poly := fold_right (fun x acc => padd (pmul1 (fst x) (snd x) q)
  acc) [] p.
Definition pconst (q : Q) : poly := if Qeq_bool q 0 then [] else [([], q)].
Fixpoint norm (t : term) : poly := match t with
  | Node (HQ q) [] => pconst q
  | Node HAdd [a; b] => padd (norm a) (norm b)
  | Node HMul [a; b] => pmul (norm a) (norm b)
  | _ => [([t], 1%Q)] end.

Section Value.
  Variables (M : model) (e : env).
  Definition mval (m : mono) : R := fold_right (fun t r => eval M e t * r) 1 m.
  Definition pval (p : poly) : R := fold_right (fun x r => Q2R (snd x) * mval (fst x) + r) 0 p.

  Lemma Q2R_0' q : Qeq_bool q 0 = true -> Q2R q = 0.
  Proof. intros H. apply Qeq_bool_eq in H. rewrite (Qeq_eqR _ _ H). unfold Q2R; simpl; lra. Qed.
  Lemma Q2R_red q : Q2R (Qred q) = Q2R q.
  Proof. apply Qeq_eqR, Qred_correct. Qed.
  Lemma mmul_val a : forall b, mval (mmul a b) = mval a * mval b.
  Proof.
    induction a as [|x a IH]; intros b; [destruct b; simpl; lra|].
    induction b as [|y b IHb]; [simpl; lra|].
    change (mmul (x :: a) (y :: b)) with
      (match tcmp x y with Gt => y :: mmul (x :: a) b | _ => x :: mmul a (y :: b) end).
    destruct (tcmp x y); simpl; [rewrite IH|rewrite IH|]; simpl; try lra.
    change (eval M e y * mval (mmul (x :: a) b) = eval M e x * mval a * (eval M e y * mval b)).
    rewrite IHb. simpl. lra.
  Qed.
  Lemma padd_val p : forall q, pval (padd p q) = pval p + pval q.
  Proof.
    induction p as [|[m c] p IH]; intros q; [destruct q; simpl; lra|].
    induction q as [|[n d] q IHq]; [simpl; lra|].
    change (padd ((m, c) :: p) ((n, d) :: q)) with
      (match mcmp m n with
       | Eq => let s := Qred (c + d) in if Qeq_bool s 0 then padd p q else (m, s) :: padd p q
       | Lt => (m, c) :: padd p ((n, d) :: q)
       | Gt => (n, d) :: padd ((m, c) :: p) q end).
    destruct (mcmp m n) eqn:E.
    - apply mcmp_eq in E as ->. cbv zeta.
      assert (S : Q2R (Qred (c + d)) = Q2R c + Q2R d) by (rewrite Q2R_red; apply Q2R_plus).
      destruct (Qeq_bool (Qred (c + d)) 0) eqn:Z.
      + apply Q2R_0' in Z. rewrite IH.
        change (pval p + pval q = Q2R c * mval n + pval p + (Q2R d * mval n + pval q)).
        replace (Q2R c) with (- Q2R d) by lra. lra.
      + change (Q2R (Qred (c + d)) * mval n + pval (padd p q)
        = Q2R c * mval n + pval p + (Q2R d * mval n + pval q)).
        rewrite IH, S. lra.
    - simpl. rewrite IH. simpl. lra.
    - change (Q2R d * mval n + pval (padd ((m, c) :: p) q) =
              Q2R c * mval m + pval p + (Q2R d * mval n + pval q)).
      rewrite IHq. simpl. lra.
  Qed.
  Lemma pmul1_val m c p : pval (pmul1 m c p) = Q2R c * mval m * pval p.
  Proof.
    unfold pmul1. induction p as [|x p IH]; [simpl; lra|]. cbn [fold_right]. rewrite padd_val, IH.
    cbn [pval fold_right fst snd]. fold (pval p). rewrite mmul_val, Q2R_red, Q2R_mult. lra.
  Qed.
  Lemma pmul_val p q : pval (pmul p q) = pval p * pval q.
  Proof.
    unfold pmul. induction p as [|x p IH]; [simpl; lra|]. cbn [fold_right].
      rewrite padd_val, IH, pmul1_val.
    cbn [pval fold_right]. fold (pval p). lra.
  Qed.
  Lemma pconst_val q : pval (pconst q) = Q2R q.
  Proof. unfold pconst. destruct (Qeq_bool q 0) eqn:E; simpl; [apply Q2R_0' in E|]; lra. Qed.
  Lemma atom_val t : pval [([t], 1%Q)] = eval M e t.
  Proof. simpl. unfold Q2R. simpl. lra. Qed.
  Lemma norm_val t : pval (norm t) = eval M e t.
  Proof.
    induction t using term_ind'; try apply atom_val.
    rewrite Forall_forall in H.
    destruct h; try apply atom_val; destruct ks as [|a [|b [|]]]; try apply atom_val; cbn [norm].
    - apply pconst_val.
    - rewrite padd_val, !H; simpl; auto.
    - rewrite pmul_val, !H; simpl; auto.
  Qed.
End Value.

(** The two terms are the same polynomial. *)
Definition pcmp : poly -> poly -> comparison :=
  lcmp (fun x y => lexc (mcmp (fst x) (fst y)) (hcmp (HQ (snd x)) (HQ (snd y)))).
Definition ring_eq (a b : term) : bool := is_eq (pcmp (norm a) (norm b)).
Lemma ring_eq_sound M e a b : ring_eq a b = true -> eval M e a = eval M e b.
Proof.
  unfold ring_eq. intros H. apply is_eq_eq in H. apply lcmp_all in H.
  - now rewrite <- !norm_val, H.
  - intros [m c] [n d] E. simpl in E. apply lexc_eq in E as [E1 E2]. apply mcmp_eq in E1.
    apply (hcmp_eq (HQ c) (HQ d)) in E2. congruence.
Qed.
Definition rational (t : term) : option Q := match norm t with
  | [] => Some 0%Q | [([], q)] => Some q | _ => None end.
Lemma rational_sound M e t q : rational t = Some q -> eval M e t = Q2R q.
Proof.
  unfold rational. rewrite <- norm_val. destruct (norm t) as [|[[|] c] [|]]; try discriminate;
    intros E; injection E as <-; simpl; try lra; try (unfold Q2R; simpl; lra).
Qed.
