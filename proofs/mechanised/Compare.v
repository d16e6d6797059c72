(** Comparison of terms and formulas: a total order, of which proofs use [tcmp a b = Eq -> a = b]
    and sharing (Sharing.v) uses [tcmp a a = Eq]. *)
From Coq Require Import String Bool Arith ZArith QArith List.
From Assay Require Import Sharing Term.
Import ListNotations.
Local Open Scope nat_scope.

Definition lexc (c k : comparison) := match c with Eq => k | _ => c end.
Lemma lexc_eq c k : lexc c k = Eq -> c = Eq /\ k = Eq.
Proof. destruct c; simpl; intros; try discriminate; auto. Qed.

Definition stag s := match s with I => 0 | Re => 1 end.
Definition rtag r := match r with REq => 0 | RNe => 1 | RLe => 2 | RLt => 3 end.
Definition scmp a b := Nat.compare (stag a) (stag b).
Definition rcmp a b := Nat.compare (rtag a) (rtag b).
Lemma scmp_eq a b : scmp a b = Eq -> a = b.
Proof. destruct a, b; try discriminate; auto. Qed.
Lemma rcmp_eq a b : rcmp a b = Eq -> a = b.
Proof. destruct a, b; try discriminate; auto. Qed.

Section Lists.
  Context {A : Type} (cmp : A -> A -> comparison).
  Fixpoint lcmp (l m : list A) : comparison :=
    match l, m with
    | [], [] => Eq | [], _ => Lt | _, [] => Gt
    | a :: l', b :: m' => lexc (cmp a b) (lcmp l' m')
    end.
  Lemma lcmp_eq l : Forall (fun a => forall b, cmp a b = Eq -> a = b) l ->
    forall m, lcmp l m = Eq -> l = m.
  Proof.
    induction 1; destruct m; simpl; intros E; try discriminate; auto.
    apply lexc_eq in E as [E1 E2]. f_equal; auto.
  Qed.
End Lists.
Lemma lcmp_all {A} (cmp : A -> A -> comparison) :
  (forall a b, cmp a b = Eq -> a = b) -> forall l m, lcmp cmp l m = Eq -> l = m.
Proof. intros H l. apply lcmp_eq. induction l; constructor; auto. Qed.

Definition sgcmp (a b : signature) := lexc (lcmp scmp (fst a) (fst b)) (scmp (snd a) (snd b)).
Lemma sgcmp_eq a b : sgcmp a b = Eq -> a = b.
Proof.
  destruct a, b; unfold sgcmp; simpl; intros E; apply lexc_eq in E as [E1 E2].
  apply (lcmp_all scmp scmp_eq) in E1. apply scmp_eq in E2. congruence.
Qed.

Definition htag h := match h with
  | HQ _ => 0 | HAdd => 1 | HMul => 2 | HDiv => 3 | HMod => 4 | HInv => 5 | HExp => 6
  | HSqrt => 7 | HLog => 8 | HIte _ => 9 | HApp _ _ => 10 end.
Definition hcmp a b := match a, b with
  | HQ p, HQ q => lexc (Z.compare (Qnum p) (Qnum q)) (Pos.compare (Qden p) (Qden q))
  | HIte r, HIte s => rcmp r s
  | HApp f sg, HApp g sh => lexc (String.compare f g) (sgcmp sg sh)
  | _, _ => Nat.compare (htag a) (htag b) end.
Lemma string_cmp_eq a b : String.compare a b = Eq -> a = b.
Proof. apply String.compare_eq_iff. Qed.
Lemma hcmp_eq a b : hcmp a b = Eq -> a = b.
Proof.
  destruct a, b; simpl; try discriminate; auto; intros E.
  - apply lexc_eq in E as [E1 E2]. apply Z.compare_eq in E1. apply Pos.compare_eq in E2.
    destruct q, q0; simpl in *; congruence.
  - f_equal. now apply rcmp_eq.
  - apply lexc_eq in E as [E1 E2]. apply string_cmp_eq in E1. apply sgcmp_eq in E2. congruence.
Qed.

Definition ttag t := match t with Var _ _ => 0 | Bnd _ _ => 1 | Node _ _ => 2 | Fold _ _ _ _ => 3
  end.
Fixpoint tcmp (a b : term) {struct a} : comparison := same a b (fun _ =>
  match a, b with
  | Var x s, Var y t => lexc (scmp s t) (String.compare x y)
  | Bnd i s, Bnd j t => lexc (scmp s t) (Nat.compare i j)
  | Node h ks, Node g ls => lexc (hcmp h g) (lcmp tcmp ks ls)
  | Fold p n bs ss, Fold q m cs ts =>
      lexc (Nat.compare p q) (lexc (tcmp n m) (lexc (lcmp tcmp bs cs) (lcmp tcmp ss ts)))
  | _, _ => Nat.compare (ttag a) (ttag b)
  end).
Lemma tcmp_eq a : forall b, tcmp a b = Eq -> a = b.
Proof.
  induction a using term_ind'; intros b E; simpl in E; destruct b; try discriminate E.
  - apply lexc_eq in E as [E1 E2]. apply scmp_eq in E1. apply string_cmp_eq in E2. congruence.
  - apply lexc_eq in E as [E1 E2]. apply scmp_eq in E1. apply Nat.compare_eq in E2. congruence.
  - apply lexc_eq in E as [E1 E2]. apply hcmp_eq in E1. apply lcmp_eq in E2; auto. congruence.
  - apply lexc_eq in E as [E1 E]. apply lexc_eq in E as [E2 E]. apply lexc_eq in E as [E3 E4].
    apply Nat.compare_eq in E1. apply IHa in E2. apply lcmp_eq in E3; auto. apply lcmp_eq in E4;
      auto.
    congruence.
Qed.

Lemma lcmp_refl {A} (cmp : A -> A -> comparison) l : Forall (fun a => cmp a a = Eq) l ->
  lcmp cmp l l = Eq.
Proof. induction 1; simpl; auto. now rewrite H, IHForall. Qed.
Lemma string_cmp_refl s : String.compare s s = Eq.
Proof.
  induction s as [|c s IH]; simpl; auto. unfold Ascii.compare. now rewrite N.compare_refl.
Qed.
Lemma scmp_refl s : scmp s s = Eq. Proof. now destruct s. Qed.
Lemma hcmp_refl h : hcmp h h = Eq.
Proof.
  destruct h; simpl; auto.
  - now rewrite Z.compare_refl, Pos.compare_refl.
  - now destruct r.
  - rewrite string_cmp_refl. unfold sgcmp. rewrite scmp_refl, lcmp_refl; auto.
    apply Forall_forall. intros; apply scmp_refl.
Qed.
Lemma tcmp_refl a : tcmp a a = Eq.
Proof.
  induction a using term_ind'; simpl; rewrite ?scmp_refl, ?string_cmp_refl, ?Nat.compare_refl,
    ?hcmp_refl, ?IHa, ?lcmp_refl; auto.
Qed.

Definition is_eq c := match c with Eq => true | _ => false end.
Definition teqb a b := is_eq (tcmp a b).
Lemma teqb_eq a b : teqb a b = true -> a = b.
Proof. unfold teqb; destruct (tcmp a b) eqn:E; try discriminate. intros _. now apply tcmp_eq. Qed.
Definition reqb (a b : relation) :=
  is_eq (rcmp (r_op a) (r_op b)) && teqb (r_l a) (r_l b) && teqb (r_r a) (r_r b).
Lemma is_eq_eq c : is_eq c = true -> c = Eq. Proof. now destruct c. Qed.
Lemma reqb_eq a b : reqb a b = true -> a = b.
Proof.
  unfold reqb. intros H. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  apply is_eq_eq, rcmp_eq in H1. apply teqb_eq in H2, H3. destruct a, b; simpl in *; congruence.
Qed.
Section ListEqb.
  Context {A : Type} (eqb : A -> A -> bool) (eqb_eq : forall a b, eqb a b = true -> a = b).
  Fixpoint leqb (l m : list A) : bool :=
    match l, m with [], [] => true | a :: l', b :: m' => eqb a b && leqb l' m' | _, _ => false end.
  Lemma leqb_eq l : forall m, leqb l m = true -> l = m.
  Proof.
    induction l; destruct m; simpl; intros E; try discriminate; auto.
    apply andb_prop in E as [E1 E2]. f_equal; auto.
  Qed.
  Definition mem a l := existsb (eqb a) l.
  Lemma mem_In a l : mem a l = true -> In a l.
  Proof. unfold mem. rewrite existsb_exists. intros (x & Hx & E). apply eqb_eq in E. now subst. Qed.
End ListEqb.
Definition feqb (a b : formula) := match a, b with
  | FRel a, FRel b => reqb a b
  | FAll m cs c, FAll n ds d => Nat.eqb m n && leqb reqb cs ds && reqb c d
  | _, _ => false end.
Lemma feqb_eq a b : feqb a b = true -> a = b.
Proof.
  destruct a, b; simpl; try discriminate; intros H.
  - f_equal. now apply reqb_eq.
  - apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
    apply Nat.eqb_eq in H1. apply (leqb_eq _ reqb_eq) in H2. apply reqb_eq in H3. congruence.
Qed.

(** An order of formulas *)
Definition relcmp (a b : relation) :=
  lexc (rcmp (r_op a) (r_op b)) (lexc (tcmp (r_l a) (r_l b)) (tcmp (r_r a) (r_r b))).
Lemma relcmp_eq a b : relcmp a b = Eq -> a = b.
Proof.
  unfold relcmp. intros H. apply lexc_eq in H as [H1 H]. apply lexc_eq in H as [H2 H3].
  apply rcmp_eq in H1. apply tcmp_eq in H2, H3. destruct a, b; simpl in *; congruence.
Qed.
Definition fcmp (a b : formula) := match a, b with
  | FRel a, FRel b => relcmp a b
  | FRel _, _ => Lt | _, FRel _ => Gt
  | FAll m cs c, FAll n ds d => lexc (Nat.compare m n) (lexc (relcmp c d) (lcmp relcmp cs ds)) end.
Lemma fcmp_eq a b : fcmp a b = Eq -> a = b.
Proof.
  destruct a, b; simpl; try discriminate; intros H.
  - f_equal. now apply relcmp_eq.
  - apply lexc_eq in H as [H1 H]. apply lexc_eq in H as [H2 H3]. apply Nat.compare_eq in H1.
    apply relcmp_eq in H2. apply (lcmp_all relcmp relcmp_eq) in H3. congruence.
Qed.

(** Equal, and made of the same objects: how terms are interned. *)
Definition alike (a b : term) : bool := match a, b with
  | Var x s, Var y t => is_eq (scmp s t) && is_eq (String.compare x y)
  | Bnd i s, Bnd j t => is_eq (scmp s t) && Nat.eqb i j
  | Node h ks, Node g ls => is_eq (hcmp h g) && leqb identical ks ls
  | Fold p n bs ss, Fold q m cs ts =>
      Nat.eqb p q && identical n m && leqb identical bs cs && leqb identical ss ts
  | _, _ => false end.
