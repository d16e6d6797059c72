(** A kernel in the manner of LCF: a theorem carries its proof of validity, which extraction
    erases.  Whatever drives these functions, a [thm] is valid. *)
From Coq Require Import String Bool Arith ZArith QArith List Lia.
From Assay Require Import Sharing Term Compare Traversal Semantics Substitution Polynomial Rules
  Laws Binders.
Import ListNotations.

Record thm := Thm { hyps : list formula; concl : formula; pf : valid hyps concl }.
Record rthm := RThm { rh : list formula; ra : relation; rpf : valid rh (FRel ra) }.
Definition test (b : bool) : {b = true} + {b = false} := Sumbool.sumbool_of_bool b.

Definition as_rel (t : thm) : option rthm.
  refine (match concl t as c return concl t = c -> option rthm with
          | FRel a => fun E => Some (RThm (hyps t) a _) | _ => fun _ => None end eq_refl).
  rewrite <- E. exact (pf t).
Defined.
Definition minus (H out : list formula) := filter (fun h => negb (mem feqb h out)) H.
Lemma minus_left H out K : incl (minus H out) K -> left_of H out K.
Proof.
  intros Hi h Hh. destruct (mem feqb h out) eqn:E; [left; exact (mem_In feqb feqb_eq _ _ E)|right].
  apply Hi, filter_In. now rewrite E.
Qed.
(** Sets of hypotheses are sorted lists, merged; nothing but speed rests on their order. *)
Fixpoint union (a : list formula) : list formula -> list formula :=
  fix go b := match a, b with
  | [], _ => b | _, [] => a
  | x :: a', y :: b' => match fcmp x y with
      | Eq => x :: union a' b' | Lt => x :: union a' b | Gt => y :: go b' end
  end.
Lemma union_In x a : forall b, In x a \/ In x b -> In x (union a b).
Proof.
  induction a as [|y a IH]; [destruct b; simpl; tauto|].
  induction b as [|z b IHb]; [simpl; tauto|]. intros H.
  change (union (y :: a) (z :: b)) with (match fcmp y z with
    | Eq => y :: union a b | Lt => y :: union a (z :: b) | Gt => z :: union (y :: a) b end).
  destruct (fcmp y z) eqn:E.
  - apply fcmp_eq in E. subst z. simpl in *. destruct H as [[H|H]|[H|H]]; auto.
  - destruct H as [[H|H]|H]; simpl; auto.
  - destruct H as [H|[H|H]]; simpl; auto.
Qed.
Lemma union_l a b : incl a (union a b).
Proof. intros x Hx. apply union_In. auto. Qed.
Lemma union_r a b : incl b (union a b).
Proof. intros x Hx. apply union_In. auto. Qed.
(** a list sorted, by merging neighbours as often as [fuel] says *)
Fixpoint merge_neighbours (ls : list (list formula)) : list (list formula) := match ls with
  | a :: b :: r => union a b :: merge_neighbours r | _ => ls end.
Fixpoint merge_all (fuel : nat) (ls : list (list formula)) : list formula := match fuel, ls with
  | _, [] => [] | _, [a] => a
  | O, _ => concat ls
  | S k, _ => merge_all k (merge_neighbours ls) end.
Definition set_of (l : list formula) : list formula := merge_all 40 (map (fun h => [h]) l).
Lemma merge_neighbours_In x n : forall ls, (length ls <= n)%nat -> In x (concat ls) ->
  In x (concat (merge_neighbours ls)).
Proof.
  induction n as [|n IH]; intros [|a [|b r]] L H; simpl in *; auto; try lia.
  apply in_app_or in H as [H|H]; apply in_or_app.
  - left. apply union_l. exact H.
  - apply in_app_or in H as [H|H]; [left; now apply union_r|right]. apply IH; auto. lia.
Qed.
Lemma merge_all_In x fuel : forall ls, In x (concat ls) -> In x (merge_all fuel ls).
Proof.
  induction fuel as [|k IH]; intros [|a [|b r]] H; try exact H.
  - simpl in *. rewrite app_nil_r in H. exact H.
  - simpl in *. rewrite app_nil_r in H. exact H.
  - cbn [merge_all]. apply IH. eapply merge_neighbours_In; eauto.
Qed.
Lemma set_of_In x l : In x l -> In x (set_of l).
Proof.
  intros H. apply merge_all_In, in_concat. exists [x]. split; [|simpl; auto].
  apply in_map_iff. eauto.
Qed.
(** and nothing is added *)
Lemma union_In_inv x a : forall b, In x (union a b) -> In x a \/ In x b.
Proof.
  induction a as [|y a IH]; [destruct b; simpl; tauto|].
  induction b as [|z b IHb]; [simpl; tauto|].
  change (union (y :: a) (z :: b)) with (match fcmp y z with
    | Eq => y :: union a b | Lt => y :: union a (z :: b) | Gt => z :: union (y :: a) b end).
  destruct (fcmp y z) eqn:E; intros [H|H]; simpl; auto.
  - destruct (IH _ H); auto.
  - destruct (IH _ H) as [H1|[H1|H1]]; auto.
  - destruct (IHb H) as [[H1|H1]|H1]; auto.
Qed.
Lemma merge_neighbours_In_inv x n : forall ls, (length ls <= n)%nat ->
  In x (concat (merge_neighbours ls)) ->
  In x (concat ls).
Proof.
  induction n as [|n IH]; intros [|a [|b r]] L H; simpl in *; auto; try lia.
  apply in_app_or in H as [H|H]; apply in_or_app.
  - apply union_In_inv in H as [H|H]; auto. right. apply in_or_app. auto.
  - right. apply in_or_app. right. apply IH; auto. lia.
Qed.
Lemma merge_all_In_inv x fuel : forall ls, In x (merge_all fuel ls) -> In x (concat ls).
Proof.
  induction fuel as [|k IH]; intros [|a [|b r]] H; try exact H.
  - simpl in *. now rewrite app_nil_r.
  - simpl in *. now rewrite app_nil_r.
  - cbn [merge_all] in H. apply IH in H. eapply merge_neighbours_In_inv; eauto.
Qed.
Lemma set_of_In_inv x l : In x (set_of l) -> In x l.
Proof.
  intros H. apply merge_all_In_inv, in_concat in H as (m & H1 & H2).
  apply in_map_iff in H1 as (y & <- & H1). destruct H2 as [<-|[]]. exact H1.
Qed.
Fixpoint subset (a : list formula) : list formula -> bool := match a with
  | [] => fun _ => true
  | x :: a' => fix go b := match b with
      | [] => false
      | y :: b' => match fcmp x y with Eq => subset a' b | Lt => false | Gt => go b' end end
  end.
Lemma subset_incl a : forall b, subset a b = true -> incl a b.
Proof.
  induction a as [|x a IH]; [intros b _ y []|]. induction b as [|y b IHb]; [discriminate|].
  intros H. change (match fcmp x y with Eq => subset a (y :: b) | Lt => false
    | Gt => subset (x :: a) b end = true) in H. destruct (fcmp x y) eqn:E; try discriminate.
  - apply fcmp_eq in E. subst y. intros z [<-|Hz]; [now left|]. exact (IH _ H z Hz).
  - intros z Hz. right. exact (IHb H z Hz).
Qed.

Definition r_hyp (f : formula) : thm := Thm [f] f (sound_hyp f).

Definition r_cases (c : relation) (P Q : thm) : option thm.
  refine (if test (feqb (concl P) (concl Q)) then
    Some (Thm (union (minus (hyps P) [FRel c]) (minus (hyps Q) [FRel (rneg c)])) (concl P) _)
      else None).
  apply feqb_eq in e. apply (sound_cases _ (hyps P) (hyps Q) c).
  - exact (pf P).
  - rewrite e. exact (pf Q).
  - apply minus_left, union_l.
  - apply minus_left, union_r.
Defined.

Definition r_antisym (P Q : rthm) : option thm.
  refine (if test (reqb (ra P) (Rel RLe (r_l (ra P)) (r_r (ra P))) && reqb (ra Q)
    (Rel RLe (r_r (ra P)) (r_l (ra P)))) then
    Some (Thm (union (rh P) (rh Q)) (EQ (r_l (ra P)) (r_r (ra P))) _) else None).
  apply andb_prop in e as [e1 e2]. apply reqb_eq in e1, e2. apply sound_antisym.
  - apply weaken with (rh P); [|apply union_l]. unfold LE. rewrite <- e1. exact (rpf P).
  - apply weaken with (rh Q); [|apply union_r]. unfold LE. rewrite <- e2. exact (rpf Q).
Defined.

Fixpoint hyps_of (ps : list rthm) : list formula := match ps with [] => [] | p :: l => union (rh
  p) (hyps_of l) end.
Lemma hyps_of_in p ps : In p ps -> incl (rh p) (hyps_of ps).
Proof.
  induction ps as [|q l IH]; simpl; [tauto|]. intros [->|Hp]; [apply union_l|].
  intros x Hx. apply union_r. now apply IH.
Qed.
Definition r_arith (F : relation) (ss : list (term * list rthm)) : option thm.
  refine (if test (arith_ok F (map (fun s => (fst s, map ra (snd s))) ss)) then
    Some (Thm (hyps_of (flat_map snd ss)) (FRel F) _) else None).
  eapply sound_arith; eauto. intros s a Hs Ha. apply in_map_iff in Hs as (s' & <- & Hs).
    simpl in Ha.
  apply in_map_iff in Ha as (p & <- & Hp). apply weaken with (rh p); [exact (rpf p)|].
  apply hyps_of_in. apply in_flat_map. eauto.
Defined.

Definition r_int (F : relation) (P : rthm) : option thm.
  refine (if test (isint (r_l (ra P)) && isint (r_r (ra P)) && is_eq (rcmp (r_op F) RLe) &&
    is_eq (rcmp (r_op (ra P)) RLt) &&
      ring_eq (value F) (add (value (Rel RLt (r_l (ra P)) (r_r (ra P)))) (num (-1)))) then
    Some (Thm (rh P) (FRel F) _) else None).
  apply andb_prop in e as [e e5]. apply andb_prop in e as [e e4]. apply andb_prop in e as [e e3].
  apply andb_prop in e as [e1 e2]. apply is_eq_eq, rcmp_eq in e3, e4.
  apply (sound_int _ (r_l (ra P)) (r_r (ra P))); auto. unfold LT. rewrite <- e4.
    pose proof (rpf P) as V.
  destruct (ra P); exact V.
Defined.

Lemma Forall2_imp {A B} (P Q : A -> B -> Prop) l m : (forall a b, P a b -> Q a b) ->
  Forall2 P l m -> Forall2 Q l m.
Proof. induction 2; constructor; auto. Qed.
Definition kids : forall (ks ls : list term) (ps : list rthm),
  option {H : list formula | Forall2 (same_or_eq H) ks ls}.
  refine (fix go ks ls ps {struct ks} := match ks, ls with
    | [], [] => match ps with [] => Some (exist _ [] _) | _ => None end
    | k :: ks', l :: ls' =>
        if test (teqb k l) then
          match go ks' ls' ps with Some (exist _ H HF) => Some (exist _ H _) | None => None end
        else match ps with
          | p :: ps' => if test (reqb (ra p) (Rel REq k l)) then
              match go ks' ls' ps' with Some (exist _ H HF) => Some (exist _ (union (rh p) H) _)
                | None => None end
              else None
          | [] => None end
    | _, _ => None end).
  - constructor.
  - constructor; auto. left. now apply teqb_eq.
  - apply reqb_eq in e0. constructor.
    + right. apply weaken with (rh p); [|apply union_l]. unfold EQ. rewrite <- e0. exact (rpf p).
    + eapply Forall2_imp; [|exact HF]. simpl. intros a b [->|V]; [now left|right].
      apply weaken with H; [exact V|apply union_r].
Defined.
Definition r_cong (a b : term) (ps : list rthm) : option thm.
  refine (if test (teqb a b && match ps with [] => true | _ => false end) then
    Some (Thm [] (EQ a b) _) else match a, b with
    | Node h ks, Node g ls => if test (is_eq (hcmp h g)) then
        match kids ks ls ps with
        | Some (exist _ H HF) => Some (Thm H (EQ (Node h ks) (Node g ls)) _)
          | None => None end else None
    | Fold q n bs ss, Fold r m cs ts => if test (Nat.eqb q r && leqb teqb ss ts) then
        match kids (n :: bs) (m :: cs) ps with
        | Some (exist _ H HF) => Some (Thm H (EQ (Fold q n bs ss) (Fold r m cs ts)) _)
          | None => None end else None
    | _, _ => None end).
  - apply andb_prop in e as [e _]. apply teqb_eq in e. subst b. intros M _ _. reflexivity.
  - apply is_eq_eq, hcmp_eq in e0. subst g. now apply sound_cong.
  - apply andb_prop in e0 as [e1 e2]. apply Nat.eqb_eq in e1. apply (leqb_eq _ teqb_eq) in e2.
    subst r ts.
    inversion HF; subst. now apply sound_cong_fold.
Defined.

Definition needs (p : option rthm) (a : relation) : option {H : list formula | valid H (FRel a)}.
  refine (match p with Some t => if test (reqb (ra t) a) then Some (exist _ (rh t) _)
    else None | None => None end).
  apply reqb_eq in e. rewrite <- e. exact (rpf t).
Defined.
Definition r_law (name : string) (ts : list term) (p : option rthm) : option thm.
  refine (let with_ a F (L : forall H, valid H (FRel a) -> valid H F) :=
            match needs p a with Some (exist _ H V) => Some (Thm H F (L H V)) | None => None end in
          let is s := is_eq (String.compare name s) in
    match ts with
    | [x] =>
        if is "inv"%string then with_ (Rel RNe x (num 0)) _ (fun H => law_inv H x) else
        if is "sin2"%string then Some (Thm [] _ (law_sin2 [] x)) else
        if is "exp>"%string then Some (Thm [] _ (law_exp_gt [] x)) else
        if is "log"%string then with_ (Rel RLt (num 0) x) _ (fun H => law_log H x) else
        if is "sqrt2"%string then with_ (Rel RLe (num 0) x) _ (fun H => law_sqrt2 H x) else
        if is "sqrt>"%string then with_ (Rel RLe (num 0) x) _ (fun H => law_sqrt_ge H x) else
        match x with
        | Node (HIte r) [l; r'; a; b] =>
            if is "ite1"%string then with_ (Rel r l r') _ (fun H => law_ite1 H (Rel r l r') a b)
              else
            if is "ite0"%string then with_ (rneg (Rel r l r')) _ (fun H => law_ite0 H (Rel r l r')
              a b) else None
        | _ => None end
    | [x; y] =>
        if is "sin+"%string then Some (Thm [] _ (law_sin_add [] x y)) else
        if is "cos+"%string then Some (Thm [] _ (law_cos_add [] x y)) else
        if is "erf"%string then with_ (Rel REq (add x y) (num 0)) _ (fun H => law_erf H x y) else
        if is "exp+"%string then Some (Thm [] _ (law_exp_add [] x y)) else
        if test (isint x && isint y) then
          (if is "div"%string then with_ (Rel RLt (num 0) y) (EQ x (add (mul y (div_ x y))
            (mod_ x y))) _ else
           if is "mod>"%string then with_ (Rel RLt (num 0) y) (LE (num 0) (mod_ x y)) _ else
           if is "mod<"%string then with_ (Rel RLt (num 0) y) (LT (mod_ x y) y) _ else None)
        else None
    | _ => None end); intros H V; apply andb_prop in e as [e1 e2];
    [now apply law_div|now apply law_mod_ge|now apply law_mod_lt].
Defined.

Definition r_zero (t : term) (p : rthm) : option thm.
  refine (match t with
    | Fold q n bs ss => if test (Nat.ltb q (length bs) && reqb (ra p) (Rel RLe n (num 0))) then
        Some (Thm (rh p) (EQ (Fold q n bs ss) (nth q bs (num 0))) _) else None
    | _ => None end).
  apply andb_prop in e as [e1 e2]. apply Nat.ltb_lt in e1. apply reqb_eq in e2. apply sound_zero;
    auto.
  unfold LE. rewrite <- e2. exact (rpf p).
Defined.
Definition r_succ (t K : term) (p : rthm) : option thm.
  refine (match t with
    | Fold q n bs ss => if test (Nat.ltb q (length ss) && isint K && ring_eq n (add K (num 1)) &&
      reqb (ra p) (Rel RLe (num 0) K)) then
        Some (Thm (rh p) (EQ (Fold q n bs ss) (open (K :: all_folds K bs ss) (nth q ss (num 0))))
          _) else None
    | _ => None end).
  apply andb_prop in e as [e e4]. apply andb_prop in e as [e e3]. apply andb_prop in e as [e1 e2].
  apply Nat.ltb_lt in e1. apply reqb_eq in e4. apply sound_succ; auto. unfold LE. rewrite <- e4.
    exact (rpf p).
Defined.

Fixpoint steps_left (ps : list rthm) (out : list formula) : list formula :=
  match ps with [] => [] | p :: l => union (minus (rh p) out) (steps_left l out) end.
Lemma steps_left_in p ps out : In p ps -> incl (minus (rh p) out) (steps_left ps out).
Proof.
  induction ps as [|q l IH]; simpl; [tauto|]. intros [->|Hp]; [apply union_l|].
  intros x Hx. apply union_r. now apply IH.
Qed.
Definition r_induct (k : string) (n : term) (j : nat) (Fs : list relation) (bs ss : list rthm)
  (p : rthm) : option thm.
  refine (let out := map FRel Fs ++ [LE (num 0) (Var k I); LT (Var k I) n] in
    let L := steps_left ss out in
    match nth_error Fs j as o return nth_error Fs j = o -> option thm with
    | None => fun _ => None
    | Some f => fun Ej =>
      if test (isint n && negb (occurs k I n) && reqb (ra p) (Rel RLe (num 0) n)
          && leqb reqb (map (at_k k (num 0)) Fs) (map ra bs)
          && leqb reqb (map (at_k k (add (Var k I) (num 1))) Fs) (map ra ss)
          && forallb (fun h => negb (foccurs k I h)) L) then
        Some (Thm (union (rh p) (union (hyps_of bs) L)) (FRel (at_k k n f)) _)
          else None end eq_refl).
  apply andb_prop in e as [e e6]. apply andb_prop in e as [e e5]. apply andb_prop in e as [e e4].
  apply andb_prop in e as [e e3]. apply andb_prop in e as [e1 e2].
  apply negb_true_iff in e2. apply reqb_eq in e3. apply (leqb_eq _ reqb_eq) in e4, e5.
  apply sound_induct with (Fs := Fs); auto.
  - apply weaken with (rh p); [|apply union_l]. unfold LE. rewrite <- e3. exact (rpf p).
  - eapply nth_error_In; eauto.
  - intros g Hg. apply (in_map (at_k k (num 0))) in Hg. rewrite e4 in Hg.
    apply in_map_iff in Hg as (q & <- & Hq). apply weaken with (rh q); [exact (rpf q)|].
    intros x Hx. apply union_r, union_l. now apply (hyps_of_in q).
  - intros g Hg. apply (in_map (at_k k (add (Var k I) (num 1)))) in Hg. rewrite e5 in Hg.
    apply in_map_iff in Hg as (q & <- & Hq). exists (rh q), L. split; [exact (rpf q)|]. split;
      [|split].
    + apply minus_left. now apply steps_left_in.
    + intros x Hx. now apply union_r, union_r.
    + intros h Hh. rewrite forallb_forall in e6. apply negb_true_iff. now apply e6.
Defined.

Definition r_use (c : thm) (ts : list term) (ps : list rthm) : option thm.
  refine (match concl c as f return concl c = f -> option thm with
    | FAll m cs d => fun E =>
      if test (Nat.eqb (length ts) m && forallb isint ts && leqb reqb (map (ropen ts) cs)
        (map ra ps)) then
        Some (Thm (union (hyps c) (hyps_of ps)) (FRel (ropen ts d)) _) else None
    | _ => fun _ => None end eq_refl).
  apply andb_prop in e as [e e3]. apply andb_prop in e as [e1 e2].
  apply Nat.eqb_eq in e1. apply (leqb_eq _ reqb_eq) in e3.
  apply sound_use with (m := m) (cs := cs); auto.
  - apply weaken with (hyps c); [|apply union_l]. rewrite <- E. exact (pf c).
  - intros a Ha. apply (in_map (ropen ts)) in Ha. rewrite e3 in Ha.
    apply in_map_iff in Ha as (q & <- & Hq).
    apply weaken with (rh q); [exact (rpf q)|]. intros x Hx. apply union_r.
      now apply (hyps_of_in q).
Defined.

Lemma peqb_refl' x s : peqb (x, s) x s = true. Proof. apply peqb_refl. Qed.
Fixpoint nodupb (l : list param) : bool := match l with
  | [] => true | p :: m => negb (existsb (fun q => peqb q (fst p) (snd p)) m) && nodupb m end.
Lemma nodupb_ok l : nodupb l = true -> NoDup l.
Proof.
  induction l as [|p m IH]; simpl; intros H; constructor; apply andb_prop in H as [H1 H2]; auto.
  intros Hp. apply negb_true_iff in H1. assert (X : existsb (fun q => peqb q (fst p) (snd p))
    m = true).
  { apply existsb_exists. exists p. split; auto. destruct p. apply peqb_refl'. }
  congruence.
Qed.
Lemma F2_combine {A B} (P : A -> B -> Prop) l : forall m, length l = length m ->
  (forall x, In x (combine l m) -> P (fst x) (snd x)) -> Forall2 P l m.
Proof.
  induction l; intros [|b m] L H; simpl in *; try discriminate; constructor.
  - apply (H (a, b)); auto.
  - apply IHl; auto.
Qed.
Definition eq_of (pv : list term) (x : term * term) := Rel REq (open pv (fst x)) (open pv (snd x)).
Definition r_foldcong (a b : term) (K : string) (As : list string) (prems : list rthm) : option thm.
  refine (match a, b with
    | Fold q n bs ss, Fold r m cs ts =>
      let ps := (K, I) :: states As in
      let L := steps_left prems [LE (num 0) (Var K I); LT (Var K I) n] in
      if test (Nat.eqb q r && teqb n m && leqb teqb bs cs && nodupb ps && Nat.eqb (length As)
        (length ss)
          && Nat.eqb (length bs) (length ss) && Nat.eqb (length ss) (length ts)
          && forallb (fun p => forallb (fun t => negb (occurs (fst p) (snd p) t)) (n :: ss ++ ts))
            ps
          && leqb reqb (map (eq_of (map pvar ps)) (combine ss ts)) (map ra prems)
          && forallb (fun p => forallb (fun h => negb (foccurs (fst p) (snd p) h)) L) ps) then
        Some (Thm L (EQ (Fold q n bs ss) (Fold r m cs ts)) _) else None
    | _, _ => None end).
  apply andb_prop in e as [e c10]. apply andb_prop in e as [e c9]. apply andb_prop in e as [e c8].
  apply andb_prop in e as [e c7]. apply andb_prop in e as [e c6]. apply andb_prop in e as [e c5].
  apply andb_prop in e as [e c4]. apply andb_prop in e as [e c3]. apply andb_prop in e as [c1 c2].
  apply Nat.eqb_eq in c1, c5, c6, c7. apply teqb_eq in c2. apply (leqb_eq _ teqb_eq) in c3.
  apply nodupb_ok in c4. apply (leqb_eq _ reqb_eq) in c9. subst r m cs.
  apply sound_foldcong with (K := K) (As := As); auto.
  - intros p t Hp Ht. rewrite forallb_forall in c8. specialize (c8 p Hp).
    rewrite forallb_forall in c8.
    apply negb_true_iff. auto.
  - apply F2_combine; auto. intros x Hx. apply (in_map (eq_of (map pvar ps))) in Hx.
    rewrite c9 in Hx.
    apply in_map_iff in Hx as (u & E & Hu). exists (rh u), L. split; [|split; [|split]].
    + pose proof (rpf u) as V. rewrite E in V. exact V.
    + apply minus_left. now apply steps_left_in.
    + intros h Hh; exact Hh.
    + intros p Hp h Hh. rewrite forallb_forall in c10. specialize (c10 p Hp).
      rewrite forallb_forall in c10.
      apply negb_true_iff. auto.
Defined.

Definition pair_ok (x : param * term) := negb (is_I (snd (fst x))) || isint (snd x).
Record fsub := FSub { f_name : string; f_sig : signature; f_ps : list param; f_body : term }.
Definition is_law (f : string) (s : signature) :=
  (is_eq (String.compare f "func.sin"%string) || is_eq (String.compare f "func.cos"%string)
   || is_eq (String.compare f "func.erf"%string)) && is_eq (sgcmp s law_sig).
Definition fsub_ok (x : fsub) := closed_at 0 (f_body x)
  && leqb (fun a b => is_eq (scmp a b)) (map snd (f_ps x)) (fst (f_sig x))
  && (negb (is_I (snd (f_sig x))) || isint (f_body x)) && negb (is_law (f_name x) (f_sig x)).
Definition look (fs : list fsub) : fmap := fun f s =>
  match find (fun x => is_eq (String.compare (f_name x) f) && is_eq (sgcmp (f_sig x) s)) fs with
  | Some x => Some (f_ps x, f_body x) | None => None end.
Lemma look_ok fs : forallb fsub_ok fs = true -> fmap_ok (look fs).
Proof.
  intros H f s ps body E. unfold look in E. destruct (find _ fs) as [x|] eqn:F; try discriminate.
  injection E as <- <-. apply find_some in F as [Hx E]. apply andb_prop in E as [E1 E2].
  apply is_eq_eq, string_cmp_eq in E1. apply is_eq_eq, sgcmp_eq in E2. subst f s.
  rewrite forallb_forall in H. specialize (H x Hx). unfold fsub_ok in H.
  apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  split; auto. split; [|split].
  - apply (leqb_eq (fun a b => is_eq (scmp a b))) in H2; auto. intros a b C.
    now apply scmp_eq, is_eq_eq.
  - intros S. rewrite S in H3. exact H3.
  - intros [N S]. apply negb_true_iff in H4. unfold is_law in H4. rewrite S in H4.
    destruct N as [N|[N|N]]; rewrite N in H4; vm_compute in H4; discriminate.
Qed.
Lemma vmap_ok_of l : forallb pair_ok l = true -> vmap_ok (assoc (map fst l) (map snd l)).
Proof.
  induction l as [|[p t] l IH]; simpl; intros H x u E; try discriminate.
  apply andb_prop in H as [H1 H2]. destruct (peqb p x I) eqn:P.
  - injection E as <-. apply peqb_eq in P. subst p. exact H1.
  - exact (IH H2 x u E).
Qed.
Fixpoint all_hyps (ps : list thm) : list formula := match ps with [] => [] | p :: l => union (hyps
  p) (all_hyps l) end.
Lemma all_hyps_in p ps : In p ps -> incl (hyps p) (all_hyps ps).
Proof.
  induction ps as [|q l IH]; simpl; [tauto|]. intros [->|Hp]; [apply union_l|].
  intros x Hx. apply union_r. now apply IH.
Qed.
(** Hypotheses that a substitution does not touch, in their order, and the others substituted. *)
Definition split_touched sg ph (hs : list formula) : list formula * list formula :=
  let (kept, touched) := partition (funtouched sg ph) hs in (kept, map (finst sg ph) touched).
Definition substituted (cut : list formula) (halves : list formula * list formula) : list formula :=
  union (minus (fst halves) cut) (set_of (minus (snd halves) cut)).
Lemma substituted_In sg ph cut hs h : In h hs ->
  mem feqb (finst sg ph h) cut = true \/ In (finst sg ph h) (substituted cut (split_touched sg ph
    hs)).
Proof.
  intros Hh. destruct (mem feqb (finst sg ph h) cut) eqn:E; [now left|right]. apply union_In.
  unfold split_touched. destruct (partition _ hs) as [kept touched] eqn:P.
  destruct (elements_in_partition _ _ P h) as [H _]. destruct (H Hh) as [K|T]; cbn [fst snd].
  - left. apply filter_In. assert (U : funtouched sg ph h = true).
    { clear -P K. revert kept touched P K. induction hs as [|g hs IH]; simpl;
      intros kept touched P K.
      - injection P as <- <-. destruct K.
      - destruct (partition _ hs) as [k t]. destruct (funtouched sg ph g) eqn:U;
        injection P as <- <-.
        + destruct K as [<-|K]; auto. exact (IH _ _ eq_refl K).
        + exact (IH _ _ eq_refl K). }
    rewrite (finst_untouched _ _ _ U) in E |- *. now rewrite E.
  - right. apply set_of_In, filter_In. rewrite E. split; auto. now apply in_map.
Qed.
Definition r_inst (S : thm) (l : list (param * term)) (fs : list fsub) (prems : list thm)
  : option thm.
  refine (let sg := assoc (map fst l) (map snd l) in let ph := look fs in
    let halves := split_touched sg ph (hyps S) in
    if test (forallb pair_ok l && forallb fsub_ok fs
        && forallb (fun q => mem feqb (concl q) (snd halves) || mem feqb (concl q) (fst halves))
          prems) then
      Some (Thm (union (substituted (map concl prems) halves) (all_hyps prems))
                (finst sg ph (concl S)) _) else None).
  apply andb_prop in e as [e _]. apply andb_prop in e as [e1 e2].
    apply sound_inst with (H := hyps S).
  - now apply vmap_ok_of.
  - now apply look_ok.
  - exact (pf S).
  - intros h Hh. destruct (substituted_In sg ph (map concl prems) _ _ Hh) as [E|E].
    + apply (mem_In feqb feqb_eq) in E. apply in_map_iff in E as (q & E & Hq). rewrite <- E.
      apply weaken with (hyps q); [exact (pf q)|]. intros x Hx. apply union_r.
        now apply (all_hyps_in q).
    + apply weaken with [finst sg ph h]; [apply sound_hyp|]. intros x [<-|[]]. now apply union_l.
Defined.

(** What a [qed] line asks: the theorem concludes the goal from allowed hypotheses, a sorted list.
  *)
Definition proves (t : thm) (allowed : list formula) (goal : formula) : bool :=
  feqb (concl t) goal && subset (hyps t) allowed.
Theorem proves_sound t allowed goal : proves t allowed goal = true -> valid allowed goal.
Proof.
  unfold proves. intros H. apply andb_prop in H as [H1 H2]. apply feqb_eq in H1. subst goal.
  apply weaken with (hyps t); [exact (pf t)|]. now apply subset_incl.
Qed.
