(** The term language (RULES.md section 1), with de Bruijn indices. *)
From Coq Require Import String QArith List.
Import ListNotations.
Local Open Scope nat_scope.

Inductive sort := I | Re.                    (* integer, real *)
Inductive rel := REq | RNe | RLe | RLt.      (* =  #  <=  < *)
Definition signature := (list sort * sort)%type.

(** Heads without binders.  The relation of an [ite] stands in its head, and its two
    sides are the first two kids: that is how the rule [cong] reads it. *)
Inductive head :=
| HQ (q : Q) | HAdd | HMul | HDiv | HMod | HInv | HExp | HSqrt | HLog
| HIte (r : rel) | HApp (f : string) (sg : signature).

(** [Fold p n bs ss]: component p, bound n, bases bs, steps ss.  A step stands under
    [1 + length ss] binders: index 0 is the counter, index 1 + q is state q. *)
Inductive term :=
| Var (x : string) (s : sort)
| Bnd (i : nat) (s : sort)
| Node (h : head) (ks : list term)
| Fold (p : nat) (n : term) (bs ss : list term).

Record relation := Rel { r_op : rel; r_l : term; r_r : term }.

(** [FAll m cs c]: for all integers for m binders, the conditions cs imply c. *)
Inductive formula := FRel (a : relation) | FAll (m : nat) (cs : list relation) (c : relation).

Section Induction.
  Variable P : term -> Prop.
  Hypothesis HV : forall x s, P (Var x s).
  Hypothesis HB : forall i s, P (Bnd i s).
  Hypothesis HN : forall h ks, Forall P ks -> P (Node h ks).
  Hypothesis HF : forall p n bs ss, P n -> Forall P bs -> Forall P ss -> P (Fold p n bs ss).
  Fixpoint term_ind' (t : term) : P t :=
    let all := fix all (l : list term) : Forall P l :=
      match l with [] => Forall_nil P | a :: l' => Forall_cons a (term_ind' a) (all l') end in
    match t with
    | Var x s => HV x s
    | Bnd i s => HB i s
    | Node h ks => HN h ks (all ks)
    | Fold p n bs ss => HF p n bs ss (term_ind' n) (all bs) (all ss)
    end.
End Induction.
