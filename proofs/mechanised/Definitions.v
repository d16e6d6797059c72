(** Definitions (CLAIM.md section 7): an admitted list of definitions is a conservative extension.
    Over every model there is one that differs from it in the defined functions alone and in which
    all defining clauses hold, those of what loops carry included. *)
From Coq Require Import String Bool Arith ZArith QArith List Reals Qreals Lia Lra.
From Assay Require Import Sharing Term Compare Traversal Semantics Substitution Rules Binders.
Import ListNotations.
Local Open Scope R_scope.

(** The parameters are the loose indices of a body: index k is parameter k. *)
Record definition := Definition_ { d_symbol : symbol; d_body : term }.
(** What a loop carries: before the first iteration, and after one more.  Under c loops parameter c
    counts the iterations. *)
Record carried := Carried { c_symbol : symbol; c_base : term; c_step : term }.
Inductive item := Define (d : definition) | Loop (cs : list carried) (body : list item).

Section Induction.
  Variable P : item -> Prop.
  Hypothesis HD : forall d, P (Define d).
  Hypothesis HL : forall cs body, Forall P body -> P (Loop cs body).
  Fixpoint item_ind' (x : item) : P x :=
    match x with
    | Define d => HD d
    | Loop cs body => HL cs body ((fix all l : Forall P l := match l with
        | [] => Forall_nil P | a :: m => Forall_cons a (item_ind' a) (all m) end) body)
    end.
End Induction.

(** ** Clauses *)
Definition arity (s : symbol) : nat := length (fst (snd s)).
Definition call (s : symbol) (ks : list term) : term := Node (HApp (fst s) (snd s)) ks.
Definition parameter (k : nat) : term := Bnd k I.
Definition parameters (s : symbol) : list term := map parameter (seq 0 (arity s)).
Definition clause (d : definition) : formula :=
  let e := Rel REq (call (d_symbol d) (parameters (d_symbol d))) (d_body d) in
  match arity (d_symbol d) with O => FRel e | m => FAll m [] e end.
Fixpoint set_nth {A} (c : nat) (x : A) (l : list A) : list A :=
  match l, c with [], _ => [] | _ :: m, O => x :: m | a :: m, S c' => a :: set_nth c' x m end.
Definition next_iteration (c : nat) (s : symbol) : list term :=
  set_nth c (add (parameter c) (num 1)) (parameters s).
Definition base_clause (c : nat) (x : carried) : formula :=
  FAll (arity (c_symbol x)) [Rel RLe (parameter c) (num 0)]
    (Rel REq (call (c_symbol x) (parameters (c_symbol x))) (c_base x)).
Definition step_clause (c : nat) (x : carried) : formula :=
  FAll (arity (c_symbol x)) [Rel RLe (num 0) (parameter c)]
    (Rel REq (call (c_symbol x) (next_iteration c (c_symbol x))) (c_step x)).
Fixpoint clauses (c : nat) (x : item) : list formula := match x with
  | Define d => [clause d]
  | Loop cs body => map (base_clause c) cs ++ map (step_clause c) cs ++ flat_map (clauses (S c))
    body
  end.
Fixpoint defined (x : item) : list symbol := match x with
  | Define d => [d_symbol d]
  | Loop cs body => map c_symbol cs ++ flat_map defined body end.

(** ** Admission *)
(** Every call of one of the symbols S has the parameter c, under d binders, as its argument c. *)
Section Iteration.
  Variables (S_ : list symbol) (c : nat) (tb : table).
  Fixpoint at_iteration_in (d : nat) (t : term) : bool := once tb d t (fun _ =>
    match t with
    | Var _ _ | Bnd _ _ => true
    | Node h ks => forallb (at_iteration_in d) ks && match h with
        | HApp f sg => negb (mem symbol_eqb (f, sg) S_)
            || match nth_error ks c with Some (Bnd i _) => Nat.eqb i (c + d) | _ => false end
        | _ => true end
    | Fold _ n bs ss => at_iteration_in d n && forallb (at_iteration_in d) bs
        && forallb (at_iteration_in (S (length ss) + d)) ss
    end).
End Iteration.
Definition at_iteration S_ c t := at_iteration_in S_ c (new_table tt) 0 t.
Definition rel_at_iteration S_ c a := at_iteration S_ c (r_l a) && at_iteration S_ c (r_r a).
Definition clause_at_iteration S_ c f := match f with
  | FRel a => rel_at_iteration S_ c a
  | FAll _ cs a => forallb (rel_at_iteration S_ c) cs && rel_at_iteration S_ c a end.

Definition unseen (s : symbol) (seen : list symbol) : bool := negb (mem symbol_eqb s seen).
Definition indices (s : symbol) : bool := forallb is_I (fst (snd s)).
Definition definition_ok (d : definition) : bool :=
  indices (d_symbol d) && closed_at (arity (d_symbol d)) (d_body d)
  && (negb (is_I (snd (snd (d_symbol d)))) || isint_under (arity (d_symbol d)) (d_body d)).
Definition carried_ok (c : nat) (x : carried) : bool :=
  indices (c_symbol x) && negb (is_I (snd (snd (c_symbol x)))) && Nat.ltb c (arity (c_symbol x))
  && closed_at (arity (c_symbol x)) (c_base x) && closed_at (arity (c_symbol x)) (c_step x).
Fixpoint all_unseen (l seen : list symbol) : option (list symbol) := match l with
  | [] => Some seen
  | s :: m => if unseen s seen then all_unseen m (s :: seen) else None end.

(** [seen]: the symbols that may not be defined any more, since something before speaks of them. *)
Fixpoint admit (c : nat) (x : item) (seen : list symbol) : option (list symbol) :=
  match x with
  | Define d =>
      if definition_ok d && unseen (d_symbol d) (symbols (d_body d)) && unseen (d_symbol d) seen
      then Some (d_symbol d :: symbols (d_body d) ++ seen) else None
  | Loop cs body =>
      let S_ := defined x in
      if forallb (carried_ok c) cs && forallb (fun y => at_iteration S_ c (c_step y)) cs
         && forallb (clause_at_iteration S_ c) (flat_map (clauses (S c)) body) then
        match all_unseen (map c_symbol cs) (flat_map (fun y => symbols (c_base y)) cs ++ seen) with
        | None => None
        | Some seen1 => match
            (fix go l seen := match l with
             | [] => Some seen
             | y :: m => match admit (S c) y seen with Some s => go m s | None => None end end)
               body seen1
          with Some seen2 => Some (flat_map (fun y => symbols (c_step y)) cs ++ seen2)
            | None => None end
        end
      else None
  end.
Fixpoint admit_all (c : nat) (l : list item) (seen : list symbol) : option (list symbol) :=
  match l with
  | [] => Some seen
  | x :: m => match admit c x seen with Some s => admit_all c m s | None => None end end.
Definition law_symbols : list symbol :=
  [("func.sin"%string, law_sig); ("func.cos"%string, law_sig); ("func.erf"%string, law_sig)].
Definition admitted (l : list item) : bool :=
  match admit_all 0 l law_symbols with Some _ => true | None => false end.

(** ** The model *)
Definition arguments (vs : list R) : env := fun i => nth i vs 0.
Definition with_functions (M : model) (f : symbol -> option (list R -> R)) : model :=
  {| m_ops := m_ops M; m_v := m_v M;
     m_f := fun g sg vs => match f (g, sg) with Some h => h vs | None => m_f M g sg vs end |}.
Definition extend (M : model) (d : definition) : model := with_functions M (fun s =>
  if symbol_eqb (d_symbol d) s then Some (fun vs => eval M (arguments vs) (d_body d)) else None).
Definition with_state (M : model) (cs : list carried) (value : carried -> list R -> R) : model :=
  with_functions M (fun s => match find (fun x => symbol_eqb (c_symbol x) s) cs with
    | Some x => Some (value x) | None => None end).
Definition iteration (c : nat) (vs : list R) : nat := Z.to_nat (Int_part (nth c vs 0)).
Fixpoint extended (c : nat) (x : item) (M : model) {struct x} : model :=
  match x with
  | Define d => extend M d
  | Loop cs body =>
      let N := fix N (k : nat) : model :=
        (fix run l M := match l with [] => M | y :: m => run m (extended (S c) y M) end) body
          (with_state M cs (fun y vs => match k with
            | O => eval M (arguments vs) (c_base y)
            | S j => eval (N j) (arguments (set_nth c (INR j) vs)) (c_step y) end)) in
      with_functions M (fun s => if mem symbol_eqb s (defined x)
        then Some (fun vs => m_f (N (iteration c vs)) (fst s) (snd s) vs) else None)
  end.
Definition extended_all (c : nat) (l : list item) (M : model) : model :=
  fold_left (fun M x => extended c x M) l M.

(** ** What is admitted: what may not be spoken of again *)
Definition facts (D : list symbol) (C : list formula) (seen seen' : list symbol) :=
  incl seen seen' /\ (forall s, In s D -> ~ In s seen /\ In s seen') /\
  (forall f, In f C -> incl (fsymbols f) seen').
Lemma symbol_eqb_pair s : symbol_eqb s (fst s, snd s) = true.
Proof. rewrite <- surjective_pairing. apply symbol_eqb_refl. Qed.
Lemma unseen_not_In s l : unseen s l = true -> ~ In s l.
Proof.
  unfold unseen, mem. intros H Hs. apply negb_true_iff in H.
  assert (E : existsb (symbol_eqb s) l = true); [|congruence].
  apply existsb_exists. exists s. split; auto. apply symbol_eqb_refl.
Qed.
Lemma mem_symbol s l : mem symbol_eqb s l = true <-> In s l.
Proof.
  split; [apply mem_In, symbol_eqb_eq|]. intros H. apply existsb_exists. exists s.
  split; auto. apply symbol_eqb_refl.
Qed.
Lemma symbols_call s ks x : In x (symbols (call s ks)) <-> x = s \/ exists k,
  In k ks /\ In x (symbols k).
Proof.
  unfold call. cbn [symbols]. unfold once. rewrite join_In, joined_In, <- surjective_pairing.
  split.
  - intros [[H|[]]|(l & H1 & H2)]; auto. apply in_map_iff in H1 as (k & <- & Hk). eauto.
  - intros [->|(k & H1 & H2)]; [simpl; auto|right]. exists (symbols k). split; auto.
    now apply in_map.
Qed.
Lemma parameters_symbols s k x : In k (parameters s) -> ~ In x (symbols k).
Proof. intros H. apply in_map_iff in H as (i & <- & _). simpl. tauto. Qed.
Lemma In_set_nth {A} (x : A) l : forall c k, In k (set_nth c x l) -> k = x \/ In k l.
Proof. induction l; destruct c; simpl; intros k H; intuition. destruct (IHl _ _ H0); auto. Qed.
Lemma next_symbols c s k x : In k (next_iteration c s) -> ~ In x (symbols k).
Proof.
  intros H. apply In_set_nth in H as [->|H]; [simpl; tauto|]. exact (parameters_symbols s k x H).
Qed.
Lemma rsymbols_In x a : In x (rsymbols a) <-> In x (symbols (r_l a)) \/ In x (symbols (r_r a)).
Proof. apply join_In. Qed.
Lemma clause_symbols d : incl (fsymbols (clause d)) (d_symbol d :: symbols (d_body d)).
Proof.
  intros x H. assert (E : In x (rsymbols (Rel REq (call (d_symbol d) (parameters (d_symbol d)))
    (d_body d)))).
  { unfold clause in H. destruct (arity (d_symbol d)); auto. cbn [fsymbols map] in H.
    apply joined_In in H as (l & [<-|[]] & H). exact H. }
  apply rsymbols_In in E as [E|E]; simpl in E |- *; auto.
    apply symbols_call in E as [->|(k & H1 & H2)]; auto.
  exfalso. exact (parameters_symbols _ _ _ H1 H2).
Qed.
Lemma base_symbols c y : incl (fsymbols (base_clause c y)) (c_symbol y :: symbols (c_base y)).
Proof.
  intros x H. cbn [fsymbols base_clause map] in H. apply joined_In in H as (l & [<-|[<-|[]]] & H);
    apply rsymbols_In in H as [H|H]; simpl in H |- *; auto; try tauto.
  apply symbols_call in H as [->|(k & H1 & H2)]; auto. exfalso.
    exact (parameters_symbols _ _ _ H1 H2).
Qed.
Lemma step_symbols c y : incl (fsymbols (step_clause c y)) (c_symbol y :: symbols (c_step y)).
Proof.
  intros x H. cbn [fsymbols step_clause map] in H. apply joined_In in H as (l & [<-|[<-|[]]] & H);
    apply rsymbols_In in H as [H|H]; simpl in H |- *; auto; try tauto.
  apply symbols_call in H as [->|(k & H1 & H2)]; auto. exfalso. exact (next_symbols _ _ _ _ H1 H2).
Qed.
Lemma all_unseen_facts l : forall seen seen', all_unseen l seen = Some seen' ->
  facts l [] seen seen' /\ NoDup l.
Proof.
  induction l as [|s l IH]; simpl; intros seen seen' E.
  - injection E as <-. split; [split; [now intros x|split; simpl; tauto]|constructor].
  - destruct (unseen s seen) eqn:U; [|discriminate]. apply unseen_not_In in U.
    destruct (IH _ _ E) as ((I1 & D1 & _) & ND). split; [split; [|split]|]; simpl.
    + intros x Hx. apply I1. simpl; auto.
    + intros x [<-|H].
      * split; auto. apply I1. simpl; auto.
      * destruct (D1 x H) as [N Y]. split; auto. intros Hx. apply N. simpl; auto.
    + intros f [].
    + constructor; auto. intros H. apply (D1 s H). simpl; auto.
Qed.
Lemma admit_go c body : forall seen, (fix go l seen := match l with
  | [] => Some seen
  | y :: m => match admit (S c) y seen with Some s => go m s | None => None end end) body seen
  = admit_all (S c) body seen.
Proof. induction body as [|y m IH]; simpl; auto. intros seen. now destruct (admit (S c) y seen).
  Qed.
Lemma admit_all_facts c l : Forall (fun x => forall seen seen', admit c x seen = Some seen' ->
    facts (defined x) (clauses c x) seen seen') l ->
  forall seen seen', admit_all c l seen = Some seen' ->
    facts (flat_map defined l) (flat_map (clauses c) l) seen seen'.
Proof.
  induction 1 as [|x l Hx Hl IH]; simpl; intros seen seen' E.
  - injection E as <-. split; [now intros x|split; simpl; tauto].
  - destruct (admit c x seen) as [seen1|] eqn:A; [|discriminate].
    destruct (Hx _ _ A) as (I1 & D1 & C1). destruct (IH _ _ E) as (I2 & D2 & C2).
    split; [|split].
    + intros s Hs. auto.
    + intros s Hs. apply in_app_or in Hs as [Hs|Hs].
      * split; [now apply D1|]. apply I2. now apply D1.
      * split; [|now apply D2]. intros Hseen. apply (D2 s Hs). auto.
    + intros f Hf. apply in_app_or in Hf as [Hf|Hf]; [|now apply C2].
      intros s Hs. apply I2. exact (C1 f Hf s Hs).
Qed.
Lemma admit_facts x : forall c seen seen', admit c x seen = Some seen' ->
  facts (defined x) (clauses c x) seen seen'.
Proof.
  induction x as [d|cs body IH] using item_ind'; intros c seen seen' E; cbn [admit] in E.
  - destruct (definition_ok d && _ && _) eqn:A; [|discriminate]. injection E as <-.
    apply andb_prop in A as [A U]. apply unseen_not_In in U. split; [|split]; simpl.
    + intros s Hs. right. apply in_or_app. auto.
    + intros s [<-|[]]. auto.
    + intros f [<-|[]] s Hs. apply clause_symbols in Hs as [<-|Hs]; [now left|].
      right. apply in_or_app. now left.
  - destruct (_ && _ && _) eqn:A; [|discriminate]. clear A.
    destruct (all_unseen _ _) as [seen1|] eqn:U; [|discriminate]. rewrite admit_go in E.
    destruct (admit_all (S c) body seen1) as [seen2|] eqn:B; [|discriminate]. injection E as <-.
    destruct (all_unseen_facts _ _ _ U) as ((I1 & D1 & _) & _).
    destruct (admit_all_facts (S c) body) with (seen := seen1) (seen' := seen2) as (I2 & D2 & C2);
      auto.
    { eapply Forall_impl; [|exact IH]. simpl. auto. }
    assert (I12 : forall s, In s (flat_map (fun y => symbols (c_base y)) cs ++ seen) ->
      In s seen2) by auto.
    cbn [defined clauses]. split; [|split].
    + intros s Hs. apply in_or_app. right. apply I12, in_or_app. auto.
    + intros s Hs. apply in_app_or in Hs as [Hs|Hs].
      * split; [|apply in_or_app; right; apply I2; now apply D1].
        intros H. apply (D1 s Hs). apply in_or_app. auto.
      * split; [|apply in_or_app; right; now apply D2].
        intros H. apply (D2 s Hs). apply I1, in_or_app. auto.
    + intros f Hf s Hs. apply in_app_or in Hf as [Hf|Hf]; [|apply in_app_or in Hf as [Hf|Hf]].
      * apply in_map_iff in Hf as (y & <- & Hy). apply base_symbols in Hs as [<-|Hs].
        { apply in_or_app. right. apply I2. apply D1. now apply in_map. }
        { apply in_or_app. right. apply I12, in_or_app. left. apply in_flat_map. eauto. }
      * apply in_map_iff in Hf as (y & <- & Hy). apply step_symbols in Hs as [<-|Hs].
        { apply in_or_app. right. apply I2. apply D1. now apply in_map. }
        { apply in_or_app. left. apply in_flat_map. eauto. }
      * apply in_or_app. right. exact (C2 f Hf s Hs).
Qed.

(** ** The model extends the one below it, and makes all clauses true *)
Definition extends (D : list symbol) (M M' : model) := same_ops M M' /\
  (forall x s, m_v M x s = m_v M' x s) /\
  (forall g sg vs, ~ In (g, sg) D -> m_f M g sg vs = m_f M' g sg vs).
Definition sound D C M M' := ok M' /\ extends D M M' /\ (forall f, In f C -> holds M' f).

Ltac look_up F := match goal with |- context [match ?x with Some _ => _ | None => _ end] =>
  destruct x eqn:F end.
Lemma ok_functions M f : ok M ->
  (forall s h vs, f s = Some h -> snd (snd s) = I -> Forall2 arg_int (fst (snd s)) vs ->
    is_int (h vs)) ->
  (forall s h, f s = Some h -> ~ In s law_symbols) -> ok (with_functions M f).
Proof.
  intros HM Hi Hl. destruct HM. constructor; simpl; auto.
  - intros g sg vs E A. look_up F; auto. exact (Hi _ _ _ F E A).
  - intros x. look_up F; auto. exfalso. apply (Hl _ _ F). simpl; auto.
  - intros x. look_up F; auto. exfalso. apply (Hl _ _ F). simpl; auto.
  - intros x. look_up F; auto. exfalso. apply (Hl _ _ F). simpl; auto.
Qed.
Lemma extends_functions D M f : (forall s h, f s = Some h -> In s D) ->
  extends D M (with_functions M f).
Proof.
  intros H. repeat split; simpl; auto. intros g sg vs N. look_up F; auto.
  exfalso. apply N. eauto.
Qed.
Lemma extends_trans D E M M1 M2 : extends D M M1 -> extends E M1 M2 -> extends (D ++ E) M M2.
Proof.
  intros (O1 & V1 & F1) (O2 & V2 & F2). unfold extends, same_ops in *. split; [congruence|split].
  - intros x s. now rewrite V1.
  - intros g sg vs N. rewrite F1, F2; auto; intros H; apply N, in_or_app; auto.
Qed.
Lemma holds_extends D M M' f : extends D M M' -> (forall s, In s (fsymbols f) -> ~ In s D) ->
  (holds M f <-> holds M' f).
Proof. intros (O & V & F) H. apply holds_agree_symbols; auto. Qed.

(** Arguments, as reals and as integers. *)
Lemma all_indices (s : symbol) : indices s = true -> fst (snd s) = repeat I (arity s).
Proof.
  unfold indices, arity. induction (fst (snd s)) as [|[] l IH]; simpl; intros H; try discriminate;
    auto.
  f_equal. auto.
Qed.
Lemma arg_ints ss : forall vs, forallb is_I ss = true -> Forall2 arg_int ss vs ->
  length vs = length ss /\ forall i, (i < length ss)%nat -> is_int (nth i vs 0).
Proof.
  induction ss as [|s ss IH]; intros vs Hs HF; inversion HF; subst; simpl in *.
  - split; auto. lia.
  - apply andb_prop in Hs as [Hs1 Hs2]. destruct s; [|discriminate].
    destruct (IH l' Hs2 H3) as [L Hi]. split; [now rewrite L|].
    intros [|i] Hi'; [now apply H1|]. apply Hi. lia.
Qed.
Lemma eval_parameters M m zs : map (eval M (bext m zs e0)) (map parameter (seq 0 m)) =
  map (fun k => IZR (zs k)) (seq 0 m).
Proof.
  rewrite map_map. apply map_ext_in. intros k Hk. apply in_seq in Hk. simpl. unfold bext.
  destruct (Nat.ltb_spec k m); auto; lia.
Qed.
Lemma nth_integers m zs i : (i < m)%nat -> nth i (map (fun k => IZR (zs k)) (seq 0 m))
  0 = IZR (zs i).
Proof. intros H. exact (nth_map_seq (fun k => IZR (zs k)) 0 m i H). Qed.
Lemma bext_lt m zs e i : (i < m)%nat -> bext m zs e i = IZR (zs i).
Proof. intros H. unfold bext. destruct (Nat.ltb_spec i m); auto; lia. Qed.
Lemma eval_arguments M m zs t : closed_at m t = true ->
  eval M (arguments (map (fun k => IZR (zs k)) (seq 0 m))) t = eval M (bext m zs e0) t.
Proof.
  intros H. apply (eval_closed t M m); auto. intros i Hi. unfold arguments.
  now rewrite nth_integers, bext_lt.
Qed.

(** A plain definition. *)
Lemma sound_define d seen seen' c M : ok M -> incl law_symbols seen ->
  admit c (Define d) seen = Some seen' -> sound [d_symbol d] [clause d] M (extend M d).
Proof.
  intros HM Hlaw E. cbn [admit] in E. destruct (definition_ok d && _ && _) eqn:A; [|discriminate].
  clear E. apply andb_prop in A as [A U]. apply andb_prop in A as [A V].
  apply unseen_not_In in U, V. unfold definition_ok in A. apply andb_prop in A as [A A3].
  apply andb_prop in A as [A1 A2]. set (s := d_symbol d) in *.
  assert (X : extends [s] M (extend M d)).
  { apply extends_functions. intros x h F. cbv beta in F. fold s in F.
    destruct (symbol_eqb s x) eqn:Q; [|discriminate].
    apply symbol_eqb_eq in Q. subst x. simpl. auto. }
  assert (HM' : ok (extend M d)).
  { apply ok_functions; auto.
    - intros x h vs F Hr Ha. cbv beta in F. fold s in F. destruct (symbol_eqb s x) eqn:Q;
      [|discriminate].
      apply symbol_eqb_eq in Q. subst x. injection F as <-.
      destruct (arg_ints _ _ A1 Ha) as [L Hi]. apply orb_prop in A3 as [A3|A3];
        [exfalso; apply negb_true_iff in A3; exact (eq_true_false_abs _ (f_equal is_I Hr) A3)|].
      apply (isint_under_sound M HM (arity s)); auto.
    - intros x h F. cbv beta in F. fold s in F. destruct (symbol_eqb s x) eqn:Q; [|discriminate].
      apply symbol_eqb_eq in Q. subst x. auto. }
  split; [exact HM'|split; [exact X|]]. intros f [<-|[]].
  assert (Q : forall zs, eval (extend M d) (bext (arity s) zs e0) (call s (parameters s)) =
                         eval (extend M d) (bext (arity s) zs e0) (d_body d)).
  { intros zs. unfold call, parameters. cbn [eval node]. rewrite eval_parameters.
    unfold extend at 1.
    cbn [m_f with_functions]. fold s. rewrite symbol_eqb_pair, eval_arguments by auto.
    destruct X as (XO & XV & XF). apply eval_agree_symbols; auto. intros g sg vs Hg. apply XF.
    intros [Eg|[]]. apply V. now rewrite Eg. }
  unfold clause. fold s. destruct (arity s) eqn:Ea; rewrite ?Ea in Q.
  - specialize (Q (fun _ => 0%Z)). cbn [holds]. unfold rholds. cbn [r_op r_l r_r relP].
    assert (E0 : forall t, eval (extend M d) (bext 0 (fun _ => 0%Z) e0) t = eval (extend M d) e0 t).
    { intros t. apply eval_env. intros i. reflexivity. }
    rewrite !E0 in Q. exact Q.
  - cbn [holds]. intros zs _. unfold rholds. cbn [r_op r_l r_r relP]. apply Q.
Qed.

(** A list of definitions. *)
Definition sound_item c x := forall seen seen' M, ok M -> incl law_symbols seen ->
  admit c x seen = Some seen' -> sound (defined x) (clauses c x) M (extended c x M).
Lemma sound_all c l : Forall (sound_item c) l -> forall seen seen' M, ok M ->
  incl law_symbols seen ->
  admit_all c l seen = Some seen' ->
  sound (flat_map defined l) (flat_map (clauses c) l) M (extended_all c l M).
Proof.
  induction 1 as [|x l Hx Hl IH]; intros seen seen' M HM Hlaw E.
  - split; [exact HM|]. split; [repeat split|]. intros f [].
  - cbn [admit_all] in E. destruct (admit c x seen) as [seen1|] eqn:A; [|discriminate].
    destruct (Hx _ _ _ HM Hlaw A) as (HM1 & X1 & C1).
    destruct (admit_facts _ _ _ _ A) as (I1 & D1 & S1).
    destruct (IH _ _ _ HM1 (fun s H => I1 s (Hlaw s H)) E) as (HM2 & X2 & C2).
    cbn [flat_map extended_all fold_left]. fold (extended_all c l (extended c x M)).
    split; [exact HM2|]. split; [now apply extends_trans with (extended c x M)|].
    intros f Hf. apply in_app_or in Hf as [Hf|Hf]; [|now apply C2].
    apply (holds_extends _ _ _ _ X2); [|now apply C1]. intros s Hs Hd.
    destruct (admit_all_facts c l) with (seen := seen1) (seen' := seen') as (_ & D2 & _); auto.
    { apply Forall_forall. intros y _ s1 s2 H. now apply admit_facts. }
    apply (D2 s Hd). exact (S1 f Hf s Hs).
Qed.

(** A loop: the models of its iterations. *)
Definition state_at c M (previous : nat -> model) k (y : carried) (vs : list R) : R := match k with
  | O => eval M (arguments vs) (c_base y)
  | S j => eval (previous j) (arguments (set_nth c (INR j) vs)) (c_step y) end.
Fixpoint iterate (c : nat) (cs : list carried) (body : list item) (M : model) (k : nat) : model :=
  extended_all (S c) body (with_state M cs (fun y vs => match k with
    | O => eval M (arguments vs) (c_base y)
    | S j => eval (iterate c cs body M j) (arguments (set_nth c (INR j) vs)) (c_step y) end)).
Lemma extended_loop c cs body M : extended c (Loop cs body) M =
  with_functions M (fun s => if mem symbol_eqb s (defined (Loop cs body))
    then Some (fun vs => m_f (iterate c cs body M (iteration c vs)) (fst s) (snd s) vs) else None).
Proof.
  cbn [extended]. set (run := fix run l M := match l with
    | [] => M | y :: m => run m (extended (S c) y M) end).
  assert (R : forall l M, run l M = extended_all (S c) l M).
  { induction l as [|y l IH]; intros N; simpl; auto. }
  set (N := fix N (k : nat) := _).
  assert (E : forall k, N k = iterate c cs body M k).
  { induction k as [|k IH]; cbn [iterate]; unfold N; fold N; rewrite R; auto. now rewrite IH. }
  unfold with_functions. f_equal. apply FunctionalExtensionality.functional_extensionality.
    intros g.
  apply FunctionalExtensionality.functional_extensionality. intros sg.
  destruct (mem symbol_eqb (g, sg) _); auto.
  apply FunctionalExtensionality.functional_extensionality. intros vs. now rewrite E.
Qed.

(** Where each call of S is one of the iteration at hand, the model of that iteration is as good. *)
Section Iterations.
  Variables (S_ : list symbol) (c : nat) (M : model) (N : nat -> model).
  Let M' := with_functions M (fun s => if mem symbol_eqb s S_
    then Some (fun vs => m_f (N (iteration c vs)) (fst s) (snd s) vs) else None).
  Hypothesis HX : forall k, extends S_ M (N k).
  Lemma eval_iteration t tb : forall d e, at_iteration_in S_ c tb d t = true ->
    eval M' e t = eval (N (Z.to_nat (Int_part (e (c + d)%nat)))) e t.
  Proof.
    induction t as [x s|i s|h ks IH|p n bs ss IHn IHb IHs] using term_ind'; intros d e H;
      cbn [at_iteration_in] in H; unfold once in H.
    - simpl. destruct (HX (Z.to_nat (Int_part (e (c + d)%nat)))) as (_ & V & _). apply V.
    - reflexivity.
    - apply andb_prop in H as [H1 H2]. set (k := Z.to_nat _). destruct (HX k) as (O & V & F).
      rewrite Forall_forall in IH. rewrite forallb_forall in H1. cbn [eval].
      assert (E : map (eval M' e) ks = map (eval (N k) e) ks).
      { apply map_ext_in. intros u Hu. apply IH; auto. }
      rewrite E. apply node_same; [exact O|]. intros f sg ->. unfold M'. cbn [m_f with_functions].
      destruct (mem symbol_eqb (f, sg) S_) eqn:Em.
      + simpl in H2. destruct (nth_error ks c) as [[| i s | | ]|] eqn:En; try discriminate.
        apply Nat.eqb_eq in H2. subst i. unfold iteration. cbn [fst snd].
        replace (nth c (map (eval (N k) e) ks) 0) with (e (c + d)%nat); auto.
        symmetry. apply nth_error_nth. now apply (map_nth_error (eval (N k) e)) in En.
      + apply F. intros Hs. apply mem_symbol in Hs. congruence.
    - apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. cbn [eval].
      rewrite forallb_forall in H2, H3. rewrite Forall_forall in IHb, IHs.
      rewrite (IHn d e H1). set (k := Z.to_nat (Int_part (e (c + d)%nat))).
      replace (map (eval M' e) bs) with (map (eval (N k) e) bs).
      2:{ apply map_ext_in. intros u Hu. symmetry. apply IHb; auto. }
      f_equal. apply rounds_ext. intros r v. apply map_ext_in. intros u Hu.
      rewrite (IHs u Hu (S (length ss) + d)%nat _ (H3 u Hu)).
      assert (Ee : ext (length ss) (INR r) v e (c + (S (length ss) + d))%nat = e (c + d)%nat).
      { replace (c + (S (length ss) + d))%nat with (S (length ss + (c + d))) by lia.
        unfold ext. destruct (Nat.ltb_spec (length ss + (c + d)) (length ss)); [lia|]. f_equal.
          lia. }
      now rewrite Ee.
  Qed.
  Lemma rholds_iteration a e : rel_at_iteration S_ c a = true ->
    (rholds M' e a <-> rholds (N (Z.to_nat (Int_part (e c)))) e a).
  Proof.
    intros H. apply andb_prop in H as [H1 H2]. unfold rholds.
    rewrite (eval_iteration _ _ _ e H1), (eval_iteration _ _ _ e H2), Nat.add_0_r. reflexivity.
  Qed.
  Lemma holds_iterations f : clause_at_iteration S_ c f = true -> (forall k, holds (N k) f) ->
    holds M' f.
  Proof.
    intros H A. destruct f as [a|m cs a]; cbn [holds clause_at_iteration] in *.
    - apply rholds_iteration; auto.
    - apply andb_prop in H as [H1 H2]. rewrite forallb_forall in H1. intros zs Hc.
      apply rholds_iteration; auto. apply A. intros b Hb. apply rholds_iteration; auto.
  Qed.
End Iterations.

Lemma find_carried y cs : NoDup (map c_symbol cs) -> In y cs ->
  find (fun x => symbol_eqb (c_symbol x) (c_symbol y)) cs = Some y.
Proof.
  induction cs as [|x cs IH]; simpl; intros ND H; [tauto|]. inversion ND; subst.
  destruct (symbol_eqb (c_symbol x) (c_symbol y)) eqn:E.
  - apply symbol_eqb_eq in E. destruct H as [->|H]; auto. exfalso. apply H2. rewrite E.
    now apply in_map.
  - destruct H as [->|H]; auto. rewrite symbol_eqb_refl in E. discriminate.
Qed.
Lemma set_nth_twice {A} c (x y : A) l : set_nth c x (set_nth c y l) = set_nth c x l.
Proof. revert c. induction l; destruct c; simpl; auto. now rewrite IHl. Qed.
Lemma set_nth_same c (l : list R) : set_nth c (nth c l 0) l = l.
Proof. revert c. induction l; destruct c; simpl; auto. now rewrite IHl. Qed.
Lemma map_set_nth {A B} (f : A -> B) c x l : map f (set_nth c x l) = set_nth c (f x) (map f l).
Proof. revert c. induction l; destruct c; simpl; auto. now rewrite IHl. Qed.
Lemma nth_set_nth c (x : R) l : (c < length l)%nat -> nth c (set_nth c x l) 0 = x.
Proof. revert c. induction l; destruct c; simpl; intros; auto; try lia. apply IHl. lia. Qed.

Lemma sound_loop cs body : Forall (fun x => forall c, sound_item c x) body ->
  forall c, sound_item c (Loop cs body).
Proof.
  intros IH c seen seen' M HM Hlaw E. pose proof (admit_facts _ _ _ _ E) as (_ & DD & _).
  rewrite extended_loop. set (D := defined (Loop cs body)) in *. set (N := iterate c cs body M).
  cbn [admit] in E. fold D in E.
  destruct (_ && _ && _) eqn:A; [|discriminate]. apply andb_prop in A as [A Bd].
  apply andb_prop in A as [Ok At]. rewrite forallb_forall in Ok, At, Bd.
  destruct (all_unseen _ _) as [seen1|] eqn:U; [|discriminate]. rewrite admit_go in E.
  destruct (admit_all (S c) body seen1) as [seen2|] eqn:B; [|discriminate]. clear E.
  destruct (all_unseen_facts _ _ _ U) as ((I1 & D1 & _) & ND).
  destruct (admit_all_facts (S c) body) with (seen := seen1) (seen' := seen2) as (_ & D2 & _); auto.
  { apply Forall_forall. intros y _ s1 s2 H. now apply admit_facts. }
  assert (Law1 : incl law_symbols seen1).
  { intros s Hs. apply I1, in_or_app. auto. }
  assert (Base : forall y s, In y cs -> In s (symbols (c_base y)) -> ~ In s D).
  { intros y s Hy Hs Hd. assert (Hb : In s (flat_map (fun y => symbols (c_base y)) cs)).
    { apply in_flat_map. eauto. }
    unfold D in Hd. cbn [defined] in Hd. apply in_app_or in Hd as [Hd|Hd].
    - apply (D1 s Hd). apply in_or_app. auto.
    - apply (D2 s Hd). apply I1, in_or_app. auto. }
  (* the models of the iterations *)
  assert (HN : forall k, ok (N k) /\ extends D M (N k) /\
    (forall f, In f (flat_map (clauses (S c)) body) -> holds (N k) f) /\
    (forall y vs, In y cs ->
      m_f (N k) (fst (c_symbol y)) (snd (c_symbol y)) vs = state_at c M N k y vs)).
  { intros k. set (W := with_state M cs (state_at c M N k)).
    assert (EN : N k = extended_all (S c) body W) by (destruct k; reflexivity).
    assert (HW : ok W).
    { apply ok_functions; auto.
      - intros s h vs F Hr _. destruct (find _ cs) as [x|] eqn:Q; [|discriminate].
        apply find_some in Q as [Q1 Q2]. apply symbol_eqb_eq in Q2. subst s.
        specialize (Ok x Q1). unfold carried_ok in Ok. rewrite !andb_true_iff in Ok.
        destruct Ok as ((((_ & O) & _) & _) & _). apply negb_true_iff in O.
        exfalso. exact (eq_true_false_abs _ (f_equal is_I Hr) O).
      - intros s h F. destruct (find _ cs) as [x|] eqn:Q; [|discriminate].
        apply find_some in Q as [Q1 Q2]. apply symbol_eqb_eq in Q2. subst s. intros Hs.
        apply (D1 (c_symbol x)); [now apply in_map|]. apply in_or_app. auto. }
    assert (XW : extends (map c_symbol cs) M W).
    { apply extends_functions. intros s h F. destruct (find _ cs) as [x|] eqn:Q; [|discriminate].
      apply find_some in Q as [Q1 Q2]. apply symbol_eqb_eq in Q2. subst s. now apply in_map. }
    destruct (sound_all (S c) body) with (seen := seen1) (seen' := seen2) (M := W)
      as (HM2 & X2 & C2); auto.
    { eapply Forall_impl; [|exact IH]. simpl. auto. }
    rewrite EN. split; [exact HM2|]. split; [exact (extends_trans _ _ _ _ _ XW X2)|].
    split; [exact C2|]. intros y vs Hy. destruct X2 as (_ & _ & F2). rewrite <- F2.
    - unfold W, with_state. cbn [m_f with_functions]. rewrite <- (surjective_pairing (c_symbol y)).
      now rewrite (find_carried y cs ND Hy).
    - rewrite <- surjective_pairing. intros Hd. apply (D2 _ Hd). apply D1. now apply in_map. }
  set (M' := with_functions M _).
  assert (HM' : ok M').
  { apply ok_functions; auto.
    - intros s h vs F Hr Ha. destruct (mem symbol_eqb s D); [|discriminate]. injection F as <-.
      now apply HN.
    - intros s h F. destruct (mem symbol_eqb s D) eqn:Q; [|discriminate]. apply mem_symbol in Q.
      intros Hs. apply (DD s Q). auto. }
  assert (X : extends D M M').
  { apply extends_functions. intros s h F. destruct (mem symbol_eqb s D) eqn:Q; [|discriminate].
    now apply mem_symbol in Q. }
  split; [exact HM'|]. split; [exact X|].
  assert (Call : forall y vs, In y cs -> m_f M' (fst (c_symbol y)) (snd (c_symbol y)) vs =
    state_at c M N (iteration c vs) y vs).
  { intros y vs Hy. unfold M'. cbn [m_f with_functions].
    rewrite <- (surjective_pairing (c_symbol y)).
    replace (mem symbol_eqb (c_symbol y) D) with true.
    - now apply HN.
    - symmetry. apply mem_symbol. unfold D. cbn [defined]. apply in_or_app. left.
      now apply in_map. }
  intros f Hf. cbn [clauses] in Hf. apply in_app_or in Hf as [Hf|Hf];
    [|apply in_app_or in Hf as [Hf|Hf]].
  - (* before the first iteration *)
    apply in_map_iff in Hf as (y & <- & Hy). specialize (Ok y Hy). unfold carried_ok in Ok.
    rewrite !andb_true_iff in Ok. destruct Ok as ((((_ & _) & Lc) & Cb) & _).
      apply Nat.ltb_lt in Lc.
    unfold base_clause. cbn [holds]. intros zs Hc. set (m := arity (c_symbol y)) in *.
    specialize (Hc _ (or_introl eq_refl)). unfold rholds in *. cbn [r_op r_l r_r relP] in *.
    rewrite eval_num in Hc. cbn [eval parameter] in Hc. rewrite bext_lt in Hc by auto.
      apply le_IZR in Hc.
    unfold call, parameters. cbn [eval node]. fold m. rewrite eval_parameters, Call by auto.
    unfold iteration. rewrite nth_integers, Int_part_IZR by auto.
    replace (Z.to_nat (zs c)) with 0%nat by lia. cbn [state_at]. rewrite eval_arguments by auto.
    destruct X as (O & V & F). apply eval_agree_symbols; auto.
    intros g sg vs Hg. apply F. exact (Base y _ Hy Hg).
  - (* after one more *)
    apply in_map_iff in Hf as (y & <- & Hy). specialize (Ok y Hy). unfold carried_ok in Ok.
    rewrite !andb_true_iff in Ok. destruct Ok as ((((_ & _) & Lc) & _) & Cs).
      apply Nat.ltb_lt in Lc.
    unfold step_clause. cbn [holds]. intros zs Hc. set (m := arity (c_symbol y)) in *.
    specialize (Hc _ (or_introl eq_refl)). unfold rholds in *. cbn [r_op r_l r_r relP] in *.
    rewrite eval_num in Hc. cbn [eval parameter] in Hc. rewrite bext_lt in Hc by auto.
      apply le_IZR in Hc.
    unfold call, next_iteration, parameters. cbn [eval node]. fold m.
    rewrite map_set_nth, eval_parameters.
    change (eval M' (bext m zs e0) (add (parameter c) (num 1)))
      with (bext m zs e0 c + eval M' (bext m zs e0) (num 1)).
    rewrite eval_num, bext_lt, <- plus_IZR, Call by auto. unfold iteration.
    rewrite nth_set_nth, Int_part_IZR by (rewrite map_length, seq_length; auto).
    replace (Z.to_nat (zs c + 1)) with (S (Z.to_nat (zs c))) by lia. cbn [state_at].
    rewrite set_nth_twice, INR_IZR_INZ, Z2Nat.id by auto.
    rewrite <- (nth_integers m zs c Lc), set_nth_same, eval_arguments by auto.
    specialize (At y Hy). unfold at_iteration in At.
    unfold M'. rewrite (eval_iteration D c M N (fun k => proj1 (proj2 (HN k))) _ _ _ _ At).
    rewrite Nat.add_0_r, bext_lt, Int_part_IZR by auto. reflexivity.
  - (* the definitions inside *)
    apply (holds_iterations D c M N); auto; intros k; now apply HN.
Qed.

Lemma sound_items x : forall c, sound_item c x.
Proof.
  induction x as [d|cs body IH] using item_ind'.
  - intros c seen seen' M HM Hlaw E. exact (sound_define d seen seen' c M HM Hlaw E).
  - now apply sound_loop.
Qed.

(** An admitted list is a conservative extension. *)
Theorem conservative l M : admitted l = true -> ok M ->
  sound (flat_map defined l) (flat_map (clauses 0) l) M (extended_all 0 l M).
Proof.
  unfold admitted. destruct (admit_all 0 l law_symbols) as [seen|] eqn:E; [|discriminate].
  intros _ HM. apply (sound_all 0 l) with (seen := law_symbols) (seen' := seen); auto.
  - apply Forall_forall. intros x _. apply sound_items.
  - now intros s.
Qed.
