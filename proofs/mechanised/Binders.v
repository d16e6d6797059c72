(** The rules that look under binders or change the valuation: inst, zero, succ, induct, foldcong.
  *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Sharing Term Compare Traversal Semantics Substitution Polynomial Rules
  Laws.
Import ListNotations.
Local Open Scope R_scope.

Definition law_symbol (f : string) (s : signature) :=
  (f = "func.sin" \/ f = "func.cos" \/ f = "func.erf")%string /\ s = law_sig.
Definition vmap_ok (sg : vmap) := forall x u, sg x I = Some u -> isint u = true.
Definition fmap_ok (ph : fmap) := forall f s ps body, ph f s = Some (ps, body) ->
  closed_at 0 body = true /\ map snd ps = fst s /\ (snd s = I -> isint body = true)
    /\ ~ law_symbol f s.

Lemma upd_ok M f : ok M -> (forall x r, f x I = Some r -> is_int r) -> ok (upd_v M f).
Proof.
  intros HM Hf. destruct HM. constructor; simpl; auto.
  intros x. destruct (f x I) eqn:E; eauto.
Qed.
Lemma assoc_int ps : forall vs x r, Forall2 arg_int (map snd ps) vs -> assoc ps vs x I = Some r ->
  is_int r.
Proof.
  induction ps as [|p ps IH]; intros [|v vs] x r HF E; simpl in *; try discriminate.
  inversion HF; subst. destruct (peqb p x I) eqn:P; eauto.
  apply peqb_eq in P. subst p. injection E as <-. apply H2. reflexivity.
Qed.
Lemma inst_ok M sg ph : ok M -> vmap_ok sg -> fmap_ok ph -> ok (inst_model M sg ph).
Proof.
  intros HM Hv Hp. constructor; simpl.
  - apply HM.
  - intros x. destruct (sg x I) eqn:E; [|apply HM]. apply isint_sound; eauto.
  - intros f s vs Hs HF. destruct (ph f s) as [[ps body]|] eqn:E; [|now apply HM].
    destruct (Hp _ _ _ _ E) as (_ & Hsg & Hi & _). apply isint_sound; auto. apply upd_ok; auto.
    intros x r. apply assoc_int. now rewrite Hsg.
  - intros x. destruct (ph _ law_sig) as [[ps body]|] eqn:E; [|apply HM].
    destruct (Hp _ _ _ _ E) as (_ & _ & _ & N). exfalso; apply N; split; auto.
  - intros x. destruct (ph _ law_sig) as [[ps body]|] eqn:E; [|apply HM].
    destruct (Hp _ _ _ _ E) as (_ & _ & _ & N). exfalso; apply N; split; auto.
  - intros x. destruct (ph _ law_sig) as [[ps body]|] eqn:E; [|apply HM].
    destruct (Hp _ _ _ _ E) as (_ & _ & _ & N). exfalso; apply N; split; auto.
Qed.

(** inst, with the cut: every substituted hypothesis follows from K (is in K, or is concluded
    by a premise whose hypotheses are in K). *)
Lemma sound_inst H F K sg ph : vmap_ok sg -> fmap_ok ph -> valid H F ->
  (forall h, In h H -> valid K (finst sg ph h)) -> valid K (finst sg ph F).
Proof.
  intros Hv Hp V C M HM HK. assert (Hc : forall f s ps body, ph f s = Some (ps, body) ->
    closed_at 0 body = true).
  { intros f s ps body E. now destruct (Hp _ _ _ _ E). }
  apply holds_inst; auto. apply V. now apply inst_ok.
  intros h Hh. apply holds_inst; auto. now apply (C h Hh).
Qed.

(** ** zero *)
Lemma sound_zero H p n bs ss : (p < length bs)%nat -> valid H (LE n (num 0)) ->
  valid H (EQ (Fold p n bs ss) (nth p bs (num 0))).
Proof.
  intros Hp. law. simpl. assert (Int_part (eval M e0 n) <= 0)%Z.
  { apply le_IZR. destruct (base_Int_part (eval M e0 n)). lra. }
  replace (Z.to_nat (Int_part (eval M e0 n))) with 0%nat by lia. simpl.
  rewrite (nth_indep _ 0 (eval M e0 (num 0))) by (rewrite map_length; lia). apply map_nth.
Qed.

(** ** succ *)
Definition all_folds K bs ss := map (fun q => Fold q K bs ss) (seq 0 (length ss)).
Lemma nth_map_seq {A} (f : nat -> A) d w j : (j < w)%nat -> nth j (map f (seq 0 w)) d = f j.
Proof.
  intros H. rewrite (nth_indep _ d (f 0%nat)) by (rewrite map_length, seq_length; lia).
  rewrite map_nth, seq_nth; auto.
Qed.
Lemma sound_succ H p n K bs ss : (p < length ss)%nat -> isint K = true ->
  ring_eq n (add K (num 1)) = true -> valid H (LE (num 0) K) ->
  valid H (EQ (Fold p n bs ss) (open (K :: all_folds K bs ss) (nth p ss (num 0)))).
Proof.
  intros Hp Hi Hr V M HM HH. specialize (V M HM HH). cbn [holds LE] in V. unfold rholds in V.
  cbn [r_op r_l r_r relP] in V. rewrite eval_num in V. unfold EQ, holds, rholds.
    cbn [r_op r_l r_r relP].
  apply (ring_eq_sound M e0) in Hr. change (eval M e0 n = eval M e0 K + eval M e0 (num 1)) in Hr.
  rewrite eval_num in Hr. destruct (isint_sound M HM K e0 Hi) as [z Ez]. rewrite Ez in *.
  apply le_IZR in V. rewrite eval_open.
  cbn [eval]. rewrite Hr, <- plus_IZR, Int_part_IZR.
  replace (Z.to_nat (z + 1)) with (S (Z.to_nat z)) by lia. cbn [rounds].
  set (r := rounds _ (Z.to_nat z) (map (eval M e0) bs)).
  rewrite (nth_indep _ 0 (eval M (ext (length ss) (INR (Z.to_nat z)) r e0) (num 0)))
    by (rewrite map_length; lia).
  rewrite (map_nth (fun s => eval M (ext (length ss) (INR (Z.to_nat z)) r e0) s)).
  apply eval_env. intros i.
  rewrite (opened_fold M K (all_folds K bs ss) (IZR z) (map (eval M e0) (all_folds K bs ss)))
    by auto.
  unfold all_folds. rewrite !map_length, seq_length. unfold ext. destruct i as [|j].
  - rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
  - destruct (Nat.ltb_spec j (length ss)); auto. rewrite map_map, nth_map_seq by auto. cbn [eval].
    rewrite Ez, Int_part_IZR. reflexivity.
Qed.

(** ** Changing the valuation at variables *)
Definition upd1 M k r := upd_v M (assoc [(k, I)] [r]).
Lemma assoc1_int k r x v : is_int r -> assoc [(k, I)] [r] x I = Some v -> is_int v.
Proof. intros Hr. simpl. destruct (peqb _ _ _); [injection 1 as <-; auto|discriminate]. Qed.
Lemma rholds_agree M M' e a : same_ops M M' -> (forall f sg vs, m_f M f sg vs = m_f M' f sg vs) ->
  (forall x s, roccurs x s a = true -> m_v M x s = m_v M' x s) -> (rholds M e a <-> rholds M' e a).
Proof.
  intros Ho Hf Hv. unfold rholds. rewrite (eval_agree (r_l a) M M' e e), (eval_agree (r_r a)
    M M' e e); auto.
  reflexivity. all: intros x s O; apply Hv; unfold roccurs; rewrite O; auto using orb_true_r.
Qed.
Lemma holds_agree M M' f : same_ops M M' -> (forall g sg vs, m_f M g sg vs = m_f M' g sg vs) ->
  (forall x s, foccurs x s f = true -> m_v M x s = m_v M' x s) -> (holds M f <-> holds M' f).
Proof.
  intros Ho Hf Hv. destruct f as [a|m cs c]; simpl in *. now apply rholds_agree.
  assert (E : forall zs a, In a cs \/ a = c -> (rholds M (bext m zs e0) a <->
    rholds M' (bext m zs e0) a)).
  { intros zs a Ha. apply rholds_agree; auto. intros x s O. apply Hv. apply orb_true_iff.
    destruct Ha as [Ha| ->]; auto. left. apply existsb_exists. eauto. }
  split; intros A zs Hc; apply E; auto; apply A; intros a Ha; apply E; auto.
Qed.
Definition fresh (x : string) (s : sort) (L : list formula) := forall h, In h L ->
  foccurs x s h = false.
Lemma assoc_none_other ps : forall (vs : list R) x s,
  (forall p, In p ps -> peqb p x s = false) -> assoc ps vs x s = None.
Proof.
  induction ps as [|p ps IH]; intros [|v vs] x s N; simpl; auto. rewrite (N p) by (simpl; auto).
  apply IH. intros q Hq. apply N. simpl; auto.
Qed.
Definition fresh_all (ps : list param) (L : list formula) := forall p, In p ps -> fresh (fst p)
  (snd p) L.
Lemma holds_fresh M ps vs L h : fresh_all ps L -> In h L -> (holds (upd_v M (assoc ps vs)) h <->
  holds M h).
Proof.
  intros F Hh. apply holds_agree; try reflexivity. intros x s O. simpl. rewrite assoc_none_other;
    auto.
  intros p Hp. destruct (peqb p x s) eqn:E; auto. apply peqb_eq in E. subst p.
  specialize (F _ Hp h Hh). simpl in F. congruence.
Qed.

(** ** induct *)
Definition at_k k u (f : relation) := rsub (assoc [(k, I)] [u]) f.
Lemma rholds_at M k u f : rholds M e0 (at_k k u f) <-> rholds (upd1 M k (eval M e0 u)) e0 f.
Proof.
  unfold at_k. rewrite rholds_sub. apply rholds_agree; try reflexivity. intros x s _. simpl.
  destruct (peqb (k, I) x s); reflexivity.
Qed.
Lemma sound_induct H Fs k n j :
  isint n = true -> occurs k I n = false -> valid H (LE (num 0) n) -> In j Fs ->
  (forall f, In f Fs -> valid H (FRel (at_k k (num 0) f))) ->
  (forall f, In f Fs -> exists Hs L, valid Hs (FRel (at_k k (add (Var k I) (num 1)) f)) /\
     left_of Hs (map FRel Fs ++ [LE (num 0) (Var k I); LT (Var k I) n])
       L /\ incl L H /\ fresh k I L) ->
  valid H (FRel (at_k k n j)).
Proof.
  intros Hi Hk Hn Hj Hb Hs M HM HH. cbn [holds]. apply rholds_at.
  specialize (Hn M HM HH). cbn [holds LE] in Hn. unfold rholds in Hn. cbn [r_op r_l r_r relP] in Hn.
  rewrite eval_num in Hn. destruct (isint_sound M HM n e0 Hi) as [N EN]. rewrite EN in *.
    apply le_IZR in Hn.
  assert (A : forall m : nat, (Z.of_nat m <= N)%Z -> forall f, In f Fs ->
    rholds (upd1 M k (INR m)) e0 f).
  { induction m as [|m IH]; intros Hm f Hf.
    - specialize (Hb f Hf M HM HH). cbn [holds] in Hb. apply rholds_at in Hb.
      rewrite eval_num in Hb. exact Hb.
    - destruct (Hs f Hf) as (Hy & L & V & Hl & Hin & Hfr).
      assert (HM1 : ok (upd1 M k (INR m))).
      { apply upd_ok; auto. intros x r. apply assoc1_int. exists (Z.of_nat m). apply INR_IZR_INZ. }
      assert (Ek : eval (upd1 M k (INR m)) e0 (Var k I) = INR m).
      { simpl. rewrite peqb_refl. reflexivity. }
      specialize (V (upd1 M k (INR m)) HM1). cbn [holds] in V.
      assert (V1 : rholds (upd1 M k (INR m)) e0 (at_k k (add (Var k I) (num 1)) f)).
      { apply V. intros h Hh. destruct (Hl h Hh) as [Ho|Ho].
        - apply in_app_or in Ho as [Ho|[<-|[<-|[]]]].
          + apply in_map_iff in Ho as (g & <- & Hg). apply IH; auto. lia.
          + cbn [holds LE]. unfold rholds. cbn [r_op r_l r_r relP]. rewrite eval_num, Ek.
            apply pos_INR.
          + cbn [holds LT]. unfold rholds. cbn [r_op r_l r_r relP]. rewrite Ek.
            rewrite (eval_agree n (upd1 M k (INR m)) M e0 e0); auto; try reflexivity.
            * rewrite EN, INR_IZR_INZ. apply IZR_lt. lia.
            * intros x s O. simpl. destruct (peqb (k, I) x s) eqn:E; auto. apply peqb_eq in E.
              inversion E; subst. congruence.
        - apply (holds_fresh M [(k, I)] [INR m] L); auto. intros p [<-|[]]. exact Hfr. }
      apply rholds_at in V1.
      change (eval (upd1 M k (INR m)) e0 (add (Var k I) (num 1)))
        with (eval (upd1 M k (INR m)) e0 (Var k I) + eval (upd1 M k (INR m)) e0 (num 1)) in V1.
      rewrite Ek, eval_num, <- S_INR in V1. revert V1. apply rholds_agree; try reflexivity.
      intros x s _. simpl. destruct (peqb (k, I) x s); reflexivity. }
  specialize (A (Z.to_nat N)). rewrite INR_IZR_INZ, Z2Nat.id in A by lia. apply A; auto. lia.
Qed.

(** ** foldcong *)
Lemma Forall2_len {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; simpl; auto. Qed.
Lemma rounds_length f n v w : length v = w -> (forall k u, length (f k u) = w) ->
  length (rounds f n v) = w.
Proof. destruct n; simpl; auto. Qed.
Lemma assoc_nth ps : forall (vs : list R) j p, NoDup ps -> nth_error ps j = Some p ->
  (j < length vs)%nat ->
  assoc ps vs (fst p) (snd p) = Some (nth j vs 0).
Proof.
  induction ps as [|q ps IH]; intros [|v vs] [|j] p ND E L; simpl in *; try discriminate; try lia.
  - injection E as ->. destruct p as [x s]. simpl. now rewrite peqb_refl.
  - inversion ND; subst. destruct (peqb q (fst p) (snd p)) eqn:P.
    + apply peqb_eq in P. exfalso. apply H1. subst q. rewrite <- surjective_pairing.
      eapply nth_error_In; eauto.
    + apply IH; auto. lia.
Qed.
Definition pvar (p : param) := Var (fst p) (snd p).
Definition states (As : list string) : list param := map (fun a => (a, Re)) As.
Definition fresh_terms (ps : list param) (ts : list term) :=
  forall p t, In p ps -> In t ts -> occurs (fst p) (snd p) t = false.
Lemma eval_fresh M ps vs e t : (forall p, In p ps -> occurs (fst p) (snd p) t = false) ->
  eval (upd_v M (assoc ps vs)) e t = eval M e t.
Proof.
  intros F. apply eval_agree; try reflexivity. intros x s O. simpl. rewrite assoc_none_other; auto.
  intros p Hp. destruct (peqb p x s) eqn:E; auto. apply peqb_eq in E. subst p. specialize (F _ Hp).
  simpl in F. congruence.
Qed.

Lemma sound_foldcong H p n bs ss ts K As :
  let ps := (K, I) :: states As in
  NoDup ps -> length As = length ss -> length bs = length ss ->
  fresh_terms ps (n :: ss ++ ts) ->
  Forall2 (fun s t => exists Hq L, valid Hq (EQ (open (map pvar ps) s) (open (map pvar ps) t)) /\
     left_of Hq [LE (num 0) (Var K I); LT (Var K I) n] L /\ incl L H /\ fresh_all ps L) ss ts ->
  valid H (EQ (Fold p n bs ss) (Fold p n bs ts)).
Proof.
  intros ps ND LA LB FT F2 M HM HH. unfold EQ, holds, rholds. cbn [r_op r_l r_r relP eval].
  assert (LT' : length ts = length ss) by (symmetry; eapply Forall2_len; eauto).
  f_equal. set (N := Int_part (eval M e0 n)).
  set (fa := fun (k : nat) v => map (fun s => eval M (ext (length ss) (INR k) v e0) s) ss).
  set (fb := fun (k : nat) v => map (fun s => eval M (ext (length ts) (INR k) v e0) s) ts).
  assert (A : forall r, (Z.of_nat r <= N \/ r = 0%nat)%Z -> rounds fa r (map (eval M e0) bs)
    = rounds fb r (map (eval M e0) bs)).
  { induction r as [|r IH]; intros Hr; auto. simpl. rewrite <- IH by lia.
    set (v := rounds fa r (map (eval M e0) bs)).
    assert (Lv : length v = length ss).
    { apply rounds_length. now rewrite map_length. intros; unfold fa; now rewrite map_length. }
    unfold fa, fb. rewrite LT'.
    set (vs := INR r :: v). set (M1 := upd_v M (assoc ps vs)).
    assert (HM1 : ok M1).
    { apply upd_ok; auto. intros x y E. unfold ps, vs in E. simpl in E.
      destruct (peqb (K, I) x I). injection E as <-. exists (Z.of_nat r). apply INR_IZR_INZ.
      rewrite assoc_none_other in E; try discriminate. intros q Hq.
        apply in_map_iff in Hq as (a & <- & _).
      reflexivity. }
    assert (EV : map (eval M1 e0) (map pvar ps) = vs).
    { apply nth_ext with (d := 0) (d' := 0).
      - unfold ps, vs, states. rewrite !map_length. simpl. rewrite map_length. lia.
      - intros j Hj. rewrite map_map. rewrite !map_length in Hj.
        destruct (nth_error ps j) as [q|] eqn:E.
        + rewrite (nth_indep _ 0 (eval M1 e0 (pvar q))) by now rewrite map_length.
          rewrite (map_nth (fun x => eval M1 e0 (pvar x))). rewrite (nth_error_nth _ _ _ E).
          change (match assoc ps vs (fst q) (snd q) with Some r => r | None => m_v M (fst q)
            (snd q) end = nth j vs 0).
          rewrite (assoc_nth ps vs j q); auto. unfold vs. simpl. unfold ps, states in Hj.
            simpl in Hj.
          rewrite map_length in Hj. lia.
        + apply nth_error_None in E. exfalso.
          exact (Nat.lt_irrefl j (Nat.lt_le_trans _ _ _ Hj E)). }
    assert (EO : forall t, (forall q, In q ps -> occurs (fst q) (snd q) t = false) ->
       eval M1 e0 (open (map pvar ps) t) = eval M (ext (length ss) (INR r) v e0) t).
    { intros t Ft. rewrite eval_open. unfold M1 at 2. rewrite <- (eval_fresh M ps vs _ t Ft).
      fold M1.
      apply eval_env. intros i. unfold ps in EV |- *. cbn [map] in EV |- *.
      rewrite (opened_fold M1 (pvar (K, I)) (map pvar (states As)) (INR r) v).
      - unfold states. now rewrite !map_length, LA.
      - unfold vs in EV. now injection EV.
      - unfold vs in EV. now injection EV. }
    assert (EK : eval M1 e0 (Var K I) = INR r).
    { unfold vs, ps in EV. cbn [map] in EV. now injection EV. }
    clearbody v. clear -F2 HM HM1 HH EO EK FT Hr N. subst N.
    assert (Fs : forall t, In t (ss ++ ts) -> forall q, In q ps -> occurs (fst q) (snd q)
      t = false).
    { intros t Ht q Hq. apply FT; simpl; auto. }
    assert (Fn : forall q, In q ps -> occurs (fst q) (snd q) n = false) by (intros; apply FT;
      simpl; auto).
    clear FT. set (w := length ss) in *. clearbody w.
    induction F2 as [|s t ss ts (Hq & L & V & Hl & Hin & Hf) F2 IH]; simpl; auto. f_equal.
    - specialize (V M1 HM1). rewrite <- !EO.
      + apply V. intros h Hh. destruct (Hl h Hh) as [[<-|[<-|[]]]|Ho].
        * cbn [holds LE]. unfold rholds. cbn [r_op r_l r_r relP]. rewrite eval_num, EK.
          apply pos_INR.
        * cbn [holds LT]. unfold rholds. cbn [r_op r_l r_r relP]. rewrite EK. unfold M1.
          rewrite eval_fresh by auto. destruct (base_Int_part (eval M e0 n)) as [B _].
          apply Rlt_le_trans with (IZR (Int_part (eval M e0 n))); auto.
          rewrite INR_IZR_INZ. apply IZR_lt. lia.
        * apply (holds_fresh M ps vs L); auto.
      + apply Fs. apply in_or_app. simpl. auto.
      + apply Fs. simpl. auto.
    - apply IH. intros u Hu. apply Fs. simpl. apply in_app_or in Hu as [Hu|Hu]; right;
      apply in_or_app; simpl; auto. }
  apply A. destruct (Z_le_gt_dec 0 N); [left|right]; lia.
Qed.
