(* What Sharing.v says is an identity, by physical equality and hash tables.  Hashes are those of the
   upper part of a value, as objects move in memory. *)
let hash a = Hashtbl.hash_param 15 40 a

(* objects by their hash *)
let known : (int, Obj.t) Hashtbl.t = Hashtbl.create 10007

let intern alike a =
  let h = hash a in
  match List.find_opt (fun b -> alike (Obj.obj b) a) (Hashtbl.find_all known h) with
  | Some b -> Obj.obj b
  | None -> Hashtbl.add known h (Obj.repr a); a

module Objects = Hashtbl.Make (struct
  type t = int * Obj.t
  let equal (d, a) (e, b) = d = e && a == b
  let hash (d, a) = d + hash a
end)

type table = Obj.t Objects.t

let new_table () : table = Objects.create 16

let once (tb : table) d a f =
  let key = (d, Obj.repr a) in
  match Objects.find_opt tb key with
  | Some r -> Obj.obj r
  | None -> let r = f () in Objects.add tb key (Obj.repr r); r
