(* assay-check-extracted CLAIM CERT: prints the verdict of the extracted checker.
   assay-check-extracted [--sem PATH].. [-q] SPEC CANDIDATE CERT: the same of the claim that
   assay-elab, which stands beside this program or is named by ASSAY_ELAB, writes of the two files.
   Exit status as assay-check's: 0 accepted, 1 rejected, 2 bad input. *)
let accepted, rejected, bad_input = 0, 1, 2

exception Bad_input of string

let list_of_string s =
  let rec go i l = if i < 0 then l else go (i - 1) (s.[i] :: l) in
  go (String.length s - 1) []

let contents channel =
  let text = Buffer.create 65536 in
  let piece = Bytes.create 65536 in
  let rec go () =
    let n = input channel piece 0 (Bytes.length piece) in
    if n > 0 then (Buffer.add_subbytes text piece 0 n; go ()) in
  go ();
  Buffer.contents text

let contents_of_file name =
  let channel = open_in_bin name in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> contents channel)

let elaborator () = match Sys.getenv_opt "ASSAY_ELAB" with
  | Some program -> program
  | None -> Filename.concat (Filename.dirname Sys.executable_name) "assay-elab"

(* what assay-elab writes; it says itself why there is no claim *)
let claim_of arguments =
  let program = elaborator () in
  let channel = Unix.open_process_args_in program (Array.of_list (program :: arguments)) in
  let text = contents channel in
  match Unix.close_process_in channel with
  | Unix.WEXITED 0 -> text
  | _ -> raise (Bad_input "the claim cannot be stated")

(* claim and name of the certificate *)
let claim_and_certificate arguments =
  match List.rev (List.filter (fun a -> a <> "-q") arguments) with
  | [certificate; claim] -> contents_of_file claim, certificate
  | certificate :: others when List.length others >= 2 -> claim_of (List.rev others), certificate
  | _ -> raise (Bad_input "usage: assay-check-extracted CLAIM CERT\n\
                   or: assay-check-extracted [--sem PATH].. [-q] SPEC CANDIDATE CERT")

let judge arguments =
  let claim, certificate = claim_and_certificate arguments in
  match Kernel.verdict (list_of_string claim) (list_of_string (contents_of_file certificate)) with
  | None -> Printf.printf "accepted %s\n" certificate; accepted
  | Some line when Big_int_Z.sign_big_int line = 0 -> raise (Bad_input "the claim cannot be read")
  | Some line when Big_int_Z.sign_big_int line < 0 ->
      Printf.printf "rejected %s: a goal is left open\n" certificate; rejected
  | Some line ->
      Printf.printf "rejected %s: line %s\n" certificate (Big_int_Z.string_of_big_int line); rejected

let () =
  let refuse why = prerr_endline ("assay-check-extracted: " ^ why); bad_input in
  exit (match judge (List.tl (Array.to_list Sys.argv)) with
    | status -> status
    | exception Bad_input why -> refuse why
    | exception Sys_error why -> refuse why
    | exception Unix.Unix_error (e, _, what) -> refuse (what ^ ": " ^ Unix.error_message e))
