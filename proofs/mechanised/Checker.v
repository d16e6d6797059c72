(** The checker: from the bytes of a claim and of a certificate to a verdict, and what the verdict
    "accepted" means. *)
From Coq Require Import String Ascii Bool Arith ZArith FMapPositive List.
From Assay Require Import Term Compare Traversal Semantics Rules Kernel Definitions Lexer Reader.
Import ListNotations.
Local Open Scope nat_scope.

(** ** Claims (FORMAT.md, "Claim files") *)
Record goal := Goal { g_name : bytes; g_conditions : list formula; g_formula : formula }.
Record claim := Claim { c_items : list item; c_assumed : list formula; c_goals : list goal }.

(** Terms read so far, by number. *)
Record terms := Terms { t_entry : PositiveMap.t entry; t_next : positive }.
Definition no_terms := Terms (PositiveMap.empty entry) 1.
Definition no_thms := PositiveMap.empty thm.
Definition tokens ts thms := all (tok (t_entry ts) thms).
Definition add_term ts thms (h : lhead) args : option terms :=
  do l <- tokens ts thms args;
  do e <- read_term h l;
  Some (Terms (PositiveMap.add (t_next ts) e (t_entry ts)) (Pos.succ (t_next ts))).
Definition head_of (l : bytes) := if short 20 l then string_of_list_ascii l else ""%string.

(** Loops that are open, the innermost first; each with what stands in it, in reverse. *)
Record frame := Frame { f_carried : list carried; f_items : list item }.
Record reading := Reading { r_terms : terms; r_frames : list frame; r_top : list item;
  r_assumed : list formula; r_goals : list goal }.

(** A definition is what its clause says; the clause must be the one of the definition read. *)
Definition as_definition (f : formula) : option definition :=
  let from a := match r_l a with
    | Node (HApp g sg) _ => Some (Definition_ (g, sg) (r_r a)) | _ => None end in
  do d <- match f with FRel a => from a | FAll _ _ a => from a end;
  if feqb (clause d) f then Some d else None.
Definition as_carried (c : nat) (b s : formula) : option carried := match b, s with
  | FAll _ _ x, FAll _ _ y => match r_l x with
    | Node (HApp g sg) _ =>
        let d := Carried (g, sg) (r_r x) (r_r y) in
        if feqb (base_clause c d) b && feqb (step_clause c d) s then Some d else None
    | _ => None end
  | _, _ => None end.

Definition add_item st (x : item) : reading := match r_frames st with
  | [] => Reading (r_terms st) [] (x :: r_top st) (r_assumed st) (r_goals st)
  | Frame cs l :: fs =>
      Reading (r_terms st) (Frame cs (x :: l) :: fs) (r_top st) (r_assumed st) (r_goals st) end.
Definition define_line st args : option reading := match args with
  | [KT e] => do f <- e_form e; do d <- as_definition f; Some (add_item st (Define d))
  | _ => None end.
(** What a loop carries stands before what it defines. *)
Definition carry_line st args : option reading := match args, r_frames st with
  | [KT b; KT s], Frame cs [] :: fs =>
      do x <- e_form b; do y <- e_form s; do d <- as_carried (length fs) x y;
      Some (Reading (r_terms st) (Frame (d :: cs) [] :: fs) (r_top st) (r_assumed st) (r_goals st))
  | _, _ => None end.
Definition loop_line st (args : list token) : option reading := match args with
  | [] => Some (Reading (r_terms st) (Frame [] [] :: r_frames st) (r_top st) (r_assumed st)
    (r_goals st))
  | _ => None end.
Definition end_line st (args : list token) : option reading := match args, r_frames st with
  | [], Frame cs l :: fs =>
      Some (add_item (Reading (r_terms st) fs (r_top st) (r_assumed st) (r_goals st))
                     (Loop (rev_append cs []) (rev_append l [])))
  | _, _ => None end.
Definition assume_line st args : option reading := match args with
  | [x] => do f <- a_form x;
      Some (Reading (r_terms st) (r_frames st) (r_top st) (f :: r_assumed st) (r_goals st))
  | _ => None end.
Definition goal_line st name args : option reading := match args with
  | x :: KBar :: hs =>
      do f <- a_form x; do l <- all a_form hs;
      do _ <- guard (negb (existsb (fun g => beqb (g_name g) name) (r_goals st)));
      Some (Reading (r_terms st) (r_frames st) (r_top st) (r_assumed st)
        (Goal name l f :: r_goals st))
  | _ => None end.
Definition claim_line st (l : list bytes) : option reading := match l with
  | [] => None
  | h :: args =>
      let h := head_of h in
      let line f := do l <- tokens (r_terms st) no_thms args; f st l in
      match lhead_of h with
      | Some x => do ts <- add_term (r_terms st) no_thms x args;
          Some (Reading ts (r_frames st) (r_top st) (r_assumed st) (r_goals st))
      | None =>
          if String.eqb h "define" then line define_line else
          if String.eqb h "assume" then line assume_line else
          if String.eqb h "loop" then line loop_line else
          if String.eqb h "carry" then line carry_line else
          if String.eqb h "end" then line end_line else
          if String.eqb h "goal" then match args with
            | name :: rest => do l <- tokens (r_terms st) no_thms rest;
                if beqb name [] then None else goal_line st name l
            | [] => None end
          else None end end.

(** The definitions must be admitted, every loop closed, and there must be a goal. *)
Definition read_claim (text : bytes) : option claim :=
  match run claim_line 1 (Reading no_terms [] [] [] []) [] [] text with
  | inr _ => None
  | inl st => match r_frames st, r_goals st with
    | [], _ :: _ => let items := rev_append (r_top st) [] in
        if admitted items
        then Some (Claim items (rev_append (r_assumed st) []) (rev_append (r_goals st) []))
          else None
    | _, _ => None end end.

(** ** Certificates *)
Definition allowed (c : claim) := set_of (flat_map (clauses 0) (c_items c) ++ c_assumed c).
Record proving := Proving { p_terms : terms; p_thms : PositiveMap.t thm; p_next : positive;
  p_goals : list goal (* still to be proved *) }.
Fixpoint take_goal (name : bytes) (l : list goal) : option (goal * list goal) := match l with
  | [] => None
  | g :: m => if beqb (g_name g) name then Some (g, m)
      else do (x, r) <- take_goal name m; Some (x, g :: r) end.
Definition qed_line (hs : list formula) st args : option proving := match args with
  | [name; s] => do t <- tok (t_entry (p_terms st)) (p_thms st) s;
      match t with
      | KS t => do (g, rest) <- take_goal name (p_goals st);
          if proves t (union (set_of (g_conditions g)) hs) (g_formula g)
          then Some (Proving (p_terms st) (p_thms st) (p_next st) rest) else None
      | _ => None end
  | _ => None end.
Definition step_line st (r : rule) args : option proving :=
  do ts <- tokens (p_terms st) (p_thms st) args; do t <- step r ts;
  Some (Proving (p_terms st) (PositiveMap.add (p_next st) t (p_thms st)) (Pos.succ (p_next st))
                (p_goals st)).
Definition cert_line (hs : list formula) st (l : list bytes) : option proving := match l with
  | [] => None
  | h :: args =>
      let h := head_of h in
      match lhead_of h with
      | Some x => do ts <- add_term (p_terms st) (p_thms st) x args;
          Some (Proving ts (p_thms st) (p_next st) (p_goals st))
      | None => match rule_of h with
          | Some r => step_line st r args
          | None => if String.eqb h "qed" then qed_line hs st args else None end end end.

(** None: accepted.  Otherwise the line of the certificate that is refused, 0 if it is the claim,
    -1 if a goal is left open. *)
Definition verdict (text cert : bytes) : option Z :=
  match read_claim text with
  | None => Some 0%Z
  | Some c => match strip first_line cert with
    | None => Some 1%Z
    | Some l =>
      match run (cert_line (allowed c)) 2 (Proving no_terms no_thms 1 (c_goals c)) [] [] l with
      | inr n => Some n
      | inl st => match p_goals st with [] => None | _ => Some (-1)%Z end end end end.
Definition check (text cert : bytes) : bool := match verdict text cert with None => true | _ =>
  false end.

(** ** What acceptance means *)
Definition goal_valid (hs : list formula) (g : goal) :=
  valid (union (set_of (g_conditions g)) hs) (g_formula g).
Lemma take_goal_in name l : forall g r, take_goal name l = Some (g, r) ->
  forall x, In x l -> x = g \/ In x r.
Proof.
  induction l as [|a l IH]; simpl; intros g r E x Hx; [discriminate|].
  destruct (beqb (g_name a) name).
  - injection E as <- <-. destruct Hx; auto.
  - destruct (take_goal name l) as [[y s]|]; [|discriminate]. injection E as <- <-.
    destruct Hx as [->|Hx]; [right; now left|]. destruct (IH _ _ eq_refl x Hx); auto.
    right; now right.
Qed.
Lemma qed_line_inv hs st args st' : qed_line hs st args = Some st' ->
  forall g, In g (p_goals st) -> goal_valid hs g \/ In g (p_goals st').
Proof.
  unfold qed_line. intros E g Hg. destruct args as [|name [|s [|]]]; try discriminate.
  destruct (tok _ _ s) as [[e|t|?|?| |]|]; try discriminate.
  destruct (take_goal name (p_goals st)) as [[x r]|] eqn:G; [|discriminate].
  destruct (proves t _ (g_formula x)) eqn:P; [|discriminate]. injection E as <-. simpl.
  destruct (take_goal_in _ _ _ _ G g Hg) as [->|H]; [|auto].
  left. exact (proves_sound _ _ _ P).
Qed.
Lemma cert_line_inv hs st l st' : cert_line hs st l = Some st' ->
  forall g, In g (p_goals st) -> goal_valid hs g \/ In g (p_goals st').
Proof.
  unfold cert_line. destruct l as [|h args]; [discriminate|]. destruct (lhead_of _).
  - destruct (add_term _ _ _ _); [|discriminate]. intros E. injection E as <-. auto.
  - destruct (rule_of _).
    + unfold step_line. destruct (tokens _ _ args); [|discriminate]. destruct (step _ _);
      [|discriminate].
      intros E. injection E as <-. auto.
    + destruct (String.eqb _ _); [|discriminate]. apply qed_line_inv.
Qed.
Lemma run_inv hs l : forall n st tk tks st', run (cert_line hs) n st tk tks l = inl st' ->
  forall g, In g (p_goals st) -> goal_valid hs g \/ In g (p_goals st').
Proof.
  induction l as [|c m IH]; simpl; intros n st tk tks st' E g Hg.
  - destruct tk, tks; try discriminate. injection E as <-. auto.
  - destruct (is c newline).
    + destruct (cert_line hs st _) as [s|] eqn:L; [|discriminate].
      destruct (cert_line_inv _ _ _ _ L g Hg); auto. eapply IH; eauto.
    + destruct (is c " "); [|destruct (is c zero); [discriminate|]]; eapply IH; eauto.
Qed.
Lemma read_claim_admitted text c : read_claim text = Some c ->
  admitted (c_items c) = true /\ c_goals c <> [].
Proof.
  unfold read_claim. destruct (run _ _ _ _ _ text) as [st|]; [|discriminate].
  destruct (r_frames st); [|discriminate]. destruct (r_goals st) as [|g l]; [discriminate|].
  destruct (admitted _) eqn:A; [|discriminate]. intros E. injection E as <-. split; auto.
  simpl. rewrite rev_append_rev. intros H. apply app_eq_nil in H as [_ H]. discriminate.
Qed.

(** The end theorem.  If the bytes of a claim and of a certificate are accepted, the claim can be
    read and has a goal, and over every model M there is one that differs from M in the functions
    that the claim defines alone, in which their defining clauses hold, and in which every goal
    holds if what the claim assumes and the goal's own conditions do. *)
Theorem check_sound : forall text cert : bytes, check text cert = true ->
  exists c : claim, read_claim text = Some c /\ c_goals c <> [] /\
    forall M, ok M -> exists M',
      ok M' /\ extends (flat_map defined (c_items c)) M M' /\
      (forall f, In f (flat_map (clauses 0) (c_items c)) -> holds M' f) /\
      ((forall f, In f (c_assumed c) -> holds M' f) ->
       forall g, In g (c_goals c) ->
         (forall f, In f (g_conditions g) -> holds M' f) -> holds M' (g_formula g)).
Proof.
  unfold check, verdict. intros text cert H. destruct (read_claim text) as [c|] eqn:C;
    [|discriminate].
  exists c. destruct (read_claim_admitted _ _ C) as [A G]. split; auto. split; auto. intros M HM.
  destruct (conservative _ M A HM) as (HM' & X & Cl). exists (extended_all 0 (c_items c) M).
  split; [exact HM'|]. split; [exact X|]. split; [exact Cl|]. intros As g Hg Hc.
  destruct (strip first_line cert) as [l|]; [|discriminate].
  destruct (run (cert_line (allowed c)) 2 _ _ _ l) as [st|] eqn:R; [|discriminate].
  destruct (p_goals st) eqn:P; [|discriminate].
  destruct (run_inv _ _ _ _ _ _ _ R g Hg) as [V|V]; [|rewrite P in V; destruct V].
  apply (V _ HM'). intros h Hh. apply union_In_inv in Hh as [Hh|Hh].
  - apply Hc. now apply set_of_In_inv in Hh.
  - unfold allowed in Hh. apply set_of_In_inv in Hh. apply in_app_or in Hh as [Hh|Hh]; auto.
Qed.
Print Assumptions check_sound.
