(** What the operations of Traversal.v do to the meaning of terms: lift, open, substitution,
    instance; the lemma of integers (docs/trust.md). *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Sharing Term Compare Traversal Semantics.
Import ListNotations.
Local Open Scope R_scope.

(** ** Small things *)
Lemma Int_part_IZR z : Int_part (IZR z) = z.
Proof.
  unfold Int_part. assert (z + 1 = up (IZR z))%Z. apply tech_up; rewrite plus_IZR; lra. lia.
Qed.
Lemma is_int_part r : is_int r -> IZR (Int_part r) = r.
Proof. intros [z ->]. now rewrite Int_part_IZR. Qed.
Lemma is_int_plus a b : is_int a -> is_int b -> is_int (a + b).
Proof. intros [x ->] [y ->]. exists (x + y)%Z. now rewrite plus_IZR. Qed.
Lemma is_int_mult a b : is_int a -> is_int b -> is_int (a * b).
Proof. intros [x ->] [y ->]. exists (x * y)%Z. now rewrite mult_IZR. Qed.
Lemma map_ext_Forall {A B} (f g : A -> B) l : Forall (fun x => f x = g x) l -> map f l = map g l.
Proof. induction 1; simpl; congruence. Qed.
Lemma rounds_ext f g : (forall k v, f k v = g k v) -> forall n v, rounds f n v = rounds g n v.
Proof. induction n; simpl; intros; auto. now rewrite IHn, H. Qed.
Lemma ext_cong w k v e e' : (forall i, e i = e' i) -> forall i, ext w k v e i = ext w k v e' i.
Proof. intros H [|j]; simpl; auto. destruct (j <? w)%nat; auto. Qed.

Definition same_ops M M' := m_ops M = m_ops M'.
Lemma node_same M M' h vs : same_ops M M' -> (forall f sg, h = HApp f sg ->
  m_f M f sg vs = m_f M' f sg vs) ->
  node M h vs = node M' h vs.
Proof.
  unfold same_ops. intros Eo Ef. destruct h; simpl; auto; destruct vs as [|? [|? [|]]];
    rewrite ?Eo; auto.
Qed.

(** A term is read by the values of its loose indices alone. *)
Lemma max_le l d : (list_max l <= d)%nat -> forall x, In x l -> (x <= d)%nat.
Proof. intros H x Hx. apply list_max_le in H. rewrite Forall_forall in H. auto. Qed.
Lemma eval_loose t : forall M e e', (forall i, (i < loose t)%nat -> e i = e' i) ->
  eval M e t = eval M e' t.
Proof.
  induction t using term_ind'; intros M e e' He; cbn [loose] in He; unfold once in He.
  - reflexivity.
  - simpl. apply He. lia.
  - simpl. f_equal. apply map_ext_Forall. rewrite Forall_forall in *. intros k Hk.
    apply H; auto. intros i Hi. apply He. eapply Nat.lt_le_trans; [exact Hi|].
    eapply max_le; [reflexivity|]. now apply in_map.
  - set (w := length ss) in *.
    assert (Hn : (loose t <= list_max (loose t :: map loose bs))%nat) by (simpl; lia).
    assert (Hb : forall k, In k bs -> (loose k <= list_max (loose t :: map loose bs))%nat).
    { intros k Hk. eapply max_le; [reflexivity|]. right. now apply in_map. }
    simpl. fold w. rewrite (IHt M e e') by (intros; apply He; lia).
    replace (map (eval M e') bs) with (map (eval M e) bs).
    2:{ apply map_ext_Forall. rewrite Forall_forall in *. intros k Hk. apply H; auto.
        intros i Hi. apply He. specialize (Hb k Hk). lia. }
    f_equal. apply rounds_ext. intros k v. apply map_ext_Forall. rewrite Forall_forall in *.
      intros u Hu.
    apply H0; auto. intros [|j] Hj; simpl; auto. destruct (Nat.ltb_spec j w); auto.
    apply He. assert (loose u <= list_max (map loose ss))%nat.
    { eapply max_le; [reflexivity|]. now apply in_map. }
    lia.
Qed.
Lemma eval_closed t M d e e' : closed_at d t = true -> (forall i, (i < d)%nat -> e i = e' i) ->
  eval M e t = eval M e' t.
Proof.
  intros Hc He. apply eval_loose. intros i Hi. apply He. apply Nat.leb_le in Hc. lia.
Qed.

(** ** Two models that agree on what occurs in a term *)
Lemma eval_agree_on M M' : same_ops M M' -> forall t,
  (forall x s, In (x, s) (free t) -> m_v M x s = m_v M' x s) ->
  (forall f sg vs, In (f, sg) (symbols t) -> m_f M f sg vs = m_f M' f sg vs) ->
  forall e e', (forall i, e i = e' i) -> eval M e t = eval M' e' t.
Proof.
  intros Ho. induction t using term_ind'; intros Hv Hf e e' He; cbn [symbols free] in Hf, Hv;
    unfold once in Hf, Hv; cbn [eval].
  - apply Hv. now left.
  - apply He.
  - assert (Hk : forall g sg vs, In (g, sg) (joined (map symbols ks)) ->
    m_f M g sg vs = m_f M' g sg vs).
    { intros g sg vs Hg. apply Hf. destruct h; auto. apply join_In. auto. }
    assert (E : map (eval M e) ks = map (eval M' e') ks).
    { apply map_ext_Forall. rewrite Forall_forall in *. intros k Hin. apply H; auto.
      - intros x s Hx. apply Hv, (joined_by_In _ param_eqb_eq). exists (free k). split; auto.
        now apply in_map.
      - intros g sg vs Hg. apply Hk, joined_In. exists (symbols k). split; auto. now apply in_map. }
    rewrite E. apply node_same; auto. intros f sg ->. apply Hf, join_In. left. simpl; auto.
  - assert (Hi : forall l, In l (symbols t :: joined (map symbols bs) :: map symbols ss) ->
      forall g sg vs, In (g, sg) l -> m_f M g sg vs = m_f M' g sg vs).
    { intros l Hl g sg vs Hg. apply Hf, joined_In. eauto. }
    assert (Hj : forall l, In l (free t :: joined_by param_eqb (map free bs) :: map free ss) ->
      forall x s, In (x, s) l -> m_v M x s = m_v M' x s).
    { intros l Hl x s Hx. apply Hv, (joined_by_In _ param_eqb_eq). eauto. }
    rewrite (IHt (Hj (free t) (or_introl eq_refl)) (Hi (symbols t) (or_introl eq_refl)) e e' He).
    replace (map (eval M' e') bs) with (map (eval M e) bs).
    2:{ apply map_ext_Forall. rewrite Forall_forall in *. intros k Hk. apply H; auto.
        - intros x s Hx. apply (Hj (joined_by param_eqb (map free bs))); [simpl; auto|].
          apply (joined_by_In _ param_eqb_eq). exists (free k). split; auto. now apply in_map.
        - intros g sg vs Hg. apply (Hi (joined (map symbols bs))); [simpl; auto|].
          apply joined_In. exists (symbols k). split; auto. now apply in_map. }
    f_equal. apply rounds_ext. intros k v. apply map_ext_Forall. rewrite Forall_forall in *.
    intros u Hu. apply H0; auto.
    + intros x s Hx. apply (Hj (free u)); auto. right. right. now apply in_map.
    + intros g sg vs Hg. apply (Hi (symbols u)); auto. right. right. now apply in_map.
    + now apply ext_cong.
Qed.
Lemma eval_agree t : forall M M' e e', same_ops M M' ->
  (forall f sg vs, m_f M f sg vs = m_f M' f sg vs) ->
  (forall x s, occurs x s t = true -> m_v M x s = m_v M' x s) -> (forall i, e i = e' i) ->
  eval M e t = eval M' e' t.
Proof.
  intros M M' e e' Ho Hf Hv He. apply eval_agree_on; auto. intros x s Hx. apply Hv.
  apply existsb_exists. exists (x, s). split; auto. apply peqb_refl.
Qed.
Lemma eval_agree_symbols M M' : same_ops M M' -> (forall x s, m_v M x s = m_v M' x s) ->
  forall t, (forall f sg vs, In (f, sg) (symbols t) -> m_f M f sg vs = m_f M' f sg vs) ->
  forall e, eval M e t = eval M' e t.
Proof. intros Ho Hv t Hf e. apply eval_agree_on; auto. Qed.
(** What is not touched means the same where the replaced variables and functions differ. *)
Lemma eval_untouched M M' sg ph d t e e' : same_ops M M' -> untouched sg ph d t = true ->
  (forall x s, sg x s = None -> m_v M x s = m_v M' x s) ->
  (forall f s vs, ph f s = None -> m_f M f s vs = m_f M' f s vs) ->
  (forall i, e i = e' i) -> eval M e t = eval M' e' t.
Proof.
  intros Ho U Hv Hf He. apply andb_prop in U as [U1 U2]. rewrite forallb_forall in U1, U2.
  assert (N : forall A (o : option A), is_none o = true -> o = None).
  { intros A [a|]; [discriminate|auto]. }
  apply eval_agree_on; auto.
  - intros x s Hx. apply Hv. now apply N, (U1 (x, s)).
  - intros f s vs Hs. apply Hf. now apply N, (U2 (f, s)).
Qed.

(** ** The one lemma about the traversal *)
Section Trav.
  Variables (M M' : model) (onv : nat -> string -> sort -> term) (onb : nat -> nat -> sort -> term)
    (ona : string -> signature -> list term -> term) (rel_env : nat -> env -> env -> Prop)
    (skip : nat -> term -> bool).
  Hypothesis Hskip : forall d e e' t, rel_env d e e' -> skip d t = true ->
    eval M' e' t = eval M e t.
  Hypothesis Hops : same_ops M M'.
  Hypothesis Hext : forall d e e' w k v, rel_env d e e' -> rel_env (S w + d) (ext w k v e)
    (ext w k v e').
  Hypothesis Hv : forall d e e' x s, rel_env d e e' -> eval M' e' (onv d x s) = m_v M x s.
  Hypothesis Hb : forall d e e' i s, rel_env d e e' -> eval M' e' (onb d i s) = e i.
  Hypothesis Ha : forall e' f sg ks, eval M' e' (ona f sg ks) = m_f M f sg (map (eval M' e') ks).

  Lemma eval_trav t : forall d e e', rel_env d e e' ->
    eval M' e' (trav onv onb ona skip d t) = eval M e t.
  Proof.
    unfold trav. induction t using term_ind'; intros d e e' HR; cbn [trav_in];
      destruct (skip d _) eqn:Sk; try (now apply (Hskip d)); unfold once, intern; simpl.
    - eauto.
    - eauto.
    - assert (E : map (eval M' e') (map (trav_in onv onb ona skip (new_table tt) d) ks)
      = map (eval M e) ks).
      { rewrite map_map. apply map_ext_Forall. eapply Forall_impl; [|apply H]. simpl. intros;
        auto. }
      assert (Ho : m_ops M' = m_ops M) by (symmetry; exact Hops).
      destruct h; simpl; rewrite ?Ha, E, ?Ho; auto.
    - rewrite (IHt _ _ _ HR), !map_map.
      rewrite (map_ext_Forall (fun x => eval M' e' (trav_in onv onb ona skip (new_table tt) d x))
        (eval M e) bs)
        by (eapply Forall_impl; [|apply H]; simpl; intros; auto).
      f_equal. apply rounds_ext. intros k v. rewrite map_map, map_length.
      apply map_ext_Forall. eapply Forall_impl; [|apply H0]. simpl. intros a IH. apply IH.
        now apply Hext.
  Qed.
End Trav.

(** ** Lift *)
Lemma eval_lift M k t e e' : (forall i, e i = e' (i + k)%nat) -> eval M e' (lift k t) = eval M e t.
Proof.
  intros He. unfold lift. destruct (Nat.eqb_spec k 0) as [->|Hk].
  - assert (H : forall t e e', (forall i, e i = e' i) -> eval M e' t = eval M e t).
    { clear. induction t using term_ind'; intros e e' He; simpl; auto.
      - f_equal. apply map_ext_Forall. eapply Forall_impl; [|apply H]. simpl; auto.
      - rewrite (IHt e e') by auto. rewrite (map_ext_Forall (eval M e') (eval M e) bs)
          by (eapply Forall_impl; [|apply H]; simpl; auto).
        f_equal. apply rounds_ext. intros. apply map_ext_Forall. eapply Forall_impl; [|apply H0].
        simpl. intros a IH. apply IH. now apply ext_cong. }
    apply H. intros i. rewrite He. f_equal. lia.
  - apply eval_trav with (rel_env := fun d e e' => forall i, e i = e' (if i <? d then
    i else i + k)%nat).
    + intros d f f' u HR Sk. apply (eval_closed u M d); auto. intros i Hi. rewrite HR.
      destruct (Nat.ltb_spec i d); auto; lia.
    + reflexivity.
    + intros d f f' w c v HR [|j]; [reflexivity|].
      change (S j <? S w + d)%nat with (j <? w + d)%nat. unfold ext at 1. rewrite HR.
      destruct (Nat.ltb_spec j (w + d)).
      * unfold ext. destruct (Nat.ltb_spec j w); auto.
        destruct (Nat.ltb_spec (j - w) d); auto; lia.
      * change (S j + k)%nat with (S (j + k)). unfold ext.
        destruct (Nat.ltb_spec j w); try lia. destruct (Nat.ltb_spec (j - w) d); try lia.
        destruct (Nat.ltb_spec (j + k) w); try lia. f_equal. lia.
    + reflexivity.
    + intros d f f' i s HR. unfold lift_b. rewrite HR. destruct (i <? d)%nat; reflexivity.
    + reflexivity.
    + intros i. simpl. apply He.
Qed.
Lemma eval_env M t e e' : (forall i, e i = e' i) -> eval M e' t = eval M e t.
Proof. intros H. rewrite <- (eval_lift M 0 t e e'); auto. intros i. now rewrite Nat.add_0_r. Qed.

(** Environments that agree, but for d binders, with an outer one [o]. *)
Definition over (o : env) (d : nat) (e : env) := forall i, e (i + d)%nat = o i.
Lemma over_ext o d e w k v : over o d e -> over o (S w + d) (ext w k v e).
Proof.
  intros H i. unfold ext. replace (i + (S w + d))%nat with (S (i + d + w)) by lia.
  destruct (Nat.ltb_spec (i + d + w) w); try lia. rewrite <- H. f_equal. lia.
Qed.
Lemma over_bext o m zs : over o m (bext m zs o).
Proof. intros i. unfold bext. destruct (Nat.ltb_spec (i + m) m); try lia. f_equal. lia. Qed.
Lemma over_0 o : over o 0 o.
Proof. intros i. now rewrite Nat.add_0_r. Qed.
Lemma eval_lift_over M o d e t : over o d e -> eval M e (lift d t) = eval M o t.
Proof. intros H. apply eval_lift. intros i. now rewrite H. Qed.

(** ** Open *)
Definition opened M (vals : list term) (o : env) : env := fun i =>
  match nth_error vals i with Some u => eval M o u | None => o (i - length vals)%nat end.
Lemma eval_open_gen M vals o t d e e' : over o d e' ->
  (forall i, e i = if i <? d then e' i else opened M vals o (i - d))%nat ->
  eval M e' (trav keep_v (open_b vals) keep_a (fun d t => closed_at d t) d t) = eval M e t.
Proof.
  intros Ho He. apply eval_trav with (rel_env := fun d e e' => over o d e' /\
     forall i, e i = if (i <? d)%nat then e' i else opened M vals o (i - d)%nat); auto.
  - intros d' f f' u [_ HR] Sk. apply (eval_closed u M d'); auto. intros i Hi. rewrite HR.
    destruct (Nat.ltb_spec i d'); auto; lia.
  - reflexivity.
  - intros d' f f' w k v [H1 H2]. split. now apply over_ext.
    intros [|j]; simpl; auto. change (S j <? S (w + d'))%nat with (j <? w + d')%nat.
    destruct (Nat.ltb_spec j w).
    + destruct (Nat.ltb_spec j (w + d')); auto; lia.
    + rewrite H2. destruct (Nat.ltb_spec (j - w) d'), (Nat.ltb_spec j (w + d')); try lia; auto.
      f_equal. lia.
  - intros d' f f' i s [H1 H2]. unfold open_b. rewrite H2. destruct (Nat.ltb_spec i d'); auto.
    unfold opened. destruct (nth_error vals (i - d')) eqn:E.
    + now apply eval_lift_over.
    + simpl. rewrite <- H1. f_equal. apply nth_error_None in E. lia.
Qed.
Lemma eval_open M vals t : eval M e0 (open vals t) = eval M (opened M vals e0) t.
Proof. apply eval_open_gen with (o := e0). apply over_0. intros i. simpl. now rewrite Nat.sub_0_r.
  Qed.
Lemma rholds_open M vals a : rholds M e0 (ropen vals a) <-> rholds M (opened M vals e0) a.
Proof.
  unfold rholds, ropen, rtrav. simpl.
  rewrite <- !eval_open. reflexivity.
Qed.
Lemma opened_fold M u us k v :
  eval M e0 u = k -> map (eval M e0) us = v ->
  forall i, opened M (u :: us) e0 i = ext (length us) k v e0 i.
Proof.
  intros <- <- [|j]; simpl; auto. unfold opened. simpl.
  destruct (Nat.ltb_spec j (length us)).
  - destruct (nth_error us j) eqn:E.
    + now rewrite (nth_indep _ 0 (eval M e0 t)), map_nth, (nth_error_nth _ _ _ E)
      by (rewrite map_length; lia).
    + apply nth_error_None in E. lia.
  - replace (nth_error us j) with (@None term); auto. symmetry. now apply nth_error_None.
Qed.

(** ** Substitution *)
Definition upd_v (M : model) (f : string -> sort -> option R) : model :=
  {| m_ops := m_ops M; m_v := fun x s => match f x s with Some r => r | None => m_v M x s end;
    m_f := m_f M |}.
Definition omap {A B} (f : A -> B) (o : option A) := match o with Some a => Some (f a)
  | None => None end.

Lemma eval_vsub_gen M sg o d e t : over o d e ->
  eval M e (trav (vsub_v sg) keep_b keep_a (untouched sg no_function) d t)
    = eval (upd_v M (fun x s => omap (eval M o) (sg x s))) e t.
Proof.
  intros Ho. apply eval_trav with (rel_env := fun d e e' => over o d e' /\ forall i, e i = e' i);
    auto.
  - intros d' f f' u [_ HE] U. symmetry. eapply eval_untouched;
    [reflexivity|exact U|simpl|reflexivity|exact HE].
    intros x s Hx. now rewrite Hx.
  - reflexivity.
  - intros d' f f' w k v [H1 H2]. split. now apply over_ext. now apply ext_cong.
  - intros d' f f' x s [H1 H2]. unfold vsub_v. simpl. destruct (sg x s); simpl; auto.
    now apply eval_lift_over.
  - intros d' f f' i s [H1 H2]. simpl. symmetry. apply H2.
Qed.

Lemma rholds_sub M sg a :
  rholds M e0 (rsub sg a) <-> rholds (upd_v M (fun x s => omap (eval M e0) (sg x s))) e0 a.
Proof. unfold rholds, rsub, rtrav; simpl. rewrite !(eval_vsub_gen M sg e0) by apply over_0.
  reflexivity. Qed.

Lemma assoc_map {A B} (f : A -> B) ps vs x s : assoc ps (map f vs) x s = omap f (assoc ps vs x s).
Proof.
  revert vs. induction ps as [|p ps IH]; intros [|v vs]; simpl; auto. destruct (peqb p x s); auto.
Qed.

(** ** Instances: substitution of variables and functions at once *)
Definition inst_model (M : model) (sg : vmap) (ph : fmap) : model :=
  {| m_ops := m_ops M;
     m_v := fun x s => match sg x s with Some u => eval M e0 u | None => m_v M x s end;
     m_f := fun f s vs => match ph f s with
       | Some (ps, body) => eval (upd_v M (assoc ps vs)) e0 body
       | None => m_f M f s vs end |}.

Section Inst.
  Variables (M : model) (sg : vmap) (ph : fmap).
  Hypothesis Hclosed : forall f s ps body, ph f s = Some (ps, body) -> closed_at 0 body = true.
  Lemma eval_inst t d e : over e0 d e ->
    eval M e (trav (vsub_v sg) keep_b (inst_a ph) (untouched sg ph) d t)
      = eval (inst_model M sg ph) e t.
  Proof.
    intros Ho. apply eval_trav with (rel_env := fun d e e' => over e0 d e' /\ forall i,
      e i = e' i); auto.
    - intros d' f f' u [_ HE] U. symmetry. eapply eval_untouched;
      [reflexivity|exact U|simpl|simpl|exact HE].
      + intros x s Hx. now rewrite Hx.
      + intros g s vs Hg. now rewrite Hg.
    - reflexivity.
    - intros d' f f' w k v [H1 H2]. split. now apply over_ext. now apply ext_cong.
    - intros d' f f' x s [H1 H2]. unfold vsub_v. simpl. destruct (sg x s); simpl; auto.
      now apply eval_lift_over.
    - intros d' f f' i s [H1 H2]. simpl. symmetry. apply H2.
    - intros e' f s ks. unfold inst_a. simpl. destruct (ph f s) as [[ps body]|] eqn:E;
      [|reflexivity].
      unfold vsub. rewrite (eval_vsub_gen M (assoc ps ks) e') by apply over_0.
      rewrite (eval_closed body _ 0 e' e0) by (eauto; intros; lia).
      apply eval_agree; try reflexivity. intros x r _. simpl. now rewrite assoc_map.
  Qed.
  Lemma holds_inst f : holds M (finst sg ph f) <-> holds (inst_model M sg ph) f.
  Proof.
    destruct f as [a|m cs c]; simpl.
    - unfold rholds, rtrav; simpl. rewrite !eval_inst by apply over_0. reflexivity.
    - assert (E : forall zs a, rholds M (bext m zs e0) (rtrav (vsub_v sg) keep_b (inst_a ph)
      (untouched sg ph) m a) <->
                              rholds (inst_model M sg ph) (bext m zs e0) a).
      { intros. unfold rholds, rtrav; simpl. rewrite !eval_inst by apply over_bext. reflexivity. }
      split; intros H zs Hc.
      + apply E, H. intros a Ha. apply in_map_iff in Ha as (b & <- & Hb). now apply E, Hc.
      + apply E, H. intros a Ha. apply E, Hc. now apply in_map.
  Qed.
End Inst.

(** ** The integer flag (trust.md: "Lemma (integers)") *)
Lemma isint_under_sound M : ok M -> forall m t e, (forall i, (i < m)%nat -> is_int (e i)) ->
  isint_under m t = true -> is_int (eval M e t).
Proof.
  intros HM m t e He. induction t using term_ind'; intros E; cbn [isint_under] in E;
    try discriminate.
  - destruct s; try discriminate. apply HM.
  - simpl. apply He. now apply Nat.ltb_lt.
  - rewrite Forall_forall in H.
    destruct h as [q| | | | | | | | |r|f sg].
    11: {
      simpl. apply andb_prop in E as [E1 E2]. apply HM. { destruct (snd sg); auto; discriminate. }
      destruct sg as [ss rs]; simpl in *. clear E1 rs. revert ss E2.
      induction ks as [|k ks IH]; intros [|s ss] E2; simpl in *; try discriminate; constructor.
      * apply andb_prop in E2 as [E2 _]. intros ->. apply H; auto.
      * apply andb_prop in E2 as [_ E2]. apply IH; auto. }
    all: try discriminate; destruct ks as [|a [|b [|c [|d [|]]]]]; try discriminate; simpl.
    + destruct q as [n d]. apply Pos.eqb_eq in E. simpl in E. subst d. exists n. unfold Q2R.
      simpl. rewrite ?Rinv_1. lra.
    + apply andb_prop in E as [E1 E2]. apply is_int_plus; apply H; simpl; auto.
    + apply andb_prop in E as [E1 E2]. apply is_int_mult; apply H; simpl; auto.
    + eexists; reflexivity.
    + eexists; reflexivity.
    + apply andb_prop in E as [E1 E2]. destruct (relb _ _ _); apply H; simpl; auto.
Qed.
Lemma isint_sound M : ok M -> forall t e, isint t = true -> is_int (eval M e t).
Proof. intros HM t e. apply isint_under_sound; auto. intros i Hi. lia. Qed.

Lemma holds_agree_symbols M M' f : same_ops M M' -> (forall x s, m_v M x s = m_v M' x s) ->
  (forall g sg vs, In (g, sg) (fsymbols f) -> m_f M g sg vs = m_f M' g sg vs) ->
  (holds M f <-> holds M' f).
Proof.
  intros Ho Hv Hf.
  assert (A : forall a, (forall g sg vs, In (g, sg) (rsymbols a) ->
    m_f M g sg vs = m_f M' g sg vs) ->
    forall e, rholds M e a <-> rholds M' e a).
  { intros a Ha e. unfold rholds. rewrite !(eval_agree_symbols M M'); auto; [reflexivity| |];
      intros g sg vs Hg; apply Ha; apply join_In; auto. }
  destruct f as [a|m cs c]; simpl in *; [now apply A|].
  assert (B : forall a, In a (c :: cs) -> forall e, rholds M e a <-> rholds M' e a).
  { intros a Ha. apply A. intros g sg vs Hg. apply Hf. fold (joined (map rsymbols cs)).
    apply (joined_In _ (rsymbols c :: map rsymbols cs)). exists (rsymbols a). split; auto.
    change (In (rsymbols a) (map rsymbols (c :: cs))). now apply in_map. }
  split; intros C zs Hc; apply B; simpl; auto; apply C; intros a Ha; apply B; simpl; auto.
Qed.
