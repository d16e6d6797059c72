(** The rules of RULES.md section 4 that need no traversal of their own. *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Sharing Term Compare Traversal Semantics Substitution Polynomial.
Import ListNotations.
Local Open Scope R_scope.

Definition num (z : Z) := Node (HQ (z # 1)) [].
Definition add a b := Node HAdd [a; b].
Definition mul a b := Node HMul [a; b].
Definition u1 h a := Node h [a].
Definition EQ a b := FRel (Rel REq a b).
Definition NE a b := FRel (Rel RNe a b).
Definition LE a b := FRel (Rel RLe a b).
Definition LT a b := FRel (Rel RLt a b).
Definition rneg (a : relation) := match r_op a with
  | REq => Rel RNe (r_l a) (r_r a) | RNe => Rel REq (r_l a) (r_r a)
  | RLe => Rel RLt (r_r a) (r_l a) | RLt => Rel RLe (r_r a) (r_l a) end.

Lemma eval_num M e z : eval M e (num z) = IZR z.
Proof. simpl. unfold Q2R. simpl. rewrite ?Rinv_1. lra. Qed.
Lemma rneg_holds M e a : rholds M e (rneg a) <-> ~ rholds M e a.
Proof. destruct a as [[] a b]; unfold rholds, rneg; simpl; lra. Qed.

(** Hypotheses of a premise: each is discharged ([out]) or among those of the conclusion. *)
Definition left_of (H out K : list formula) := forall h, In h H -> In h out \/ In h K.
Lemma weaken H K F : valid H F -> incl H K -> valid K F.
Proof. intros V I M HM HK. apply V; auto. Qed.

Lemma sound_hyp F : valid [F] F.
Proof. intros M _ H. apply H. simpl; auto. Qed.

Lemma sound_use H m cs c ts : length ts = m -> forallb isint ts = true ->
  valid H (FAll m cs c) -> (forall a, In a cs -> valid H (FRel (ropen ts a))) ->
    valid H (FRel (ropen ts c)).
Proof.
  intros Hl Hi Hc Hp M HM HH. simpl. apply rholds_open.
  set (zs := fun i => Int_part (eval M e0 (nth i ts (num 0)))).
  assert (E : forall i, opened M ts e0 i = bext m zs e0 i).
  { intros i. unfold opened, bext. destruct (nth_error ts i) eqn:E.
    - assert (i < m)%nat by (subst m; apply nth_error_Some; congruence).
      destruct (Nat.ltb_spec i m); try lia. unfold zs. rewrite (nth_error_nth _ _ _ E).
      symmetry. apply is_int_part, isint_sound; auto. rewrite forallb_forall in Hi. apply Hi.
      eapply nth_error_In; eauto.
    - apply nth_error_None in E. destruct (Nat.ltb_spec i m); try lia. subst m. reflexivity. }
  assert (Q : forall a, rholds M (opened M ts e0) a <-> rholds M (bext m zs e0) a).
  { intros a. unfold rholds.
    rewrite !(eval_env M _ (bext m zs e0) (opened M ts e0)) by (intros; symmetry; apply E).
      reflexivity. }
  apply Q. apply (Hc M HM HH). intros a Ha. apply Q. apply rholds_open. exact (Hp a Ha M HM HH).
Qed.

Lemma sound_cases H P Q c F : valid P F -> valid Q F ->
  left_of P [FRel c] H -> left_of Q [FRel (rneg c)] H -> valid H F.
Proof.
  intros VP VQ LP LQ M HM HH. destruct (relP_dec (r_op c) (eval M e0 (r_l c)) (eval M e0 (r_r c)))
    as [Y|N].
  - apply VP; auto. intros h Hh. destruct (LP h Hh) as [[<-|[]]|]; auto.
  - apply VQ; auto. intros h Hh. destruct (LQ h Hh) as [[<-|[]]|]; auto. simpl.
    now apply rneg_holds.
Qed.

Lemma sound_antisym H a b : valid H (LE a b) -> valid H (LE b a) -> valid H (EQ a b).
Proof.
  intros P Q M HM HH. specialize (P M HM HH). specialize (Q M HM HH).
  unfold rholds in *; simpl in *. unfold rholds in *; simpl in *. lra.
Qed.

(** Congruence: a head without binders; a fold's bound and bases. *)
Definition same_or_eq H a b := a = b \/ valid H (EQ a b).
Lemma same_or_eq_eval H a b M : ok M -> (forall h, In h H -> holds M h) -> same_or_eq H a b ->
  eval M e0 a = eval M e0 b.
Proof. intros HM HH [->|V]; auto. exact (V M HM HH). Qed.
Lemma same_or_eq_map H M ks ls : ok M -> (forall h, In h H -> holds M h) -> Forall2 (same_or_eq H)
  ks ls ->
  map (eval M e0) ks = map (eval M e0) ls.
Proof. intros HM HH. induction 1; simpl; f_equal; eauto using same_or_eq_eval. Qed.
Lemma sound_cong H h ks ls : Forall2 (same_or_eq H) ks ls -> valid H (EQ (Node h ks) (Node h ls)).
Proof.
  intros HF M HM HH. simpl. unfold rholds. simpl. now rewrite (same_or_eq_map H M ks ls).
Qed.
Lemma sound_cong_fold H p n m bs cs ss : same_or_eq H n m -> Forall2 (same_or_eq H) bs cs ->
  valid H (EQ (Fold p n bs ss) (Fold p m cs ss)).
Proof.
  intros Hn HF M HM HH. simpl. unfold rholds. simpl.
  now rewrite (same_or_eq_map H M bs cs), (same_or_eq_eval H n m M).
Qed.

(** ** arith *)
Definition value (a : relation) := add (r_r a) (mul (num (-1)) (r_l a)).
Definition rval M (a : relation) := eval M e0 (r_r a) - eval M e0 (r_l a).
Lemma eval_value M a : eval M e0 (value a) = rval M a.
Proof.
  unfold value, rval. change (eval M e0 (r_r a) + eval M e0 (num (-1)) * eval M e0 (r_l a)
    = eval M e0 (r_r a) - eval M e0 (r_l a)).
  rewrite eval_num. lra.
Qed.
Definition summand := (term * list relation)%type.
Definition prod (ps : list relation) : term := fold_right (fun a t => mul (value a) t) (num 1) ps.
Definition total (ss : list summand) : term :=
  fold_right (fun s t => add (mul (fst s) (prod (snd s))) t) (num 0) ss.
Definition is_op r (a : relation) := match r, r_op a with
  | REq, REq | RNe, RNe | RLe, RLe | RLt, RLt => true | _, _ => false end.
Definition has r ps := existsb (is_op r) ps.
Definition summand_ok (goal : rel) (s : summand) : bool :=
  has REq (snd s) ||
  match rational (fst s) with
  | None => false
  | Some q => match goal with
      | REq => false
      | RLe | RLt => Qle_bool 0 q && negb (has RNe (snd s))
      | RNe => negb (Qeq_bool q 0) && negb (has RLe (snd s)) end end.
Definition strict (s : summand) : bool :=
  negb (has REq (snd s)) && negb (has RLe (snd s)) && negb (has RNe (snd s)) &&
  match rational (fst s) with Some q => negb (Qle_bool q 0) | None => false end.
Definition arith_ok (F : relation) (ss : list summand) : bool :=
  ring_eq (value F) (total ss) && forallb (summand_ok (r_op F)) ss &&
  match r_op F with
  | RLt => existsb strict ss
  | RNe => Nat.eqb (length (filter (fun s => negb (has REq (snd s))) ss)) 1
  | _ => true end.

Section Arith.
  Variable M : model.
  Fixpoint pv (ps : list relation) : R := match ps with [] => 1 | a :: l => rval M a * pv l end.
  Lemma prod_pv ps : eval M e0 (prod ps) = pv ps.
  Proof.
    induction ps as [|a l IH]; [apply eval_num|].
    change (eval M e0 (value a) * eval M e0 (prod l) = rval M a * pv l). now rewrite IH, eval_value.
  Qed.
  Definition sv (s : summand) := eval M e0 (fst s) * pv (snd s).
  Fixpoint tv (ss : list summand) : R := match ss with [] => 0 | s :: l => sv s + tv l end.
  Lemma total_tv ss : eval M e0 (total ss) = tv ss.
  Proof.
    induction ss as [|s l IH]; [apply eval_num|].
    change (eval M e0 (fst s) * eval M e0 (prod (snd s)) + eval M e0 (total l) = sv s + tv l).
    now rewrite IH, prod_pv.
  Qed.
  Definition good (ps : list relation) := forall a, In a ps -> rholds M e0 a.
  Lemma good_cons a l : good (a :: l) -> rholds M e0 a /\ good l.
  Proof. intros G. split; [|intros b Hb]; apply G; simpl; auto. Qed.
  Lemma pv_eq ps : good ps -> has REq ps = true -> pv ps = 0.
  Proof.
    induction ps as [|a l IH]; simpl; try discriminate. intros G E. apply good_cons in G as [Ga Gl].
    apply orb_prop in E as [E|E]; [|rewrite IH; auto; lra].
    destruct a as [[] x y]; try discriminate. unfold rholds, rval in *. simpl in *. rewrite Ga. lra.
  Qed.
  Lemma pv_le ps : good ps -> has REq ps = false -> has RNe ps = false -> 0 <= pv ps.
  Proof.
    induction ps as [|a l IH]; simpl; intros G E N; [lra|]. apply good_cons in G as [Ga Gl].
    apply orb_false_elim in E as [E1 E2]. apply orb_false_elim in N as [N1 N2].
    apply Rmult_le_pos; auto. destruct a as [[] x y]; try discriminate; unfold rholds, rval in *;
      simpl in *; lra.
  Qed.
  Lemma pv_lt ps : good ps -> has REq ps = false -> has RNe ps = false -> has RLe ps = false ->
    0 < pv ps.
  Proof.
    induction ps as [|a l IH]; simpl; intros G E N L; [lra|]. apply good_cons in G as [Ga Gl].
    apply orb_false_elim in E as [E1 E2]. apply orb_false_elim in N as [N1 N2].
      apply orb_false_elim in L as [L1 L2].
    apply Rmult_lt_0_compat; auto. destruct a as [[] x y]; try discriminate;
      unfold rholds, rval in *; simpl in *; lra.
  Qed.
  Lemma pv_ne ps : good ps -> has REq ps = false -> has RLe ps = false -> pv ps <> 0.
  Proof.
    induction ps as [|a l IH]; simpl; intros G E L; [lra|]. apply good_cons in G as [Ga Gl].
    apply orb_false_elim in E as [E1 E2]. apply orb_false_elim in L as [L1 L2].
    apply Rmult_integral_contrapositive_currified; auto.
    destruct a as [[] x y]; try discriminate; unfold rholds, rval in *; simpl in *; lra.
  Qed.
  Lemma Q2R_le0 q : Qle_bool 0 q = true -> 0 <= Q2R q.
  Proof. intros H. apply Qle_bool_iff, Qle_Rle in H. unfold Q2R at 1 in H. simpl in H. lra. Qed.
  Lemma Q2R_lt0 q : Qle_bool q 0 = false -> 0 < Q2R q.
  Proof.
    intros H. assert (L : (0 < q)%Q) by (apply Qnot_le_lt; intros C; apply Qle_bool_iff in C;
      congruence).
    apply Qlt_Rlt in L. unfold Q2R at 1 in L. simpl in L. lra.
  Qed.
  Lemma Q2R_ne0 q : Qeq_bool q 0 = false -> Q2R q <> 0.
  Proof.
    intros H C. assert (E : (q == 0)%Q) by (apply eqR_Qeq; rewrite C; unfold Q2R; simpl; lra).
    apply Qeq_bool_iff in E. congruence.
  Qed.
  Lemma summand_eq goal s : good (snd s) -> goal = REq -> summand_ok goal s = true -> sv s = 0.
  Proof.
    intros G -> O. unfold summand_ok in O. destruct (has REq (snd s)) eqn:E; simpl in O.
    - unfold sv. rewrite (pv_eq _ G E). lra.
    - destruct (rational (fst s)); discriminate.
  Qed.
  Lemma summand_le goal s : good (snd s) -> goal = RLe \/ goal = RLt ->
    summand_ok goal s = true -> 0 <= sv s.
  Proof.
    intros G Hg O. unfold summand_ok in O. unfold sv. destruct (has REq (snd s)) eqn:E; simpl in O.
    - rewrite (pv_eq _ G E). lra.
    - destruct (rational (fst s)) as [q|] eqn:Rq; try discriminate.
      assert (O' : Qle_bool 0 q && negb (has RNe (snd s)) = true) by (destruct Hg; subst; auto).
      apply andb_prop in O' as [O1 O2]. rewrite (rational_sound M e0 _ _ Rq).
      apply Rmult_le_pos. now apply Q2R_le0. apply pv_le; auto. now apply negb_true_iff.
  Qed.
  Lemma summand_lt s : good (snd s) -> strict s = true -> 0 < sv s.
  Proof.
    intros G O. unfold strict in O. apply andb_prop in O as [O O4]. apply andb_prop in O as [O O3].
    apply andb_prop in O as [O1 O2]. apply negb_true_iff in O1, O2, O3.
    destruct (rational (fst s)) as [q|] eqn:Rq; try discriminate. apply negb_true_iff in O4.
    unfold sv. rewrite (rational_sound M e0 _ _ Rq). apply Rmult_lt_0_compat. now apply Q2R_lt0.
      now apply pv_lt.
  Qed.
  Lemma summand_ne s : good (snd s) -> has REq (snd s) = false -> summand_ok RNe s = true ->
    sv s <> 0.
  Proof.
    intros G E O. unfold summand_ok in O. rewrite E in O. simpl in O.
    destruct (rational (fst s)) as [q|] eqn:Rq; try discriminate.
    apply andb_prop in O as [O1 O2]. apply negb_true_iff in O1, O2. unfold sv.
    rewrite (rational_sound M e0 _ _ Rq). apply Rmult_integral_contrapositive_currified.
    now apply Q2R_ne0. now apply pv_ne.
  Qed.
  Definition all_good (ss : list summand) := forall s, In s ss -> good (snd s).
  Lemma tv_eq ss : all_good ss -> forallb (summand_ok REq) ss = true -> tv ss = 0.
  Proof.
    induction ss as [|s l IH]; simpl; auto. intros G O. apply andb_prop in O as [O1 O2].
    rewrite (summand_eq REq s), IH; auto; try lra. intros t Ht; apply G; simpl; auto. apply G;
      simpl; auto.
  Qed.
  Lemma tv_le g ss : g = RLe \/ g = RLt -> all_good ss -> forallb (summand_ok g) ss = true ->
    0 <= tv ss.
  Proof.
    intros Hg. induction ss as [|s l IH]; simpl; intros G O; [lra|].
      apply andb_prop in O as [O1 O2].
    assert (0 <= sv s) by (eapply summand_le; eauto; apply G; simpl; auto).
    assert (0 <= tv l) by (apply IH; auto; intros t Ht; apply G; simpl; auto). lra.
  Qed.
  Lemma tv_lt ss : all_good ss -> forallb (summand_ok RLt) ss = true ->
    existsb strict ss = true -> 0 < tv ss.
  Proof.
    induction ss as [|s l IH]; simpl; intros G O S; try discriminate.
      apply andb_prop in O as [O1 O2].
    assert (Gl : all_good l) by (intros t Ht; apply G; simpl; auto).
    assert (Gs : good (snd s)) by (apply G; simpl; auto).
    assert (0 <= sv s) by (eapply (summand_le RLt); eauto).
    assert (0 <= tv l) by (apply (tv_le RLt); auto).
    apply orb_prop in S as [S|S]; [pose proof (summand_lt s Gs S)|pose proof (IH Gl O2 S)]; lra.
  Qed.
  Lemma tv_zero ss : all_good ss -> length (filter (fun s : summand => negb (has REq (snd s))) ss)
    = 0%nat -> tv ss = 0.
  Proof.
    induction ss as [|s l IH]; simpl; auto. intros G L. destruct (has REq (snd s)) eqn:E;
      simpl in L; try discriminate.
    unfold sv. rewrite (pv_eq (snd s)), IH; auto; try lra; try (apply G; simpl; auto; fail).
      intros t Ht; apply G; simpl; auto.
  Qed.
  Lemma tv_ne ss : all_good ss -> forallb (summand_ok RNe) ss = true ->
    length (filter (fun s : summand => negb (has REq (snd s))) ss) = 1%nat -> tv ss <> 0.
  Proof.
    induction ss as [|s l IH]; simpl; intros G O L; try discriminate.
      apply andb_prop in O as [O1 O2].
    assert (Gl : all_good l) by (intros t Ht; apply G; simpl; auto).
    assert (Gs : good (snd s)) by (apply G; simpl; auto).
    destruct (has REq (snd s)) eqn:E; simpl in L.
    - unfold sv. rewrite (pv_eq (snd s)) by auto. pose proof (IH Gl O2 L). lra.
    - rewrite tv_zero by (auto; lia). pose proof (summand_ne s Gs E O1). lra.
  Qed.
End Arith.

Lemma sound_arith H F ss : arith_ok F ss = true ->
  (forall s a, In s ss -> In a (snd s) -> valid H (FRel a)) -> valid H (FRel F).
Proof.
  intros O V M HM HH. unfold arith_ok in O. apply andb_prop in O as [O O3].
    apply andb_prop in O as [O1 O2].
  assert (G : all_good M ss). { intros s Hs a Ha. exact (V s a Hs Ha M HM HH). }
  apply (ring_eq_sound M e0) in O1. rewrite eval_value, total_tv in O1.
  destruct F as [[] a b]; unfold rval in O1; simpl in *; unfold rholds; simpl.
  - rewrite (tv_eq M ss) in O1 by auto. lra.
  - apply Nat.eqb_eq in O3. pose proof (tv_ne M ss G O2 O3). intros C. rewrite C in O1. lra.
  - pose proof (tv_le M RLe ss (or_introl eq_refl) G O2). lra.
  - pose proof (tv_lt M ss G O2 O3). lra.
Qed.

Lemma sound_int H a b F : isint a = true -> isint b = true -> r_op F = RLe ->
  ring_eq (value F) (add (value (Rel RLt a b)) (num (-1))) = true -> valid H (LT a b) ->
    valid H (FRel F).
Proof.
  intros Ia Ib Of Re V M HM HH. specialize (V M HM HH). apply (ring_eq_sound M e0) in Re.
  change (eval M e0 (value F) = eval M e0 (value (Rel RLt a b)) + eval M e0 (num (-1))) in Re.
  rewrite !eval_value, eval_num in Re. destruct F as [op x y]; simpl in *. subst op.
  unfold rholds, rval in *; simpl in *.
  destruct (isint_sound M HM a e0 Ia) as [za Ea]. destruct (isint_sound M HM b e0 Ib) as [zb Eb].
  rewrite Ea, Eb in *. apply lt_IZR in V. assert (L : (za + 1 <= zb)%Z) by lia. apply IZR_le in L.
  rewrite plus_IZR in L. lra.
Qed.
