(** Bytes, numbers and words of certificates and claims (FORMAT.md); texts as lines of words. *)
From Coq Require Import String Ascii Bool Arith ZArith List.
From Assay Require Import Compare.
Import ListNotations.
Local Open Scope nat_scope.

Notation bytes := (list ascii).
Notation "'do' x <- a ; b" := (match a with Some x => b | None => None end) (at level 200,
  x pattern, a at level 100, b at level 200).
Definition guard (b : bool) : option unit := if b then Some tt else None.
Fixpoint all {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with [] => Some [] | x :: m => do y <- f x; do z <- all f m; Some (y :: z) end.

(** ** Numbers and words *)
Definition is (c d : ascii) := Ascii.eqb c d.
Definition beqb : bytes -> bytes -> bool := leqb Ascii.eqb.
Lemma beqb_eq a b : beqb a b = true -> a = b.
Proof. apply leqb_eq. apply Ascii.eqb_eq. Qed.
Fixpoint short (n : nat) (l : bytes) : bool :=
  match l with [] => true | _ :: m => match n with O => false | S k => short k m end end.
Definition digit (c : ascii) : option Z :=
  if is c "0" then Some 0%Z else if is c "1" then Some 1%Z else if is c "2" then Some 2%Z else
  if is c "3" then Some 3%Z else if is c "4" then Some 4%Z else if is c "5" then Some 5%Z else
  if is c "6" then Some 6%Z else if is c "7" then Some 7%Z else if is c "8" then Some 8%Z else
  if is c "9" then Some 9%Z else None.
Fixpoint digits (l : bytes) (acc : Z) : option Z :=
  match l with [] => Some acc | c :: m => do d <- digit c; digits m (10 * acc + d)%Z end.
Definition natural (n : nat) (l : bytes) := match l with [] => None | _ => if short n l then
  digits l 0%Z else None end.
(** a number without sign and leading zero *)
Definition index (l : bytes) : option Z := match l with
  | [] => None
  | c :: m => match m with [] => digit c | _ => if is c "0" then None else natural 10 l end end.
Definition count (l : bytes) : option nat :=
  do z <- index l; if (z <? 1000000)%Z then Some (Z.to_nat z) else None.
Definition number (l : bytes) : option Z := match l with
  | c :: m => if is c "-" then do z <- natural (100 * 100) m;
    Some (- z)%Z else natural (100 * 100) l
  | [] => None end.
Definition word (l : bytes) : option string :=
  match l with [] => None | _ =>
    if short 255 l && negb (existsb (fun c => is c "|" || is c ",") l) then
      Some (string_of_list_ascii l) else None end.

(** ** Texts: lines that end with a line end, tokens with one blank between them, no zero byte.
    A token and the tokens of a line are gathered in reverse. *)
Definition newline := ascii_of_nat 10.
Section Run.
  Context {state : Type} (line : state -> list bytes -> option state).
  Fixpoint run (n : Z) (st : state) (tk : bytes) (tks : list bytes) (l : bytes) : state + Z :=
    match l with
    | [] => match tk, tks with [], [] => inl st | _, _ => inr n end
    | c :: m =>
        if is c newline then match line st (rev_append (rev_append tk [] :: tks) []) with
          | Some st' => run (n + 1) st' [] [] m | None => inr n end
        else if is c " " then run n st [] (rev_append tk [] :: tks) m
        else if is c zero then inr n
        else run n st (c :: tk) tks m end.
End Run.
Fixpoint strip (p l : bytes) : option bytes := match p, l with
  | [], _ => Some l
  | a :: p', b :: l' => if is a b then strip p' l' else None
  | _, _ => None end.
Definition first_line : bytes := list_ascii_of_string "assay-cert 1" ++ [newline].
