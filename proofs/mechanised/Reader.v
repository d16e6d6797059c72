(** Term lines and step lines of certificates (FORMAT.md): what they make, and what is refused. *)
From Coq Require Import String Ascii Bool Arith ZArith QArith FMapPositive List.
From Assay Require Import Sharing Term Compare Traversal Rules Binders Kernel Lexer.
Import ListNotations.
Local Open Scope nat_scope.

(** ** Terms, with what is known of them: the conditions of RULES.md section 1.
    Soundness rests on none of these; they make the reader refuse what the rules refuse. *)
Inductive object := T (t : term) | F (f : formula).
Record entry := Entry { e_object : object; e_int : bool; e_loose : list (nat * sort);
  e_depth : nat }.
Definition e_term e := match e_object e with T t => Some t | F _ => None end.
Definition e_form e := match e_object e with F f => Some f | T _ => None end.
Definition e_rel e := match e_object e with F (FRel a) => Some a | _ => None end.
Definition sortb a b := is_eq (scmp a b).
Definition same_loose (x y : nat * sort) := Nat.eqb (fst x) (fst y) && sortb (snd x) (snd y).
Definition unite (l m : list (nat * sort)) := fold_right (fun x acc => if existsb (same_loose x)
  acc then acc else x :: acc) m l.
Definition loose_of es := fold_right (fun e acc => unite (e_loose e) acc) [] es.
Definition depth_of es := S (fold_right (fun e acc => Nat.max (e_depth e) acc) 0 es).
(** what stays loose under d binders, of which those after the first [ints] are real *)
Fixpoint under (d ints : nat) (l : list (nat * sort)) : option (list (nat * sort)) := match l with
  | [] => Some []
  | (i, s) :: m => do r <- under d ints m;
      if Nat.leb d i then Some ((i - d, s) :: r)
      else if sortb s (if Nat.ltb i ints then I else Re) then Some r else None end.
Definition bound_by d ints (e : entry) : option entry :=
  if Nat.eqb d 0 then Some e else
  do l <- under d ints (e_loose e); Some (Entry (e_object e) (e_int e) l (e_depth e)).
Definition shared x := match x with T t => T (intern alike t) | F f => F f end.
Definition make x int es : option entry :=
  let d := depth_of es in if Nat.leb d 3000 then Some (Entry (shared x) int (loose_of es) d)
    else None.

Definition sort_of (c : ascii) : option sort := if is c "i" then Some I else if is c "r" then
  Some Re else None.
Definition sort_word (l : bytes) := match l with [c] => sort_of c | _ => None end.
Fixpoint signature_of (l : bytes) : option signature := match l with
  | [c; s] => if is c ":" then do x <- sort_of s; Some ([], x) else None
  | c :: m => do x <- sort_of c; do y <- signature_of m; Some (x :: fst y, snd y)
  | [] => None end.
Fixpoint fits (es : list entry) (ss : list sort) : bool := match es, ss with
  | [], [] => true
  | e :: es', s :: ss' => (negb (is_I s) || e_int e) && fits es' ss'
  | _, _ => false end.

(** ** Tokens of a line *)
Inductive token := KT (e : entry) | KS (t : thm) | KN (l : bytes) | KW (l : bytes) | KBar | KComma.
Section Tok.
  Variables (terms : PositiveMap.t entry) (thms : PositiveMap.t thm).
  Definition key (z : Z) : positive := Z.to_pos (z + 1).
  Definition tok (l : bytes) : option token := match l with
    | [] => None
    | c :: m =>
        if is c "t" then do n <- index m; do e <- PositiveMap.find (key n) terms; Some (KT e) else
        if is c "s" then do n <- index m; do t <- PositiveMap.find (key n) thms; Some (KS t) else
        if is c "=" then do _ <- number m; Some (KN m) else
        if is c "'" then do _ <- word m; Some (KW m) else
        match m with [] => if is c "|" then Some KBar else if is c "," then
          Some KComma else None | _ => None end end.
End Tok.
Fixpoint split (f : token -> bool) (l : list token) : list (list token) := match l with
  | [] => [[]]
  | x :: m => match split f m with a :: r => if f x then [] :: a :: r else (x :: a)
    :: r | [] => [] end end.
Definition bars := split (fun x => match x with KBar => true | _ => false end).
Definition members (l : list token) := match l with [] => [] | _ =>
  split (fun x => match x with KComma => true | _ => false end) l end.
Definition an_entry x := match x with KT e => Some e | _ => None end.

(** ** Term lines *)
Inductive lhead := LHead (h : head) | LRel (r : rel) | LIte | LQ | LV | LB | LApp | LFold | LAll.
Definition lhead_of (h : string) : option lhead :=
  let is := String.eqb h in
  if is "+"%string then Some (LHead HAdd) else if is "*"%string then Some (LHead HMul) else
  if is "app"%string then Some LApp else if is "="%string then Some (LRel REq) else
  if is "<="%string then Some (LRel RLe) else if is "<"%string then Some (LRel RLt) else
  if is "#"%string then Some (LRel RNe) else if is "fold"%string then Some LFold else
  if is "v"%string then Some LV else if is "q"%string then Some LQ else
  if is "b"%string then Some LB else if is "ite"%string then Some LIte else
  if is "div"%string then Some (LHead HDiv) else if is "mod"%string then Some (LHead HMod) else
  if is "inv"%string then Some (LHead HInv) else if is "exp"%string then Some (LHead HExp) else
  if is "sqrt"%string then Some (LHead HSqrt) else if is "log"%string then Some (LHead HLog) else
  if is "all"%string then Some LAll else None.

Definition read_term (h : lhead) (ts : list token) : option entry := match h, ts with
  | LHead h, _ =>
      do es <- all an_entry ts; do ks <- all e_term es;
      let ints := forallb e_int es in
      do int <- match h, es with
        | HAdd, [_; _] | HMul, [_; _] => Some ints
        | HDiv, [_; _] | HMod, [_; _] => if ints then Some true else None
        | HInv, [_] | HExp, [_] | HSqrt, [_] | HLog, [_] => Some false
        | _, _ => None end;
      make (T (Node h ks)) int es
  | LRel r, [KT a; KT b] =>
      do x <- e_term a; do y <- e_term b; make (F (FRel (Rel r x y))) false [a; b]
  | LIte, [KT c; KT a; KT b] =>
      do r <- e_rel c; do x <- e_term a; do y <- e_term b;
      make (T (Node (HIte (r_op r)) [r_l r; r_r r; x; y])) (e_int a && e_int b) [c; a; b]
  | LQ, [KN n; KN d] =>
      do z <- number n; do w <- number d;
      match w with
      | Zpos p => if (Z.gcd z w =? 1)%Z then make (T (Node (HQ (Qmake z p)) [])) (Pos.eqb p 1)
        [] else None
      | _ => None end
  | LV, [KW x; KW s] => do y <- word x; do t <- sort_word s; make (T (Var y t)) (is_I t) []
  | LB, [KN i; KW s] =>
      do n <- count i; do t <- sort_word s; do _ <- guard (Nat.leb n 3000);
      Some (Entry (T (Bnd n t)) (is_I t) [(n, t)] 1)
  | LApp, KW f :: KW s :: ts =>
      do g <- word f; do sg <- signature_of s; do es <- all an_entry ts; do ks <- all e_term es;
      do _ <- guard (fits es (fst sg)); make (T (Node (HApp g sg) ks)) (is_I (snd sg)) es
  | LFold, KN p :: KN w :: ts =>
      do q <- count p; do m <- count w; do es <- all an_entry ts;
      match es with
      | n :: es =>
          do _ <- guard (Nat.ltb q m && Nat.leb m 64 && Nat.eqb (length es) (2 * m) && e_int n);
          do ss <- all (bound_by (S m) 1) (skipn m es);
          do n' <- e_term n; do bs <- all e_term (firstn m es); do ts <- all e_term ss;
          make (T (Fold q n' bs ts)) false (n :: firstn m es ++ ss)
      | [] => None end
  | LAll, KN m :: ts =>
      do n <- count m; do _ <- guard (Nat.leb n 64); do es <- all an_entry ts;
      do ls <- all (bound_by n n) es; do rs <- all e_rel es;
      match rev rs with c :: cs => make (F (FAll n (rev cs) c)) false ls | [] => None end
  | _, _ => None end.

(** ** Steps.  What a step names is closed. *)
Definition closed e := match e_loose e with [] => true | _ => false end.
Definition a_term x := do e <- an_entry x; if closed e then e_term e else None.
Definition a_form x := do e <- an_entry x; if closed e then e_form e else None.
Definition a_rel x := do e <- an_entry x; if closed e then e_rel e else None.
Definition a_var x := do t <- a_term x; match t with Var y s => Some (y, s) | _ => None end.
Definition an_index x := do v <- a_var x; match v with (y, I) => Some y | _ => None end.
Definition a_state x := do v <- a_var x; match v with (y, Re) => Some y | _ => None end.
Definition a_thm x := match x with KS t => Some t | _ => None end.
Definition a_rthm x := do t <- a_thm x; as_rel t.
Definition a_word x := match x with KW l => word l | _ => None end.
Definition a_count x := match x with KN l => count l | _ => None end.
Definition a_sig x := match x with KW l => signature_of l | _ => None end.
Definition summand (l : list token) := match l with
  | c :: ps => do t <- a_term c; do qs <- all a_rthm ps; Some (t, qs) | [] => None end.
Definition pair (l : list token) := match l with
  | [x; t] => do v <- a_var x; do u <- a_term t; Some (v, u) | _ => None end.
Definition function (l : list token) := match l with
  | f :: s :: ts => do g <- a_word f; do sg <- a_sig s;
      match rev ts with
      | b :: ps => do body <- a_term b; do vs <- all a_var (rev ps);
          if nodupb vs then Some (FSub g sg vs body) else None
      | [] => None end
  | _ => None end.
Fixpoint distinct_functions (l : list fsub) : bool := match l with
  | [] => true
  | f :: m => negb (existsb (fun g => String.eqb (f_name f) (f_name g) && is_eq (sgcmp (f_sig f)
    (f_sig g))) m) && distinct_functions m end.
Definition no_premise (n : string) := existsb (String.eqb n) ["exp+"; "exp>"; "sin2"; "sin+";
  "cos+"]%string.
Definition parts (t : term) := match t with Fold _ n bs ss => n :: bs ++ ss | _ => [] end.

Inductive rule := Hyp | Use | Inst | Cases | Cong | Foldcong | Arith | Antisym | Int | Law | Zero
  | Succ | Induct.
Definition rule_of (h : string) : option rule :=
  let is := String.eqb h in
  if is "arith"%string then Some Arith else if is "use"%string then Some Use else
  if is "inst"%string then Some Inst else if is "cong"%string then Some Cong else
  if is "hyp"%string then Some Hyp else if is "cases"%string then Some Cases else
  if is "foldcong"%string then Some Foldcong else if is "antisym"%string then Some Antisym else
  if is "int"%string then Some Int else if is "law"%string then Some Law else
  if is "zero"%string then Some Zero else if is "succ"%string then Some Succ else
  if is "induct"%string then Some Induct else None.

Definition step (r : rule) (ts : list token) : option thm := match r, ts with
  | Hyp, [f] => do a <- a_form f; Some (r_hyp a)
  | Cases, [c; p; q] => do a <- a_rel c; do x <- a_thm p; do y <- a_thm q; r_cases a x y
  | Cong, a :: b :: ps => do x <- a_term a; do y <- a_term b; do qs <- all a_rthm ps; r_cong x y qs
  | Antisym, [p; q] => do x <- a_rthm p; do y <- a_rthm q; r_antisym x y
  | Int, [f; p] => do a <- a_rel f; do x <- a_rthm p; r_int a x
  | Zero, [t; p] => do a <- a_term t; do x <- a_rthm p; r_zero a x
  | Succ, [t; k; p] => do a <- a_term t; do b <- a_term k; do x <- a_rthm p; r_succ a b x
  | Arith, _ => match bars ts with
      | [[f]; ss] => do a <- a_rel f; do l <- all summand (members ss); r_arith a l
      | _ => None end
  | Use, _ => match bars ts with
      | [[c]; us; ps] => do x <- a_thm c; do l <- all a_term us; do qs <- all a_rthm ps;
        r_use x l qs
      | _ => None end
  | Inst, _ => match bars ts with
      | [[s]; prs; fs; ps] =>
          do x <- a_thm s; do l <- all pair (members prs); do gs <- all function (members fs);
            do qs <- all a_thm ps;
          do _ <- guard (nodupb (map fst l) && distinct_functions gs && Nat.leb (length l) 1000 &&
            Nat.leb (length gs) 1000);
          r_inst x l gs qs
      | _ => None end
  | Law, _ => match bars ts with
      | [[n]; us; ps] => do x <- a_word n; do l <- all a_term us; do qs <- all a_rthm ps;
          match qs with
          | [] => if no_premise x then r_law x l None else None
          | [q] => if no_premise x then None else r_law x l (Some q)
          | _ => None end
      | _ => None end
  | Foldcong, _ => match bars ts with
      | [[a; b]; k :: vs; ps] =>
          do x <- a_term a; do y <- a_term b; do i <- an_index k; do l <- all a_state vs;
            do qs <- all a_rthm ps;
          do _ <- guard (negb (existsb (fun p => existsb (occurs (fst p) (snd p))
            (parts x ++ parts y)) ((i, I) :: states l)));
          r_foldcong x y i l qs
      | _ => None end
  | Induct, _ => match bars ts with
      | [[k; n; j]; fs; bs; ss; [p]] =>
          do x <- an_index k; do m <- a_term n; do i <- a_count j; do Fs <- all a_rel fs;
          do qs <- all a_rthm bs; do rs <- all a_rthm ss; do z <- a_rthm p;
          do _ <- guard (Nat.leb (length Fs) 1000); r_induct x m i Fs qs rs z
      | _ => None end
  | _, _ => None end.
