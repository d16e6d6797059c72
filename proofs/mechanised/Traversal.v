(** Operations on terms (RULES.md section 2), all made from one traversal; what is known of a term:
    its integer flag, its loose indices, the variables and functions that occur in it. *)
From Coq Require Import String Bool Arith ZArith QArith List.
From Assay Require Import Sharing Term Compare.
Import ListNotations.
Local Open Scope nat_scope.

(** ** Loose indices *)
Definition loose_table := new_table tt.
(** the least d of which every loose index is below *)
Fixpoint loose (t : term) : nat := once loose_table 0 t (fun _ =>
  match t with
  | Var _ _ => 0
  | Bnd i _ => S i
  | Node _ ks => list_max (map loose ks)
  | Fold _ n bs ss =>
      Nat.max (list_max (map loose ss) - S (length ss)) (list_max (loose n :: map loose bs))
  end).
Definition closed_at (d : nat) (t : term) : bool := loose t <=? d.

(** ** Variables and functions that occur *)
Definition param := (string * sort)%type.
Definition peqb (a : param) x s := is_eq (scmp (snd a) s) && is_eq (String.compare (fst a) x).
Fixpoint assoc {A} (ps : list param) (vs : list A) (x : string) (s : sort) : option A :=
  match ps, vs with
  | p :: ps', v :: vs' => if peqb p x s then Some v else assoc ps' vs' x s
  | _, _ => None end.
Lemma peqb_eq p x s : peqb p x s = true -> p = (x, s).
Proof.
  unfold peqb. intros H. apply andb_prop in H as [H1 H2].
  apply is_eq_eq, scmp_eq in H1. apply is_eq_eq, string_cmp_eq in H2. destruct p; simpl in *;
    congruence.
Qed.

Lemma peqb_refl x s : peqb (x, s) x s = true.
Proof. unfold peqb; simpl. rewrite string_cmp_refl. now destruct s. Qed.
Definition symbol := (string * signature)%type.
Definition symbol_eqb (a b : symbol) : bool :=
  is_eq (String.compare (fst a) (fst b)) && is_eq (sgcmp (snd a) (snd b)).
Lemma symbol_eqb_eq a b : symbol_eqb a b = true -> a = b.
Proof.
  unfold symbol_eqb. intros H. apply andb_prop in H as [H1 H2].
  apply is_eq_eq, string_cmp_eq in H1. apply is_eq_eq, sgcmp_eq in H2.
  destruct a, b; simpl in *; congruence.
Qed.
Lemma symbol_eqb_refl a : symbol_eqb a a = true.
Proof.
  unfold symbol_eqb, sgcmp. now rewrite string_cmp_refl, scmp_refl, lcmp_refl
    by (apply Forall_forall; intros; apply scmp_refl).
Qed.

(** Lists as sets *)
Section Join.
  Context {A : Type} (eqb : A -> A -> bool) (eqb_eq : forall a b, eqb a b = true -> a = b).
  Definition join_by (a b : list A) := match a with
    | [] => b | _ => a ++ filter (fun x => negb (mem eqb x a)) b end.
  Definition joined_by (ls : list (list A)) := fold_right join_by [] ls.
  Lemma join_by_In x a b : In x (join_by a b) <-> In x a \/ In x b.
  Proof.
    unfold join_by. destruct a as [|y a]; [simpl; tauto|]. set (l := y :: a).
    rewrite in_app_iff, filter_In. split; [tauto|]. intros [H|H]; auto.
    destruct (mem eqb x l) eqn:E; [left|right; split; auto]. exact (mem_In eqb eqb_eq _ _ E).
  Qed.
  Lemma joined_by_In x ls : In x (joined_by ls) <-> exists l, In l ls /\ In x l.
  Proof.
    induction ls as [|l ls IH]; simpl; [firstorder|]. rewrite join_by_In, IH. split.
    - intros [H|(m & H1 & H2)]; eauto.
    - intros (m & [->|H1] & H2); eauto.
  Qed.
End Join.
Definition join := join_by symbol_eqb.
Definition joined := joined_by symbol_eqb.
Definition join_In := join_by_In symbol_eqb symbol_eqb_eq.
Definition joined_In := joined_by_In symbol_eqb symbol_eqb_eq.
Definition param_eqb (a b : param) := peqb a (fst b) (snd b).
Lemma param_eqb_eq a b : param_eqb a b = true -> a = b.
Proof. intros H. apply peqb_eq in H. now rewrite <- surjective_pairing in H. Qed.

(** the free variables of a term *)
Definition free_table := new_table tt.
Fixpoint free (t : term) : list param := once free_table 0 t (fun _ =>
  match t with
  | Var x s => [(x, s)]
  | Bnd _ _ => []
  | Node _ ks => joined_by param_eqb (map free ks)
  | Fold _ n bs ss =>
      joined_by param_eqb (free n :: joined_by param_eqb (map free bs) :: map free ss)
  end).
(** the functions *)
Definition symbols_table := new_table tt.
Fixpoint symbols (t : term) : list symbol := once symbols_table 0 t (fun _ =>
  match t with
  | Var _ _ | Bnd _ _ => []
  | Node h ks => let l := joined (map symbols ks) in
      match h with HApp f sg => join [(f, sg)] l | _ => l end
  | Fold _ n bs ss => joined (symbols n :: joined (map symbols bs) :: map symbols ss)
  end).
Definition rsymbols (a : relation) := join (symbols (r_l a)) (symbols (r_r a)).
Definition fsymbols (f : formula) := match f with
  | FRel a => rsymbols a | FAll _ cs c => joined (rsymbols c :: map rsymbols cs) end.

Definition occurs (x : string) (s : sort) (t : term) : bool := existsb (fun p => peqb p x s)
  (free t).
Definition roccurs x s (a : relation) := occurs x s (r_l a) || occurs x s (r_r a).
Definition foccurs x s f := match f with
  | FRel a => roccurs x s a | FAll _ cs c => existsb (roccurs x s) cs || roccurs x s c end.

(** ** The traversal *)
Section Trav.
  Variable onv : nat -> string -> sort -> term.     (* number of binders crossed first *)
  Variable onb : nat -> nat -> sort -> term.
  Variable ona : string -> signature -> list term -> term.
  Variable skip : nat -> term -> bool.               (* what stays as it is *)
  Variable tb : table.
  Fixpoint trav_in (d : nat) (t : term) : term :=
    if skip d t then t else once tb d t (fun _ => intern alike
      match t with
      | Var x s => onv d x s
      | Bnd i s => onb d i s
      | Node h ks => let ks' := map (trav_in d) ks in
          match h with HApp f sg => ona f sg ks' | _ => Node h ks' end
      | Fold p n bs ss =>
          Fold p (trav_in d n) (map (trav_in d) bs) (map (trav_in (S (length ss) + d)) ss)
      end).
End Trav.
Section Formulas.
  Variable onv : nat -> string -> sort -> term.
  Variable onb : nat -> nat -> sort -> term.
  Variable ona : string -> signature -> list term -> term.
  Variable skip : nat -> term -> bool.
  Definition trav := trav_in onv onb ona skip (new_table tt).
  Definition rtrav d (a : relation) := Rel (r_op a) (trav d (r_l a)) (trav d (r_r a)).
  Definition ftrav (f : formula) := match f with
    | FRel a => FRel (rtrav 0 a) | FAll m cs c => FAll m (map (rtrav m) cs) (rtrav m c) end.
End Formulas.

Definition keep_v (_ : nat) x s := Var x s.
Definition keep_b (_ : nat) i s := Bnd i s.
Definition keep_a f sg ks := Node (HApp f sg) ks.

(** Loose indices of t moved past k binders. *)
Definition lift_b k d i s := if i <? d then Bnd i s else Bnd (i + k) s.
Definition lift (k : nat) (t : term) := if k =? 0 then t else trav keep_v (lift_b k)
  keep_a (fun d t => closed_at d t) 0 t.

(** open: index j of the m outermost loose ones becomes the j-th term. *)
Definition open_b (vals : list term) d i s :=
  if i <? d then Bnd i s else
  match nth_error vals (i - d) with Some u => lift d u | None => Bnd (i - length vals) s end.
Definition open (vals : list term) := trav keep_v (open_b vals) keep_a (fun d t => closed_at d t) 0.
Definition ropen (vals : list term) := rtrav keep_v (open_b vals)
  keep_a (fun d t => closed_at d t) 0.

(** substitution for variables, and of bodies for functions, all at once *)
Definition vmap := string -> sort -> option term.
Definition vsub_v (sg : vmap) d x s := match sg x s with Some u => lift d u | None => Var x s end.
Definition no_function : string -> signature -> option (list param * term) := fun _ _ => None.
(** Nothing of t is replaced. *)
Definition is_none {A} (o : option A) := match o with None => true | Some _ => false end.
Definition untouched (sg : vmap) (ph : string -> signature -> option (list param * term))
    (_ : nat) (t : term) : bool :=
  forallb (fun p => is_none (sg (fst p) (snd p))) (free t)
  && forallb (fun s => is_none (ph (fst s) (snd s))) (symbols t).
Definition vsub (sg : vmap) := trav (vsub_v sg) keep_b keep_a (untouched sg no_function) 0.

Definition fmap := string -> signature -> option (list param * term).
Definition inst_a (ph : fmap) f sg ks := match ph f sg with
  | Some (ps, body) => vsub (assoc ps ks) body
  | None => Node (HApp f sg) ks end.
Definition finst (sg : vmap) (ph : fmap) := ftrav (vsub_v sg) keep_b (inst_a ph) (untouched sg ph).
Definition rsub (sg : vmap) := rtrav (vsub_v sg) keep_b keep_a (untouched sg no_function) 0.

(** Formulas of which nothing is replaced *)
Definition occurring := (list param * list symbol)%type.
Definition occurring_table := new_table tt.
Definition roccurring (a : relation) : occurring :=
  (joined_by param_eqb [free (r_l a); free (r_r a)], join (symbols (r_l a)) (symbols (r_r a))).
Definition foccurring (f : formula) : occurring := once occurring_table 0 f (fun _ => match f with
  | FRel a => roccurring a
  | FAll _ cs c => let l := map roccurring (c :: cs) in
      (joined_by param_eqb (map fst l), joined (map snd l)) end).
Definition funtouched (sg : vmap) (ph : fmap) (f : formula) : bool :=
  let o := foccurring f in
  forallb (fun p => is_none (sg (fst p) (snd p))) (fst o)
  && forallb (fun s => is_none (ph (fst s) (snd s))) (snd o).
Lemma untouched_rel sg ph d a : 
  forallb (fun p => is_none (sg (fst p) (snd p))) (fst (roccurring a)) = true ->
  forallb (fun s => is_none (ph (fst s) (snd s))) (snd (roccurring a)) = true ->
  untouched sg ph d (r_l a) = true /\ untouched sg ph d (r_r a) = true.
Proof.
  rewrite !forallb_forall. intros V F.
  assert (V' : forall l, In l [free (r_l a); free (r_r a)] -> forall p, In p l ->
    is_none (sg (fst p) (snd p)) = true).
  { intros l Hl p Hp. apply V. cbn [roccurring fst]. apply (joined_by_In _ param_eqb_eq). eauto. }
  assert (F' : forall s, In s (symbols (r_l a)) \/ In s (symbols (r_r a)) -> is_none (ph (fst s)
    (snd s)) = true).
  { intros s Hs. apply F. cbn [roccurring snd]. now apply join_In. }
  unfold untouched. rewrite !andb_true_iff, !forallb_forall. split; split.
  - apply V'. simpl; auto.
  - intros s Hs. apply F'. auto.
  - apply V'. simpl; auto.
  - intros s Hs. apply F'. auto.
Qed.
Lemma rtrav_skip onv onb ona skip d a : skip d (r_l a) = true -> skip d (r_r a) = true ->
  rtrav onv onb ona skip d a = a.
Proof.
  intros L R. unfold rtrav, trav. destruct a as [o l r]. simpl in *.
  assert (E : forall t, skip d t = true -> trav_in onv onb ona skip (new_table tt) d t = t).
  { intros t H. destruct t; cbn [trav_in]; now rewrite H. }
  now rewrite !E.
Qed.
Lemma finst_untouched sg ph f : funtouched sg ph f = true -> finst sg ph f = f.
Proof.
  unfold finst, ftrav, funtouched, foccurring, once. intros H. apply andb_prop in H as [V F].
  destruct f as [a|m cs c].
  - destruct (untouched_rel sg ph 0 a V F) as [L R]. now rewrite rtrav_skip.
  - rewrite forallb_forall in V, F.
    assert (U : forall d a, In a (c :: cs) ->
      untouched sg ph d (r_l a) = true /\ untouched sg ph d (r_r a) = true).
    { intros d a Ha. apply untouched_rel; apply forallb_forall.
      - intros p Hp. apply V. cbn [fst]. apply (joined_by_In _ param_eqb_eq).
        exists (fst (roccurring a)).
        split; auto. rewrite map_map. now apply (in_map (fun x => fst (roccurring x))).
      - intros s Hs. apply F. cbn [snd]. apply joined_In. exists (snd (roccurring a)).
        split; auto. rewrite map_map. now apply (in_map (fun x => snd (roccurring x))). }
    rewrite (rtrav_skip _ _ _ _ _ c) by (apply U; now left). f_equal.
    rewrite <- (map_id cs) at 2. apply map_ext_in. intros a Ha. apply rtrav_skip; apply U;
      now right.
Qed.

(** ** Flags *)
Definition is_I s := match s with I => true | Re => false end.

Section Args.
  Variable f : term -> bool.
  Fixpoint args_ok (ks : list term) (ss : list sort) {struct ks} : bool :=
    match ks, ss with
    | [], [] => true
    | k :: ks', s :: ss' => (negb (is_I s) || f k) && args_ok ks' ss'
    | _, _ => false end.
End Args.

(** The integer flag of a term of which the loose indices below m are integers, with what it rests
    on: a function with an integer result is given integers where its signature asks for them. *)
Fixpoint isint_under (m : nat) (t : term) : bool :=
  match t with
  | Var _ s => is_I s
  | Bnd i _ => i <? m
  | Fold _ _ _ _ => false
  | Node h ks => match h, ks with
      | HQ q, [] => Pos.eqb (Qden q) 1
      | HAdd, [a; b] | HMul, [a; b] => isint_under m a && isint_under m b
      | HDiv, [_; _] | HMod, [_; _] => true
      | HIte _, [_; _; a; b] => isint_under m a && isint_under m b
      | HApp _ sg, _ => is_I (snd sg) && args_ok (isint_under m) ks (fst sg)
      | _, _ => false end
  end.
Definition isint : term -> bool := isint_under 0.
